#!/usr/bin/env bash
# tests/cli/ranks.sh: cgsolve on several ranks (doc/clusters.md). Histories are held against those of one
# process, to the bit; refusals, a rank that fails, one that is killed and one that is interrupted must end
# all ranks, with one message. Skipped without mpirun, or where the program has no MPI.
# shellcheck disable=SC2016 # what ranks and other shells are to expand
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
if "$cgsolve" --version | grep -q '^MPI *not built in'; then
    OMPI_COMM_WORLD_SIZE=2 refuses 1 'was built without MPI, and each would solve the whole: install' --N=3
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
fi
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
export CUDA_VISIBLE_DEVICES= # GPUs: ranks_cuda.sh
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 refuses 1 '^cgsolve: 2 processes .* MPI \((Open MPI|MPICH).* finds this one alone' --N=3
end_at_once
export cgsolve # for launch_each

# plainly COMMAND...: without sanitizers alone, for combinations whose parts other lines, check_ranks and check_shared
# have under them.
plainly() {
    [ $instrumented = yes ] || "$@"
}

echo "# Histories"
equals 3 --N=33
plainly equals 2 --N=7 --format=crs --precond=jacobi --precision=single
plainly equals 7 --N=7 --format=sellc
equals 3 --N=17 --format=sellc --precond=chebyshev --precision=mixed --deform=0.1
plainly equals 2 --N=9 --problem=course --format=crs
equals 7 --N=7 --format=none
plainly equals 3 --N=13 --sigma=48 --chunk=6
plainly equals 3 --N=33 --format=none --precision=mixed
leaks_too equals 7 --N=13 --format=crs --precond=mg --whole-grids=0
# More rows than are looked at one by one, but under sanitizers.
many=67
[ $instrumented = no ] || many=35
OMP_NUM_THREADS=2 equals 3 --N=$((many - 1)) --format=none --precond=mg
plainly equals 2 --N=102 --format=none --precond=mg --kappa=smooth
equals 2 --N=$many --format=sell --precond=mg --guess=fmg --deform=0.1 --tol=1e-6 --whole-grids=100
plainly equals 2 --N=5 --precond=mg
equals 3 --N=17 --format=none --precond=fdm --tol=1e-15 # two iterations
equals 3 --N=17 --precond=mg --coarse=galerkin --deform=0.1 --precision=mixed
equals 7 --N=20 --format=none --precond=mg --coarse=galerkin --whole-grids=0
plainly equals 3 --N=7 --precond=amg
equals 3 --N=14 --format=crs --precond=amg --strength=0.05 --precision=mixed --kappa=smooth
equals 2 --N=13 --format=sellc --precond=amg --precond-precision=double --guess=fmg
leaks_too equals 2 --matrix="$systems/nos4.mtx" --kernel=crs_row --precond=amg --precision=single --cg=single-reduction
equals 2 --N=17 --format=none --kernel=cells --precond=jacobi --deform=0.1 --kappa=smooth
plainly equals 3 --matrix="$systems/nos4.mtx" --kernel=crs_row --precond=jacobi
equals 2 --matrix="$systems/bcsstk01.mtx" --kernel=sell_chunk --precision=mixed --precond=chebyshev --chunk=4 --sigma=1
OMP_NUM_THREADS=2 equals 2 --N=16 --stop=discretization
plainly equals 3 --N=17 --cg=single-reduction --precond=jacobi
equals 3 --N=16 --cg=single-reduction --precond=chebyshev --format=sellc
equals 2 --matrix="$systems/nos4.mtx" --kernel=crs_row --cg=single-reduction --tol=1e-14

echo "# Facts"
equals 3 --N=15 --solves=0
same "ranks.count" "$(value count many.json)" 3
same "ranks.rows_least" "$(value rows_least many.json)" 1120
same "ranks.rows_most" "$(value rows_most many.json)" 1135
for key in unknowns nonzeros stored iterations l2 h1 max nodal_l2; do
    same "$key is that of one process" "$(value $key many.json)" "$(value $key one.json)"
done
[ "$(grep -c '^Ranks' out)" = 1 ] && grep -q '^Ranks *3 ranks of 1 thread: rows a rank 1 120 to 1 135, halo ' out
verdict "one report, with a line on ranks" $? "$(grep -m 1 Ranks out)"

ranks 2 --N=66 --precond=mg --whole-grids=32 --verbose
grep -q '2 ranks share the grids down to 33^3; each has all of the others' out
verdict "which grids are shared is said" $? "$(grep -m 1 'share the grids' out)"

