#!/usr/bin/env bash
# tests/cli/cli_study.sh: cgsolve study end to end: points, reports, tables; killed half-way and resumed;
# interrupted; points that fail or are killed; what is refused before anything runs.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
export CGSOLVE_TEST=${CGSOLVE_TEST-part=0.02,battery=0},disturbed=0
cpu=(study --backend=cpu --threads=1 --expect-order=none)

# rows FILE: the lines of the tables, without what was measured.
rows() {
    sed -n '/^ *\(N\|format\) .*status/,/^$/p' "$1" | sed 's/ *[^ ]* *[^ ]*  *solve.*//'
}

# figures KEY FILE: of every point, in their order.
figures() {
    sed -n "s/^ *\"$1\": \([^{]*[^,{]\),\{0,1\}\$/\1/p" "$2"
}

# until_true SECONDS COMMAND...: waits for it.
until_true() {
    local tries=$(($1 * 50))
    shift
    while ! "$@" 2>/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.02
    done
}

child() { # PID: the process that it has started
    cat "/proc/$1/task/$1/children"
}
has_child() { [ -n "$(child "$1")" ]; }
# runs_point PID OPTION: that process is the study's point with the option, not one before it that still ends.
runs_point() { tr '\0' '\n' <"/proc/$(child "$1" | tr -d ' ')/cmdline" | grep -qx -- "$2"; }
reports_there() { [ "$(find "$1/points" -name '*.json' | wc -l)" -ge "$2" ]; }
gone() { ! kill -0 "$1" 2>/dev/null; }

echo "# Disturbed"
CGSOLVE_TEST=${CGSOLVE_TEST/disturbed=0/disturbed=1} accepts "${cpu[@]}" --N=3,5 --report=busy --json=j.json --csv=c.csv
same 'each point runs once more, at the end' "$(sed 's/ *\.\.\. [^,]*//' err | tr '\n' ' ')" \
    '[1 of 2] N=3, DISTURBED [2 of 2] N=5, DISTURBED [1 of 2, again] N=3, DISTURBED [2 of 2, again] N=5, DISTURBED '
same 'text: a column' "$(grep -Ec '^ +N +status.* DISTURBED$' out) $(grep -Ec '^ +[35] +ok .* yes$' out)" '1 2'
same 'CSV: a column' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "disturbed") at = i; next } { print $at }' c.csv | tr '\n' ' ')" '1 1 '
same 'JSON' "$(figures disturbed j.json | grep -c true)" 2
same 'page' "$(grep -c '<td class="word bad">yes</td>' busy/report.html)" 2
accepts "${cpu[@]}" --N=3,5 --report=busy --resume --json=j.json
same '--resume runs them again' "$(grep -c ', again\]' err) $(grep -c DISTURBED err out | tr '\n' ' ')" '2 err:0 out:0 '
same 'and they are not, nor resumed' "$(figures disturbed j.json | grep -c true) $(figures resumed j.json | grep -c true)" '0 0'

echo "# A study"
accepts "${cpu[@]}" --N=7,3,5 --format=crs,sell --report=whole --json=j.json --csv=c.csv
same 'points, N ascending, the last list fastest' "$(cd whole/points && echo *)" \
    'N3-crs.json N3-sell.json N5-crs.json N5-sell.json N7-crs.json N7-sell.json'
same 'iterations as in their own reports' "$(figures iterations j.json | tr '\n' ' ')" \
    "$(cat whole/points/*.json | grep '"iterations"' | tr -dc '0-9\n' | tr '\n' ' ')"
valid_json '--json' j.json
same 'its exit_status' "$(tail -n 2 j.json | head -n 1)" '  "exit_status": 0'
for key in swept points values file resumed seconds facts unknowns l2 nodal_l2 h1 mups series label orders; do
    grep -q "^ *\"$key\": " j.json || verdict "JSON has $key" 1
