#!/usr/bin/env bash
# tests/tree/peers.sh: bench/peers/compare where hypre and PETSc are not there; and, where `make peers` has
# built them, that each of their methods solves our equations: the same nodal values as ours.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"
peers=$build/bench/peers
if [ ! -e "$sources/bench/peers/compare" ]; then
    echo "skipped: no bench/peers/compare beside the tests"
    exit 77
fi
# shellcheck source=tests/support/mpirun.bash
. "$sources/tests/support/mpirun.bash"
export CGSOLVE=$cgsolve TMPDIR=$work

compares() { # STATUS OPTION...
    local status=$1
    shift
    bash "$sources/bench/peers/compare" "$@" >out 2>err
    same "compare $*: exit status" $? "$status"
}

says() { # PATTERN
    grep -Eq -- "$1" out
    verdict "says '$1'" $? "$(head -n 3 out err)"
}

echo "# Without the peers"
PEERS=$work/none compares 0 --N=5 --repeat=2 --dir=kept --tol=1e-9 --problem=sine --ranks=1 \
    --only=precond=none
says '^skipped: hypre: .*/none/peer_hypre is not there: package libhypre-dev brings it; '
says '^skipped: PETSc: .*/none/peer_petsc is not there: package petsc-dev brings it; '
says '^N = 5, sine, tolerance 1e-9, 1 ranks or threads$'
says '^cgsolve --format=none --precond=none +[0-9]'
! grep -q jacobi out
verdict 'only what matches' $?
same 'reports that are kept' "$(find kept -name 'N5-cgsolve-format-none-precond-none-[12].json' | wc -l)" 2
grep -q '^cgsolve --format=sell' kept/N5.txt
verdict 'a table that is kept' $?
PEERS=$work/none compares 2 --N=5 --repeat=1 --problem=nonsense '--only=none --precond=none'
says '^FAILED: cgsolve .*nonsense'
compares 1 --nonsense
grep -q -- '--repeat=3' err
verdict 'usage' $?

echo "# MFEM"
MFEM=$work/none bash "$sources/bench/peers/mfem" --order=4 >out 2>err
same 'mfem without MFEM: exit status' $? 2
grep -q "^no MFEM in '$work/none': pip install mfem" err
verdict 'says where it looked and what brings it' $? "$(head -n 3 err)"
for wrong in --nonsense --order=9 --order=1,,2 --bake-off=2 --threads=0 --method=none; do
    MFEM=$work/none bash "$sources/bench/peers/mfem" "$wrong" >out 2>err
    same "mfem $wrong: exit status" $? 1
done
grep -q -- '--unknowns=1e6' err
verdict 'usage' $?

# methods PROGRAM: their names, from its usage.
methods() {
    "$1" --nonsense 2>&1 | sed -n 's/^  \([^ ]*\) .*/\1/p'
}

# difference A B: the largest of two vectors, relative to the largest entry of B.
difference() {
    paste <(grep -v '^%' "$1" | tail -n +2) <(grep -v '^%' "$2" | tail -n +2) | awk '
        function size(x) { return x < 0 ? -x : x }
        { if (size($1 - $2) > d) d = size($1 - $2); if (size($2) > m) m = size($2) }
        END { printf "%.3e\n", NR == 3375 && m > 0 ? d / m : 1 }'
}

echo "# Their solutions"
"$cgsolve" --backend=cpu --threads=1 --N=15 --tol=1e-10 --output=ours.mtx >/dev/null
tried=0
for program in "$peers"/peer_hypre "$peers"/peer_petsc; do
    [ -x "$program" ] || continue
    for method in $(methods "$program"); do
        for ranks in 1 2; do
            name="$(basename "$program") $method, ranks = $ranks"
            OMP_NUM_THREADS=1 seconds=120 launch $ranks "$program" --N=15 --tol=1e-10 \
                --method="$method" --output=theirs.mtx --json=theirs.json >out 2>err
            same "$name: exit status" $? 0
            tried=$((tried + 1))
            [ "$method" != pfmg-7 ] || continue # other equations
            d=$(difference theirs.mtx ours.mtx)
            awk -v d="$d" 'BEGIN { exit !(d < 1e-6) }'
            verdict "$name: nodal values" $? "$d"
            d=$(value true_relative_residual theirs.json)
            awk -v d="$d" 'BEGIN { exit !(d > 0 && d < 2e-10) }'
            verdict "$name: true residual" $? "$d"
        done
    done
done
[ $tried -gt 0 ] || echo "skipped: no peers are built here (make peers)"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
