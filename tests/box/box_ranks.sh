#!/usr/bin/env bash
# tests/box/box_ranks.sh: boxes on several ranks: histories are those of one process, to the bit.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"
# shellcheck source=tests/cli/ranks.bash
. "$here/../cli/ranks.bash"

box=(--cells=12x18x9 --size=1x2x0.5)
equals 3 "${box[@]}"
equals 2 "${box[@]}" --format=none
equals 3 "${box[@]}" --format=crs --precond=jacobi --kappa=smooth
equals 2 "${box[@]}" --format=sellc --precond=chebyshev --precision=mixed
equals 3 "${box[@]}" --format=none --precond=mg --whole-grids=0
equals 2 "${box[@]}" --precond=mg --coarse=galerkin --precision=mixed
equals 3 "${box[@]}" --precond=amg
equals 2 --cells=3x5x40 --size=1x10x1 --format=none --precond=mg --problem=octants --kappa=jump:10
equals 3 --cells=40x5x3 --size=1x10x1 --precond=mg --whole-grids=0 --guess=fmg
equals 3 --cells=40x40x2 --format=sell # one plane
equals 2 "${box[@]}" --problem=course --precision=single

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
