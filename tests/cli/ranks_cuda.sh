#!/usr/bin/env bash
# tests/cli/ranks_cuda.sh: cgsolve on several ranks that compute on GPUs (doc/clusters.md), which take the GPUs of
# the host in turn, so that one is enough. With --reproducible the history is that of one GPU, to the bit; without,
# the answer is. Both where kernels write to the other ranks' memory, and where the host carries the numbers.
# The program starts most ranks itself, which takes less time; mpirun where MPI has a part in it. Skipped without
# mpirun or GPU.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
if [ "$device" = no ]; then
    echo "skipped: no CUDA device"
    exit 77
fi
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
odd=33 even=32 rows='131 072' # rows: a half of 2 * even cubed
if [ -n "${EMULATED-}" ]; then # which knows no `while` nodes, and takes its time
    odd=13 even=12 rows='6 912' by_mpirun=no
fi

# equals P ARGUMENT...: the history on P ranks is that of one GPU.
equals() {
    local got
    "$cgsolve" --backend=cuda --reproducible "${@:2}" --history=one.csv --json=one.json >out 2>err ||
        verdict "one GPU: ${*:2}" 1 "$(head -n 1 err)"
    rm -f many.csv
    ranks "$1" --backend=cuda --reproducible "${@:2}" --history=many.csv --json=many.json
    got=$?
    [ $got = 0 ] && cmp -s one.csv many.csv
    verdict "$1 ranks: ${*:2}" $? "exit status $got; $(grep -m 1 cgsolve: err)$(diff one.csv many.csv 2>&1 | head -n 4 | tr '\n' ' ')"
}

# answers P ARGUMENT...: as many iterations as on one GPU, within 2, and the same error where there is one.
answers() {
    local got one many
    "$cgsolve" --backend=cuda "${@:2}" --json=one.json >out 2>err || verdict "one GPU: ${*:2}" 1 "$(head -n 1 err)"
    rm -f many.json
    ranks "$1" --backend=cuda "${@:2}" --json=many.json
    got=$?
    one=$(value iterations one.json) many=$(value iterations many.json)
    [ $got = 0 ] && [ $((one - many)) -le 2 ] && [ $((many - one)) -le 2 ] &&
        awk -v a="$(value l2 one.json)" -v b="$(value l2 many.json)" 'BEGIN { exit !(a == "" || (a - b)^2 <= (1e-5 * a)^2) }'
    verdict "$1 ranks answer: ${*:2}" $? "exit status $got; $one and $many iterations, errors $(value l2 one.json), $(value l2 many.json); $(grep -m 1 cgsolve: err)"
}