done
same 'study.json is the same' "$(figures l2 whole/study.json)" "$(figures l2 j.json)"
same 'CSV: a line a point, and its columns' "$(wc -l <c.csv) $(head -n 1 c.csv | cut -d, -f1-6)" \
    '7 N,format,name,resumed,exit_status,seconds'
same 'CSV: values' "$(sed -n 4p c.csv | cut -d, -f1-5)" '5,"crs","N5-crs",0,0'
same 'text: a row a point' "$(grep -Ec '^ +[357] (crs|sell) +ok ' out)" 6
grep -q '^\[6 of 6\] N=7, sell \.\.\. [0-9.]* [mu]*s$' err
verdict 'progress, on standard error' $? "$(tail -n 1 err)"
same 'no line is wider than 100' "$(awk 'length > 100' out | wc -l)" 0
timeout 120 "$cgsolve" "${cpu[@]}" --N=3,5 --json=- >alone.json 2>err
valid_json '--json=-: nothing else on standard output' alone.json
! grep -q '"file"' alone.json
verdict 'no file is named where none is kept' $?
[ -z "$(ls "$TMPDIR")" ]
verdict 'nothing is left below TMPDIR' $?
tables=whole/tables.tex
same 'tables.tex: errors and points, the wide one in parts, in columns of siunitx' \
    "$(grep -c '^.begin{longtable}{S.table-format=1.0. \(S\|l S\)' $tables) $(grep -c '^.end{longtable}$' $tables)" '4 4'
same 'a row for each N, its error as in the JSON report' \
    "$(sed -n '/^{N} & {L2} & {order} & /,/^{fitted}/ s/^\([357]\) & \([^ ]*\) & .*/\1 \2/p' $tables | tr '\n' ' ')" \
    "$(for n in 3 5 7; do value l2 whole/points/N$n-crs.json; done | awk '{ t = sprintf("%.4e", $1); sub(/e-0/, "e-", t); printf "%d %s ", 2 * NR + 1, t }')"
same 'a row for each point' "$(grep -Ec '^[357] & (crs|sell) & [0-9]+ & [0-9]+ & [0-9.]+e-[0-9]+ & ' $tables)" 6
same 'as many cells in each row as columns' "$(awk -F' & ' '/^.begin.longtable/ { n = gsub(/table-format/, "table-format") + / l / } / & / && NF != n' $tables | wc -l)" 0

cp -r whole lacking
sed -i '/"spmv_gbs"/d' lacking/points/N3-crs.json
accepts "${cpu[@]}" --N=7,3,5 --format=crs,sell --report=lacking --resume
same 'a point that says no rate: no number' "$(grep -c '^ *3 crs .* -$' out)$(grep -ci nan out)" 10
if binds_threads; then
    env -u OMP_NUM_THREADS OMP_WAIT_POLICY=passive OMP_PROC_BIND=true OMP_PLACES=threads "$cgsolve" study --backend=cpu --N=15,16 --expect-order=none \
        --report=bound >out 2>err
    same 'threads of points, where the program binds its own' "$(figures threads <(cat bound/points/*.json) | paste -sd' ')" \
        "$processors $processors"
fi

