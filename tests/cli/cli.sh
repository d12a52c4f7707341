#!/usr/bin/env bash
# tests/cli/cli.sh: the program as people and scripts meet it: options, messages, files, texts. Memory and
# --plan are in cli_memory.sh, reports in cli_report.sh, how runs end and what they find in cli_solve.sh.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Wrong options"
refuses 1 "unknown option '--fromat'.*--format" --fromat=sell
refuses 1 "unknown option '--precon'.*--precond" --precon=jacobi
refuses 1 "unknown option '--deformed'; did you mean '--deform'" --deformed=0.1
refuses 1 '--deform=1 is out of range: expected -1 < A < 1' --deform=1
refuses 1 '--deform=0.3 turns cell \((14, 15, 14|15, 14, 14|14, 14, 15)\) of 0 ... 20 inside out.*less than 0.25' --N=20 --deform=0.3
refuses 1 '--deform=-0.3 turns cell .* inside out.*more than -0.2' --N=20 --deform=-0.3
refuses 1 '--kappa=rough is not 1, smooth or jump:R, which built-in problems have' --kappa=rough
refuses 1 '--kappa=jump:0 is not understood' --kappa=jump:0
refuses 1 '--kappa=jump:-2 is not understood' --kappa=jump:-2
for ratio in 4e38 1e-39 1e12; do # single precision ends at 3e38
    refuses 1 "--kappa=jump:$ratio is not understood: expected .*, 1e-12 < R < 1e12" --kappa=jump:$ratio
done
refuses 1 '--kappa=jump is not understood' --kappa=jump
refuses 1 '--deform and --problem=course do not go together' --problem=course --deform=0.1
refuses 1 '--kappa=smooth and --problem=course do not go together' --problem=course --kappa=smooth
refuses 1 "unknown option '-x'\$" -x
refuses 1 "unknown option '-format'; did you mean '--format'" -format=crs
refuses 1 "unknown option '-verbose'; did you mean '--verbose'" -verbose
refuses 1 "--N=x is not a number" -Nx
refuses 1 "^cgsolve: -N needs a value: --N=N" -N
refuses 1 "belongs to .*, not to 'cgsolve list'" list -N7
refuses 2 'singular in single precision.*take --precond=jacobi, or mg, or take --precision=double' \
    --backend=cpu --N=13 --precision=single --kappa=jump:1e7
refuses 1 "unknown command 'slove'.*did you mean 'solve'" slove
refuses 1 "unknown command 'foo': solve, study, spmv, spgemm, exercise, compare, grade, list, doctor or help" foo
refuses 1 "unexpected 'foo'" --N=7 foo
refuses 1 'takes no value: it stands alone' --plan=yes
refuses 1 "unknown command 'N=31'.*; did you mean '--N=31'" N=31
refuses 1 "unknown command '31'.*; did you mean '--N=31'" 31
refuses 1 "unknown command 'a/b.mtx'.*; did you mean '--matrix=a/b.mtx'" a/b.mtx
refuses 1 "unexpected 'b.tar.gz'.*; did you mean '--matrix=b.tar.gz'" spmv b.tar.gz
refuses 1 "unknown option '--grid'; did you mean '--N'" --grid=31
refuses 1 "unknown option '--gpu'; did you mean '--backend=cuda'" --gpu
refuses 1 "unknown option '--max-iter'; did you mean '--max-iterations'" --max-iter=5
refuses 1 "unknown precond 'cheb': .*; did you mean 'chebyshev'" --precond=cheb
refuses 1 "unknown option '-\?'; did you mean '--help'" '-?'
for far in --target --nodes --mesh --log --order --xyz; do
    refuses 1 "unknown option '$far'\$" $far=3
done
refuses 1 "unknown option '--Format'; did you mean '--format'" --Format=crs
refuses 1 "unknown backend 'gpu': .*; did you mean 'cuda'" --backend=gpu
refuses 1 "unknown format 'CSR': .*; did you mean 'crs'" --format=CSR
refuses 1 "unknown format 'SELL': .*; did you mean 'sell'" --format=SELL
refuses 1 "unknown precision 'float': .*; did you mean 'single'" --precision=float
refuses 1 "unknown precond 'multigrid': .*; did you mean 'mg'" --precond=multigrid
for absent in ilu ic IC0 ssor; do
    refuses 1 "^cgsolve: --precond=$absent is not here; closest: chebyshev" --precond=$absent
