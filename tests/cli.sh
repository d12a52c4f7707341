#!/usr/bin/env bash
# tests/cli.sh: the program as people and scripts meet it: options, messages, exit statuses, files,
# the JSON report, and the figures that issue 2 promises.
#
# The program is $CGSOLVE (./cgsolve where that is not set). Nothing is written but in a folder of
# its own under $TMPDIR. Runs are on the CPU unless a case is about choosing the backend.
set -u

# shellcheck source=tests/verdicts.bash
# shellcheck source=tests/verdicts.bash
. "$(dirname "$0")/verdicts.bash"

# refuses STATUS PATTERN ARGUMENT...: ends with STATUS, and standard error matches PATTERN.
refuses() {
    local status=$1 pattern=$2 got
    shift 2
    timeout 120 "$cgsolve" "$@" >out 2>err
    got=$?
    if [ $got != "$status" ]; then
        verdict "$*" 1 "exit status $got, not $status; $(head -n 1 err)"
    elif ! grep -Eq -- "$pattern" err; then
        verdict "$*" 1 "no '$pattern' in: $(head -n 1 err)"
    else
        verdict "$* -> $status" 0
    fi
}

# accepts ARGUMENT...: ends with status 0; what it printed is in out.
accepts() {
    timeout 120 "$cgsolve" "$@" >out 2>err
    verdict "$*" $? "$(head -n 1 err)"
}

# solves FILE ARGUMENT...: runs on the CPU with the JSON report in FILE; returns the exit status.
solves() {
    local file=$1
    shift
    timeout 300 "$cgsolve" --backend=cpu --json="$file" "$@" >out 2>err
}

echo "# Wrong options"
refuses 1 "unknown option '--fromat'.*--format" --fromat=sell
refuses 1 "unknown option '--precon'.*--precond" --precon=jacobi
refuses 1 "unknown option '--deformed'; did you mean '--deform'" --deformed=0.1
refuses 1 '--deform=1 is out of range: expected -1 < A < 1' --deform=1
refuses 1 '--deform=0.3 turns cell \(14, 15, 14\) of 0 ... 20 inside out.*less than 0.25' --N=20 --deform=0.3
refuses 1 '--deform=-0.3 turns cell .* inside out.*more than -0.2' --N=20 --deform=-0.3
refuses 1 '--kappa=rough is not understood: expected 1, smooth or jump:R' --kappa=rough
refuses 1 '--kappa=jump:0 is not understood' --kappa=jump:0
refuses 1 '--kappa=jump:-2 is not understood' --kappa=jump:-2
refuses 1 '--kappa=jump is not understood' --kappa=jump
refuses 1 '--problem=course is a benchmark on the plain cube: leave out --deform' --problem=course --deform=0.1
refuses 1 '--problem=course is a benchmark on the plain cube: leave out --kappa' --problem=course --kappa=smooth
refuses 1 "unknown option '-N31'.*--N" -N31
refuses 1 "unknown option '-x'; did you mean '--" -x
refuses 1 "unknown command 'slove'.*did you mean 'solve'" slove
refuses 1 "unknown command 'foo': solve, spmv, compare, list, doctor or help" foo
refuses 1 "unexpected 'foo'" --N=7 foo
refuses 1 'takes no value' --plan=yes
refuses 1 '--N needs a value' --N
for n in 0 -3 12x 1e9 1.5 '' ' 7' 0x10 1291 99999999999999999999 1e400; do
    refuses 1 "--N=$n is .*1 \.\.\. 1290" --N="$n"
done
for tol in nan inf 0 1 -1e-3 1e-3x 1e-400; do
    refuses 1 "--tol=$tol is .*0 < TOL < 1" --tol="$tol"
done
refuses 1 "unknown precision 'half': single, double or mixed" --precision=half
refuses 1 'solve iterates in mixed precision' spmv --random=50,0.1 --precision=mixed
refuses 1 "unknown format 'sellc': crs or sell" --format=sellc
refuses 1 "unknown precond 'mg': none or jacobi" --precond=mg
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
refuses 1 'crs has no chunks.*--format=sell' --format=crs --chunk=8
refuses 1 '--launch=plain' --backend=cpu --launch=graph
refuses 1 '--backend=cuda' --backend=cpu --device=0
refuses 1 'computes on the host' --kernel=crs_row --device=3
refuses 1 '--chunk belongs to SELL' --kernel=crs_row --chunk=8
refuses 1 '--sigma belongs to SELL' --kernel=crs_row --sigma=1
refuses 1 'problem=random is made to be solved exactly.*--stop=residual' --problem=random \
    --stop=discretization
