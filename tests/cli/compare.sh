#!/usr/bin/env bash
# tests/cli/compare.sh: cgsolve compare on reports that the program has just written, on copies that were
# changed by hand, and on files that are no reports; and its figure.
#
# The program is $CGSOLVE (./cgsolve where that is not set), on the CPU. Nothing is written but in a
# folder of its own under $TMPDIR.
set -u
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"

# compares STATUS ARGUMENT...: text in out, JSON in both.json.
compares() {
    local status=$1
    shift
    timeout 60 "$cgsolve" compare --json=both.json "$@" >out 2>err
    same "compare $*" "$?" "$status"
}

# says PATTERN: a line of the text.
says() {
    grep -Eq -- "$1" out
    verdict "says '$1'" $? "$(tail -n +5 out | head -n 3)"
}

silent() {
    ! grep -Eq -- "$1" out
    verdict "is silent of '$1'" $? "$(grep -E -- "$1" out | head -n 1)"
}

# objects FILE: each {...} of a list on a line of its own.
objects() {
    tr -d '\n' <"$1" | sed 's/  */ /g; s/{/\n{/g'
}

# edit FROM TO SCRIPT: sed on a report.
edit() {
    sed "$3" "$1" >"$2"
    ! cmp -s "$1" "$2"
    verdict "${3%%[/;]*}...: $2 differs" $?
}

# calm FILE: as on a machine with nothing else to do.
calm() {
    sed -i 's/"disturbed": true/"disturbed": false/' "$1"
}

echo "# Reports of solve"
"$cgsolve" --backend=cpu --threads=1 --N=9 --json=a.json >/dev/null
calm a.json
compares 0 a.json a.json
says '^Unchanged +all [0-9]+ figures agree'
silent '^(Settings|Results|Measured|Unclear|In one)'
for list in settings results measured overlapping only; do
    grep -q "\"$list\": \[\]" both.json
    verdict "nothing in $list" $?
done
valid_json 'compare' both.json
same 'its command' "$(value command both.json)" compare
same 'of' "$(value of both.json)" solve
same 'its exit status' "$(value exit_status both.json)" 0

# outputs are no settings
sed 's/"--json=a.json"/"--json=b.json",\n    "--history",\n    "h.csv"/' a.json >b.json
compares 0 a.json b.json
says '^Unchanged'

number='[-+0-9.e]*'
edit a.json b.json "s/\"spmv_seconds\": $number/\"spmv_seconds\": 1.0e-3/
    s/\"spmv_seconds_min\": $number/\"spmv_seconds_min\": 0.9e-3/
    s/\"spmv_seconds_max\": $number/\"spmv_seconds_max\": 1.1e-3/"
edit b.json c.json 's/"spmv_seconds": 1.0e-3/"spmv_seconds": 2.0e-3/
    s/"spmv_seconds_min": 0.9e-3/"spmv_seconds_min": 1.8e-3/
    s/"spmv_seconds_max": 1.1e-3/"spmv_seconds_max": 2.2e-3/'
compares 0 b.json c.json
says '^Measured +spmv_seconds +1.00 ms -> 2.00 ms +2.00 times as long \(1.64 \.\.\. 2.44\)$'
objects both.json | grep -q '"what": "spmv_seconds", "a": 0.001[0-9]*, "b": 0.002[0-9]*, "unit": "s", "ratio": 2.0, "ratio_least": 1.63636[0-9]*, "ratio_most": 2.44444[0-9]*, "better": "a"'
verdict 'in JSON, too' $? "$(objects both.json | grep spmv_seconds)"
compares 0 c.json b.json
says '^Measured +spmv_seconds +2.00 ms -> 1.00 ms +2.00 times as fast \(1.64 \.\.\. 2.44\)$'

# spreads that overlap: noise where the medians are near, unclear where they are far
edit b.json c.json 's/"spmv_seconds": 1.0e-3/"spmv_seconds": 1.04e-3/'
compares 0 b.json c.json
says '^Unchanged'
edit b.json c.json 's/"spmv_seconds": 1.0e-3/"spmv_seconds": 1.5e-3/
    s/"spmv_seconds_max": 1.1e-3/"spmv_seconds_max": 1.9e-3/'
