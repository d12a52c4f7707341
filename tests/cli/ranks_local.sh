#!/usr/bin/env bash
# tests/cli/ranks_local.sh: ranks that the program starts itself (doc/clusters.md, Several GPUs of one host): what --gpus
# takes and refuses here, and, by CGSOLVE_RANKS, the same ranks on the CPU: histories and files of one process, to
# the byte; ranks that are killed, stopped or interrupted at a random moment, each time with one message and no
# process left.
#
#     COUNT=200 SEED=7 CGSOLVE=./cgsolve bash ../tests/cli/ranks_local.sh     by hand: that many ranks are hurt
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
# shellcheck source=tests/cli/ranks_verdicts.bash
. "$sources/tests/cli/ranks_verdicts.bash"
RANDOM=${SEED:-20}
count=${COUNT:-8}
export OMP_NUM_THREADS=1
export OMP_WAIT_POLICY=passive # else the program starts itself anew on a busy machine

echo "# --gpus"
if [ $device = no ]; then
    why="this build has no backend 'cuda': .*; or leave it out|no NVIDIA driver|finds no CUDA device"
    for gpus in 1 2 all 0,1; do
        refuses 6 "^cgsolve: --gpus: ($why)" --N=7 --gpus=$gpus --json=refused.json
        same "its report" "$(value exit_status refused.json)" 6
    done
    refuses 2 "2 of 2 points failed; the first is gpus=1: --gpus: ($why)" study --N=7 --gpus=1,2
else
    accepts --N=7 --gpus=1 --json=gpus.json
    ! grep -q '"ranks"' gpus.json
    verdict "--gpus=1 is a process alone" $?
    accepts --N=33 --gpus=all
    refuses 1 '--gpus=64, but there (is|are) [0-9]*: take --gpus=' --N=7 --gpus=64
    refuses 1 '--gpus names device 1023, but this machine has 0 \.\.\. ' --N=7 --gpus=0,1023
    CUDA_VISIBLE_DEVICES=none refuses 6 '--gpus: the NVIDIA driver finds no CUDA device' --N=7 --gpus=all
fi

export CUDA_VISIBLE_DEVICES= # from here on all ranks are on the CPU
# same_values KEY...: facts of the last `equals` on ranks are those of one process.
same_values() {
    local key
    for key in "$@"; do
        same "$key is that of one process" "$(value "$key" many.json)" "$(value "$key" one.json)"
    done
}

