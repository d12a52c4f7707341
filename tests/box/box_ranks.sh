#!/usr/bin/env bash
# tests/box/box_ranks.sh: boxes on several ranks: histories are those of one process, to the bit.
set -u
export CUDA_VISIBLE_DEVICES= # ranks would take a GPU each

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"
# shellcheck source=tests/cli/ranks_verdicts.bash
. "$here/../cli/ranks_verdicts.bash"
export OMP_NUM_THREADS=1

box=(--cells=12x18x9 --size=1x2x0.5)
equals 3 "${box[@]}"
equals 2 "${box[@]}" --format=none
equals 3 "${box[@]}" --format=crs --precond=jacobi --kappa=smooth
equals 2 "${box[@]}" --format=sellc --precond=chebyshev --precision=mixed
equals 3 "${box[@]}" --format=none --precond=mg --whole-grids=0
equals 2 "${box[@]}" --precond=mg --coarse=galerkin --precision=mixed
equals 3 "${box[@]}" --precond=amg
# fdm: ranks cut within planes, and between them; more ranks than planes.
equals 3 "${box[@]}" --precond=fdm --kappa=smooth --format=crs
equals 2 --N=31 --precond=fdm --kappa=smooth --format=none --precision=mixed
equals 3 "${box[@]}" --precond=fdm --precond-precision=single --kappa=smooth --format=crs
equals 7 --cells=40x40x4 --size=1x10x1 --precond=auto
same "auto takes fdm on ranks" "$(value preconditioner many.json)" fdm
if [ "$instrumented" = no ]; then
    CGSOLVE_RANKS=3 "$cgsolve" --backend=cpu --N=64 --format=none --precond=fdm --json=many.json >out 2>err
    same "fdm of three ranks needs the memory planned" "$?$(($(value host_peak many.json) > $(value host_planned many.json)))" 00
fi
equals 2 --cells=3x5x40 --size=1x10x1 --format=none --precond=mg --problem=octants --kappa=jump:10
equals 3 --cells=40x5x3 --size=1x10x1 --precond=mg --whole-grids=0 --guess=fmg
equals 3 --cells=40x40x2 --format=sell # one plane
equals 2 "${box[@]}" --problem=course --precision=single

# No face holds u: the load's mean, which is taken off it, and that of u are sums over the ranks, too.
free=(--backend=cpu --N=13)
for face in x0 x1 y0 y1 z0; do free+=("--face=$face:flux"); done
awk 'BEGIN { print "%%MatrixMarket matrix array real general\n3375 1"; for (i = 0; i < 3375; i++) print (i * 7919 % 2003) / 1001.5 - 1 }' >free.mtx
free_box() { # ARGUMENT...
    local ranks
    for ranks in 1 2 3 4; do
        CGSOLVE_RANKS=$ranks timeout 120 "$cgsolve" "${free[@]}" "$@" --output=x.mtx --json=free.json >out 2>err
        same "$*, $ranks ranks: status" $? 0
        grep -v '^%' x.mtx >"free.$ranks"
        grep -E '"(source_in|flux_..|compatibility)"' free.json >>"free.$ranks"
        sed -n '/"solution": {/,/}/p; /^  "probes"/,/^  "balance"/p' free.json >>"free.$ranks"
        grep -q '"most_at"' "free.$ranks" && cmp -s free.1 "free.$ranks"
        verdict "$*, $ranks ranks: all bits of x, of its extremes and of the balance" $?
    done
}
free_box --source='sin(3*x)+y^3' --face=z1:flux=1 --format=crs
free_box --exact='cos(3*x)*y^2' --face=z1:flux --reproducible --format=sell
free_box --source=1 --face=z1:h=2,ambient=x --material=a:kappa=3 --region=a:'x+z<1' --precond=jacobi --probe=0.3,0.4,0.7 --line=0,0,0:1,0.5,1:9
grep -q arc_length free.4
verdict "points are among them" $?
free_box --face=z1:flux=x --rhs=free.mtx --precond=mg --format=none
free_box --source='sin(3*x)+y^3' --face=z1:flux=1 --precond=fdm --format=sell

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