compares 0 b.json c.json
says '^Unclear +spmv_seconds$'
says '^ +1.00 ms -> 1.50 ms +1.50 times as long \(0.818 \.\.\. 2.11\)$'
silent '^Measured'

# without a spread 5 %; phases also a millisecond
edit a.json b.json "s/\"mups\": $number/\"mups\": 100.0/; s/\"solve\": $number/\"solve\": 1.0/
    s/\"convert\": $number/\"convert\": 1e-6/"
edit b.json c.json 's/"mups": 100.0/"mups": 104.0/; s/"solve": 1.0/"solve": 1.04/
    s/"convert": 1e-6/"convert": 9e-4/'
compares 0 b.json c.json
says '^Unchanged'
edit b.json c.json 's/"mups": 100.0/"mups": 106.0/; s/"solve": 1.0/"solve": 1.06/'
compares 0 b.json c.json
says '^Measured +seconds.solve +1.00 s -> 1.06 s +1.06 times as long$'
says '^ +throughput.mups +100 MUPS -> 106 MUPS +1.06 times as much$'
silent 'convert'

# where other processes used the CPUs times are unclear, whatever they are
edit c.json d.json 's/"disturbed": false/"disturbed": true/'
compares 0 b.json d.json
says '^Unclear +seconds.solve +1.00 s -> 1.06 s +1.06 times as long$'
says '^ +\(other processes used the CPUs during run B: measure again\)$'
silent '^Measured'
objects both.json | grep -q '"disturbed": \[ "b"'
verdict 'in JSON, too' $? "$(grep -A1 disturbed both.json)"

# exact figures, always
edit a.json b.json 's/"status": "converged"/"status": "stagnation"/; s/"iterations": \([0-9]*\)/"iterations": 1\1/
    s/"nodal_l2": [0-9.e-]*/"nodal_l2": 0.125/; s/"threads": 1/"threads": 3/; s/"N": 9/"N": 10/
    s/"precision": "double"/"precision": "d\\u001b[31m"/'
compares 0 a.json b.json
says 'solver.status +converged -> stagnation'
says 'solver.iterations +([0-9]+) -> 1\1'
says 'error.nodal_l2 .* -> 0.125$'
says '^Settings +host.threads +1 -> 3'
says 'problem.N +9 -> 10'
says 'precision +double -> d\?\[31m' # nothing of the outside reaches the terminal as it is

# what only one has
edit a.json b.json '/"spmv_seconds/d'
compares 0 a.json b.json
says '^In one +spmv_seconds +only in A'
compares 0 b.json a.json
says '^In one +spmv_seconds +only in B'
"$cgsolve" --backend=cpu --N=9 --max-iterations=2 --json=f.json >/dev/null 2>&1
compares 0 a.json f.json
says 'exit_status +0 -> 2'
says '^ +B +not converged: '

echo "# Reports of spmv"
"$cgsolve" spmv --backend=cpu --threads=1 --N=9 --kernel=all --repeat=5 --json=s.json >/dev/null 2>err
calm s.json
same 'cgsolve spmv' $? 0
compares 0 s.json s.json
says "2 reports of 'cgsolve spmv'"
says '^Unchanged'
# one row, whose keys are a line each: of crs_row alone
edit s.json t.json "/\"kernels\"/,\$ { /\"name\": \"crs_row\"/,/\"max_seconds\"/ {
    s/\"median_seconds\": $number/\"median_seconds\": 1.0e-3/
    s/\"min_seconds\": $number/\"min_seconds\": 0.9e-3/; s/\"max_seconds\": $number/\"max_seconds\": 1.1e-3/ } }"
edit t.json u.json 's/"median_seconds": 1.0e-3/"median_seconds": 3.0e-3/
    s/"min_seconds": 0.9e-3/"min_seconds": 2.9e-3/; s/"max_seconds": 1.1e-3/"max_seconds": 3.1e-3/'
compares 0 t.json u.json
says '^Measured +crs_row, cpu: median_seconds +1.00 ms -> 3.00 ms +3.00 times as long \(2.64 \.\.\. 3.44\)$'
silent 'sell_chunk'
edit s.json u.json '/"kernels"/,$ { /"name": "sell_chunk"/,/"state"/ {
    s/"state": "timed"/"state": "failed",\n"reason": "row 7 is wrong"/ } }'
