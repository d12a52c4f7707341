#!/usr/bin/env bash
# tests/box/box.sh: --cells and --size. A cube that they name is the cube of --N, to the bit; on boxes each format
# and preconditioner finds the same solution, of the order of theory; files, pictures and plans are those of the box; what
# contradicts itself is refused.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

box='--cells=12x18x8 --size=1x2x0.5'

# facts FILE: a report without times and what depends on them, and without how the box was named.
facts() {
    python3 - "$1" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
report["problem"].pop("cells", None)
report["problem"].pop("size", None)
keys = ("problem", "kernel", "precision", "matrix", "solver", "error", "history", "error_history")
print(json.dumps({key: report.get(key) for key in keys}, sort_keys=True))
PYTHON
}

echo "# Lengths in any unit: ratios alone count"
for options in '--precision=single --format=none' '--precond=mg --precision=mixed --problem=octants --kappa=jump:10' --source=1; do
    for unit in 1 1e-6 2e-12 4e11; do
        size=$(awk -v u=$unit 'BEGIN { printf "%gx%gx%g", u, 2 * u, u / 2 }')
        # shellcheck disable=SC2086 # several options
        solves unit.json --N=7 --size="$size" $options --max-iterations=4000
        [ $unit = 1 ] && iterations=$(value iterations unit.json)
        same "$options, --size=$size: status" "$(value status unit.json)" converged
        near "$(value iterations unit.json)" "$iterations" 0.05
        verdict "$options, --size=$size: iterations" $? "$(value iterations unit.json), not $iterations"
    done
done

echo "# Refusals"
refuses 1 '--N and --cells both say how the box is cut' --N=7 --cells=8
refuses 1 '--cells=1x2x3 is not understood: expected .* 2 \.\.\. 10001: 20x36x50' --cells=1x2x3
for wrong in 0 1 20x36 20xx36 20x36x x20x36 20x36x50x2 20,5x3x3 2.5x3x3 -4x4x4 4x4x10002 4x4x99999999999999999999; do
    refuses 1 "--cells=$wrong is not understood" --cells=$wrong
done
for wrong in 0x1x1 1x2 1xx2 1x2x3x4 -1 nan infx1x1 1x1x1e13 1e-13; do
    refuses 1 "--size=$wrong is not understood" --size=$wrong
done
refuses 1 '--deform moves the nodes of a cube of cubes' --size=1x2x0.5 --deform=0.1
refuses 1 '--deform moves the nodes of a cube of cubes' --cells=4x4x5 --deform=0.1
refuses 1 '--scaling=weak takes another N' study --backend=cpu --scaling=weak --cells=8
refuses 1 '--cells belongs to the box, but here is --matrix' --cells=8 --matrix=a.mtx
refuses 1 '--size belongs to the box, but here is --random' spmv --size=2 --random=100,0.1
refuses 1 '--cells=1500x1500x1500 is out of range: the columns of --format=sell have 32 bits, so that there are at most 2147483647 unknowns; --format=none' \
    --backend=cpu --cells=1500
refuses 1 'columns have 32 bits: there are at most 2147483647 unknowns then, not --cells=1400x1500x1600' --backend=cpu \
    --cells=1400x1500x1600 --format=none --precond=mg --coarse=galerkin
refuses 5 '2000x1000x1500 cells needs .*what fits: .*--cells=[0-9]*x[0-9]*x[0-9]* ' --backend=cpu --cells=2000x1000x1500 \
    --format=none --memory-limit=1G
refuses 1 "'cells', twice|--cells is there twice|--cells.*twice" --cells=8 --cells=9

echo "# Cubes"
if command -v python3 >/dev/null; then
    for more in '' '--format=none --precond=mg' '--format=sellc --precision=mixed --problem=octants --kappa=jump:10' \
        '--format=crs --deform=0.1 --precond=jacobi' '--problem=course --quadrature=blended' \
        '--precond=mg --coarse=galerkin --kappa=smooth' '--problem=random --precond=chebyshev'; do
        # shellcheck disable=SC2086 # several options
        solves n.json --N=15 --reproducible $more
        # shellcheck disable=SC2086
        solves cells.json --cells=16 --size=1 --reproducible $more
        same "--cells=16 --size=1 is --N=15, bit by bit: $more" "$(facts cells.json)" "$(facts n.json)"
    done
    same "cells in the report" "$(python3 -c 'import json; p = json.load(open("cells.json"))["problem"]
print(p["N"], p["cells"], p["size"])')" '15 [16, 16, 16] [1.0, 1.0, 1.0]'
    # shellcheck disable=SC2086
    solves box.json $box --precond=mg
    same "a box in the report" "$(python3 -c 'import json; r = json.load(open("box.json")); p = r["problem"]
print("N" in p, p["cells"], p["size"], p["unknowns"], p["mesh"], r["preconditioning"]["levels"][0]["n_xyz"])')" \
        'False [12, 18, 8] [1.0, 2.0, 0.5] 1309 box [11, 17, 7]'