by_mpirun=no
echo "# Histories"
equals 3 --N=17 --format=sell # parts of odd length: the tails of vector steps
equals 3 --N=$even --format=crs --precond=jacobi
equals 4 --N=$odd --format=sellc --precond=chebyshev
equals 5 --N=17 --format=none --kappa=smooth
equals 2 --N=32 --format=none --precision=single --precond=jacobi
equals 2 --N=17 --format=none --kernel=cells --precond=jacobi --deform=0.1 --kappa=smooth
equals 3 --N=$((2 * odd)) --format=none --precond=mg
equals 2 --N=5 --precond=mg
equals 2 --N=$odd --format=sell --precond=mg --guess=fmg --tol=1e-6 --precision=mixed
equals 2 --N=$odd --format=none --precond=mg --coarse=galerkin
equals 3 --N=17 --format=none --precond=fdm --kappa=smooth
equals 5 --cells=12x3x9 --source=1 '--kappa=1+x*y+9*(z>0.5)' --face=z0:h=2 --face=z1:flux=1 --precond=fdm # without lines
equals 3 --order=3 --cells=5 --deform=0.1 --kappa=smooth --precond=jacobi # ranks that end within a block and with one
equals 2 --order=2 --cells=2x3x7 --kernel=order_cells --quadrature=gauss
equals 3 --order=2 --cells=3x3x4 --source=1 --kappa=1+x --format=sell --precond=jacobi --face=z0:flux
equals 3 --order=3 --cells=4x3x5 --source=1 '--kappa=1+x+9*(z>0.5)' --face=z0:h=2 --face=z1:h=3 --reaction=2 --precond=jacobi
equals 3 --order=2 --cells=3x2x2 --source=1 --kappa=1+x,1,2+z --face=z0:flux=1 --face=z1:flux # a rank with one plane
equals 3 --order=2 --cells=2x3x7 --source=1 --kappa=1+x,1,2+z --grade=z:2 --face=x0:h=1 --face=z1:flux --precond=chebyshev
equals 2 --order=4 --cells=3x2x4 --source=1 '--kappa=1+9*(x>0.5)' --face=z0:flux --precond=mg --whole-grids=0
equals 3 --order=3 --cells=4x3x5 --source=1 --kappa=1+y --reaction=1+x*z --face=z0:h=2+x --face=z1:h=3 --precond=jacobi
equals 3 --order=2 --cells=3x2x7 --source=1 --kappa=1+x --reaction=2 --face=x1:h=1+z --face=z1:flux --quadrature=gauss --precond=jacobi
equals 3 --order=3 --cells=3x3x4 --format=crs --precond=mg --kappa=smooth --whole-grids=0
equals 3 --order=2 --cells=2x3x7 --format=sell --source=1 --kappa=1+x --face=z0:h=2 --face=z1:flux --precond=mg --whole-grids=0
equals 2 --order=4 --cells=3x2x4 --format=crs --source=1 --kappa=1+y --face=z0:flux --precond=mg --whole-grids=0
equals 3 --matrix="$systems/nos4.mtx" --kernel=crs_warp --precond=jacobi
equals 2 --matrix="$systems/nos4.mtx" --kernel=crs_warp --precond=amg
equals 2 --matrix="$systems/bcsstk01.mtx" --kernel=sell_chunk --precond=chebyshev --chunk=4 --sigma=1 --precision=mixed

echo "# Answers"
if [ -z "${EMULATED-}" ]; then # larger boxes: no other paths, and minutes of the emulator
    answers 2 --N=64
    answers 2 --N=65 --format=sellc --launch=while
    answers 3 --N=65 --format=none
fi
answers 3 --N=$odd --format=crs --launch=plain
answers 2 --N=$((2 * odd + 1)) --format=none --precond=mg
answers 3 --N=7 --format=none --precond=mg # lines with padding on the coarsest grid, so other sums there
# More rows than are looked at one by one at the end.
[ -n "${EMULATED-}" ] || answers 2 --N=102 --format=none --precond=mg --kappa=smooth
answers 2 --order=4 --cells=3x3x5
answers 3 --order=3 --cells=5x2x4 --precond=chebyshev --grade=z:2
answers 3 --order=2 --N=7 --precond=jacobi --precision=mixed
answers 3 --order=3 --cells=5x2x4 --exact='sin(2*x+y)*exp(z)' --face=z0:h=2 --face=z1:h=1 --reaction=1 --grade=z:2 # reads P planes below
answers 3 --order=2 --cells=3x3x2 --exact='sin(2*x+y)*exp(z)' --face=z0:flux --face=z1:flux --precond=jacobi
answers 2 --order=5 --cells=2x3x4 --exact='sin(2*x+y)*exp(z)' --face=z0:flux --face=y0:h=1 --precond=mg --whole-grids=0
answers 3 --order=3 --cells=4 --exact='sin(2*x+y)*exp(z)' --face=z0:h=1 --face=z1:h=2 --precond=mg --precision=mixed
answers 2 --order=4 --cells=2x2x3 --exact='sin(2*x+y)*exp(z)' --face=z1:flux --precond=mg
answers 3 --order=3 --cells=3x2x4 --exact='sin(2*x+y)*exp(z)' --face=z0:h=2+x --reaction=1+y --quadrature=gauss --precond=mg
answers 3 --order=3 --cells=3x2x4 --exact='sin(2*x+y)*exp(z)' --face=z0:flux --precond=fdm
answers 3 --order=8 --cells=2x2x3 --precond=mg --whole-grids=0
answers 2 --order=3 --cells=4 --precond=mg --precond-precision=double
answers 3 --order=4 --cells=5 --deform=0.1
answers 2 --order=3 --cells=4x2x6 --kappa=jump:10 --quadrature=gauss --precond=chebyshev
answers 3 --order=2 --cells=4 --problem=mass --quadrature=gauss --precision=mixed
answers 2 --order=5 --cells=4 --deform=0.1 --precond=mg --whole-grids=0
answers 3 --order=3 --cells=3x2x4 --precond=fdm --grade=z:2
answers 2 --order=2 --N=7 --precond=auto
answers 2 --N=$odd --format=none --deform=0.1
answers 3 --matrix="$systems/nos4.mtx"
answers 2 --N=16 --problem=course
answers 2 --N=$odd --format=sell --precond=amg
answers 3 --N=$odd --format=none --precond=fdm --kappa=smooth
answers 3 --N=$odd --format=crs --precond=amg --precision=mixed
answers 3 '--exact=exp(x)*cos(2*y)+z^2' '--kappa=1+x+2*y*z' --face=x0:flux '--face=z1:h=2+x' --N=14 --format=crs --precond=jacobi
answers 2 '--exact=exp(x)*cos(2*y)+z^2' '--kappa=1+x+2*y*z' --face=x0:flux '--face=z1:h=2+x' --N=14 --format=sell --precond=mg