compares 0 s.json u.json
says '^Results +sell_chunk [0-9]+-1, cpu +timed -> failed: row 7 is wrong$'
edit s.json u.json '/"kernels"/,$ s/"name": "crs_row"/"name": "mine"/'
compares 0 s.json u.json
says '^In one +crs_row, cpu +only in A$'
says '^ +mine, cpu +only in B$'

echo "# Figures"
"$cgsolve" spmv --backend=cpu --threads=1 --N=7 --repeat=5 --json=r.json >/dev/null 2>err
calm r.json
if command -v gnuplot >/dev/null; then
    compares 0 s.json r.json --plot=f.svg
    says '^Figure +f.svg'
    grep -q '<svg' f.svg && grep -q '1 thread' f.svg && grep -q 'crs_row' f.svg
    verdict 'a figure of two' $?
    compares 0 s.json r.json t.json --plot=g.svg
    says "3 reports of 'cgsolve spmv'"
    silent 'figures agree'
    [ -s g.svg ]
    verdict 'a figure of three' $?
fi
without_gnuplot compares 4 s.json r.json --plot=h.svg
grep -q "cannot draw 'h.svg'.*gnuplot-nox.*h.svg.gp" err && [ ! -e h.svg ] && [ -s h.svg.gp ]
verdict 'without gnuplot its script is left' $? "$(head -n 1 err)"
# each point is where it should be: entries, median, least, most of crs_row
entries=$(value nonzeros r.json)
grep -q "^$entries [0-9.e-]* [0-9.e-]* [0-9.e-]*$" h.svg.gp
verdict "points at $entries entries" $?

echo "# What cannot be compared"
refuses() { # STATUS PATTERN ARGUMENT...
    local status=$1 pattern=$2 got
    shift 2
    timeout 60 "$cgsolve" compare "$@" >out 2>err
    got=$?
    [ $got = "$status" ] && grep -Eq -- "$pattern" err && [ ! -s out ]
    verdict "compare $* -> $status" $? "status $got: $(head -n 1 err)"
}
"$cgsolve" doctor --json=d.json >/dev/null
printf '{\n"cgsolve": {\n' >broken.json
printf '{\n"a": 1,\n"b": ]\n}' >wrong.json
printf '[1]' >array.json
: >empty.json
sed 's/"schema": 1/"schema": 99/' a.json >newer.json
sed '/"command"/d' a.json >headless.json
refuses 4 "cannot read the report 'nope.json': No such file" a.json nope.json
refuses 4 "cannot read the report '\.': Is a directory" a.json .
refuses 4 "'broken.json' is no JSON: line 3, column 0: " a.json broken.json
refuses 4 "'wrong.json' is no JSON: line 3, column 6: " wrong.json a.json
refuses 4 "'empty.json' is no JSON: line 1" a.json empty.json
refuses 4 "'array.json' is no report of cgsolve: it has no cgsolve.schema" a.json array.json
refuses 4 "'headless.json' is no report of cgsolve: it has no command" a.json headless.json
refuses 4 "'newer.json' is of a newer cgsolve .schema 99" a.json newer.json
refuses 1 "'a.json' is a report of 'cgsolve solve', 's.json' of 'cgsolve spmv'" a.json s.json
refuses 1 "'d.json' is a report of 'cgsolve doctor'" d.json d.json
refuses 1 "takes two reports, A.json and B.json .*; 1 given" a.json
refuses 1 "takes two reports, A.json and B.json .*; 3 given" a.json a.json a.json
refuses 1 "draws reports of 'cgsolve spmv'" a.json a.json --plot=x.svg
refuses 1 "'x.jpg' is no name for a figure" s.json r.json --plot=x.jpg
refuses 1 'name the same file' s.json r.json --plot=x.svg --json=x.svg
refuses 1 "would write over the report './a.json' that is compared" f.json ./a.json --json=a.json
[ -s a.json ]
verdict 'and it is still there' $?
refuses 4 'cannot write the figure' s.json r.json --plot=/nonexistent/x.svg
refuses 1 "belongs to 'cgsolve solve'" a.json a.json --tol=1e-3
compares 4 a.json nope.json
valid_json 'the report of a failure' both.json
same 'its exit status' "$(value exit_status both.json)" 4
[ -z "$(find . -name '*.tmp*')" ]
verdict 'no temporary is left' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
