#!/usr/bin/env bash
# tests/cli/collection.sh: cgsolve spmv over many matrices: lists, folders, archives; refused matrices and failed kernels
# as lines; what --report keeps, an interrupt, --resume; one table of several reports. On the CPU, no figure of time is
# believed.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"
export CGSOLVE_TEST=part=0.02,battery=0,seconds=2,disturbed=0
fixed=(--backend=cpu --threads=1 --repeat=3)

# spmv STATUS ARGUMENT...: text in out, messages in err.
spmv() {
    local status=$1
    shift
    timeout 100 "$cgsolve" spmv "${fixed[@]}" "$@" >out 2>err
    same "spmv $* -> $status" $? "$status"
}

# says FILE PATTERN
says() {
    grep -Eq -- "$2" "$1"
    verdict "$1 says '$2'" $? "$(tail -n 3 "$1" 2>&1)"
}

# lines FILE COLUMN=VALUE...: how many lines of the CSV have these values, by the names of columns; texts without
# quotes. (No text here has a comma, but for reasons, which come after what is looked at.)
lines() {
    local file=$1
    shift
    awk -F, -v wanted="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(wanted, w, " "); next }
        { ok = 1
          for (k = 1; k <= n; k++) { split(w[k], pair, "="); value = $at[pair[1]]; gsub(/"/, "", value); ok = ok && value == pair[2] }
          count += ok } END { print count + 0 }' "$file"
}

# tridiagonal N KIND: a matrix with 3 N - 2 entries, as `symmetric` or `general`.
tridiagonal() {
    awk -v n="$1" -v kind="$2" 'BEGIN {
        print "%%MatrixMarket matrix coordinate real " kind
        print n, n, kind == "symmetric" ? 2 * n - 1 : 3 * n - 2
        for (i = 1; i <= n; i++) { print i, i, 2; if (i > 1) print i, i - 1, -1; if (i > 1 && kind == "general") print i - 1, i, -1 } }'
}

mkdir -p box/one box/two empty other
tridiagonal 50 symmetric >box/one/sym.mtx
tridiagonal 40 general >box/one/gen.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 5 4\n1 1\n1 5\n2 2\n3 4\n' >box/two/wide.mtx
printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n' >box/two/complex.mtx
: >other/file

echo "# A folder"
spmv 0 --matrix=box --kernel=crs_row,sell_chunk --report=r --json=j.json --csv=c.csv
says err '^4 matrices found$'
says out '4 found, 4 done, 1 of these refused'
says out '^  one/gen +crs_row +CRS '
says out '^Refused +two/complex: box/two/complex.mtx:1: the matrix is complex'
says out '^  crs_row +3 '
cmp -s c.csv r/results.csv
verdict '--csv is results.csv' $?
valid_json '--json' j.json
valid_json 'results.json' r/results.json
same 'a line for each' "$(grep -c '"state"' j.json)" "$(($(wc -l <r/results.csv) - 1))"
same 'gen: its entries' "$(lines r/results.csv name=gen group=one nonzeros=118 rows=40 symmetric=0 kernel=crs_row beside=0)" 1
same 'sym: both triangles' "$(lines r/results.csv name=sym nonzeros=148 shortest_row=2 longest_row=3 symmetric=1 kernel=crs_row beside=0)" 1
same 'wide: 3 x 5' "$(lines r/results.csv name=wide group=two rows=3 columns=5 nonzeros=4 kernel=crs_row beside=0 state=timed verified=1)" 1
same 'complex: one line' "$(lines r/results.csv name=complex state=refused verified=0) $(lines r/results.csv name=complex)" '1 1'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["median_seconds"] > 0 { n++; g = 2e-9 * $at["nonzeros"] / $at["median_seconds"]; d = g / $at["gflops"] - 1
        if (d * d > 1e-12 || $at["min_seconds"] > $at["median_seconds"] || $at["median_seconds"] > $at["max_seconds"]) wrong++ }
    END { exit !(n >= 6 && !wrong) }' r/results.csv
verdict 'GFLOP/s are 2 x entries / median, within the range' $?
says r/results.json '"level": "memory"'
says r/tables.md '^\| crs\\_row \| 3 \|'
says r/tables.tex '^crs\\_row & 3 &'
same 'tables.tex: columns of numbers of siunitx' "$(grep -c '^.begin{longtable}{l \(l \)*S' r/tables.tex)" 2
same 'tables: a line a matrix' "$(grep -c '^| \(one\|two\) | ' r/tables.md) $(grep -c '^\(one\|two\) & ' r/tables.tex)" '4 4'

mkdir odd && cp box/one/gen.mtx 'odd/[a\b^c~d<e>f|g_h*.mtx'
spmv 0 --matrix=odd --kernel=crs_row --report=o
same 'tables.tex: letters that LaTeX has not' "$(sed -n 's/^odd & \(.*\) & 118 &.*/\1/p' o/tables.tex)" \
    '{[}a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d\textless{}e\textgreater{}f\textbar{}g\_h{*}'

echo "# The page"
if command -v xmllint >/dev/null; then
    xmllint --noout r/report.html 2>xml.err
    verdict 'report.html: well-formed' $? "$(head -n 1 xml.err)"
else
    echo "skipped: no xmllint"
fi
! sed "s|xmlns[:a-z]*=[\"']http[^\"']*[\"']||g" r/report.html | grep -Eiq 'https?:|<link|<img|<iframe|@import|[^-]src *=|url\([^#]'
verdict 'report.html: no reference to the outside' $?
same 'report.html: a line a row' "$(grep -c '^<tr><td class="word">\(one\|two\)</td>' r/report.html)" "$(grep -c '"state"' j.json)"
says r/report.html 'prefers-color-scheme:dark'
if command -v gnuplot >/dev/null; then
    same 'figures' "$(cd r && echo *.svg)" 'gflops.svg profile.svg roofline.svg speedup.svg'
    spmv 0 --matrix=box/one/gen.mtx --kernel=crs_row --report=print --figures=pdf
    same 'figures for print' "$(head -qc 5 print/*.pdf; cd print && echo *.pdf)" \
        '%PDF-%PDF-%PDF-%PDF-gflops.pdf profile.pdf roofline.pdf speedup.pdf'
    readable r
    same 'figures in the page' "$(grep -c '<figure id=' r/report.html)" 4
else
    echo "skipped the figures: gnuplot is not there"
fi
without_gnuplot spmv 0 --matrix=box/one/gen.mtx --kernel=crs_row --report=plain
says plain/report.html 'Figures are missing: .*gnuplot'

echo "# Lists, names with commas, archives"
spmv 0 --matrix=box/one/gen.mtx,box/two --kernel=crs_row
says err '^3 matrices found$'
cp box/one/gen.mtx a,b.mtx
spmv 0 --matrix=a,b.mtx --kernel=crs_row --json=one.json
same 'a comma in a name' "$(value file one.json)" a,b.mtx
mkdir -p set/A set/B && cp box/one/gen.mtx set/A/A.mtx && cp box/one/sym.mtx set/B/B.mtx && cp box/two/wide.mtx set/A/A_b.mtx
tar -czf many.tar.gz set
spmv 0 --matrix=many.tar.gz --kernel=crs_row --csv=c.csv
same 'an archive: NAME/NAME.mtx each, no companions' \
    "$(lines c.csv group=many kernel=crs_row beside=0) $(lines c.csv name=A nonzeros=118 beside=0) $(lines c.csv name=B nonzeros=148 beside=0)" '2 1 1'
head -c 200 many.tar.gz >cut.tar.gz
spmv 0 --matrix=cut.tar.gz,box/one/gen.mtx --kernel=crs_row --csv=c.csv
same 'an archive that is cut is a line' "$(lines c.csv name=cut state=refused)" 1
spmv 4 --matrix=cut.tar.gz,box/two/complex.mtx --kernel=crs_row
says err 'all 2 matrices were refused; the first: '
spmv 4 --matrix=empty
says err "the folder 'empty' holds no matrix"
spmv 4 --matrix=box,nowhere.mtx --json=f.json
says err 'nowhere.mtx: cannot be opened: No such file'
same 'in the JSON report, too' "$(value exit_status f.json)" 4
spmv 1 --matrix=box,,box/one
says err 'nothing on one side of a comma'

spmv 0 --matrix=box/one --kernel=crs_row,crs_warp --report=warp
says out '^Skipped +one/gen and 1 more, crs_warp: '
same 'a kernel of another machine: lines nevertheless' "$(lines warp/results.csv kernel=crs_warp state=skipped)" 2
tridiagonal 30000 general >large.mtx
spmv 0 --matrix=large.mtx,box/two/wide.mtx --kernel=crs_row --memory-limit=1M --csv=c.csv
same 'too large for the memory' "$(lines c.csv name=large state=refused) $(lines c.csv name=wide state=timed beside=0)" '1 1'
says out '^Refused +[^ ]*/large: the matrix by rows, test vectors'
spmv 4 --matrix=box/two/complex.mtx --kernel=crs_row --report=none
same 'refused alone' "$(lines none/results.csv) $(lines none/results.csv state=refused)" '1 1'
says none/report.html '1 matrices, 1 refused'

echo "# Wrong options"
spmv 1 --matrix=box --resume
says err '--resume goes on with the results in a folder: name it by --report'
spmv 1 --N=4 --report=new
says err '--report keeps results of matrices from files'
spmv 1 --matrix=box --plot=f.svg
says err '--plot is for one matrix'
spmv 1 --matrix=box --baseline=crs_rwo
says err "unknown kernel 'crs_rwo'; did you mean 'crs_row'"
spmv 1 --N=4 --baseline=crs_row
says err '--baseline is what speed-ups over many matrices'
spmv 1 --matrix=box --kernel=crs_row --report=other
says err '--report=other: that folder holds something else'
spmv 1 --matrix=box --kernel=crs_row,sell_chunk --report=r
says err '--report=r holds results already: --resume goes on with them'
spmv 1 --matrix=box --kernel=crs_row,sell_chunk --report=new --json=new/results.json
says err "one of spmv's own files in --report"
[ ! -e new ]
verdict 'refused before a folder was made' $?

echo "# Going on"
cp r/results.csv before.csv
spmv 0 --matrix=box --kernel=crs_row,sell_chunk --report=r --resume
says err '^4 matrices found; 4 of them are there already$'
cmp -s before.csv r/results.csv
verdict 'nothing was run again' $?
spmv 1 --matrix=box --kernel=crs_row --report=r --resume
says err "--resume: the results in 'r' were made with another kernel .crs_row,sell_chunk, now crs_row"
spmv 1 --matrix=box --kernel=crs_row,sell_chunk --precision=single --report=r --resume
says err 'made with another precision .not given, now single'
cp r/results.json kept.json && head -c 300 kept.json >r/results.json
spmv 4 --matrix=box --kernel=crs_row,sell_chunk --report=r --resume
says err "cannot go on with 'r/results.json'"
cp kept.json r/results.json
tridiagonal 41 general >box/one/gen.mtx
spmv 0 --matrix=box --kernel=crs_row,sell_chunk --report=r --resume
says err '4 matrices found; 3 of them are there already$'
same 'a file that has changed is run again' "$(lines r/results.csv name=gen rows=40) $(lines r/results.csv name=gen rows=41 kernel=crs_row beside=0)" '0 1'

echo "# One baseline that everybody runs"
unset OMP_NUM_THREADS
# the threads of a solve: libgomp's, which spin long or sleep (1000)
alone() { # SPINS CSV ARGUMENT...
    local spins=$1 csv=$2
    shift 2
    GOMP_SPINCOUNT=$spins timeout 100 "$cgsolve" spmv --backend=cpu --repeat=3 --kernel=sell_chunk --csv="$csv" "$@" >out 2>err
    same "$spins spins: $*" $? 0
}
all=$(nproc)
alone 300000 c.csv --matrix=box/one/sym.mtx,large.mtx
same 'it is there, unasked, with the threads of a solve' \
    "$(lines c.csv name=sym kernel=crs_row threads=1 default_kernel=1 default_ratio=1) $(lines c.csv name=large kernel=crs_row threads="$all" default_kernel=1 default_ratio=1)" '1 1'
same 'others are held against it' "$(lines c.csv kernel=sell_chunk default_ratio=) $(lines c.csv default_kernel=1)" '0 2'
says out ' default$'
says out '^  crs_row +2 +1\.00 x +1\.00 x +1\.00 x'
alone 1000 c.csv --matrix=box/one/sym.mtx,large.mtx
same 'threads that sleep: one, up to larger matrices, and no second baseline' \
    "$(lines c.csv name=large kernel=crs_row threads=1) $(lines c.csv name=large kernel=crs_row)" '1 1'
for pair in "300000 $all" '1000 1'; do
    GOMP_SPINCOUNT=${pair% *} timeout 60 "$cgsolve" --backend=cpu --N=11 --json=solve.json >/dev/null 2>&1
    same "a solve with ${pair% *} spins" "$(sed -n '/"host"/,/}/ s/.*"threads": \([0-9]*\).*/\1/p' solve.json)" "${pair#* }"
done
two=(--backend=cpu --threads=2 --repeat=3 --matrix=box/one --kernel=sell_chunk --report=pair)
timeout 100 "$cgsolve" spmv "${two[@]}" >out 2>err
same 'two threads' $? 0
cp pair/results.json pair.json
for single in 1e-7 1e-5; do # the times are set
    awk -v single=$single '/"threads":/ { t = $2 ~ /^1/ ? single : 1e-6 } /"default_ratio"/ { next }
        /"(median|min|max)_seconds"/ { $2 = t "," } { print }' pair.json >pair/results.json
    timeout 100 "$cgsolve" spmv "${two[@]}" --resume >out 2>err
    same "one thread takes $single s" "$? $(grep -c '^Note .*crs_row, 1 thread, is faster' out) $(grep -c 'crs_row, 1 thread, is faster' pair/report.html)" \
        "0 $([ $single = 1e-7 ] && echo '1 1' || echo '0 0')"
done

echo "# Disturbed"
quiet=$CGSOLVE_TEST
export CGSOLVE_TEST=${quiet/disturbed=0/disturbed=1}
spmv 0 --matrix=box --kernel=crs_row --report=busy --json=j.json
says err '^\[2 of 4, again\] one/sym... .*, DISTURBED$'
same 'each is run once more, but for what is refused' "$(grep -c ', again\]' err)" 3
same 'a line a matrix and kernel still' "$(lines busy/results.csv kernel=crs_row beside=0)" 3
same 'a column of CSV' "$(lines busy/results.csv disturbed=1) $(lines busy/results.csv disturbed=)" \
    "$(($(lines busy/results.csv) - 1)) 1"
says out '^DISTURBED +other processes used the CPUs while 3 of the matrices ran'
says out ' DISTURBED$'
says out '^  one/sym +crs_row .* yes$'
says busy/tables.md '^\| group \| matrix \| DISTURBED \| entries \|'
says busy/tables.md '^\| one \| sym \| yes \| 148 \|'
says busy/tables.tex '^one & sym & yes & 148 &'
says busy/report.html '<strong>DISTURBED: </strong>other processes used the CPUs while 3'
says busy/report.html '<td class="word bad">yes</td>'
same 'the report of all' "$(value disturbed j.json)" true
export CGSOLVE_TEST=$quiet
before=$(sed 1d busy/results.csv | cut -d, -f1 | uniq | tr '\n' ' ')
spmv 0 --matrix=box --kernel=crs_row --report=busy --resume --json=j.json
same 'runs them once more' "$(grep -c ', again\]' err) $(grep -c DISTURBED err)" '3 0'
same 'and they are not' "$(lines busy/results.csv disturbed=1) $(lines busy/results.csv kernel=crs_row beside=0)" '0 3'
same 'in the order of before' "$(lines busy/results.csv) $(sed 1d busy/results.csv | cut -d, -f1 | uniq | tr '\n' ' ')" \
    "$(grep -c '"state"' j.json) $before"
! grep -Eq 'DISTURBED' out busy/tables.md busy/tables.tex busy/report.html
verdict 'said nowhere' $?
same 'nor in the report' "$(value disturbed j.json)" false

echo "# An interrupt"
mkdir line && cp box/one/gen.mtx line/a.mtx && mkfifo line/b.mtx && cp box/one/sym.mtx line/c.mtx
list=line/a.mtx,line/b.mtx,line/c.mtx
set -m # without job control, what runs in the background ignores SIGINT
timeout --foreground 60 "$cgsolve" spmv "${fixed[@]}" --matrix=$list --kernel=crs_row --report=s >out 2>err &
process=$!
for ((i = 0; i < 400; i++)); do
    if [ -s s/results.csv ] && grep -q '2 of 3' err; then break; fi
    sleep 0.05
done
kill -INT $process
wait $process
status=$?
set +m
same 'while the second waits for its pipe' $status 130
says err 'interrupted: 1 of 3 matrices are done; the same command with --resume goes on'
valid_json 'what is done' s/results.json
same 'the first is kept' "$(lines s/results.csv name=a kernel=crs_row beside=0) $(lines s/results.csv name=b)" '1 0'
same 'nothing half written' "$(find s -name '*tmp*' | wc -l) $(tail -c 1 s/results.csv | od -An -tx1 | tr -d ' ')" '0 0a'
cp s/results.csv before.csv
rm line/b.mtx && cp box/two/wide.mtx line/b.mtx
spmv 0 --matrix=$list --kernel=crs_row --report=s --resume
says err '3 matrices found; 1 of them are there already'
same 'all three' "$(lines s/results.csv kernel=crs_row beside=0)" 3
head -n "$(wc -l <before.csv)" s/results.csv | cmp -s - before.csv
verdict 'the first as it was' $?

echo "# A kernel of one's own that fails"
if command -v cc >/dev/null && ! "$cgsolve" --version | grep -q -- -fsanitize=; then
    cp "$sources"/tests/user_kernels/user_kernel.h "$sources"/tests/user_kernels/half.c .
    spmv 2 --matrix=box/one --kernel=crs_row,./half.c --report=own
    says err "2 products failed; the first is half of one/gen: "
    same 'its lines have reasons' "$(lines own/results.csv kernel=half kernel_file=./half.c state=failed)" 2
    same 'the others are there' "$(lines own/results.csv kernel=crs_row state=timed beside=0)" 2
    same 'in results.json, too' "$(value exit_status own/results.json)" 2
    says own/tables.md '^\| half \| 0 \| 0 \| 2 \|'
else
    echo "skipped: no cc, or a sanitizer"
fi

echo "# One table of several reports"
mkdir twice
awk '/"(median|min|max)_seconds"/ { comma = sub(/,$/, ""); $2 = sprintf("%.17g", 2 * $2); $0 = $1 " " $2 (comma ? "," : "") } { print }' \
    r/results.json >twice/results.json
compares() { # STATUS ARGUMENT...
    local status=$1
    shift
    COLUMNS=160 timeout 60 "$cgsolve" compare --json=both.json "$@" >out 2>err
    same "compare $* -> $status" $? "$status"
}
compares 0 r twice r/results.json
says out '^  one/gen, crs_row CRS .* 2\.00 .* 1\.00$'
timed=$(($(lines r/results.csv verified=1)))
says out "^  all kernels +1\.00 +$timed +2\.00 +$timed +1\.00 +$timed\$"
valid_json 'the table' both.json
means=$(sed -n '/"geometric_means"/,$ p' both.json | grep -c '"matrices"')
same 'each ratio' "$(grep -c '"ratio": 2\.0' both.json)" "$((timed + means / 3))"
spmv 0 --matrix=box/one --kernel=crs_row --report=less
compares 0 r less
says out '^Only in A +sell_chunk'
same 'and is in no ranking' "$(grep '^Ranking' out)" 'Ranking    unchanged: crs_row'
spmv 0 --matrix=box/one --kernel=sell_chunk --report=second
spmv 0 --matrix=box/one --kernel=sell_gather --report=third
compares 0 second third
says out '^Ranking +none: the reports have no asked-for kernel in common$'

echo "# Two collections, kernel by kernel"
# scaled FACTOR KERNEL FROM TO: the report with the times of a kernel (.*: of all) times FACTOR.
scaled() {
    awk -v factor="$1" -v kernel="\"$2\"" '/"kernel":/ { on = $2 ~ kernel }
        on && /"(median|min|max)_seconds"/ { comma = sub(/,$/, ""); $2 = sprintf("%.17g", factor * $2); $0 = $1 " " $2 (comma ? "," : "") } { print }' "$3" >"$4"
}
# the times are set: the medians that were measured say nothing
awk '/"kernel":/ { t = $2 ~ /crs_row/ ? 2e-6 : 1e-6 }
    /"median_seconds"/ { $0 = "\"median_seconds\": " t "," } /"min_seconds"/ { $0 = "\"min_seconds\": " 0.9 * t "," }
    /"max_seconds"/ { $0 = "\"max_seconds\": " 1.1 * t "," } { print }' r/results.json >set.json
valid_json 'the report with set times' set.json
compares 0 set.json set.json
says out '^Noise +sell_chunk, crs_row$'
says out '^Ranking +unchanged: sell_chunk, crs_row$'
scaled 0.2 'crs_row' set.json quick.json
compares 0 set.json quick.json
says out '^Faster +crs_row 5\.00 times as fast$'
says out '^Noise +sell_chunk$'
says out '^Ranking +changed: crs_row \(was 2\), sell_chunk \(was 1\)$'
same 'in JSON, too' "$(grep -c '"verdict": "faster"' both.json) $(value changed both.json) $(grep -c '"noise": false' both.json)" '1 true 1'
compares 0 quick.json set.json
says out '^Slower +crs_row 5\.00 times as long$'
sed 's/"disturbed": false/"disturbed": true/' quick.json >busy.json
compares 0 set.json busy.json
says out '^Unclear +sell_chunk, crs_row$'
# seven FACTOR: a report of 7 kernels on 3 matrices, every other one FACTOR times as fast or long; the last one on one.
seven() {
    awk -v f="$1" 'BEGIN { split("crs_row crs_vector sell_chunk sell_gather sellc_chunk crs_librsb crs_merge", name, " ")
        printf "{\"cgsolve\": {\"schema\": 1}, \"command\": \"spmv\", \"collection\": {\"rows\": ["
        for (k = 1; k <= 7; k++) for (m = 1; m <= 3; m++) {
            t = k * (k == 7 && m < 3 ? 1 : k % 2 ? f : 1 / f)
            if (k * m > 1) printf ", "
            printf "{\"name\": \"m%d\", \"kernel\": \"%s\", \"median_seconds\": %g, \"min_seconds\": %g, \"max_seconds\": %g}", m, name[k], t, 0.99 * t, 1.01 * t }
        print "]}}" }'
}
seven 1 >seven.json
seven 1.5 >other.json
COLUMNS=80 timeout 60 "$cgsolve" compare seven.json other.json >out 2>err
same 'seven kernels' $? 0
says out '^Faster +crs_vector 1\.50, sell_gather 1\.50, crs_librsb 1\.50 times as fast$'
same 'one became slower on one matrix' "$(tr -s ' \n' ' ' <out | grep -o 'crs_merge [^,]*long')" 'crs_merge 1.14 (1 of 3 matrices) times as long'
same 'in ten lines of 80 columns' "$(wc -l <out) $(awk 'length > 80' out | wc -l)" '10 0'