# The terminal that mpirun may give to each process is no reason for sequences: its own output is a file here.
for count in 1 2; do
    TERM=xterm NO_COLOR='' launch $count "$cgsolve" --backend=cpu --N=7 --verbose >out 2>err
    same "sequences of a terminal under mpirun -n $count" "$?$(cat out err | grep -c $'\e')$(grep -c '^Solver' out)" 001
done

echo "# Refusals"
ranks 2 --N=7 --gpus=2
fails 1 '--gpus starts a process for each device itself, and here several were started: leave out --gpus' "--gpus under mpirun"
ranks 2 spmv --N=7
fails 1 "'cgsolve spmv' measures the products of one machine, which ranks would disturb: run it on one rank" "a command"
ranks 2 --matrix="$systems/nos4.mtx" --precond=amg --near-null=nowhere.npy --partition=metis
fails 1 'near-null vectors of --precond=amg do not work with --partition yet, which takes nodes apart: take contiguous' "nodes that are taken apart"
ranks 3 --N=3
fails 1 '27 rows make 1 block of 32' "more ranks than blocks"
launch_each 'exec "$cgsolve" --N=7' 'exec "$cgsolve" --N=8' >out 2>err
fails 1 'rank 1 has other options than rank 0' "other options on a rank"
echo N=7 >seven.txt && echo N=8 >eight.txt
launch_each 'exec "$cgsolve" @seven.txt' 'exec "$cgsolve" @eight.txt' >out 2>err
fails 1 'rank 1 has other options than rank 0' "other options in the file of a rank"

echo "# Failures"
mkdir with without

# apart ARGUMENT: on two ranks, in the folder with/ and in without/.
apart() {
    launch_each "cd with && exec \"\$cgsolve\" $1" "cd without && exec \"\$cgsolve\" $1" >out 2>err
}

cp "$systems/nos4.mtx" with/
apart --matrix=nos4.mtx
fails 4 "rank 1: .*nos4.mtx" "a file that one rank does not have"
echo N=9 >with/nine.txt
leaks_too apart @nine.txt
fails 4 "rank 1: cannot read the options in 'nine.txt'" "options that one rank does not have"
sed '$ s/.$/7/' with/nos4.mtx >without/nos4.mtx
apart --matrix=nos4.mtx
fails 4 "rank 1 has another 'nos4.mtx' than rank 0" "a file that differs in its last byte"
for option in near-null coordinates; do
    echo 1 >with/vectors.mtx && echo 2 >without/vectors.mtx
    apart "--matrix=$systems/nos4.mtx --precond=amg --$option=vectors.mtx"
    fails 4 "rank 1 has another 'vectors.mtx' than rank 0" "another file of --$option"
done
launch_each 'exec "$cgsolve" --N=7' 'CGSOLVE_TEST=part=0.3 exec "$cgsolve" --N=7' >out 2>err
fails 1 'rank 1 has another CGSOLVE_TEST than rank 0' "another environment on a rank"
rm with/nos4.mtx without/nos4.mtx
mkfifo with/nos4.mtx
apart --matrix=nos4.mtx
fails 4 "nos4.mtx: is a pipe or a device, which several ranks cannot read" "a pipe, for which a rank would wait"
{ printf '%s\n' '%%MatrixMarket matrix array real general' '100 1' && yes 1e307 | head -n 100; } >huge.mtx
ranks 3 --matrix="$systems/nos4.mtx" --rhs=huge.mtx --json=huge.json
fails 3 'breakdown: x overflows' "sums that are not finite on all ranks"
same "its report" "$(value exit_status huge.json)" 3
ranks 2 --N=16 --max-iterations=3
fails 2 'not converged: the limit of 3 iterations' "a limit that all reach"

# catches PROCESS: SIGINT does not end it; it has got as far as the solve.
catches() {
    local mask
    mask=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status" 2>/dev/null)
    ((0x${mask:-0} & 2))
}

# hurt SIGNAL: starts a long run, sends the signal to one of its two ranks, and waits for all.
hurt() {
    local tries=0 victim=
    : >pids
    launch 2 bash -c 'echo $$ >>pids; exec "$0" "$@"' "$cgsolve" --N=48 --solves=1000000 --json=hurt.json >out 2>err &
    while [ "$(wc -l <pids)" -lt 2 ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    victim=$(tail -n 1 pids)
    while ! catches "$victim" && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    sleep 0.3
    kill -s "$1" "$victim"
    wait $!
}
hurt KILL
killed=$?
[ $killed != 0 ] && [ $killed != 124 ]
verdict "a rank that is killed ends all" $? "exit status $killed"
hurt INT
fails 130 'interrupted' "a rank that is interrupted stops all"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