echo "# Histories"
equals 2 --N=33
equals 3 --N=17 --format=sellc --precond=chebyshev --precision=mixed --deform=0.1
equals 7 --N=7 --format=none
equals 3 --N=66 --format=none --precond=mg
equals 2 --N=67 --format=sell --precond=mg --guess=fmg --tol=1e-6
equals 3 --N=17 --cg=single-reduction --precond=jacobi
# Cells of higher order: ranks that end within cells, too, and those that begin with the face z0.
equals 3 --order=4 --cells=3x2x5 --precond=jacobi --probe=0.3,0.2,0.55
same_values l2 h1 nodal_l2 max mean value
equals 3 --order=4 --cells=5 --deform=0.1 --kappa=smooth --precond=jacobi --probe=0.3,0.2,0.55
same_values l2 h1 nodal_l2 max value
equals 2 --order=3 --cells=4x2x6 --kappa=jump:10 --quadrature=gauss --precond=chebyshev --threads=2
equals 4 --order=2 --cells=4 --problem=mass --quadrature=gauss --deform=0.1
same_values l2 h1 nodal_l2 max
equals 2 --order=3 --cells=3x2x4 --precond=chebyshev '--exact=x*y^2+exp(z)' --face=z0:flux --reaction=2 --grade=z:2
own=(--order=3 --cells=4x3x5 '--exact=x*y^2+exp(z)' --kappa=1+x --reaction=2)
equals 3 "${own[@]}" --precond=mg --face=z0:flux --face=z1:h=2
same_values l2 h1 nodal_l2 max
equals 4 --order=2 --cells=4x3x5 --source=1 --kappa=1+z,2,1+y --precond=chebyshev --face=x0:periodic --grade=z:2
equals 5 --order=4 --cells=2x4x5 --source=1 --material=wool:kappa=20 '--region=wool:z<0.5' --precond=jacobi --face=z0:flux
equals 2 "${own[@]}" --precond=jacobi --face=z0:flux --format=crs
"$cgsolve" --backend=cpu --cells=2x2x4 --source=1+3*x+9*z --reaction=1 --face=else:flux --output=kappa.npy >out 2>err
equals 3 --order=3 --cells=3x3x5 --source=1 --kappa=kappa.npy --face=z1:flux --precond=mg
equals 3 --order=3 --cells=3x2x5 '--exact=x*y^2+exp(z)' '--reaction=1+z' '--face=z0:h=1+x' '--face=x1:h=z' --precond=mg
equals 2 --order=3 --cells=3x2x5 '--exact=x*y^2+exp(z)' --kappa=1+x --face=z0:flux --quadrature=gauss --precond=mg
equals 3 --order=3 --N=8 --format=crs
equals 2 --order=3 --N=11 --format=sell --precond=jacobi
equals 3 --order=3 --cells=4 --deform=0.1 --format=crs --precond=jacobi
equals 3 --order=8 --cells=2x3x4 --precond=mg --whole-grids=0
equals 3 --order=5 --cells=4 --precond=mg --deform=0.1 --kappa=smooth --whole-grids=0
equals 2 --order=2 --cells=4x2x6 --precond=mg --quadrature=gauss --kappa=jump:100
# By rows, which ranks cut within planes: grids below are cut at planes, and so are the sums of estimates.
equals 2 --order=2 --N=11 --format=crs --precond=mg
equals 3 --order=4 --cells=3x3x5 --format=sell --precond=mg --kappa=smooth --whole-grids=0
equals 5 --order=5 --cells=4 --format=sellc --precond=mg --precision=mixed --deform=0.1 --whole-grids=0
equals 7 --order=4 --cells=4x4x2 --format=crs --precond=mg --whole-grids=0
equals 3 "${own[@]}" --precond=mg --format=crs --face=z0:flux --face=z1:h=2 --quadrature=gauss --whole-grids=0
equals 3 --order=4 --cells=3x2x5 --precond=fdm --grade=z:2
equals 2 --order=3 --cells=4 --precond=fdm --format=crs
equals 2 --order=3 --cells=4 --precond=auto
long=(--order=2 --cells=40x2x2 --size=20x1x1 --grade=x:2 --format=crs)
equals 2 "${long[@]}" --precond=mg
ranks 2 "${long[@]}" --precond=auto --history=auto.csv --json=auto.json
same "auto of a long box" "$? $(value preconditioner auto.json) $(cmp auto.csv many.csv)" "0 mg "
ranks 2 "${own[@]}" --precond=auto --format=crs --json=auto.json
same "... of cells that are no star" "$? $(value preconditioner auto.json)" "0 mg"
equals 3 --order=3 --cells=4 --precond=auto --deform=0.1
equals 2 --order=3 --cells=4 --precond=mg
equals 3 --matrix="$systems/nos4.mtx" --kernel=crs_row --precond=jacobi
same "ranks.count" "$(value count many.json)" 3
grep -q '^Ranks *3 ranks of 1 thread: rows a rank 32 to 36, halo ' out
verdict "the report's line on ranks" $? "$(grep -m 1 Ranks out)"

