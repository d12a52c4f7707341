#!/usr/bin/env bash
# tests/cli/rows.sh: the command lines of refused.rows, options that are wrong or mistyped. Each ends with its
# documented status and a message that says what was wrong and what would be right; nothing else is printed,
# and no file is left.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
export HOME=$work
count=0

# Files to stumble over.
mkdir place && cd place || exit 1
mkdir dir
: >empty.mtx
printf '\177ELF\1\1\0\0\r\0\n\0\377\n' >program
printf '\37\213\10\377junk' >bad.mtx.gz
printf '1 2 3\n4 5 6\n' >table.txt
echo '<html>404 Not Found</html>' >page.mtx
echo '{}' >other.json
echo 'int nothing;' >k.c
cp "$sources/tests/systems/nos4.mtx" nos4.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >short.mtx
{ printf '%%%%MatrixMarket matrix array real general\n100 1\n' && yes 1 | head -100; } >ones.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n0 0 2\n1 1 2\n2 2 2\n' >zero.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n' >cut.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 2 1\n' >wide.mtx
# shellcheck disable=SC2034 # rows have both
printf -v long '%05000d' 1
# shellcheck disable=SC2034
nbsp=$'\xc2\xa0'
printf 'x: 0 0.5\n 0.5 1\n' >flat.grid
printf '# y twice\ny: 0, 1\ny: 0 1\n' >twice.grid
printf 'x: 0 1e-8 1\n' >thin.grid
printf 'x: 0 0.1 0.3 1\nz: 0 1 2\n' >good.grid
shopt -s globstar dotglob nullglob
before=(**)

# refused STATUS PATTERN ARGUMENT...: true where it is; `line` is the command line, and what was wrong with it.
# (It runs hundreds of times, so what bash can do by itself starts no process.)
refused() {
    local status=$1 pattern=$2 got err lines now
    shift 2
    line="$*"
    timeout 60 "$cgsolve" "$@" >../out 2>../err </dev/null
    got=$?
    read -rd '' err <../err
    lines=${err//[!$'\n']/}
    now=(**)
    if [ $got != "$status" ]; then
        line+=": exit status $got, not $status"
    elif ! grep -Eq -- "$pattern" <<<"$err"; then
        line+=": no '$pattern'"
    elif [ -s ../out ]; then
        line+=": wrote to standard output"
    elif [[ $err != 'cgsolve: '* ]]; then
        line+=": the message does not begin with 'cgsolve: '"
    elif [ ${#lines} -gt 5 ] || [ ${#err} -ge 1200 ]; then
        line+=": a long message"
    elif [[ ${err,,} =~ (^|[^a-z])bugs?([^a-z]|$)|sanitizer|runtime\ error|core\ dumped ]]; then
        line+=": a fault of the program's own"
    elif [ "${now[*]}" != "${before[*]}" ]; then
        line+=": left something among ${now[*]}"
        before=("${now[@]}")
    else
        return 0
    fi
    return 1
}

# one STATUS PATTERN ARGUMENT...: the verdict on it.
one() {
    count=$((count + 1))
    if refused "$@"; then
        verdict "${line:0:100}" 0
    else
        [ ${#line} -lt 300 ] || line=${line:0:100}...${line: -150}
        verdict "$line" 1 "$(head -c 300 ../err)"
    fi
}

# rows COMMAND: calls it with status, pattern and arguments of the rows on standard input.
rows() {
    local row status pattern arguments words each
    while IFS= read -r row; do
        case $row in
        '#'*) echo "$row" && continue ;;
        '') continue ;;
        esac
        status=${row%% | *} row=${row#* | }
        pattern=${row%% | *} row=${row#* | }
        arguments=${row%% | *} words=${row#"$arguments"}
        eval "words=(${words# | })" # the words of a shell
        # shellcheck disable=SC2034 # the row has it
        for each in "${words[@]-}"; do
            eval "$1 $status \"\${pattern//\\\$each/\$each}\" $arguments"
        done
    done
}

rows one < <(sed '1,/^$/d' "$sources/tests/cli/refused.rows")

echo "# A kernel of one's own"
if command -v cc >/dev/null; then
    one 4 "'\./k\.c' defines no symbol 'cgsolve_kernel'" --kernel=./k.c --backend=cpu --N=5
else
    echo "skipped: no compiler cc"
fi

echo "# Unreadable files"
chmod 000 table.txt
if [ -r table.txt ]; then
    echo "skipped: root reads everything"
else
    one 4 'table\.txt: cannot be opened: Permission denied' --matrix=table.txt
fi
chmod 600 table.txt

echo "# Rows that are wrong"
wrong() {
    ! refused "$@"
    verdict "seen: ${line:0:100}" $?
}
rows wrong <<'END'
2 | --N=x is not a number | --N=x
1 | --N=y is not a number | --N=$each | x z
2 | limit of 1 iteration | --backend=cpu --N=9 --max-iterations=1
4 | cannot write | --backend=cpu --N=5 --json=left.json --output=nosuch/x.mtx
END

[ $count -ge 300 ]
verdict "at least 300 command lines" $? "$count"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