refuses 1 '--stop=residual, or --problem=smooth' --problem=course --stop=discretization
refuses 1 "unknown stop 'discretisation'" --stop=discretisation
refuses 1 'solves nothing' --plan --history=h.csv
refuses 1 'same file' --json=x --history=x
refuses 1 'same file' --json=x --history=./x
echo '{}' >there.json && ln -s there.json link.json
refuses 1 'same file' --json=there.json --history=link.json
refuses 1 "by the name 'kernls'.*kernels" list kernls
refuses 1 "belongs to 'cgsolve solve'" list --N=7
refuses 1 "takes two reports, A.json and B.json .*; 0 given" compare
refuses 1 "belongs to 'cgsolve spmv' and 'cgsolve compare', not to 'cgsolve solve'" --plot=x.svg
refuses 1 "'x.jpg' is no name for a figure: it has to end with .svg, .png or .pdf" spmv --plot=x.jpg
refuses 4 "cannot write the figure '/nonexistent/x.svg'" spmv --plot=/nonexistent/x.svg

echo "# CUDA where it is not to be had"
if "$cgsolve" list backends | grep -Eq '^  cuda +not '; then device=no; else device=yes; fi
if [ $device = no ]; then
    refuses 6 'CUDA|NVIDIA' --backend=cuda --N=7
    refuses 6 'CUDA|NVIDIA' --device=0 --N=7
    solves auto.json --N=7 --backend=auto
    same '--backend=auto takes the CPU' "$(value backend auto.json)" cpu
    grep -q 'using the CPU' out
    verdict 'and says why' $?
else
    echo "skipped: this machine has a CUDA device"
fi

echo "# Memory"
refuses 5 'needs .* of host memory: .*matrix values.*--memory-limit allows.*what fits:.*--N=' \
    --backend=cpu --N=64 --memory-limit=20M
refuses 5 'what fits: --precision=single' --backend=cpu --N=64 --memory-limit=80M
refuses 5 'what fits: nothing' --backend=cpu --memory-limit=1000
refuses 5 'what fits: --max-iterations=[1-9]' \
    --backend=cpu --N=8 --max-iterations=1000000000 --memory-limit=1G
# what is named can be typed, after what was asked for, and is planned to fit; three of them
refuses 5 'what fits' --backend=cpu --N=300 --precision=double --memory-limit=300M
sed -n 's/.*what fits: //p' err | tr , '\n' | sed 's/ *([^)]*)//; s/^ *//' >choices
same 'three choices are named' "$(grep -c '^--' choices)" 3
while read -r choice; do
    # shellcheck disable=SC2086
    accepts --backend=cpu --N=300 --precision=double --memory-limit=300M $choice --plan
    grep -q 'it fits' out || verdict 'and fits' 1
done <choices
if "$cgsolve" --version | grep -q -- -fsanitize; then instrumented=yes; else instrumented=no; fi
# Nothing is allocated for it: it works with next to nothing, here 100 MB of address space beside its own code.
if [ "$instrumented" != yes ]; then
    (
        ulimit -S -v "$little"
        timeout 120 "$cgsolve" --backend=cpu --N=1290 --threads=1 >out 2>err
        echo $? >status
    )
    same 'a refusal in 100 MB of address space' "$(cat status)" 5
fi
if [ $instrumented = no ]; then # a sanitizer takes more memory than all of this
    (ulimit -v 600000 && "$cgsolve" --backend=cpu --threads=1 --N=128) >out 2>err
    status=$?
    [ $status = 5 ] && grep -q 'host memory' err
    verdict 'ulimit -v: status 5' $? "status $status; $(head -n 1 err)"
    (ulimit -v "$little" && "$cgsolve" --backend=cpu --threads=64 --N=7 --json=threads.json) >out 2>err
    status=$?
    [ $status = 5 ] && grep -q '64 threads could not be started .*--threads=[1-9]' err
    verdict 'threads that do not fit: status 5' $? "status $status; $(head -n 1 err)"
    same 'and a report, but no temporary' "$(ls threads.json*)" threads.json
    few=$(sed -n 's/.*--threads=\([0-9]*\) is what fits.*/\1/p' err)
    (ulimit -v "$little" && "$cgsolve" --backend=cpu --threads="${few:-64}" --N=7) >out 2>err
    verdict "what was said to fit does: --threads=$few" $? "$(head -n 1 err)"
