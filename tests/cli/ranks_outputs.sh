#!/usr/bin/env bash
# tests/cli/ranks_outputs.sh: what a solve on several ranks measures and writes (doc/clusters.md) has the bytes of
# one process's: errors, fields, slices, solutions, matrices; a study has its errors and orders; and a file that
# cannot be written ends all ranks with one message. Skipped as tests/cli/ranks.sh is.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
export CGSOLVE_TEST=${CGSOLVE_TEST-part=0.02,battery=0},disturbed=0
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
mkdir one many

# both P ARGUMENT...: runs in one/ alone, in many/ on P ranks; then $? is the ranks'.
both() {
    (cd one && "$cgsolve" --backend=cpu "${@:2}" --json=report.json >out 2>err) ||
        verdict "one process: ${*:2}" 1 "$(head -n 1 one/err)"
    (cd many && ranks "$1" --backend=cpu "${@:2}" --json=report.json)
}

# object NAME FILE: the lines of that object of a report.
object() {
    sed -n "/^  \"$1\": {/,/^  }/p" "$2"
}

# errors P ARGUMENT...: the errors have the bits of one process's.
errors() {
    local got
    both "$@"
    got=$?
    [ $got = 0 ] && [ -n "$(object error one/report.json)" ] &&
        [ "$(object error one/report.json)" = "$(object error many/report.json)" ]
    verdict "errors on $1 ranks: ${*:2}" $? "exit status $got; $(object error many/report.json | tr -d '\n')"
}

# dateless FILE: its bytes but for the lines that have the date.
dateless() {
    LC_ALL=C sed '/^  date: /d; /^%/d' "$1"
}

# writes P FILE ARGUMENT...: the file has the bytes of one process's, but for the date.
writes() {
    local got
    rm -f one/"$2" many/"$2"
    both "$1" "${@:3}"
    got=$?
    [ -s one/"$2" ] && cmp -s <(dateless one/"$2") <(dateless many/"$2")
    verdict "$2 on $1 ranks: ${*:3}" $? "exit status $got; $(grep -m 1 cgsolve: many/err)"
}

export CUDA_VISIBLE_DEVICES= # ranks would take a GPU each
by_mpirun=no
echo "# Errors"
errors 3 --N=17
errors 2 --N=16 --problem=sine --format=crs
errors 3 --N=13 --problem=boundary --precision=mixed
errors 2 --N=13 --kappa=smooth
errors 5 --N=11 --deform=0.1
errors 7 --N=7 --stop=discretization
errors 3 --order=3 --N=11 --deform=0.1 --kappa=smooth
errors 2 --order=2 --N=7 --problem=mass --quadrature=gauss --stop=discretization
errors 3 --N=9 --problem=course --format=crs
errors 2 --N=9 --problem=random
errors 3 --matrix="$systems/nos4.mtx" --kernel=crs_row --rhs=random

echo "# Files"
writes 2 u.vti --N=9 --problem=boundary --output=u.vti
writes 3 u.vtu --N=9 --deform=0.05 --output=u.vtu
writes 3 u.vtu --order=3 --N=11 --deform=0.05 --output=u.vtu
writes 3 u.npy --N=13 --precision=single --output=u.npy
writes 2 u.csv --N=7 --kappa=jump:10 --output=u.csv
writes 3 u.mtx --N=7 --output=u.mtx
writes 2 x.npy --matrix="$systems/nos4.mtx" --kernel=crs_row --output=x.npy
writes 2 a.mtx --N=7 --save-matrix=a.mtx
if command -v gnuplot >/dev/null; then
    writes 3 s.svg --N=9 --deform=0.1 --slice=z:0.3,error,s.svg
    writes 3 t.svg --N=9 --slice=z:0.3,error,s.svg --slice=x:0.6,flux,t.svg
else # its data and script alone, and exit status 4
    (cd one && "$cgsolve" --backend=cpu --N=9 --deform=0.1 --slice=z:0.3,error,s.svg >out 2>err)
    ranks 3 --N=9 --deform=0.1 --slice=z:0.3,error,s.svg
    fails 4 "cannot draw 's.svg': 'gnuplot' is not there" "a slice without gnuplot"
    cmp -s one/s.svg.gp s.svg.gp
    verdict "data of a slice on 3 ranks" $?
fi

echo "# Studies"
# said FILE: what a study's report says of orders, iterations and errors.
said() {
    grep -E '"(order|half|factor|iterations|l2|nodal_l2|h1|max|status)":' "$1"
}
study=(study --backend=cpu '--N=7,11,15' '--format=crs,sell' --solves=1)
"$cgsolve" "${study[@]}" --json=one.json >out 2>err
verdict "a study alone" $? "$(head -n 1 err)"
ranks 2 "${study[@]}" --report=kept --json=many.json
verdict "a study on 2 ranks" $? "$(grep -m 1 cgsolve: err)"
[ "$(said one.json | grep -c '"half"')" = 8 ] && [ "$(said one.json)" = "$(said many.json)" ]
verdict "its orders and errors are those of one process" $? "$(diff <(said one.json) <(said many.json) | head -n 3 | tr -d '\n')"
[ -s kept/report.html ] && [ "$(find kept/points -name '*.json' | wc -l)" = 6 ]
verdict "it keeps page and points" $?
rm kept/points/N7-crs.json
ranks 3 "${study[@]}" --report=kept --resume && grep -q '^5 of 6 points are there already' err && [ "$(grep -c '^\[' err)" = 1 ]
verdict "--resume runs the point that is gone" $? "$(head -n 1 err)"
by_mpirun=yes
ranks 2 study --N=7,15 --format=crs --kernel=crs_row,./mine.c
fails 1 "2 of 4 combinations make no sense, and nothing is run; the first is N=7, mine.c: a user kernel in a study does not work on several ranks" "points that ranks refuse"
ranks 2 study --N=7 --max-iterations=3,500
fails 2 '1 of 2 points failed; the first is max-iterations=3: not converged' "a point that fails; the next one runs"

echo "# Commands of one rank"
for words in 'list kernels' 'help solve' 'compare one/report.json many/report.json'; do
    # shellcheck disable=SC2086 # several words
    "$cgsolve" $words >alone 2>err
    # shellcheck disable=SC2086
    ranks 3 $words && cmp -s <(tail -n +2 alone) <(tail -n +2 out) # the first line may have the time
    verdict "$words: by rank 0 alone" $? "$(head -n 1 err; diff alone out | head -n 3 | tr -d '\n')"
done

echo "# Through mpirun into a pipe"
# Open MPI's mpirun gives its processes a terminal, also where its own output is none.
for count in 1 2; do
    TERM=xterm launch $count "$cgsolve" --backend=cpu --N=9 2>err | cat >out
    grep -q '^Speed' out && ! LC_ALL=C grep -q $'\033' out
    verdict "$count: no sequences of a terminal" $? "$(cat -v out | head -n 1)"
done

echo "# Failures"
ranks 2 --N=9 --output=missing/u.vti
fails 4 "rank 0: cannot write the solution 'missing/u.vti': " "fields in a folder that is not there"
ranks 3 --matrix="$systems/nos4.mtx" --kernel=crs_row --output=/dev/full
fails 4 "cannot write the solution '/dev/full': No space left on device" "a solution on a full disk"
ranks 2 --N=9 --save-matrix=/dev/full
fails 4 "rank 0: cannot write the matrix '/dev/full': No space left on device" "a matrix on a full disk"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