done
refuses 1 "--precond=ilu is not here; closest: chebyshev, or amg$" study --precond=jacobi,ilu
refuses 1 "--kernel=all: a solve takes one kernel.*'cgsolve spmv' compares several" --kernel=all
refuses 1 'a solve takes one kernel' --kernel=crs_row,sell_chunk
refuses 2 'limit of 1 iteration was .*; --precond=mg takes fewer' --backend=cpu --N=9 --max-iterations=1
refuses 1 "unknown command 'slove'.*did you mean 'solve'" help slove
refuses 1 '--N needs a value' --N
for n in 0 -3 12x 1e9 1.5 '' ' 7' 0x10 10001 99999999999999999999 1e400; do
    refuses 1 "--N=$n is .*1 \.\.\. 10000" --N="$n"
done
refuses 1 '--N=1291 is out of range: .*--format=sell .*1290; --format=none' --backend=cpu --N=1291
refuses 5 'needs .* of host memory' --backend=cpu --N=1400 --format=none --precond=jacobi --memory-limit=1G
refuses 1 '--format=none belongs to the box, but here is --matrix' --matrix=x.mtx --format=none
refuses 1 "kernel 'stencil' computes from the mesh" --matrix=x.mtx --kernel=stencil
refuses 1 "this mesh is deformed: take kernel 'cells'" --backend=cpu --N=5 --kernel=stencil --deform=0.1
refuses 1 "here kappa varies: take kernel 'cells'" --backend=cpu --N=5 --kernel=stencil --kappa=smooth
refuses 1 '--chunk belongs to --format=sell or sellc, but here is --format=none' --format=none --chunk=8
refuses 1 '--inject=indefinite changes an entry.*--format=none has none' --backend=cpu --N=5 --format=none --inject=indefinite
for tol in nan inf 0 1 -1e-3 1e-3x 1e-400; do
    refuses 1 "--tol=$tol is .*0 < TOL < 1" --tol="$tol"
done
for comma in --tol=0,5 --tol=1,5e-3 --deform=-0,1 --strength=0,02 --kappa=jump:0,5 --memory-limit=1,5G \
    --slice=z:0,5,error,u.png; do
    refuses 1 "; decimals have a point: write ${comma/,/.}\$" "$comma"
done
refuses 1 '--random=50,0,1 .*; decimals have a point: write --random=50,0\.1$' spmv --random=50,0,1
refuses 1 '--deform=5 is out of range.*; decimals have a point: write --deform=0\.5$' study --deform=0,5
refuses 1 "--tol=1e-3,1e-4 is not a number.*; several values: 'cgsolve study" --tol=1e-3,1e-4
refuses 1 "unknown precision 'half': single, double or mixed" --precision=half
refuses 1 '--precision=mixed is for solving' spmv --random=50,0.1 --precision=mixed
refuses 1 "unknown format 'sellk': crs, sell, sellc or none" --format=sellk
refuses 1 "unknown precond 'amgx': .*; did you mean 'amg'" --precond=amgx
refuses 1 "unknown problem 'smoth'.*smooth" --problem=smoth
refuses 1 "unknown kernel 'sell_chnk'.*sell_chunk" --kernel=sell_chnk
refuses 1 '--chunk=0 is out of range: expected 1 ... 1024' --chunk=0
refuses 1 '--chunk=1025 is out of range' --chunk=1025
for sigma in 0 2147483648; do
    refuses 1 "--sigma=$sigma is out of range: expected 1 \.\.\. 2147483647" --sigma=$sigma