fi
OMP_THREAD_LIMIT=2 refuses 1 'OMP_THREAD_LIMIT allows 2' --threads=8 --N=7
OMP_THREAD_LIMIT=1 solves limited.json --N=7
same 'threads as OMP_THREAD_LIMIT gives them' "$(value threads limited.json)" 1
refuses 5 'host memory' --backend=cpu --N=64 --memory-limit=20M --plan
grep -q 'IT DOES NOT FIT' out && grep -q 'matrix columns' out && grep -Eq '^Largest N  3[0-9] as asked, 4[0-9] with --precision=single' out
verdict '--plan says that it does not fit, and what would' $?
! grep -q '^Seconds' out
verdict 'and predicts nothing of it' $?
accepts --backend=cpu --N=64 --plan
grep -Eq 'matrix values +55.* MB' out && grep -q 'it fits' out
verdict '--plan lists the matrix values' $?
grep -q '^Seconds.*assembly' out && grep -Eq 'an iteration .*GB/s' out && grep -q 'at most 322 it' out
verdict '--plan predicts seconds' $?
accepts --backend=cpu --N=20 --plan --kappa=jump:100 --max-iterations=7
grep -q 'at most 7 iterations' out
verdict '--max-iterations bounds the iterations, too' $?
"$cgsolve" --backend=cpu --N=31 --plan --json=- >plan.json 2>err
same '--plan --json=-' $? 0
valid_json '--plan --json=-' plan.json
for key in plan lines what place bytes host free fits largest_N variants options predicted \
    assemble_seconds transfer_seconds prepare_seconds iteration_seconds iteration_bytes \
    attainable_gbs attainable_kind in_cache condition_bound iterations_bound solve_seconds_bound; do
    grep -q "\"$key\": " plan.json || verdict "JSON of --plan has $key" 1
done
! grep -Eq '"(link_gbs|no_bound|history|error)":' plan.json
verdict 'and nothing that does not apply' $?
"$cgsolve" --backend=cpu --N=31 --plan --deform=0.1 --json=plan2.json >out 2>err
grep -q '"no_bound": ".*deformed' plan2.json && ! grep -q iterations_bound plan2.json
verdict 'no bound without a closed form, and why' $?
"$cgsolve" --backend=cpu --N=1000 --memory-limit=1G --plan --json=plan2.json >out 2>err
grep -q '"fits": false' plan2.json && grep -q '"largest_N": 139' plan2.json &&
    grep -q '"iteration_seconds"' plan2.json && grep -q '"nonzeros": 26946035992' plan2.json
verdict 'a plan that does not fit in JSON, with what it would take' $?
solves random.json --N=31 --problem=random
figure 'N = 31' random.json condition_estimate "$(value condition_bound plan.json)" 0.01
[ "$(value iterations random.json)" -le "$(value iterations_bound plan.json)" ]
verdict 'iterations within the bound of --plan' $?

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
accepts --help
same 'no line of --help is wider than 100' "$(awk 'length > 100' out | wc -l)" 0
for option in N problem quadrature deform kappa format chunk sigma precision backend kernel threads device \
    launch memory-limit precond tol max-iterations check-every json history verbose plan help \
    usage version; do
    grep -q -- "^  --$option\b" out || verdict "--help lists --$option" 1
done
accepts help
accepts --usage
accepts --version
grep -q '^compiler  ' out && grep -q '^commit  ' out
verdict '--version names compiler and commit' $?
accepts list
for word in crs_row crs_merge crs_gather crs_librsb sell_chunk sell_gather crs_warp crs_cusparse jacobi smooth random cpu cuda; do
    grep -Eq "^  $word " out || verdict "list names $word" 1
done
accepts list problems backends
grep -q '^Problems' out && ! grep -q '^Kernels' out
verdict 'list problems backends lists these' $?

