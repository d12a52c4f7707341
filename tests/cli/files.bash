# tests/cli/files.bash: what files.sh and files_scipy.sh share; sourced by them. The program is $CGSOLVE, on
# the CPU. Nothing is written but in a folder of its own under $TMPDIR.

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"

# solves STATUS PATTERN ARGUMENT...: ends with STATUS; standard error matches PATTERN ('' where
# nothing is said); out and report.json are there.
solves() {
    local status=$1 pattern=$2 got
    shift 2
    rm -f report.json
    timeout 300 "$cgsolve" --backend=cpu --json=report.json "$@" >out 2>err
    got=$?
    if [ $got != "$status" ]; then
        verdict "$*" 1 "exit status $got, not $status; $(head -n 1 err)"
    elif [ -n "$pattern" ] && ! grep -Eq -- "$pattern" err; then
        verdict "$*" 1 "no '$pattern' in: $(head -n 1 err)"
    elif [ -z "$pattern" ] && [ -s err ]; then
        verdict "$*" 1 "said: $(head -n 1 err)"
    else
        verdict "$* -> $status" 0
    fi
    same '... exit_status in JSON' "$(value exit_status report.json)" "$status"
}

says() { # PATTERN: in the text
    grep -Eq -- "$1" out
    verdict "... says '$1'" $? "$(sed -n '4,12p' out)"
}

absent() { # KEY
    ! grep -q "\"$1\"" report.json
    verdict "... no $1 in JSON" $?
}

# below KEY LIMIT
below() {
    awk -v a="$(value "$1" report.json)" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 <= b) }'
    verdict "... $1 <= $2" $? "$(value "$1" report.json)"
}

# matrix NAME SYMMETRY N ENTRY...: a coordinate file; an entry is "i j value".
matrix() {
    local name=$1 symmetry=$2 n=$3
    shift 3
    {
        echo "%%MatrixMarket matrix coordinate real $symmetry"
        echo "$n $n $#"
        printf '%s\n' "$@"
    } >"$name"
}

vector() { # NAME VALUE...
    local name=$1
    shift
    {
        echo '%%MatrixMarket matrix array real general'
        echo "$# 1"
        printf '%s\n' "$@"
    } >"$name"
}