done
refuses 1 '--threads=0 is out of range' --threads=0
refuses 1 '--memory-limit=4X is not a number' --memory-limit=4X
refuses 1 '--kernel is empty' --kernel=
refuses 1 '--json is empty' --json=
refuses 1 "^cgsolve: --N is given twice, '--N=4' \(word 1\) and '--N=5' \(word 3\): leave one of them out" --N=4 --plan --N=5
refuses 1 "'-N 4' \(word 2\) and '--N 5' \(word 4\)" spmv -N 4 --N 5
refuses 1 "--plan is given twice, '--plan' \(word 1\)" --plan --plan
refuses 1 "--N is given twice, '-N4'" study -N4 --N=4
refuses 1 '--json is given twice' --json=refused.json --json=
valid_json 'the report of that is the first' refused.json
refuses 1 '--chunk belongs to --format=sell or sellc, but here is --format=crs' --format=crs --chunk=8
refuses 1 '--launch=graph belongs to --backend=cuda, but here is --backend=cpu' --backend=cpu --launch=graph
refuses 1 '--assemble=device belongs to --backend=cuda, but here is --backend=cpu' \
    --backend=cpu --assemble=device
refuses 1 "unknown assemble 'gpu': host, device or auto" --assemble=gpu
refuses 1 '--assemble=host belongs to the box, but here is --matrix' --matrix=x.mtx --assemble=host
refuses 1 "--assemble belongs to 'cgsolve solve'" spmv --assemble=host
refuses 1 '--backend=cuda' --backend=cpu --device=0
refuses 1 'computes on the host' --kernel=crs_row --device=3
refuses 1 '--chunk belongs to SELL' --kernel=crs_row --chunk=8
refuses 1 '--sigma belongs to SELL' --kernel=crs_row --sigma=1
refuses 1 '--stop=discretization belongs to problems with a discretisation error, .*, but here is --problem=random' --problem=random \
    --stop=discretization
refuses 1 'such as smooth, but here is --problem=course' --problem=course --stop=discretization
refuses 1 "unknown stop 'discretisation'" --stop=discretisation
refuses 1 'solves nothing' --plan --history=h.csv
refuses 1 'same file' --json=x --history=x
refuses 1 'same file' --json=x --history=./x
echo '{}' >there.json && ln -s there.json link.json
refuses 1 'same file' --json=there.json --history=link.json
refuses 1 "by the name 'kernls'.*kernels" list kernls
refuses 1 "belongs to 'cgsolve solve'" list --N=7
refuses 1 "takes two reports, A.json and B.json .*; 0 given" compare
refuses 1 "belongs to 'cgsolve spmv', 'cgsolve spgemm' and 'cgsolve compare', not to 'cgsolve solve'" --plot=x.svg
refuses 1 "'x.jpg' is no name for a figure: it has to end with .svg, .png or .pdf" spmv --plot=x.jpg
refuses 4 "cannot write the figure '/nonexistent/x.svg'" spmv --plot=/nonexistent/x.svg

echo "# CUDA where it is not to be had"
if [ $device = no ]; then
    refuses 6 'CUDA|NVIDIA' --backend=cuda --N=7
    refuses 6 'CUDA|NVIDIA' --device=0 --N=7
    "$cgsolve" --N=7 --backend=auto --json=auto.json >out 2>err
    same '--backend=auto takes the CPU' "$(value backend auto.json)" cpu
    tr -s '\n ' ' ' <out | grep -q 'using the CPU'
    verdict 'and says why' $?
else
    echo "skipped: this machine has a CUDA device"
fi

echo "# Output"
refuses 4 "cannot write the JSON report '/nonexistent/x.json'.*folder" --json=/nonexistent/x.json
refuses 4 'cannot write the history .*directory' --history="$work" --N=1290
if [ -w /dev/full ]; then
    refuses 4 "cannot write the history '/dev/full'.*space" --backend=cpu --N=7 --history=/dev/full
    "$cgsolve" --backend=cpu --N=7 >/dev/full 2>err
    same 'standard output full: status 4' $? 4
fi
mkdir keep && echo old >keep/j.json && chmod 600 keep/j.json
refuses 5 'memory' --backend=cpu --N=1290 --json=keep/j.json --history=keep/h.csv
same 'a failed run leaves no temporary and no history' "$(ls keep)" j.json
valid_json 'the report of a failure' keep/j.json
same 'its exit status' "$(value exit_status keep/j.json)" 5
[ -n "$(value error_message keep/j.json)" ]
verdict 'its error message' $?
same 'a report keeps the permissions of the file that it replaces' "$(stat -c %a keep/j.json)" 600
if [ "$(id -u)" != 0 ]; then # root may write to any file
    echo old >mine.json && chmod 400 mine.json
    refuses 4 'you may not write to that file' --backend=cpu --N=7 --json=mine.json