echo "# The report"
timeout 120 "$cgsolve" --backend=cpu --N=15 --json=- --history=h.csv >report.json 2>err
same 'status' $? 0
valid_json '--json=-' report.json
for key in cgsolve version commit compiler flags schema date arguments command host cpu threads \
    read_gbs copy_gbs triad_gbs problem name N unknowns quadrature mesh kappa matrix format chunk \
    sigma rows columns nonzeros stored bytes backend kernel precision solver method preconditioner \
    tolerance max_iterations iterations status relative_residual true_relative_residual \
    condition_estimate energy_error_estimate kernel_reproducible error l2 nodal_l2 max h1 \
    seconds startup assemble convert transfer setup \
    solve errors output total spmv_seconds spmv_seconds_min spmv_seconds_max throughput mups spmv_gbs bytes_per_unknown_iteration \
    attainable_gbs attainable_kind roofline memory host_planned host_peak history exit_status; do
    grep -q "^ *\"$key\": " report.json || verdict "JSON has $key" 1
done
! grep -Eq '"(consistency|device|device_planned|error_message)":' report.json
verdict 'JSON has nothing that does not apply' $?
iterations=$(value iterations report.json)
same 'the history has a line an iteration' "$(wc -l <h.csv)" $((iterations + 2))
same 'its header' "$(head -n 1 h.csv)" iteration,relative_residual
same 'its first line' "$(sed -n 2p h.csv)" 0,1
"$cgsolve" --backend=cpu --N=15 --history=again.csv >/dev/null 2>err
cmp -s h.csv again.csv
verdict 'two runs have the same history' $?
solves sum.json --N=48
awk -v total="$(value total sum.json)" '/"seconds": \{/ { on = 1; next } /\}/ { on = 0 }
    on && !/total/ { gsub(/[",:]/, ""); sum += $2 }
    END { d = sum - total; exit !(total > 0 && d < 0.05 * total && d > -0.05 * total) }' sum.json
verdict 'seconds add up to the total' $?
if [ $instrumented = no ]; then
    for options in '--N=48' '--N=48 --format=crs --precond=jacobi' '--N=64 --precision=single' \
        '--N=64 --format=crs' '--N=48 --max-iterations=300000 --tol=0.1'; do
        # shellcheck disable=SC2086
        solves planned.json $options
        figure "$options" planned.json host_peak "$(value host_planned planned.json)" 0.02
    done
fi

solves bill.json --N=31 --profile
bill bill.json
grep -Eq '^Profile +step +bytes a call +calls +seconds' out &&
    grep -Eq '^ +product_dot +[0-9.]+ MB +[0-9]+ .* [0-9]+ % of read [0-9.]+$' out &&
    grep -Eq '^ +rest ' out
verdict 'and the text shows it' $? "$(grep Profile out)"
for key in profile step formula gbs attainable_gbs attainable_kind roofline; do
    grep -q "^ *\"$key\": " bill.json || verdict "JSON of --profile has $key" 1
done
solves bill-jacobi.json --N=31 --profile --format=crs --precision=single --precond=jacobi
bill bill-jacobi.json
grep -q '"step": "precondition"' bill-jacobi.json
verdict 'the preconditioner has a line' $?
solves bill-late.json --N=15 --profile --check-every=50
bill bill-late.json
grep -q '"step": "past_the_end"' bill-late.json
verdict 'iterations queued in vain have a line' $?
refuses 1 "--profile belongs to 'cgsolve solve', not to 'cgsolve spmv'" spmv --N=7 --profile

# derived FILE NUMBER VECTORS: the figures of FILE again from its other figures. NUMBER: bytes of a
# number; VECTORS: how many of them an iteration moves for each unknown.
derived() {
    local unknowns stored bytes chunk units sorted name
    name="$(value format "$1"), $(value preconditioner "$1")"
    unknowns=$(value unknowns "$1") stored=$(value stored "$1") bytes=$(value bytes "$1")
    chunk=$(value chunk "$1") # CRS has none: a row each
    units=$((($(value rows "$1") + ${chunk:-1} - 1) / ${chunk:-1}))
    sorted=$(value sigma "$1") # a permutation where it is above 1
    [ "${sorted:-1}" = 1 ] && sorted=0 || sorted=$(value rows "$1")
    same "$name: bytes of the matrix" "$bytes" \
        $((stored * ($2 + 4) + (units + 1) * 8 + sorted * 4))
    same "$name: padding" "$(value padding "$1")" $((stored - $(value nonzeros "$1")))
    figure "$name" "$1" mups "$(awk -v n="$unknowns" -v k="$(value iterations "$1")" \
        -v s="$(value solve "$1")" 'BEGIN { print 1e-6 * n * k / s }')" 0.01
    figure "$name" "$1" spmv_gbs "$(awk -v b="$bytes" -v n="$unknowns" -v w="$2" \
        -v s="$(value spmv_seconds "$1")" 'BEGIN { print 1e-9 * (b + 2 * w * n) / s }')" 1e-4
    figure "$name" "$1" bytes_per_unknown_iteration "$(awk -v b="$bytes" -v n="$unknowns" \
        -v w="$2" -v v="$3" 'BEGIN { printf "%.9g", b / n + w * v }')" 1e-6
}
derived sum.json 8 11
solves derived.json --N=31 --format=sell --chunk=8 --precond=jacobi
derived derived.json 8 14
solves derived.json --N=31 --format=crs
derived derived.json 8 11
solves unsorted.json --N=31 --chunk=32
solves sorted.json --N=31 --chunk=32 --sigma=4096
derived sorted.json 8 11
same 'sigma in JSON' "$(value sigma sorted.json)" 4096
same 'padding without sorting' "$(value padding_unsorted sorted.json)" \
    "$(value padding unsorted.json)"
[ "$(value padding sorted.json)" -lt "$(value padding unsorted.json)" ]
verdict 'sorting saves padding' $?
grep -Eq 'SELL-32-4096 \(rows sorted\).* stored \(0\.3 % padding; 3\.1 % at sigma = 1\)' out
verdict 'and the report says so' $? "$(grep SELL out)"
solves sorted-48.json --N=48 --chunk=32 --sigma=4096 --max-iterations=9
[ $instrumented = yes ] ||
    figure 'N = 48, sorted' sorted-48.json host_peak "$(value host_planned sorted-48.json)" 0.02
accepts --backend=cpu --N=31 --chunk=32 --sigma=4096 --plan
grep -q 'matrix permutation  *119 kB' out
verdict '--plan lists the permutation' $?
refuses 0 'iteration +[0-9]+ of' --backend=cpu --N=31 --verbose

echo "# General problems"
solves general.json --N=15 --deform=0.1 --quadrature=blended --kappa=smooth --problem=boundary
same 'mesh' "$(value mesh general.json)" deformed
figure 'deform' general.json deform 0.1 1e-15
same 'kappa' "$(value kappa general.json)" smooth
grep -q '"energy": ' general.json
verdict 'an energy norm where kappa is not 1' $?
grep -q '^Note *blended quadrature is fourth-order at the nodes of the plain cube' out
verdict 'blended: the text says where it is fourth-order' $?
grep -q 'blended quadrature is fourth-order' general.json
verdict 'blended: the JSON says so, too' $?
solves jump.json --N=15 --kappa=jump:1000
same 'kappa=jump:1000: exit status' $? 0
same 'its status' "$(sed -n '/"solver"/,/}/p' jump.json | sed -n 's/.*"status": "\(.*\)".*/\1/p')" converged
grep -q '"condition_estimate": ' jump.json
verdict 'its condition estimate' $?
! grep -q '"nodal_l2": ' jump.json && grep -q 'no exact solution is known' out
verdict 'no errors where no solution is known, and the text says why' $?

echo "# Outcomes"
refuses 2 'limit of 3 iterations' --backend=cpu --N=15 --max-iterations=3
solves limit.json --N=15 --max-iterations=3
same 'status in JSON' "$(value status limit.json | tail -n 1)" iteration_limit
same 'exit status in JSON' "$(value exit_status limit.json)" 2
for n in 31 63; do
    solves single.json --precision=single --N=$n
    same "single, N = $n: exit status" $? 0
    status=$(value status single.json)
    case $status in converged | rounding_floor) true ;; *) false ;; esac
    verdict "single, N = $n: converged or rounding_floor" $? "$status"
done
solves floor.json --precision=single --N=31 --tol=1e-9
same 'single, tol = 1e-9: exit status' $? 0
same 'single, tol = 1e-9: status' "$(value status floor.json)" rounding_floor
grep -q 'ROUNDING FLOOR' out && grep -q -- '--precision=double' out
verdict 'said loudly, with what helps' $?
for options in '--format=sell' '--format=crs --precond=jacobi' '--kappa=jump:1000 --precond=jacobi'; do
    solves double.json --N=31 $options
    solves mixed.json --N=31 --precision=mixed $options
    same "mixed, $options: status" "$(value status mixed.json)" converged
    awk -v k="$(value iterations mixed.json)" -v double="$(value iterations double.json)" \
        -v true="$(value true_relative_residual mixed.json)" \
        -v updates="$(value updates mixed.json)" -v restarts="$(value restarts mixed.json)" \
        'BEGIN { exit !(k <= 1.2 * double && true <= 2e-10 && updates >= 3 && restarts == 0) }'
    verdict 'the true residual of double, nearly as soon, no restart' $?
    case $options in *kappa*) continue ;; esac # no solution is known
    figure 'and its error' mixed.json nodal_l2 "$(value nodal_l2 double.json)" 1e-6