echo "# Iterations in one kernel"
answers 2 --N=16 --format=none --launch=persistent
answers 3 --N=13 --format=none --launch=persistent --precision=single --tol=1e-5
answers 4 --N=12 --format=none --launch=persistent --tol=1e-3
ranks 3 --backend=cuda --N=13 --format=none --json=many.json
same "CG takes it by itself" "$? $(grep -c '"launch": "persistent"' many.json)" "0 1"
if [ -z "${EMULATED-}" ]; then # in one kernel where the GPU has enough multiprocessors: the emulator's four do not
    answers 2 --N=64 --format=none
    answers 2 --N=70 --format=none
    answers 3 --N=62 --format=none --precision=single --tol=1e-5
fi
ranks 2 --backend=cuda --N=129 --format=none --launch=persistent
fails 1 "launch 'persistent': this problem is too big for one kernel" "a box that is too big"
CGSOLVE_PEERS=0 ranks 2 --backend=cuda --N=13 --format=none --launch=persistent
fails 1 "launch 'persistent': GPUs of several ranks have to write to each other's memory" "iterations that the host would carry"

echo "# Carried by the host"
[ -n "${EMULATED-}" ] || by_mpirun=yes
export CGSOLVE_PEERS=0
equals 2 --N=17 --format=sell
equals 3 --N=$odd --format=none --precond=mg
equals 2 --matrix="$systems/nos4.mtx" --kernel=crs_warp
equals 3 --N=15 --format=none --precond=fdm --kappa=smooth --precision=mixed
answers 3 --N=$odd --format=none
answers 2 --order=5 --N=14
answers 2 --order=4 --cells=4 --deform=0.1
answers 2 --order=3 --cells=3x2x4 --source=1 --kappa=1+x --face=z0:flux --precond=mg

echo "# Carried by NCCL"
export CGSOLVE_PEERS=nccl
ranks 2 --backend=cuda --N=$odd --format=none --json=nccl.json
got=$?
if [ $got = 0 ]; then
    grep -q '"nccl": true' nccl.json
    verdict "the report says that NCCL carries" $? ""
    CGSOLVE_PEERS=1 ranks 2 --backend=cuda --N=$odd --format=none --launch=graph --history=direct.csv &&
        ranks 2 --backend=cuda --N=$odd --format=none --history=many.csv && cmp -s direct.csv many.csv
    verdict "NCCL and stores give the same bits" $? "$(diff direct.csv many.csv 2>&1 | head -n 4 | tr '\n' ' ')"
    answers 2 --N=$odd --format=sell --precond=jacobi
    answers 2 --N=31 --format=none --precond=mg
    answers 2 --N=$odd --format=none --precond=fdm --kappa=smooth
    answers 2 --N=$odd --precond=amg --launch=plain
    ranks 2 --backend=cuda --N=$odd --launch=while
    fails 1 "launch 'while': what NCCL carries" "NCCL and launch=while"
    answers 2 --matrix="$systems/nos4.mtx"