echo "# At 80 columns"
mkdir long && cp box/one/gen.mtx long/a_matrix_with_quite_a_long_name_of_its_own_and_on.mtx
spmv 0 --matrix=long --kernel=crs_row,sell_chunk --report=wide
# wider than a page of LaTeX: a kernel in a table of its own
same 'tables.tex: heads' "$(sed -n 's/^{group} & {matrix} & \({DISTURBED} & \)*\(.*\) ..$/\2;/p' wide/tables.tex | tr -d '\n' | sed 's/ & {crs._librsb}//')" \
    '{entries} & {crs\_row};{sell\_chunk};'
same '... and rows' "$(grep -c '^long & a\\_matrix\\_with.*_on & .*[0-9].* ..$' wide/tables.tex)" 2
for count in 2 3 9; do
    mapfile -t reports < <(yes wide | head -n $count)
    COLUMNS=80 timeout 60 "$cgsolve" compare "${reports[@]}" >out 2>err
    same "compare of $count" $? 0
    same "$count reports: no line is longer" "$(awk 'length > 80' out | wc -l)" 0
    ! grep -Eq '(SELL-8-1|CRS|thread)[0-9]|[0-9] [num]?s[0-9]' out
    verdict "$count reports: columns are apart" $? "$(grep -E 'SELL' out | head -n 1)"
done
same 'nine: in two blocks' "$(grep -c '^  Geometric means' out)" 2
for n in 3 4 5; do "$cgsolve" spmv "${fixed[@]}" --N=$n --kernel=crs_row --json=n$n.json >/dev/null 2>&1; done
compares 0 n3.json n4.json n5.json
says out '^  N = 4, crs_row, cpu +- '
compares 1 r twice --plot=f.svg
says err '--plot draws reports of one matrix each'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