echo "# Several solves"
COLUMNS=120 accepts "${cpu[@]}" --N=5,7 --format=crs,sell --solves=5 --report=solves --csv=solves.csv
for point in solves/points/*.json; do
    row=$(grep "\"$(basename "$point" .json)\"" solves.csv)
    for column in median:solve_seconds min:solve_seconds_min max:solve_seconds_max; do
        same "$(basename "$point"): ${column#*:} is the ${column%:*} of its solves" \
            "$(cut -d, -f"$(head -n 1 solves.csv | tr , '\n' | grep -nx "${column#*:}" | cut -d: -f1)" <<<"$row")" \
            "$(awk -v x="$(value "${column%:*}_seconds" "$point")" 'BEGIN { printf "%.9g", x }')"
    done
done
grep -Eq ' solve +least +most ' out
verdict 'the table has the range' $? "$(grep status out)"
grep -Eq 'took [^<]* \(median; [^<]* to [^<]*\)' solves/report.html
verdict 'the headline says of what' $?
if [ -e solves/solve-time.svg.gp ]; then # without gnuplot
    grep -q 'using 1:3:(0)' solves/solve-time.svg.gp
    verdict 'the figure has the range' $?
fi

echo "# Two at once"
for try in 1 2 3 4 5; do
    rm -rf both
    "$cgsolve" "${cpu[@]}" --N=3,4 --report=both >one 2>one.err &
    pid=$!
    "$cgsolve" "${cpu[@]}" --N=3,4 --report=both >two 2>two.err
    second=$?
    wait $pid
    first=$?
    ok=1
    case $first,$second in
    0,4 | 4,0) grep -hq 'another study is running in' one.err two.err && ok=0 ;;
    0,1 | 1,0) grep -hq 'holds a study already' one.err two.err && ok=0 ;;
    esac
    [ -e both/study.json ] && [ -e both/points/N4.json ] || ok=1
    verdict "try $try: one runs, the other says why not" $ok "$first, $second: $(head -n 1 one.err two.err)"
done
mkdir empty
"$cgsolve" "${cpu[@]}" --N=3,4 --report=empty --json=nowhere/j.json >out 2>err
same 'refused outputs' $? 4
[ -d empty ] && [ -z "$(ls -A empty)" ]
verdict 'a folder that was there stays, empty' $? "$(ls -A empty)"
mkdir -p linked/points
ln -s "$work/elsewhere" linked/points/.cgsolve-study
"$cgsolve" "${cpu[@]}" --N=3,4 --report=linked >out 2>err
same 'a link for a marker' $? 1
[ ! -e elsewhere ]
verdict 'nothing is written through it' $?

echo "# Killed without a report"
mkdir -p "$TMPDIR/cgsolve-studyABCDEF/points" "$TMPDIR/cgsolve-studyABCDEFG"
touch "$TMPDIR/cgsolve-studyABCDEF/points/N3.json"
"$cgsolve" "${cpu[@]}" --N=3,96 --tol=1e-13 >out 2>err &
pid=$!
until_true 60 has_child $pid
kill -KILL $pid
wait $pid 2>/dev/null
accepts "${cpu[@]}" --N=3,4
same 'the next study removes what killed ones left, and nothing else' "$(ls "$TMPDIR")" cgsolve-studyABCDEFG
rmdir "$TMPDIR/cgsolve-studyABCDEFG"

echo "# Resumed"
many=("${cpu[@]}" "--N=3,5,7" "--format=crs,sell" "--precond=none,jacobi")
"$cgsolve" "${many[@]}" --report=half >out 2>err &
pid=$!
until_true 60 reports_there half 3
kill -KILL $pid
wait $pid 2>/dev/null
sleep 0.1 # for the point that went with it
stat -c '%n %i %y' half/points/*.json >before
before=$(wc -l <before)
accepts "${many[@]}" --report=half --resume --json=half.json
grep -q "^$before of 12 points are there already" err
verdict 'those that were there are said' $? "$(head -n 1 err)"
stat -c '%n %i %y' half/points/*.json | grep -Fxf before | cmp -s - before
verdict 'no finished point is computed again' $?
same 'they are marked' "$(grep -c '"resumed": true' half.json)" "$before"
rows out >first
accepts "${many[@]}" --report=half/ --resume
grep -q '^12 of 12 points are there already' err
verdict 'nothing is left to do' $?
[ -s first ] && rows out | cmp -s - first
verdict 'the same table' $?
! grep -q 'The points are of' out half/report.html
verdict 'one machine: nothing is said of it' $?
sed -i 's/^\( *"cpu": "\).*"/\1another processor"/' "$(find half/points -name 'N3-*.json' | head -n 1)"
accepts "${many[@]}" --report=half/ --resume
grep -q 'The points are of 2 machines: seconds' out && grep -q '<li class="note">The points are of 2 machines: seconds' half/report.html
verdict 'a point of another machine: said by text and page' $? "$(tail -n 3 out)"
accepts "${many[@]}" --report=straight --json=straight.json
for key in iterations l2 h1; do
    same "$key as of one that was not killed" "$(figures $key half.json)" "$(figures $key straight.json)"
done
accepts "${cpu[@]}" --N=3,5,7,9 --format=crs,sell --report=whole --resume
grep -q '^6 of 8 points are there already' err
verdict 'a list may grow' $? "$(head -n 1 err)"
accepts "${cpu[@]}" --N=3,5 --format=crs,sell --report=whole --resume --tol=1e-3
grep -q '^0 of 4 points are there already; 4 more, which did not end, or are of other options' err
verdict 'points of other options are run again' $? "$(head -n 1 err)"

echo "# Drawn again, elsewhere"
cp -r half far
rm -r far/points/.cgsolve-study far/report.html far/study.json far/*.svg*
sed -i 's/^\(    "commit": "\).*"/\10123456789ab"/; s/^\(  "date": "\)[^T]*/\12026-01-02/; s/^\(    "cpu": "\).*"/\1their CPU"/' far/points/*.json
sed -i 's/"date": "2026-01-02/"date": "2026-01-05/' far/points/N7-sell-*jacobi.json
there() { (cd far/points && stat -c '%n %i %y' -- .[!.]* * 2>/dev/null); }
there >before
accepts "${many[@]}" --report=far --draw --csv=far.csv
same 'what is said' "$(cat err)" '12 of 12 points are there already'
there | cmp -s - before && [ "$(wc -l <before)" = 12 ]
verdict 'no report is touched, none is added' $?
[ ! -e far/study.json ]
verdict 'no study.json: this program ran nothing' $?
same 'their commit and days' "$(head -n 1 out | cut -d'(' -f2)" '0123456789ab), 2026-01-02 to 2026-01-05'
grep -q '^Machine  *their CPU, 1 thread$' out
verdict 'their machine' $? "$(grep Machine out)"
rows out | cmp -s - first
verdict 'the same table' $?
for said in 'commit 0123456789ab' 'their CPU, 1 thread' '2026-01-02 to 2026-01-05' 'drawn by</dt><dd>cgsolve'; do
    grep -q "$said" far/report.html
    verdict "the page says: $said" $?
done
rm far/points/N5-*.json
accepts "${many[@]}" --report=far --draw
same 'those that are missing stay so' "$(grep -c ' not run' out) $(find far/points -name 'N5-*' | wc -l)" '8 0'

echo "# Interrupted"
long=("${cpu[@]}" "--N=3,192" --format=none --tol=1e-13)
set -m # without job control, what runs in the background ignores SIGINT
for signal in INT TERM; do
    rm -rf stopped
    "$cgsolve" "${long[@]}" --report=stopped --json=stopped.json >out 2>err &
    pid=$!
    until_true 60 reports_there stopped 1
    until_true 60 has_child $pid
    point=$(child $pid)
    kill -$signal $pid
    wait $pid
    same "SIG$signal: exit status" $? 130
    until_true 5 gone "$point"
    verdict "SIG$signal: the point has ended, too" $?
    grep -q 'interrupted: 1 of 2 points are done; the same command with --resume goes on' err
    verdict "SIG$signal: says how to go on" $? "$(tail -n 1 err)"
    same "SIG$signal: what is kept" "$(cd stopped && echo * points/*)" 'points report.html study.json tables.tex points/N3.json'
    same "SIG$signal: the report says so" "$(value exit_status stopped/study.json)$(tail -n 3 stopped.json | head -n 1)" \
        '0  "exit_status": 130,'
    grep -Eq '^ +192 not run' out
    verdict "SIG$signal: the table so far" $?
done
"$cgsolve" "${long[@]}" >out 2>err &
pid=$!
until_true 60 has_child $pid
kill -TERM $pid
wait $pid
same 'without --report: exit status' $? 130
grep -q -- '--report=DIR would keep them' err
verdict 'it says what would have kept the points' $? "$(tail -n 1 err)"
[ -z "$(ls "$TMPDIR")" ]
verdict 'nothing is left below TMPDIR' $?

echo "# Points that fail"
"$cgsolve" "${long[@]}" --report=killed >out 2>err &
pid=$!
until_true 60 reports_there killed 1
until_true 60 runs_point $pid --N=192
kill -KILL "$(child $pid)"
wait $pid
same 'a point is killed: exit status' $? 2
grep -q '1 of 2 points failed; the first is N=192: was ended by SIGKILL' err
verdict 'and named' $? "$(tail -n 1 err)"
same 'its exit status' "$(figures exit_status killed/study.json | tr '\n' ' ')" '0 137 2 '
set +m
refuses 2 '2 of 4 points failed; the first is N=7, max-iterations=2: not converged: the limit of 2' \
    "${cpu[@]}" --N=7,9 --max-iterations=2,100 --json=f.json
same 'the others are there' "$(figures exit_status f.json | tr '\n' ' ')" '2 0 2 0 2 '
grep -q '^FAILED  *N=7, max-iterations=2: not converged' out
verdict 'the text names them' $?
[ "$(figures l2 f.json | wc -l)" = 4 ]
verdict 'what did not converge keeps its figures' $?
refuses 2 'N=31: N = 31 needs .* of host memory' "${cpu[@]}" --N=3,31 --memory-limit=2M
refuses 2 'the first is nowhere.mtx: nowhere.mtx: cannot be opened' study --matrix=nowhere.mtx,"$systems"/nos4.mtx

echo "# What is refused"
refuses 1 '2 of 4 combinations make no sense, and nothing is run; the first is N=3, crs: --chunk' \
    study --N=3,5 --format=crs,sell --chunk=8 --report=none
[ ! -e none ]
verdict 'nothing is made' $?
refuses 1 '--report=whole holds a study already: --resume goes on with it' study --N=3 --report=whole
refuses 1 'holds something else than a study' study --N=3 --report=whole/points --resume
refuses 4 "cannot make or read the folder 'c.csv' of the study: Not a directory" study --N=3 --report=c.csv
refuses 1 'holds no reports to draw: there is no none/points' study --N=3 --report=none --draw
refuses 1 'no report in whole/points is of these options' study --N=3,5 --format=crs,sell --tol=0.5 --report=whole --draw
[ ! -e none ]
verdict 'nothing is made to draw in' $?
refuses 1 'same file' study --N=3 --csv=x --json=x
cp "$systems"/nos4.mtx mine.mtx
for option in csv json; do
    refuses 1 "--$option and --matrix name the same file './mine.mtx'" study --matrix=other.mtx,mine.mtx --$option=./mine.mtx
done
refuses 1 '--json and --matrix name the same file' --matrix=mine.mtx --json=mine.mtx
refuses 1 '--N=x is not a number' --N=x --matrix=mine.mtx --json=mine.mtx
refuses 1 "--json=new/./study.json is one of the study's own files" study --N=3 --report=new --json=new/./study.json
refuses 1 "--json=whole/points/N3.json is one of the study's own files" study --N=3 --report=whole --resume --json=whole/points/N3.json
[ ! -e new ]
verdict 'no folder is left' $?
accepts "${cpu[@]}" --N=3 --report=new --csv=new/t.csv --json=new/j.json
cmp -s new/j.json new/study.json && [ -s new/t.csv ]
verdict 'outputs may be in the folder' $?
accepts study --backend=cpu --matrix=mine.mtx --report=filed
accepts study --backend=cpu --matrix=mine.mtx --report=filed --resume
grep -q '^1 of 1 points are there already$' err
verdict 'the report of a file that has not changed is taken over' $?
for name in $'m\xffne.mtx' $'m\xfene.mtx'; do
    cp mine.mtx "$name"
    touch -d '1 hour ago' "$name"
    accepts study --backend=cpu --matrix="$name" --report=bytes --resume
    grep -q '^0 of 1 points are there already' err || ! [ "$name" = $'m\xfene.mtx' ]
    verdict 'the report of one name is not taken for that of another that differs in a byte that is no UTF-8' $? "$(head -n 1 err)"
    accepts study --backend=cpu --matrix="$name" --report=bytes --resume
    grep -q '^1 of 1 points are there already$' err
    verdict 'a report of a name that is no UTF-8 is taken over' $? "$(head -n 1 err)"
done
touch mine.mtx
accepts study --backend=cpu --matrix=mine.mtx --report=filed --resume
grep -q '^0 of 1 points are there already; 1 more, .* of files that have changed since' err
verdict 'that of one that has is not' $? "$(head -n 1 err)"
cmp -s mine.mtx "$systems"/nos4.mtx
verdict 'the matrix is as it was' $?
for kind in fifo link folder; do
    rm -rf odd
    accepts "${cpu[@]}" --N=3,5 --report=odd
    rm odd/points/N3.json
    case $kind in
    fifo) mkfifo odd/points/N3.json ;;
    link) ln -s /dev/zero odd/points/N3.json ;;
    folder) mkdir odd/points/N3.json ;;
    esac
    timeout 60 "$cgsolve" "${cpu[@]}" --N=3,5 --report=odd --resume >out 2>err
    status=$?
    if [ $kind = folder ]; then
        [ $status = 4 ] && grep -q "cannot remove the old report 'odd/points/N3.json': Is a directory" err
    else
        [ $status = 0 ] && grep -q '^1 of 2 points are there already' err && [ -f odd/points/N3.json ] && [ ! -L odd/points/N3.json ]
    fi
    verdict "a $kind in place of a point's report" $? "status $status; $(head -n 1 err)"