else
    (exit $got)
    fails 6 'CGSOLVE_PEERS=nccl: (.*libnccl2|ranks 0 and 1 share a GPU.*); leave it unset' "NCCL that does not serve"
fi
ranks 2 --backend=cuda --N=17 --reproducible
fails 6 'CGSOLVE_PEERS=nccl: with --reproducible NCCL does not serve' "NCCL and fixed sums"
CGSOLVE_PEERS=yes ranks 2 --backend=cuda --N=17
fails 1 'CGSOLVE_PEERS=yes: give nccl, 0' "a way that there is not"
unset CGSOLVE_PEERS

by_mpirun=no
echo "# Seconds by GPU"
# counts FILE: exchanges, bytes received and sums, which are the same whoever carries them.
counts() {
    echo "$(value exchanges "$1") $(value received_bytes "$1") $(value gatherings "$1")"
}
for arguments in "--N=$odd --format=none --launch=plain" "--N=31 --format=none --precond=mg" "--N=16 --precond=fdm --kappa=smooth"; do
    # shellcheck disable=SC2086 # words
    ranks 3 --backend=cuda $arguments --profile --json=direct.json && cp out direct.txt &&
        CGSOLVE_PEERS=0 ranks 3 --backend=cuda $arguments --profile --json=carried.json &&
        [ "$(value exchanges direct.json)" -ge "$(value iterations direct.json)" ] &&
        [ "$(counts direct.json)" = "$(counts carried.json)" ] &&
        [ "$(grep -c '^ *GPU [0-9]  *[0-9.]*  *[0-9.]*  *[0-9.]*  *[0-9.]*$\|^By GPU' direct.txt)" = 4 ]
    verdict "3 ranks count alike: $arguments" $? "direct $(counts direct.json), carried $(counts carried.json); $(grep -m 1 cgsolve: err)"
done

echo "# Memory of each GPU"
ranks 2 --backend=cuda --N=64 --plan --json=plan.json
same "--plan of 2 ranks" "$?$(grep -c 'rank [01] on GPU [0-9]*, 131 072 rows' out)$(grep -c '^Scaling ' out)" 021
same "each GPU's part in JSON" "$(grep -c '"planned": ' plan.json)" 2
ranks 2 --backend=cuda --N=$((2 * even))
same "each GPU's part in the report" "$(tr -s ' \n' ' ' <out | grep -o "GPU [0-9]*: $rows rows, [^;]*; GPU [0-9]*: $rows rows" | wc -l)" 1
ranks 2 --backend=cuda --N=64 --memory-limit=20MB --format=crs
fails 5 'N = 64 needs .* of device memory: .*; these are figures of rank [01]' "GPUs that lack memory"

echo "# Failures"
[ -n "${EMULATED-}" ] || by_mpirun=yes
ranks 2 --backend=cuda --N=$odd --precond=amg --reproducible
fails 1 '--precond=amg of the box with --reproducible does not work on the GPUs of several ranks yet' "a preconditioner"
ranks 2 --backend=cuda --N=17 --format=none --inject=nan@5
fails 3 '.*' "NaN on a rank's GPU"
ranks 2 --backend=cuda --N=$odd --max-iterations=3
fails 2 'not converged: the limit of 3 iterations' "a limit that all reach"
# A GPU that hangs while its program lives. It goes on after a minute, and would then converge.
ways="1 0"
[ "$(value nccl nccl.json)" != true ] || ways="1 nccl 0"
[ -z "${EMULATED-}" ] || ways=""
for way in $ways; do
    CGSOLVE_TEST=${CGSOLVE_TEST:+$CGSOLVE_TEST,}patience=6 CGSOLVE_PEERS=$way ranks 2 --backend=cuda --N=$odd --format=none --inject=cuda-hang
    fails 6 '(rank [01]: )?the GPU of (rank 1 has not (answered|gone on)|rank 0 has waited for another)' "a GPU that hangs, CGSOLVE_PEERS=$way"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