done
grep -q 'in single: the iterations' out && grep -q 'reliable updates' out &&
    grep -q '"inner": "single"' mixed.json && grep -q '"outer": "double"' mixed.json
verdict 'the report says what is kept in which precision' $?
awk -v inner="$(value inner_matrix_bytes mixed.json)" -v outer="$(value outer_matrix_bytes mixed.json)" \
    -v bytes="$(value bytes mixed.json)" 'BEGIN { exit !(inner < outer && inner + outer == bytes) }'
verdict 'both matrices count' $?
solves mixed.json --N=31 --precision=mixed --tol=1e-16
same 'mixed, tol = 1e-16: status' "$(value status mixed.json)" rounding_floor
grep -q 'in double precision rounding' out
verdict 'the floor is that of double' $?
accepts --backend=cpu --N=31 --precision=mixed --plan
grep -q 'matrix values, single' out && grep -q 'matrix values, double' out
verdict 'mixed: both matrices are planned' $?
solves stop.json --N=31 --stop=discretization
same 'stop=discretization: exit status' $? 0
same 'stop=discretization: status' "$(value status stop.json)" discretization
figure 'its discretisation error, that of the interpolant' stop.json discretization_error 9.146e-2 1e-3
figure 'its gradient is nearly as good' stop.json h1 9.14e-2 0.1
awk -v e="$(value energy_error_estimate stop.json)" -v d="$(value discretization_error stop.json)" \
    -v k="$(value iterations stop.json)" 'BEGIN { exit !(0 < e && e <= d && k < 40) }'