done
# No /proc, as in a bare chroot.
bare=(unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' bare)
if [ "$instrumented" = no ] && "${bare[@]}" true 2>/dev/null; then
    timeout 120 "${bare[@]}" "$cgsolve" "${cpu[@]}" --N=3,5 >out 2>err
    same 'without /proc: status' $? 4
    grep -q "starts itself once more for each of its tasks, but '/proc/self/exe'.*is /proc mounted" err
    verdict 'and says so' $? "$(head -n 1 err)"
fi
"$cgsolve" study --N=7,x --json=usage.json 2>err
valid_json 'a usage error' usage.json
same 'its exit status' "$(value exit_status usage.json)" 1
accepts study --help
grep -q -- '--expect-order=ORDERS' out && ! grep -q -- '^  --history' out
verdict "'study --help' lists its options alone" $?

echo "# Targets of the error"
# found ORDER FILE: cells, or why there are none, of each target of that order, as JSON has them.
found() {
    sed -n "/\"label\": \"order=$1\"/,/\"label\"/p" "$2" | sed -n '/"targets"/,/\]/s/^ *"\(cells\|why\)": \([^,]*\),*$/\2/p' | tr -d '"' | tr '\n' ' '
}
# error_at OPTIONS...: the L2 error of a solve.
error_at() {
    "$cgsolve" --backend=cpu --threads=1 --format=none --tol=1e-12 "$@" --json=at.json >/dev/null 2>&1
    value l2 at.json
}
targets=(study --backend=cpu --threads=1 --solves=1 --time-limit=1000000 "--order=2,4" "--target-error=1e-4,1e-3" --report=targets)
accepts "${targets[@]}" --json=t.json --csv=t.csv
valid_json 'a study of targets' t.json
for case in 2:1e-3 2:1e-4 4:1e-3 4:1e-4; do
    order=${case%:*} target=${case#*:}
    read -ra meshes < <(found "$order" t.json)
    cells=${meshes[$([ "$target" = 1e-3 ]; echo $?)]}
    awk -v e="$(error_at --order="$order" --cells="$cells")" -v t="$target" 'BEGIN { exit !(e <= t) }'
    verdict "order $order: $cells cells reach $target" $? "$(value l2 at.json)"
    before=$((cells - 1))
    [ $before -ge 2 ] || continue
    awk -v e="$(error_at --order="$order" --cells=$before)" -v t="$target" 'BEGIN { exit !(e > t) }'
    verdict "order $order: $before cells do not" $? "$(value l2 at.json)"
done
same 'text: a row for each order and target' "$(sed -n '/^Targets/,/^Orders/p' out | grep -Ec '^ +order=[24] +[0-9]+ +[0-9 ]+ [0-9.]+e-[0-9]+ .* [mun]*s( \*)?$')" 4
same 'the fastest of each target' "$(sed -n '/^Targets/,/^Orders/p' out | grep -c ' \*$')" 2
same 'CSV: smallest target that a mesh is found for' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "target") at = i; next } $at { print $at }' t.csv | sort -u | tr '\n' ' ')" '0.0001 0.001 '
same 'without a matrix, to a tolerance for that error' "$(cat targets/points/*.json | grep -c -e '--format=none')$(cat targets/points/*.json | grep -c -e '--tol=1e-')" \
    "$(cat targets/points/*.json | grep -c '"exit_status": 0')$(cat targets/points/*.json | grep -c '"exit_status": 0')"