fi
"$cgsolve" --N=0 --json=- >usage.json 2>/dev/null
valid_json 'a usage error with --json=-' usage.json
same 'its exit status' "$(value exit_status usage.json)" 1

echo "# Texts"
for columns in 45 50 64; do # 45: the longest word and its indent
    for words in '--help' 'help exercise' 'exercise list'; do
        # shellcheck disable=SC2086 # words
        COLUMNS=$columns accepts $words
        same "no line of $words is wider than $columns" "$(awk -v most=$columns 'length > most' out | head -n 1 | wc -l)" 0
    done
done
accepts --help
same 'no line of --help is wider than 100' "$(awk 'length > 100' out | wc -l)" 0
for option in N problem quadrature deform kappa format chunk sigma precision backend kernel threads device \
    launch memory-limit precond tol max-iterations check-every json history verbose plan help \
    usage version; do
    grep -q -- "^  --$option\b" out || verdict "--help lists --$option" 1
done
accepts help
accepts help spmv
grep -q '^  --cold' out && ! grep -q -e '--precond' -e '^  cgsolve --' out
verdict "help spmv: that command's options" $?
echo "# Short names"
for short in '-N 5' -N5 -N=5 'spmv --repeat=2 -N 5' 'spgemm --repeat=2 -N5'; do
    # shellcheck disable=SC2086
    accepts $short --backend=cpu --json=short.json
    grep -Eq '^ *"(unknowns|rows)": 125,' short.json
    verdict "$short: unknowns" $?
done
accepts -N 5 --backend=cpu --json -
valid_json '--json -: the report' out
accepts --N=5 --deform -0.1 --backend=cpu
accepts study -N 3,5 --backend=cpu --csv=short.csv
same 'study -N 3,5: points' "$(wc -l <short.csv)" 3
accepts -v -N 5 --backend=cpu
grep -q '^iteration ' err
verdict '-v shows the residual' $?
"$cgsolve" --version >long && "$cgsolve" -V | cmp -s - long
verdict '-V is --version' $?
for command in '' solve study spmv spgemm compare grade list doctor help; do
    # shellcheck disable=SC2086
    accepts $command -h
    [ "$(wc -l <out)" -le 24 ] && ! grep -q '.\{81\}' out && grep -q -e '--help' out
    verdict "$command -h: a screen" $? "$(wc -l <out) lines"
done
accepts help
grep -q '^  --N=N, -N N ' out && grep -q '^  --verbose, -v ' out
verdict 'help has the short names' $?

echo "# More threads than processors"
processors=$("$cgsolve" doctor | sed -n 's/.*this process may run on \([0-9]*\) of them.*/\1/p')
for command in '' 'spmv --repeat=2' 'spgemm --repeat=2'; do
    # shellcheck disable=SC2086
    accepts $command -N5 --backend=cpu --threads=$((processors + 1))
    tr -s '\n ' ' ' <out |
        grep -Eq " $((processors + 1)) threads take turns on $processors processors?, .*: --threads=$processors "
    verdict "$command: a note" $? "$(sed -n 2,4p out)"
done
accepts -N5 --backend=cpu --threads=1
! grep -q 'take turns' out
verdict 'one thread: none' $?

accepts --usage
accepts --version
grep -q '^compiler  ' out && grep -q '^commit  ' out
verdict '--version names compiler and commit' $?
accepts list
for word in crs_row crs_merge crs_gather crs_librsb sell_chunk sell_gather sellc_chunk crs_warp crs_cusparse jacobi smooth random cpu cuda; do
    grep -Eq "^  $word " out || verdict "list names $word" 1
done
accepts list problems backends
grep -q '^Problems' out && ! grep -q '^Kernels' out
verdict 'list problems backends lists these' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
