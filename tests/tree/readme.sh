#!/usr/bin/env bash
# tests/tree/readme.sh: what README.md and doc/*.md print as commands runs exactly as printed.
#
# A command is an indented line, or one between fences, that begins with a word below; it ends where
# two blanks begin the remark on it. The commands of a document run in their order, in one empty folder
# that has the sources' tests/, examples/, exercises/ and include/, and the build as build/. Expected is exit status
# 0, or the one that the remark names ("exit status 2").
#
#     cgsolve, ./cgsolve, build/cgsolve, cc     runs as printed
#     ./bootstrap run OPTIONS                   builds for minutes, so: its options run as `cgsolve --plan`
#     ./bootstrap WORD                          has to be one of its words; `help` runs
#     bench/X, tools/X                          measures for minutes: the script is there, and parses
#     build/bench/X                             likewise: bench/ has a program of that name
#     nvcc                                      runs where there is a GPU: its -arch=native asks for it
#     make X                                    make knows how to make X (make -n), in the build's folder
#     gcc, cc with pkg-config, and then ./X     skipped: needs `make install`; `make installcheck` does that
#     mpirun                                    runs where it is, and cgsolve has MPI
#
# A remark that says GPU, nvcc, gnuplot, Open MPI or installed (by `make install`) is skipped where that is
# missing, and counted, as is what was only looked at. What begins like a command of anything else is a
# mistake: it would stand there untried.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
if [ ! -f "$sources/README.md" ]; then
    echo "skipped: no README.md beside the tests"
    exit 77
fi
if "$cgsolve" --version | grep -Eq -- '-fsanitize|--coverage'; then
    echo "skipped: too slow in a build that watches itself; other tests run the same there"
    exit 77
fi
export XDG_STATE_HOME=$work/state
mkdir bin
ln -s "$cgsolve" bin/cgsolve
PATH=$work/bin:$PATH
skipped=0 looked=0 found=0
gpu=no mpi=no
"$cgsolve" list backends | grep -q '^  cuda .*multiprocessors' && gpu=yes
command -v mpirun >/dev/null && ! "$cgsolve" --version | grep -q '^MPI *not built in' && mpi=yes
# shellcheck source=tests/support/mpirun.bash
. "$sources/tests/support/mpirun.bash"

# lacks REMARK COMMAND: says what of it is missing here.
lacks() {
    case $1 in *GPU*) [ $gpu = yes ] || echo "no GPU" ;; esac
    case $1 in *nvcc*) command -v nvcc >/dev/null || echo "no nvcc" ;; esac
    case $1 in *gnuplot*) command -v gnuplot >/dev/null || echo "no gnuplot" ;; esac
    case $1/$2 in *installed*/* | *pkg-config* | */./[a-z]*_*) echo "not installed here" ;; esac
    case $2 in mpirun\ *) [ $mpi = yes ] || echo "no MPI" ;; esac
    case $1 in *"Open MPI"*) mpirun --version | grep -q 'Open MPI' || echo "not Open MPI" ;; esac
    case $2 in *--partition=metis*) "$cgsolve" doctor | grep -q '^ *ok *METIS' || echo "no METIS" ;; esac
    case $2 in nvcc\ *) [ $gpu = yes ] && command -v nvcc >/dev/null || echo "no GPU, or no nvcc" ;; esac
    case $2 in cc\ * | gcc\ * | *.c | *.c[,\ ]*) command -v cc >/dev/null || echo "no cc" ;; esac
}

