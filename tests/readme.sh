#!/usr/bin/env bash
# tests/readme.sh: what README.md and doc/*.md print as commands runs exactly as printed.
#
# A command is an indented line, or one between fences, that begins with cgsolve, ./cgsolve,
# build/cgsolve or cc; it ends where two blanks begin the remark on it. The commands of a document
# run in their order, in one empty folder that has the sources' tests/, examples/ and include/, and the
# build as build/. Expected is exit status 0, or the one that the remark names ("exit status 2"). A remark
# that says GPU, nvcc, HDF5 or gnuplot is skipped, and counted, where there is none.
set -u
unset CGSOLVE_MEASURE_PART # as users run them

# shellcheck source=tests/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/verdicts.bash"
sources=$(cd "${CGS_SRCDIR:-$(dirname "${BASH_SOURCE[0]}")/..}" 2>/dev/null && pwd)
if [ ! -f "$sources/README.md" ]; then
    echo "skipped: no README.md beside the tests"
    exit 77
fi
if "$cgsolve" --version | grep -Eq -- '-fsanitize|--coverage'; then
    echo "skipped: too slow in a build that watches itself; other tests run the same there"
    exit 77
fi
mkdir bin
ln -s "$cgsolve" bin/cgsolve
PATH=$work/bin:$PATH
skipped=0 found=0
gpu=no hdf5=no
"$cgsolve" list backends | grep -q '^  cuda .*multiprocessors' && gpu=yes
"$cgsolve" --backend=cpu --N=1 --output=hdf5.vtkhdf >/dev/null 2>&1 && hdf5=yes

# commands DOCUMENT: "command<TAB>remark" a line. Fences also hold what cgsolve says: its first line
# is its name and a version.
commands() {
    awk '/^ *```/ { fence = !fence; next }
        !fence && !/^    / { next }
        { sub(/^ +/, "") }
        /^(cgsolve|\.\/cgsolve|build\/cgsolve|cc) / && !/^cgsolve [0-9]/ {
            at = match($0, /  /)
            print (at ? substr($0, 1, at - 1) : $0) "\t" (at ? substr($0, at) : "")
        }' "$1"
}

for document in "$sources/README.md" "$sources"/doc/*.md; do
    name=$(basename "$document")
    folder=$work/$name.d
    mkdir "$folder"
    cd "$folder" || exit 1
    ln -s "$sources/tests" "$sources/examples" "$sources/include" .
    ln -s "$(dirname "$cgsolve")" build
    ln -s "$cgsolve" cgsolve
    while IFS=$'\t' read -r command remark; do
        found=$((found + 1))
        if { [[ $remark == *GPU* ]] && [ $gpu = no ]; } ||
            { [[ $remark == *HDF5* ]] && [ $hdf5 = no ]; } ||
            { [[ $remark == *nvcc* ]] && ! command -v nvcc >/dev/null; } ||
            { [[ $remark == *gnuplot* ]] && ! command -v gnuplot >/dev/null; } ||
            { [[ $command == cc\ * || $command == *.c || $command == *.c[,\ ]* ]] &&
                ! command -v cc >/dev/null; }; then
            skipped=$((skipped + 1))
            echo "skipped $name: $command"
            continue
        fi
        expected=0
        [[ $remark =~ exit\ status\ ([0-9]+) ]] && expected=${BASH_REMATCH[1]}
        timeout 300 bash -c "$command" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        [ $status = "$expected" ]
        verdict "$name: $command" $? "exit status $status, not $expected; $(head -n 1 "$work/err")"
    done < <(commands "$document")
    cd "$work" || exit 1
done

[ $found -ge 20 ]
verdict "the documents hold commands" $? "$found"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