sed -n '/^Targets/,/^Orders/p' out >first
grep -q 'Time to an error' targets/report.html && grep -q 'fastest' targets/report.html
verdict 'the page has a table' $?
if command -v gnuplot >/dev/null; then
    [ -s targets/time-to-error.svg ]
    verdict 'there is a figure' $?
fi
accepts "${targets[@]}" --resume
same '--resume runs nothing again' "$(grep -c '^\[' err)" 0
cmp -s first <(sed -n '/^Targets/,/^Orders/p' out)
verdict 'and finds the same' $? "$(diff first <(sed -n '/^Targets/,/^Orders/p' out) | head -n 3)"
accepts "${targets[@]}" --draw
cmp -s first <(sed -n '/^Targets/,/^Orders/p' out)
verdict '--draw likewise' $?
accepts study --backend=cpu --threads=1 --solves=1 --time-limit=1000000 --order=2 --target-error=1e-2,1e-9 --memory-limit=1M --json=t.json
same 'beyond the memory: extrapolated, and no failure' "$(grep -c '"why": "memory"' t.json) $(grep -c '"reached": true' t.json)" '1 1'
grep -Eq '^ +~[0-9]+ +[0-9.]+e.[0-9]+ +~.* s +memory$|^ +order=2 .*memory$' out
verdict 'the text says so' $? "$(sed -n '/^Targets/,/^Orders/p' out)"
accepts study --backend=cpu --threads=1 --solves=1 --time-limit=1000000 --order=4 --target-error=1e-8 --tol=1e-3 --json=t.json
same 'where the tolerance rules the error' "$(grep -c '"why": "rounding"' t.json)" 1