fi

echo "# Formats and preconditioners"
# alike NAME: one.json has the error of first.json, and as many iterations, more or less one.
alike() {
    local key
    same "$1: converged" "$(value status one.json)" converged
    for key in l2 h1 max; do
        figure "$1" one.json $key "$(value $key first.json)" 1e-5
    done
}
for precond in none jacobi chebyshev mg amg; do
    rm -f counted
    for format in crs sell sellc none; do
        [ $precond$format != amgnone ] || continue # amg needs entries
        # shellcheck disable=SC2086
        solves one.json $box --precond=$precond --format=$format --kappa=smooth
        [ -f first.json ] || cp one.json first.json
        alike "$precond, $format"
        value iterations one.json >>counted
    done
    [ "$(sort -nu counted | wc -l)" -le 2 ] && [ $(($(sort -n counted | tail -n 1) - $(sort -n counted | head -n 1))) -le 1 ]
    verdict "$precond: as many iterations in each format" $? "$(tr '\n' ' ' <counted)"
done
for precision in single mixed; do
    # shellcheck disable=SC2086
    solves one.json $box --kappa=smooth --precision=$precision --precond=mg
    same "$precision: converged" "$(value status one.json)" converged
    figure $precision one.json l2 "$(value l2 first.json)" 1e-3
done
# Boxes of long cells and of plates: multigrid does not mind.
for lengths in 10x1x1 1x10x10 1x1x100 100x1x100 1x10x100; do
    for more in --format=none '--format=none --threads=16' '--format=sell --coarse=galerkin'; do
        # shellcheck disable=SC2086
        solves one.json --cells=24x20x31 --size=$lengths --precond=mg $more
        [ "$(value iterations one.json)" -le 12 ] && [ "$(value status one.json)" = converged ]
        verdict "mg, $lengths, $more: few iterations" $? "$(value iterations one.json)"
        # A program with sanitizers takes memory of its own.
        [ $instrumented = yes ] || as_planned "mg, $lengths, $more" one.json 45
    done
done

echo "# Problems"
for problem in smooth sine boundary octants course random; do
    for kappa in 1 smooth jump:10; do
        [ $problem != course ] || [ $kappa = 1 ] || continue
        # shellcheck disable=SC2086
        solves one.json $box --problem=$problem --kappa=$kappa
        same "$problem, --kappa=$kappa" "$? $(value status one.json)" '0 converged'
    done
done

echo "# Orders"
lists='--cells=8x12x10,16x24x20,32x48x40 --size=1x2x0.5 --backend=cpu'
if [ $instrumented = no ]; then # the problems above run the same code
    # shellcheck disable=SC2086
    for options in '--format=none' '--quadrature=blended --precond=mg' '--kappa=smooth' '--problem=boundary' '--problem=octants --kappa=jump:10' \
        '--problem=sine --precond=mg --coarse=galerkin'; do
        accepts study $lists $options --json=study.json
        [ "$(grep -cE ': met$' out)" -ge 3 ] && ! grep -q 'not met' out
        verdict "study $options: orders are met" $? "$(grep expected out)"
    done
    # shellcheck disable=SC2086
    accepts study $lists --quadrature=blended --precond=mg
    grep -Eq 'nodal L2 +[0-9.]+ .*expected 4 .*: met' out
    verdict "--quadrature=blended: fourth order at the nodes of a box" $? "$(grep nodal out)"
fi

echo "# Laboratories, files, pictures, plans"
# shellcheck disable=SC2086
accepts spmv --backend=cpu $box
# shellcheck disable=SC2086
accepts spgemm --backend=cpu $box
# shellcheck disable=SC2086
accepts --backend=cpu $box --save-matrix=a.mtx --output=u.mtx
same "the matrix of the box" "$(sed -n '/^[^%]/ { p; q }' a.mtx | cut -d' ' -f1,2)" '1309 1309'
accepts --backend=cpu --matrix=a.mtx --rhs=random
for file in u.vti u.vtu u.npy u.csv; do
    # shellcheck disable=SC2086
    accepts --backend=cpu $box --output=$file
    [ -s $file ]
    verdict "$file is there" $?
done
without_drawing
# shellcheck disable=SC2086
accepts --backend=cpu $box --slice=y:1.5,s.svg
# shellcheck disable=SC2086
accepts --backend=cpu $box --plan
grep -q 'Largest    --cells=[0-9]*x[0-9]*x[0-9]* as asked' out
verdict "--plan says the largest box" $? "$(grep Largest out)"
# Lengths that differ by 1e24: dozens of grids while the largest box is looked for, and a history of a million numbers.
accepts --backend=cpu --cells=3x3x3 --size=1e12x1e-12x1 --precond=mg --plan
accepts --backend=cpu --cells=6x7x8 --size=1e-12x1x1e12 --precond=jacobi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