# look COMMAND: what is not run is looked at; false where that is wrong. 3: it is a command to run.
look() {
    local words script
    read -ra words <<<"$1"
    case ${words[0]} in
    ./bootstrap)
        [ "${words[1]-}" != run ] && "$sources/bootstrap" help | grep -q "^ .*bootstrap ${words[1]-}" && return
        [ "${words[1]-}" = run ] && "$cgsolve" "${words[@]:2}" --plan
        ;;
    build/bench/*)
        script=${words[0]#build/}
        [ -f "$sources/$script.c" ] || [ -f "$sources/$script.cu" ]
        ;;
    bench/* | tools/*) [ -x "$sources/${words[0]}" ] && bash -n "$sources/${words[0]}" ;;
    make) make -n -C "$(dirname "$cgsolve")" "${words[@]:1}" ;;
    *) return 3 ;;
    esac
}

# commands DOCUMENT: "command<TAB>remark" a line. Fences also hold what cgsolve says: its first line
# is its name and a version.
commands() {
    awk '/^ *```/ { fence = !fence; next }
        !fence && !/^    / { next }
        { sub(/^ +/, "") }
        /^(cgsolve|\.\/cgsolve|build\/cgsolve|mpirun|g?cc|nvcc|make|\.\/[a-z]+_[a-z]+|\.\/bootstrap|(build\/)?bench\/[a-z_]+|tools\/[a-z-]+)( |$)/ &&
            !/^cgsolve [0-9]/ {
            at = match($0, /  /)
            print (at ? substr($0, 1, at - 1) : $0) "\t" (at ? substr($0, at) : "")
        }' "$1"
}

# others DOCUMENT: lines that begin like a command, and are none of those above.
others() {
    awk '/^ *```/ { fence = !fence; next }
        !fence && !/^    / { next }
        { sub(/^ +/, "") }
        /^(\$|sudo|apt|apt-get|git|cd|export|g\+\+|c\+\+|python3?|man|tar|gnuplot|pkg-config|valgrind|mkdir|[A-Z_]+=[^ ]+) / ||
        /^(\.\/|build\/|doc\/|tests\/)[a-z]/ && !/^(\.\/cgsolve|\.\/[a-z]+_[a-z]+|build\/cgsolve|\.\/bootstrap|build\/bench\/[a-z_]+)( |$)/ &&
            !/^\.\/mine\.[a-z]+: / { print }' "$1"
}

for document in "$sources/README.md" "$sources"/doc/*.md; do
    name=$(basename "$document")
    folder=$work/$name.d
    mkdir "$folder"
    cd "$folder" || exit 1
    ln -s "$sources/tests" "$sources/examples" "$sources/exercises" "$sources/include" .
    ln -s "$(dirname "$cgsolve")" build
    ln -s "$cgsolve" cgsolve
    while IFS=$'\t' read -r command remark; do
        found=$((found + 1))
        missing=$(lacks "$remark" "$command" | head -n 1)
        if [ -n "$missing" ]; then
            skipped=$((skipped + 1))
            echo "skipped $name: $command ($missing)"
            continue
        fi
        look "$command" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        if [ $status != 3 ]; then
            looked=$((looked + 1))
            verdict "$name: $command (looked at)" $status "$(head -n 1 "$work/err")"
            continue
        fi
        # The first ones measure as users' do, the others for the part of make check.
        if [ $((found - looked - skipped)) -le 5 ]; then asked=; else asked=${CGSOLVE_TEST-}; fi
        expected=0
        [[ $remark =~ exit\ status\ ([0-9]+) ]] && expected=${BASH_REMATCH[1]}
        CGSOLVE_TEST=$asked timeout 300 bash -c "$command" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        [ $status = "$expected" ]
        verdict "$name: $command" $? "exit status $status, not $expected; $(head -n 1 "$work/err")"
    done < <(commands "$document")
    cd "$work" || exit 1
    untried=$(others "$document")
    [ -z "$untried" ]
    verdict "$name: no commands of a kind that is not tried" $? "$untried"
done

[ $found -ge 60 ]
verdict "the documents hold commands" $? "$found"
echo "$found commands: $((found - looked - skipped)) run, $looked looked at, $skipped skipped"
echo "# In folders that Autotools refuse"
# shellcheck disable=SC2016 # names, as they are
for name in 'a blank' 'a$b' "a'b" 'a"b' 'a\b'; do
    mkdir "$name" && cp "$sources/bootstrap" "$name"
    "$name/bootstrap" --no-install build >out 2>err
    [ $? = 1 ] && head -n 1 err | grep -qF 'Autotools refuse a folder whose name holds a blank' && [ ! -e "$name/build" ]
    verdict "bootstrap in '$name': the first line says so" $? "$(head -n 1 err)"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
