#!/usr/bin/env bash
# tests/cli/odd.sh: odd command lines, as people mistype them. Each ends with its documented status and a
# message that says what was wrong and what would be right; nothing else is printed, and no file is left.
#
# A row of the tables is: exit status | extended regular expression of the message | command line, in the
# words of bash. A bar within an expression is [|].
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
sources=$(cd "${CGS_SRCDIR:-$(dirname "$0")/../..}" && pwd)
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
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n0 0 2\n1 1 2\n2 2 2\n' >zero.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n' >cut.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 2 1\n' >wide.mtx
# shellcheck disable=SC2034 # the tables have both
printf -v long '%05000d' 1
# shellcheck disable=SC2034
nbsp=$'\xc2\xa0'
before=$(find . | sort)

# odd STATUS PATTERN ARGUMENT...
odd() {
    local status=$1 pattern=$2 got left line
    shift 2
    line="$*"
    timeout 60 "$cgsolve" "$@" >../out 2>../err </dev/null
    got=$?
    count=$((count + 1))
    left=$(diff <(echo "$before") <(find . | sort) | grep '^[<>]')
    if [ $got != "$status" ]; then
        line+=": exit status $got, not $status"
    elif ! grep -Eq -- "$pattern" ../err; then
        line+=": no '$pattern'"
    elif [ -s ../out ]; then
        line+=": wrote to standard output"
    elif ! head -n 1 ../err | grep -q '^cgsolve: '; then
        line+=": the message does not begin with 'cgsolve: '"
    elif [ "$(wc -l <../err)" -gt 6 ] || [ "$(wc -c <../err)" -gt 1200 ]; then
        line+=": a long message"
    elif grep -Eqi '\bbugs?\b|Sanitizer|runtime error|core dumped' ../err; then
        line+=": a fault of the program's own"
    elif [ -n "$left" ]; then
        line+=": left $left"
        before=$(find . | sort)
    else
        verdict "${line:0:100}" 0
        return
    fi
    [ ${#line} -lt 300 ] || line=${line:0:100}...${line: -150}
    verdict "$line" 1 "$(head -c 300 ../err)"
}

# Runs the rows of the table on standard input.
table() {
    local row status pattern arguments
    while IFS= read -r row; do
        status=${row%% | *} row=${row#* | }
        pattern=${row%% | *} arguments=${row#* | }
        eval "odd $status \"\$pattern\" $arguments" # the words of a shell
    done
}

echo "# An option mistyped"
table <<'END'
1 | unknown command 'N=32'.*did you mean '--N=32' | N=32
1 | unknown option '-n'; did you mean '--N' | -n 32
1 | unknown option '-n32'; did you mean '--N=32' | -n32
1 | unknown option '--N32'; did you mean '--N=32' | --N32
1 | unknown option '--N:32'; did you mean '--N=32' | --N:32
1 | unknown option '---N'; did you mean '--N' | ---N=3
1 | '--=5' has no name: expected --NAME=VALUE | --=5
1 | '-=' has no name: expected --NAME=VALUE | -=
1 | unknown command '–N=32'.*did you mean '--N=32' | –N=32
1 | unexpected '—precond=mg'.*did you mean '--precond=mg' | --N=5 —precond=mg
1 | unknown command '−−plan'.*did you mean '--plan' | −−plan
1 | did you mean '--N=32' | "$nbsp--N=32"
1 | unknown option '--N.*did you mean '--N=32' | "--N$nbsp=32"
1 | unknown command ' --N=32'.*did you mean '--N=32' | ' --N=32'
1 | unknown command '“--N=32”'.*did you mean '--N=32' | '“--N=32”'
1 | did you mean '--N=32' | '"--N=32"'
1 | did you mean '--N=32' | /N:32
1 | did you mean '--help' | '/?'
1 | unknown option '--h'; did you mean '--help' | --h
1 | unknown option '-vv'; did you mean '--verbose' | -vv
1 | unknown option '--precison'; did you mean '--precision' | --precison=doubel
1 | unknown option '--max_iterations'; did you mean '--max-iterations' | --max_iterations=5
1 | unknown option '-ksp_rtol'; did you mean '--tol' | -ksp_rtol 1e-8
1 | unknown option '-j4'; did you mean '--threads=4' | -j4
1 | unknown option '-o'; did you mean '--output' | -o x.mtx
1 | unknown option '--jacobi'; did you mean '--precond=jacobi' | --N=5 --jacobi
1 | unknown option '--csr'; did you mean '--format=crs' | --csr
1 | unknown option '--fp32'; did you mean '--precision=single' | --fp32
1 | --solver is not here; closest: --precond=NAME | --solver=gmres
1 | --np is not here; closest: 'mpirun -n P cgsolve', or --threads=T | --np=4
1 | unknown option '--ngpus'; did you mean '--gpus' | --ngpus=4
1 | --quiet is not here; closest: '> /dev/null' | --N=5 --quiet
1 | --color is not here; closest: NO_COLOR=1 | --color=never
1 | unknown option '--no-verbose': leave it out | --no-verbose
1 | did you mean '--precond=none' | --no-precond
1 | --verbose=2 takes no value: it stands alone | --verbose=2
1 | unexpected '--N=3'.*leave out '--' | -- --N=3
1 | unexpected '-': 'cgsolve solve' takes options only | -
END

echo "# A number mistyped"
table <<'END'
1 | --N=32x32x32 is not a number: expected 1 \.\.\. 10000 \(unknowns in each direction | --N=32x32x32
1 | --N=-4 is out of range: expected 1 \.\.\. 10000 | --N=-4
1 | --N= is empty: expected 1 \.\.\. 10000 | --N= 32
1 | expected 1 \.\.\. 10000 | --N = 32
1 | --N needs a value, but '--format=crs' follows | --N --format=crs
1 | --N=1,000 is not a number: expected 1 \.\.\. 10000[^;]*; [^;]*32 bits\)$ | --N=1,000
1 | --N=32, is not a number: expected 1 \.\.\. 10000[^;]*; [^;]*32 bits\)$ | --N=32,
1 | --N=2\^5 is not a number: expected 1 \.\.\. 10000 | --N=2^5
1 | --N=٣ is not a number: expected 1 .*not ASCII.*type it anew | --N=٣
1 | --N=64K is not a number: expected 1 \.\.\. 10000 | --N=64K
1 | unexpected '32'.*there is a --N already | --N=64 32
1 | --N=32 --format=crs is not a number | '--N=32 --format=crs'
1 | --tol=10\^-8 is not a number: expected 0 < TOL < 1.*written 1e-8 | --tol=10^-8
1 | --tol=1d-8 is not a number: .*written 1e-8 | --tol=1d-8
1 | --tol=1e−8 is not a number: expected 0 < TOL < 1.*not ASCII | --tol=1e−8
1 | --tol=1e-8, is not a number: expected 0 < TOL < 1 \(relative residual at which to stop\)$ | --tol=1e-8,
1 | --tol=2 is out of range: expected 0 < TOL < 1 | --tol=2
1 | --tol=Infinity is not a number: expected 0 < TOL < 1 | --tol=Infinity
1 | --max-iterations=unlimited is not a number: expected 0 \.\.\. | --max-iterations=unlimited
1 | --threads=1.5 is not a whole number: expected 1 \.\.\. 1024 | --threads=1.5
1 | --threads=all is not a number: expected 1 \.\.\. 1024 | --threads=all
1 | --device=gpu0 is not a number: expected 0 \.\.\. 1023 | --device=gpu0
1 | --memory-limit=50% is not a number: expected a size in bytes such as 500M | --memory-limit=50%
1 | --memory-limit=-1G is out of range: expected a size | --memory-limit=-1G
1 | unexpected 'GB': 'cgsolve solve' takes options only | --memory-limit=8 GB
1 | --deform=10% is not a number: expected -1 < A < 1 | --deform=10%
END

echo "# A value mistyped"
table <<'END'
1 | unknown precision '64': single, double or mixed; did you mean 'double' | --precision=64
1 | unknown precision 'doubel': .*; did you mean 'double' | --precision=doubel
1 | unknown format 'ell': .*; did you mean 'sell' | --format=ell
1 | --format=coo is not here; closest: crs | --format=coo
1 | unknown format 'crs,sell': .*'cgsolve study --format=crs,sell' | --format=crs,sell
1 | unknown backend 'nvidia': .*; did you mean 'cuda' | --backend=nvidia
1 | --backend=opencl is not here; closest: cuda, or cpu | --backend=opencl
1 | --precond=ichol is not here; closest: chebyshev, or amg | --precond=ichol
1 | --precond needs a value: --precond=NAME | --precond
1 | unknown problem 'heat': smooth, sine, course | --problem=heat
1 | unknown kernel 'csr'; did you mean '--format=crs' | --kernel=csr
1 | unknown kernel 'nosuch' \('cgsolve list kernels' | spmv --kernel=nosuch
1 | --kernel has nothing on one side of a comma | spmv --kernel=crs_row,
1 | 'crs_warp' is of backend cuda .*on the cpu: crs_row | --kernel=crs_warp --backend=cpu
4 | '\./nosuch\.so' can't be read: No such file | --kernel=./nosuch.so
1 | --kappa=2 is not 1, smooth or jump:R, which built-in problems have | --kappa=2
1 | --kappa=jump=10 is not understood: expected 1, smooth, jump:R | --kappa=jump=10
1 | unknown guess 'ones': zero or fmg | --guess=ones
1 | --inject=nan is not understood: expected nan@K | --inject=nan
1 | --slice=z:2 lies outside of the box: take 0 <= POSITION <= 1, its length in z | --N=5 --slice=z:2,u.png
1 | --slice=z:-1,u\.png is not understood: expected .* 0 <= POSITION <= 1 | --N=5 --slice=z:-1,u.png
1 | --slice=w:0\.5,u\.png is not understood: expected .*an axis x, y or z | --N=5 --slice=w:0.5,u.png
1 | 'u\.jpg' is no name for a figure: .*\.svg, \.png or \.pdf | --N=5 --slice=z:0.5,u.jpg
1 | --random=5,50% is not understood: expected n,density | spmv --random=5,50%
END

echo "# Files"
table <<'END'
4 | dir: is a folder: expected a Matrix Market file | --matrix=dir
4 | nos4: cannot be opened: No such file or directory | --matrix=nos4
4 | ~/a\.mtx: cannot be opened: .*write \$HOME | '--matrix=~/a.mtx'
4 | cannot be opened: .*name one file | '--matrix=*.mtx'
4 | cannot be opened: .*fetch it first | --matrix=https://example.org/a.mtx
4 | empty\.mtx:1: the text ends here: expected the banner | --matrix=empty.mtx
4 | program:1: expected the banner "%%MatrixMarket matrix \.\.\.\" as the first line, found .*ELF | --matrix=program
4 | bad\.mtx\.gz: damaged gzip input | --matrix=bad.mtx.gz
4 | table\.txt:1: expected the banner "%%MatrixMarket | --matrix=table.txt
4 | page\.mtx:1: expected the banner .*found "<html>404" | --matrix=page.mtx
4 | zero\.mtx:3: row index 0 outside 1 \.\.\. 3 | --matrix=zero.mtx
4 | cut\.mtx:6: the text ends after 3 entries: expected 4 \(line 2\) | --matrix=cut.mtx
3 | 'wide\.mtx' has 2 rows and 3 columns: CG needs a square, symmetric matrix | --matrix=wide.mtx
1 | --N belongs to the box, but here is --matrix: leave one of them out | --matrix=nos4.mtx --N=5
1 | --matrix needs a value, but '--N=5' follows: --matrix=FILE | --matrix --N=5
1 | unexpected 'nos4\.mtx'.*there is a --matrix already | --matrix=nos4.mtx nos4.mtx
4 | short\.mtx: expected a vector, 100 rows and 1 column, found 3 rows and 1 column$ | --backend=cpu --matrix=nos4.mtx --rhs=short.mtx
4 | zero: cannot be opened: .*--rhs takes a file, or the words ones and random | --backend=cpu --matrix=nos4.mtx --rhs=zero
1 | --rhs=ones belongs to --matrix=FILE | --rhs=ones
4 | cannot write the solution 'nosuch/x\.mtx'.*the folder does not exist: make it | --N=5 --output=nosuch/x.mtx
4 | cannot write the solution 'dir': Is a directory; name a file in that folder | --N=5 --output=dir
4 | cannot write the JSON report '~/x\.json'.*write \$HOME | --N=5 '--json=~/x.json'
4 | 'nos4\.mtx/x\.json': Not a directory; a part of that path is a file | --N=5 --json=nos4.mtx/x.json
1 | --json needs a value, but '--N=5' follows: --json=FILE | --json --N=5
1 | --json and --matrix name the same file 'nos4\.mtx' | --matrix=nos4.mtx --json=nos4.mtx
1 | --output=x\.vtk: nothing is written that ends in \.vtk; take FILE\.vtu, FILE\.vti .*FILE\.mtx | --N=5 --output=x.vtk
1 | --history=h\.json: what is written there is CSV.*take FILE\.csv | --N=5 --history=h.json
END

echo "# Commands"
table <<'END'
1 | unknown command '': solve, study, .*a variable that is not set | ''
1 | unexpected '': .*a variable that is not set | --N=5 ''
1 | unexpected 'study'.*before the options: 'cgsolve study \.\.\.' | --N=5 study
1 | unexpected 'spmv'.*a command stands once | solve spmv
1 | unknown option '--spmv'; did you mean 'cgsolve spmv' | --spmv
1 | unknown command 'SOLVE': .*did you mean 'solve' | SOLVE
1 | unknown command 'diff': .*did you mean 'compare' | diff a.json b.json
1 | unknown command 'jacobi': .*did you mean '--precond=jacobi' | jacobi
1 | unknown command 'version': .*did you mean '--version' | version
1 | unknown command 'nosuch': solve, study, .* or help$ | help nosuch
1 | unknown command 'dir': solve, study, .* or help$ | help dir
1 | by the name 'all': kernels, preconditioners, problems or backends | list all
1 | by the name 'kernel': .*did you mean 'kernels' | list kernel
1 | --list-kernels is not here; closest: 'cgsolve list kernels' | --list-kernels
1 | unexpected 'extra': 'cgsolve doctor' takes options only | doctor extra
1 | --precond belongs to 'cgsolve solve' and 'cgsolve study', not to 'cgsolve spmv' | spmv --precond=jacobi
1 | --repeat belongs to 'cgsolve spmv' and 'cgsolve spgemm', not to 'cgsolve solve' | --repeat=5
1 | takes two reports, A\.json and B\.json .*1 given | compare other.json
4 | 'nos4\.mtx' is no JSON: .*expected a file that --json=FILE wrote | compare nos4.mtx nos4.mtx
4 | 'other\.json' is no report of cgsolve.*expected a file that --json=FILE wrote | compare other.json other.json
1 | --resume needs --report=DIR | study --resume
1 | --N=5, has nothing on one side of a comma | study --N=5,
1 | --N=5;7 is not a number.*several values are written 7,15,31 | study '--N=5;7'
1 | unexpected '7'.*commas between them: --N=5,7 | study --N=5 7 9
1 | --N=5-9 is not a number.*8:64:8 or 8\.\.64 | study --N=5-9
1 | from 9 to 5 in steps of 1 has no second value: expected FIRST:LAST:STEP | study --N=9..5
1 | --N has the value 5 twice: leave one of them out | study --N=5,5.0
1 | --expect-order=l2=2 is not understood: .*l2:2 | study --N=5,7 --expect-order=l2=2
1 | --output belongs to 'cgsolve solve' and 'cgsolve spgemm', not to 'cgsolve study' | study --output=x.mtx
4 | cannot write .*nosuch/x\.csv.*the folder does not exist | study --backend=cpu --N=5,7 --csv=nosuch/x.csv
1 | as many columns of A as B has rows.*100 x 100 and B 3 x 1 | spgemm --matrix=nos4.mtx --matrix-b=short.mtx
END

echo "# Of five thousand characters"
table <<'END'
1 | unknown command '0{40,}[.]{3}0*1': solve, study, .* or help | "$long"
1 | unknown option '--0{40,}' | "--$long"
1 | unknown format '0{40,}[.]{3}0*1': crs, sell, sellc or none | --format="$long"
1 | --kappa=0{40,} is not 1, smooth or jump:R | --kappa="$long"
1 | --N=0{40,}[.]{3}0*1x is not a number: expected 1 \.\.\. 10000 | --N="${long}x"
4 | 0{40,}[.]{3}0*1: cannot be opened: File name too long | --matrix="$long"
4 | cannot write the JSON report '0{40,}[.]{3}0*1': File name too long; take a shorter name | --N=5 --json="$long"
1 | nothing to list by the name '0{40,}[.]{3}0*1': kernels, preconditioners | list "$long"
END

echo "# A kernel of one's own"
if command -v cc >/dev/null; then
    odd 4 "'\./k\.c' defines no symbol 'cgsolve_kernel'" --kernel=./k.c --backend=cpu --N=5
else
    echo "skipped: no compiler cc"
fi

echo "# Unreadable files"
chmod 000 table.txt
if [ -r table.txt ]; then
    echo "skipped: root reads everything"
else
    odd 4 'table\.txt: cannot be opened: Permission denied' --matrix=table.txt
fi
chmod 600 table.txt

[ $count -ge 75 ]
verdict "at least 75 command lines" $? "$count"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