echo "# Scaling over GPUs"
# scaled GPUS KIND N MUPS: replaces the report of that point by one of 10 solves of 100 iterations, on several GPUs
# with an exchange of 360 kB for each, and two sums, in each of these.
scaled() {
    local unknowns=$(($3 * $3 * $3)) ranks=
    [ "$1" = 1 ] || ranks="\"ranks\": {\"gpus\": $1, \"exchanges\": 1000, \"received_bytes\": $((720000 * ($1 - 1) * 1000 / ($1 > 2 ? 2 : 1))), \"gatherings\": 2000},"
    cat >"scaled/points/gpus$1-$2.json" <<END
{"arguments": ["solve", "--N=$3", "--gpus=$1", "--solves=0", "--json=there"],
 "problem": {"N": $3, "unknowns": $unknowns}, "solver": {"iterations": 100, "status": "converged"}, $ranks
 "solves": {"count": 10, "median_seconds": $(awk -v n=$unknowns -v mups="$4" 'BEGIN { print 1e-4 * n / mups }')}, "throughput": {"mups": $4}, "exit_status": 0}
END
}
scaling=(study "--gpus=1,2,4" "--scaling=strong,weak" --N=64 --report=scaled)
CUDA_VISIBLE_DEVICES=none "$cgsolve" "${scaling[@]}" --json=failed.json >out 2>err
same 'points without a GPU' $? 2
same 'N of weak scaling' "$(cat scaled/points/gpus{1,2,4}-weak.json | grep -o -e '--N=[0-9]*' | tr '\n' ' ')" '--N=64 --N=81 --N=102 '
same 'strong scaling keeps it' "$(cat scaled/points/gpus*-strong.json | grep -o -e '--N=[0-9]*' | sort -u)" --N=64
! grep -q '^Scaling' out
verdict 'there is no scaling of points that failed' $?
rm -f scaled/study.json
scaled 1 strong 64 262.144
scaled 2 strong 64 500
scaled 4 strong 64 800
scaled 1 weak 64 262.144
scaled 2 weak 81 510
accepts "${scaling[@]}" --draw --json=drawn.json
valid_json 'a study of scaling' drawn.json
for line in '1 +64 +1.00 ms +262 +1.00 +1.00 +100.0 %' '2 +64 +524 us +500 +1.91 +1.97 +95.4 %' \
    '4 +64 +328 us +800 +3.05 +3.88 +76.3 %' '2 +81 +1.04 ms +510 +1.95 +1.99 +97.3 %'; do
    grep -Eq "^ +$line\$" out
    verdict "scaling: $line" $? "$(sed -n '/^Scaling/,/^$/p' out)"