echo "# Files, plans, studies"
"$cgsolve" --backend=cpu --N=16 --output=one.npy --save-matrix=one.mtx >out 2>err
ranks 3 --N=16 --output=many.npy --save-matrix=many.mtx
cmp -s one.npy many.npy && cmp -s <(sed 2d one.mtx) <(sed 2d many.mtx) && silent # line 2 has the time
verdict "the solution and the matrix of 3 ranks are those of one process" $? "$(head -n 1 err)"
ranks 2 --N=33 --plan --json=plan.json
grep -q "^Scaling " out && silent
verdict "--plan of 2 ranks" $? "$(head -n 1 err)"
{
    printf '%%%%MatrixMarket matrix array real general\n100 2000\n'
    yes 1 | head -n 200000
} >b.mtx
ranks 2 --matrix="$systems/nos4.mtx" --rhs=b.mtx --plan
grep -q "right-hand sides while they are read  *[2-4]\.[0-9]* MB" out && silent
verdict "... has the reading of right-hand sides: 1.2 MB in rows, 1.6 MB as entries, the text" $? "$(grep right-hand out)"
{
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n20000 20000 20000\n'
    seq 20000 | sed 's/.*/& & 2/'
} >many.mtx
{
    printf '%%%%MatrixMarket matrix array real general\n20000 100\n'
    yes 1 | head -n 2000000
} >b.mtx
ranks 3 --matrix=many.mtx --rhs=b.mtx --json=many.json
planned=$(value host_planned many.json) peak=$(value host_peak many.json)
[ $((10 * planned)) -ge $((9 * peak)) ] && silent
verdict "... is not below what reading them takes" $? "planned ${planned:-nothing}, peak ${peak:-nothing}"
ranks 2 --N=16 --profile
grep -q "^By rank " out && silent
verdict "--profile of 2 ranks" $? "$(head -n 1 err)"
CGSOLVE_RANKS=2 timeout 120 "$cgsolve" study --backend=cpu --N=7,15 --format=crs --report=studied >out 2>err
same "a study, whose points are ranks" "$?" 0
same "ranks of its points" "$(value count studied/points/*.json | sort -u)" 2

echo "# Failures"
ranks 2 --N=7 --partition=metis
fails 1 '--partition of the box does not work on several ranks yet: take contiguous' "an option"
ranks 2 --matrix="$systems/nos4.mtx" --precond=jacobi --block=2
fails 1 '--block of --precond=jacobi does not work on several ranks yet: leave it out' "blocks"
ranks 2 --N=7 --kernel=./mine.c
fails 1 "a user kernel does not work on ranks that the program starts itself" "a kernel of one's own"
ranks 3 --order=4 --N=7
fails 1 '343 rows make 2 blocks of 196' "more ranks than layers of cells"
ranks 3 --N=3
fails 1 '27 rows make 1 block of 32' "more ranks than blocks"
ranks many --N=7
fails 1 'CGSOLVE_RANKS=many: give a number of ranks, 1 ... 64' "a number of ranks that is none"
ranks 2 --matrix=none.mtx
fails 4 'none.mtx: ' "a file that is not there"
awk -v n=60000 'BEGIN {
    print "%%MatrixMarket matrix coordinate real symmetric"; print 2 * n, 2 * n, 4 * n - 2
    for (i = 1; i <= 2 * n; i++) { print i, i, 1 + (i <= n); if (i % n) print i + 1, i, -1 }
}' >indefinite.mtx # in the rows of rank 1 alone
ranks 2 --matrix=indefinite.mtx --precond=amg
fails 3 'rank 1: the diagonal entry of row .* is not positive' "amg that a rank cannot make, in double either"
ranks 3 --N=17 --inject=oom
fails 5 'rank 1: .*injected by --inject=oom' "no memory on one rank"
ranks 3 --N=17 --inject=nan@5
fails 3 '.*NaN or Inf.*injected by --inject=nan@5 on rank 1' "NaN on one rank"
ranks 2 --N=16 --max-iterations=3
fails 2 'not converged: the limit of 3 iterations' "a limit that all reach"

# processes: those of the last job, rank after rank.
processes() {
    echo $job
    cat "/proc/$job/task/$job/children" 2>/dev/null
}