verdict 'the algebraic error is below it, well before the residual is' $?
grep -q 'stopped at the discretisation error after [0-9]* iterations' out &&
    grep -q 'L2 error may gain a lot' out
verdict 'and says so' $?
solves stop.json --N=15 --stop=discretization --tol=0.5
same 'the residual may come first' "$(value status stop.json)" converged
! solves gap.json --N=7 --stop=residual || ! grep -q '"discretization_error"\|"parted"' gap.json
verdict 'no discretisation error where nobody asks, nothing parted' $?

echo "# The same bits"
for kernel in crs_row crs_merge crs_gather sell_chunk sell_gather; do
    for precision in single double mixed; do
        for threads in 1 2 3; do
            timeout 120 "$cgsolve" --backend=cpu --N=20 --kernel=$kernel --precision=$precision \
                --threads=$threads --reproducible --history=bits$threads.csv >out 2>err ||
                verdict "--reproducible --kernel=$kernel" 1 "$(head -n 1 err)"
        done
        cmp -s bits1.csv bits2.csv && cmp -s bits1.csv bits3.csv
        verdict "$kernel, $precision: the same history with 1, 2, 3 threads" $?
    done
done
refuses 1 "kernel 'crs_librsb' may give other bits" --kernel=crs_librsb --N=7 --reproducible
mkdir -p unusable
: >unusable/librsb.so.0
: >unusable/librsb.so
LD_LIBRARY_PATH=$PWD/unusable${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} refuses 6 'librsb.*(librsb0|librsb-dev)' --kernel=crs_librsb --N=7
accepts --backend=cpu --N=7 --kernel=crs_gather --reproducible
grep -q -- ' --reproducible' out
verdict '--reproducible is among what it ran with' $?
solves bits.json --N=7
same 'kernel_reproducible' "$(value kernel_reproducible bits.json)" true

echo "# Interrupted"
set -m # without job control, what runs in the background ignores SIGINT
for signal in TERM INT; do
    rm -f k.json
    "$cgsolve" --backend=cpu --threads=1 --N=110 --tol=1e-13 --json=k.json --history=k.csv \
        >out 2>err &
    pid=$!
    sleep 1
    kill -$signal $pid
    wait $pid
    same "SIG$signal: exit status" $? 130
    same 'in JSON' "$(value exit_status k.json)" 130
    grep -Eq '"status": "interrupted"|"error_message": "interrupted' k.json
    verdict 'and what happened' $? "$(head -n 1 err)"
    [ -z "$(find . -name '*.tmp*')" ]
    verdict 'no temporary is left' $?