done
same 'speedup of each point in JSON' "$(grep -c '"speedup"' drawn.json)$(grep -c '"foretold"' drawn.json)" 55
grep -q '"measured": false' drawn.json
verdict 'the link is not measured' $?
tr -s ' \n' ' ' <out | grep -q 'a link of two H200 by NVLink (an exchange 2.5 us'
verdict 'the text says of which link' $? "$(tail -n 4 out)"
grep -q 'efficiency' scaled/report.html
verdict 'the page has a table' $?
if [ -e scaled/scaling.svg.gp ]; then # without gnuplot
    grep -q ideal scaled/scaling.svg.gp && grep -q 'model: strong' scaled/scaling.svg.gp && grep -q 'model: weak' scaled/scaling.svg.gp
    verdict 'the figure has what is ideal and the model' $?
fi
echo '{"link": {"measured": true, "exchange_seconds": 1e-4, "bandwidth_gbs": 36, "sum_seconds": 1e-4}}' >scaled/study.json
accepts "${scaling[@]}" --draw
grep -Eq '^ +2 +64 +524 us +500 +1.91 +1.23 +95.4 %$' out
verdict 'the model is of the link that an earlier call measured' $? "$(sed -n '/^Scaling/,/^$/p' out)"
CUDA_VISIBLE_DEVICES=none "$cgsolve" "${scaling[@]}" --resume --json=again.json >out 2>err
grep -Eq '"bandwidth_gbs": 36(\.0)?,' again.json
verdict '--resume keeps it where none can be measured' $? "$(grep -A4 '"link"' again.json)"
CUDA_VISIBLE_DEVICES=none "$cgsolve" study --gpus=1,2 --scaling=weak --N=63,1023 --precond=mg --report=nested >out 2>err
same 'grids of multigrid nest' "$(cat nested/points/N*gpus2.json | grep -o -e '--N=[0-9]*' | tr '\n' ' ')" '--N=1279 --N=79 '

echo "$passed passed, $failed failed"
[ $failed = 0 ]