# alive: which of $all are there still, and are no zombies.
alive() {
    local process
    for process in $all; do
        grep -qs '^State:[^Z]*$' "/proc/$process/status" && echo "$process"
    done
}

# start: a job of `many` ranks in the background, that ends long after the test; sets `job`, and `all` of its processes.
start() {
    local tries=0
    rm -rf results
    mkdir results
    CGSOLVE_RANKS=$many env --default-signal=INT "$cgsolve" --backend=cpu --N=24 --solves=1000000 \
        --json=results/report.json --history=results/history.csv >out 2>err </dev/null &
    job=$!
    while all=$(processes) && [ "$(wc -w <<<"$all")" -lt "$many" ] && [ $tries -lt 500 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
}

# allowed PROCESS...: the processors that they may run on, a line for each set.
allowed() {
    local process
    for process in "$@"; do
        sed -n 's/^Cpus_allowed_list:[^0-9]*//p' "/proc/$process/status"
    done | sort -u
}
if binds_threads; then
    many=3
    OMP_PROC_BIND=true OMP_PLACES=threads start
    # shellcheck disable=SC2086 # process by process
    same "processors of ranks whose program binds its threads" "$(allowed $all)" "$(allowed $$)"
    kill -s KILL "$job"
    wait "$job" 2>/dev/null
fi

# hurt KIND RANK: does that to the rank, or to all.
# shellcheck disable=SC2086 # process by process
hurt() {
    local victim
    victim=$(awk -v rank="$2" '{ for (i = 1; i <= NF; i++) if (n++ == rank) print $i }' <<<"$all")
    case $1 in
    CTRL-C) kill -s INT $all ;;
    SUSPEND)
        kill -s STOP $all
        sleep 3
        kill -s CONT $all
        sleep 0.5
        kill -s TERM "$victim" ;;
    *) kill -s "$1" "$victim" ;;
    esac
}

# judge KIND RANK STATUS MILLISECONDS
judge() {
    local fault='' wanted=8 lines=1 said="rank $2 \(process [0-9]*\) was ended by signal 9; all ranks end" left
    case $1 in
    TERM | INT | CTRL-C | SUSPEND) wanted=130 said='interrupted' ;;
    esac
    [ "$1$2" != KILL0 ] || wanted=137 lines=0
    [ "$3" = $wanted ] || fault+=" status $3, not $wanted;"
    [ "$4" -lt 10000 ] || fault+=" took $4 ms;"
    left=$(alive)
    [ -z "$left" ] || { sleep 1; left=$(alive); }
    [ -z "$left" ] || fault+=" left processes $left;"
    [ "$(grep -c '^cgsolve: ' err)" = $lines ] || fault+=" $(grep -c '^cgsolve: ' err) messages;"
    [ $lines = 0 ] || grep -Eq "^cgsolve: $said" err || fault+=" says: $(grep -m 1 '^cgsolve' err);"
    [ $wanted = 130 ] || [ -z "$(ls -A results)" ] || fault+=" left $(ls -A results);"
    [ $wanted != 130 ] || [ "$(tail -n 1 results/report.json)" = '}' ] || fault+=" no whole report;"
    [ -z "$fault" ]
    verdict "$1 of rank $2 of $many after $moment ms: status $3 after $4 ms" $? "$fault"
}

read -ra kinds <<<"KILL TERM CTRL-C INT SUSPEND"
for ((run = 0; run < count; run++)); do
    kind=${kinds[$((run % ${#kinds[@]}))]}
    many=$((2 + RANDOM % 3))
    rank=$((RANDOM % many))
    moment=$((RANDOM % 1000))
    start
    sleep "$(printf '0.%03d' $moment)"
    since=$EPOCHREALTIME
    hurt "$kind" $rank
    wait $job
    status=$?
    judge "$kind" $rank $status $(((${EPOCHREALTIME/./} - ${since/./}) / 1000))
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