done
"$cgsolve" --backend=cpu --threads=1 --N=110 --tol=1e-13 --json=k.json >out 2>err &
pid=$!
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
[ -z "$(find . -name '*.tmp*')" ]
verdict 'nor by a run that is killed' $?
set +m

echo "# The figures of issue 2"
solves smooth.json --problem=smooth --N=31
figure 'smooth, N = 31' smooth.json nodal_l2 4.7085907e-04 5e-5
figure 'smooth, N = 31' smooth.json l2 8.6671707e-04 5e-5
figure 'smooth, N = 31' smooth.json max 1.4898002e-03 5e-5
figure 'smooth, N = 31' smooth.json h1 9.1408507e-02 5e-5
solves blended.json --problem=smooth --N=63 --quadrature=blended --tol=1e-12
figure 'blended, N = 63' blended.json nodal_l2 2.4804e-08 5e-5
figure 'blended, N = 63' blended.json l2 2.7263202e-04 5e-5
figure 'blended, N = 63' blended.json h1 4.5719157e-02 5e-5
solves sine.json --problem=sine --N=15
figure 'sine, N = 15, gauss' sine.json nodal_l2 1.1336899e-03 5e-5
solves sine.json --problem=sine --N=15 --quadrature=blended
figure 'sine, N = 15, blended' sine.json nodal_l2 2.1929470e-06 5e-5
solves course.json --problem=course --N=32 --tol=1e-12
same 'course, N = 32: 84 iterations' "$(value iterations course.json)" 84
figure 'course, N = 32' course.json consistency 0.0394569 5e-6

# compare NAME FILE: the same problem solved in another way.
compare() {
    local key iterations reference
    iterations=$(value iterations "$2")
    reference=$(value iterations smooth.json)
    [ -n "$iterations" ] && [ $((iterations - reference)) -ge -1 ] &&
        [ $((iterations - reference)) -le 1 ]
    verdict "$1: iterations within 1" $? "$iterations, not $reference; $(head -n 1 err)"
    for key in nodal_l2 l2 max h1; do
        near "$(value $key "$2")" "$(value $key smooth.json)" 1e-6
        verdict "$1: $key to 6 digits" $? "$(value $key "$2")"
    done
}
for options in --format=crs '--format=crs --threads=1' '--chunk=4' '--chunk=8' '--chunk=32' \
    '--chunk=32 --threads=1' '--chunk=7 --sigma=50' '--sigma=4096' '--sigma=2147483647 --threads=1' \
    '--precond=jacobi' '--kernel=crs_row'; do
    # shellcheck disable=SC2086
    solves other.json --N=31 $options
    compare "$options" other.json
done

if [ $device = yes ]; then
    echo "# CUDA"
    refuses 1 'power of two, as 4 or 8' --backend=cuda --chunk=7
    refuses 1 'sigma = 8: cuSPARSE' --backend=cuda --kernel=sell_cusparse --sigma=8
    for sigma in 2 4096 100000; do
        timeout 300 "$cgsolve" --backend=cuda --N=31 --sigma=$sigma --json=cuda.json >out 2>err
        compare "sell_chunk, sigma = $sigma" cuda.json
    done
    refuses 6 'no CUDA device 999' --device=999 --N=7
    refuses 5 'of device memory' --backend=cuda --N=1290
    refuses 1 "kernel 'crs_cusparse' may give other bits.*--kernel=crs_" --backend=cuda --N=7 \
        --kernel=crs_cusparse --reproducible
    accepts --backend=cuda --N=15 --kernel=sell_cusparse --json=vendor.json
    same 'kernel_reproducible' "$(value kernel_reproducible vendor.json)" false
    grep -q -- '--reproducible refuses it' out
    verdict 'said in the report' $?
    for kernel in $("$cgsolve" list kernels | awk '$2 == "cuda" { print $3 "/" $1 }'); do
        for launch in plain graph; do
            name="${kernel#*/}, $launch"
            timeout 300 "$cgsolve" --backend=cuda --N=31 --format="${kernel%/*}" \
                --kernel="${kernel#*/}" --launch=$launch --json=cuda.json >out 2>err
            if grep -q "can't be recorded" err; then
                echo "skipped: $name: $(head -n 1 err)"
                continue
            fi
            compare "$name" cuda.json
        done
    done
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
