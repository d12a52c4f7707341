#!/usr/bin/env bash
# tests/box/load.sh: vectors of files for the box, --rhs=FILE and --guess=FILE: a solution that was written is a start
# vector that needs no iteration, a load vector of a file gives the solution of the source that it was made of, and
# files that do not fit are refused.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

# load NX NY NZ VALUE FIRST: writes b.mtx with VALUE for each unknown, FIRST for those of the first x.
load() {
    awk -v nx="$1" -v ny="$2" -v nz="$3" -v value="$4" -v first="$5" 'BEGIN {
        print "%%MatrixMarket matrix array real general"
        print nx * ny * nz, 1
        for (i = 0; i < nx * ny * nz; i++)
            printf "%.17g\n", i % nx == 0 ? first : value }' >b.mtx
}

# begins OPTION...: the last solve's solution, in start.npy and start.mtx, is a start vector for these options.
begins() {
    local file
    for file in start.npy start.mtx; do
        solves again.json "$@" --guess=$file
        same "$file, $*: converged" "$(value status again.json)" converged
        [ "$(value iterations again.json)" -le 1 ]
        verdict "$file, $*: at most one iteration" $? "$(value iterations again.json) $(head -n 1 err)"
    done
}

echo "# Start vectors"
own=(--source=x+y --face=x0:flux=2 --face=y1:value=3 '--face=z0:h=2,ambient=1' '--kappa=1+x*y' --cells=9x7x8 --size=1x2x0.5)
for problem in --problem=smooth --problem=boundary --problem=course --problem=random '--problem=octants --kappa=jump:10' '--problem=smooth --deform=0.05'; do
    read -ra box <<<"$problem --N=9"
    solves one.json "${box[@]}" --tol=1e-12 --output=start.mtx
    if [[ $problem = *deform* ]]; then # whose .npy could not say where the nodes are
        solves again.json "${box[@]}" --guess=start.mtx
        same "start.mtx, $problem: no iteration" "$(value iterations again.json)" 0
        continue
    fi
    solves one.json "${box[@]}" --tol=1e-12 --output=start.npy
    begins "${box[@]}"
done
solves one.json "${own[@]}" --tol=1e-12 --output=start.mtx
solves one.json "${own[@]}" --tol=1e-12 --output=start.npy
for options in --format=sell --format=crs --format=sellc --format=none '--format=none --precond=mg' --precond=amg --precond=jacobi \
    '--precond=chebyshev --solves=3' --precision=mixed '--precision=single --tol=1e-4' --cg=single-reduction; do
    read -ra more <<<"$options"
    begins "${own[@]}" "${more[@]}"
done
for ranks in 2 3; do
    export CGSOLVE_RANKS=$ranks
    begins "${own[@]}" --format=none --precond=mg
    begins "${own[@]}" --format=crs
done
unset CGSOLVE_RANKS
solves one.json --N=7 --problem=random --save-matrix=A.mtx --output=u.mtx --tol=1e-12
solves one.json --matrix=A.mtx --rhs=random --output=u.npy --tol=1e-12
for guess in u.npy u.mtx; do
    solves two.json --matrix=A.mtx --rhs=random --guess=$guess
    [ "$(value iterations two.json)" -le "$(value iterations one.json)" ]
    verdict "a matrix of a file, $guess" $? "$(head -n 1 err)"
done
solves two.json --matrix=A.mtx --rhs=random --guess=u.npy
same "a matrix of a file: no iteration" "$(value iterations two.json)" 0

echo "# Load vectors"
# equal OPTION...: the solution of these options, with their source, is that of its load vector b.mtx.
equal() {
    local figure
    solves one.json "$@" --source=1 --tol=1e-13 --output=one.npy
    solves two.json "$@" --rhs=b.mtx --tol=1e-13 --output=two.npy
    same "$*: converged" "$(value status two.json)" converged
    if command -v python3 >/dev/null; then
        near_arrays one.npy two.npy 1e-8
        verdict "$*: the solution of the source" $?
    fi
    for figure in flux_y0 flux_z1; do # with a flux, or without a load at nodes of its own
        [ "$figure" = flux_y0 ] && [[ "$*" != *y0:h* ]] && continue
        [ "$figure" = flux_z1 ] && [[ "$*" != *z1:flux* ]] && continue
        near "$(value $figure two.json)" "$(value $figure one.json)" 1e-8
        verdict "$*: $figure" $? "$(value $figure two.json), not $(value $figure one.json)"
    done
    near "$(awk -v i="$(value imbalance two.json)" 'BEGIN { print 1 + i }')" 1 1e-9
    verdict "$*: it balances" $? "$(value imbalance two.json)"
}
load 15 15 15 0.000244140625 0.000244140625 # h^3
equal --N=15
equal --N=15 --precond=mg --format=none
equal --N=15 --face=x0:value=3 '--kappa=1+x*y' --precond=mg
load 8 7 7 0.001953125 0.0009765625
equal --N=7 --face=x0:flux
equal --N=7 --face=x0:flux=2 '--face=y1:value=x+1' --precond=amg
solves one.json --N=7 --face=x0:flux --rhs=b.mtx --tol=1e-12
figure "source_in is the sum of the file" one.json source_in "$(awk 'NR > 2 { s += $1 } END { printf "%.15g", s }' b.mtx)" 1e-12
[ "$(value l2 one.json)" = "" ]
verdict "no errors, for no solution is known" $? "$(value l2 one.json)"
for ranks in 2 3; do
    CGSOLVE_RANKS=$ranks solves two.json --N=7 --face=x0:flux --rhs=b.mtx --tol=1e-12 --format=none --precond=mg
    figure "$ranks ranks" two.json flux_y1 "$(value flux_y1 one.json)" 1e-9
    figure "$ranks ranks" two.json source_in "$(value source_in one.json)" 1e-12
done
all=()
for face in x0 x1 y0 y1 z0 z1; do all+=("--face=$face:flux"); done
load 8 8 8 1 1
solves one.json --cells=7 "${all[@]}" --rhs=b.mtx --precond=mg
same "no face holds u" "$(value status one.json)" converged
figure "all of it leaves by no face" one.json compatibility 1 1e-12

echo "# Load vectors of cells of higher order"
# order P FREE: writes b.mtx with the load of f = 1, the rule's weights, of 4 cells of order P = 2 or 3 in each
# direction, whose face x = 0 holds no u if FREE is 1.
order() {
    awk -v p="$1" -v free="$2" 'BEGIN {
        w[0] = p == 2 ? 1 / 3 : 1 / 6
        w[1] = w[2] = p == 2 ? 4 / 3 : 5 / 6
        for (i = 0; i < 4 * p; i++)
            line[i] = (i % p ? w[i % p] : i ? 2 * w[0] : w[0]) / 8
        print "%%MatrixMarket matrix array real general"
        print (4 * p - 1 + free) * (4 * p - 1) ^ 2, 1
        for (z = 1; z < 4 * p; z++)
            for (y = 1; y < 4 * p; y++)
                for (x = 1 - free; x < 4 * p; x++)
                    printf "%.17g\n", line[x] * line[y] * line[z] }' >b.mtx
}

# as_its_source P OPTION...: the load of b.mtx gives the solution of --source=1.
as_its_source() {
    local box=(--order="$1" --cells=4 --tol=1e-12 "${@:2}")
    solves one.json "${box[@]}" --source=1 --output=one.npy
    solves two.json "${box[@]}" --rhs=b.mtx --output=two.npy
    same "${box[*]}: converged" "$(value status two.json)" converged
    ! command -v python3 >/dev/null || near_arrays one.npy two.npy 1e-9
    verdict "${box[*]}: the solution of the source" $? "$(head -n 1 err)"
}
for p in 2 3; do
    order $p 0
    as_its_source $p --precond=mg
    as_its_source $p '--face=x0:value=3+y' '--kappa=1+x*y' --quadrature=gauss --precond=jacobi
    CGSOLVE_RANKS=2 as_its_source $p --face=x0:value=3 --precond=fdm
    order $p 1
    as_its_source $p --face=x0:flux=2 '--face=y1:value=x+1' --format=sell --precond=amg
    CGSOLVE_RANKS=3 as_its_source $p '--face=x0:h=2,ambient=1' '--reaction=1+x' --precond=mg
done
[ "$(value l2 two.json)" = "" ]
verdict "order 3: no errors, for no solution is known" $? "$(value l2 two.json)"
all=()
for face in x0 x1 y0 y1 z0 z1; do all+=("--face=$face:flux"); done
load 9 9 9 1 1
solves one.json --order=2 --cells=4 "${all[@]}" --rhs=b.mtx --precond=mg
same "order 2, no face holds u" "$(value status one.json)" converged

if command -v python3 >/dev/null; then
    python3 - <<'PYTHON'
import struct

def npy(name, shape, numbers):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % shape
    text += " " * (117 - len(text)) + "\n"
    open(name, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
                           + struct.pack("<%dd" % len(numbers), *numbers))

numbers = [float(1 + i * i % 7) for i in range(4 * 3 * 2)]
npy("b.npy", "2, 3, 4", numbers)
npy("turned.npy", "4, 3, 2", numbers)
npy("flat.npy", "24,", numbers)
npy("nan.npy", "2, 3, 4", numbers[:11] + [float("nan")] + numbers[12:])
npy("short.npy", "2, 3, 4", numbers[:-1])
nodes = [0.0] * (6 * 5 * 4)
npy("nodes.npy", "4, 5, 6", nodes)
nodes[0] = float("inf")
npy("inf.npy", "4, 5, 6", nodes)
npy("huge.npy", "2, 3, 4", numbers[:-1] + [1e39])
open("b.raw", "wb").write(struct.pack("<24d", *numbers))
open("long.raw", "wb").write(struct.pack("<25d", *numbers, 1.0))
with open("b.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n24 1\n" + "".join("%.17g\n" % x for x in numbers))
PYTHON
    box=(--cells=5x4x3)
    for file in b.npy b.raw b.mtx; do
        solves one.json "${box[@]}" --rhs=$file --tol=1e-12 --output=$file.out.npy
        same "$file" "$(value status one.json)" converged
        cmp b.npy.out.npy $file.out.npy
        verdict "$file has the numbers of b.npy" $?
        CGSOLVE_RANKS=2 solves two.json "${box[@]}" --rhs=$file --tol=1e-12 --format=none
        figure "$file, 2 ranks" two.json flux_x0 "$(value flux_x0 one.json)" 1e-9
    done
    accepts --backend=cpu "${box[@]}" --rhs=b.npy --guess=b.npy
    accepts --backend=cpu "${box[@]}" --rhs=b.npy --guess=b.raw
    accepts --backend=cpu "${box[@]}" --rhs=b.npy --guess=nodes.npy

    echo "# Files that do not fit"
    refuses 4 '--rhs=turned.npy: its shape is \(4, 3, 2\), and the box has \(2, 3, 4\) unknowns, for.*save a.transpose\(\)' "${box[@]}" --rhs=turned.npy
    refuses 4 '--rhs=b.npy: its shape is \(2, 3, 4\), and the box has \(5, 5, 5\) unknowns' --order=2 --cells=3 --rhs=b.npy
    refuses 4 '--rhs=nodes.npy: its shape is \(4, 5, 6\), and the box has \(2, 3, 4\) unknowns, for' "${box[@]}" --rhs=nodes.npy
    refuses 4 '--guess=flat.npy: its shape is \(24,\), and the box has \(2, 3, 4\) unknowns, or \(4, 5, 6\) nodes' "${box[@]}" --guess=flat.npy
    refuses 4 '--rhs=nan.npy: the number of unknown \(3, 2, 0\) of .* is nan: expected finite' "${box[@]}" --rhs=nan.npy
    refuses 4 '--guess=nan.npy: the number of unknown \(3, 2, 0\)' "${box[@]}" --guess=nan.npy
    refuses 4 '--guess=inf.npy: the number of node \(0, 0, 0\) of .* is inf' "${box[@]}" --guess=inf.npy
    refuses 4 '--rhs=short.npy: ends after 23 of 24 numbers, those of 4x3x2 unknowns' "${box[@]}" --rhs=short.npy
    refuses 4 '--guess=long.raw: goes on after 24 numbers, those of 4x3x2 unknowns' "${box[@]}" --guess=long.raw
    refuses 4 "'huge.npy': b\(24\) = 1e\+39 does not fit single" "${box[@]}" --rhs=huge.npy --precision=single
    refuses 4 "'huge.npy': x\(24\) = 1e\+39 does not fit single" "${box[@]}" --guess=huge.npy --precision=single
    accepts --backend=cpu "${box[@]}" --rhs=huge.npy --precision=mixed # b is held in double, and scaled
    CGSOLVE_RANKS=2 refuses 4 'the number of unknown \(3, 2, 0\) of .* is nan' "${box[@]}" --format=none --rhs=nan.npy
else
    echo "skipped: no python3 for arrays"
fi
load 8 8 8 1 1
refuses 4 'b.mtx: expected a vector, 343 rows and 1 column, found 512 rows' --N=7 --rhs=b.mtx
refuses 4 'b.mtx: expected a vector, 343 rows and 1 column, found 512 rows' --N=7 --guess=b.mtx
refuses 4 '--guess=none.npy: cannot open: No such file' --N=7 --guess=none.npy
refuses 4 '--rhs=none.raw: cannot open: No such file' --N=7 --rhs=none.raw
refuses 4 'none.mtx: cannot be opened.*--guess takes a file, or the words zero and fmg' --N=7 --guess=none.mtx
refuses 4 '--guess=start.npy: its shape is \(9, 8, 10\), and there are \(343,\) unknowns' --matrix=A.mtx --guess=start.npy

echo "# Refusals"
refuses 1 "unknown guess 'fgm': zero or fmg, or a file such as x.npy" --guess=fgm
refuses 1 '--rhs=ones belongs to --matrix=FILE: for the box name a file' --N=7 --rhs=ones
refuses 1 '--rhs and --source both bring the load vector' --rhs=b.npy --source=1
refuses 1 '--rhs and --exact both bring the load vector' --rhs=b.npy --exact=x
refuses 1 "the source of material 'a' brings another one" --rhs=b.npy --material=a:kappa=1,source=2 --region=a:x
refuses 1 '--rhs and --problem=sine both name a problem' --rhs=b.npy --problem=sine
refuses 1 '--rhs belongs to the undeformed box, but here is --deform' --rhs=b.npy --deform=0.1
refuses 1 '--kappa=smooth belongs to built-in problems .*write it in x, y, z.*, but here is --rhs' --rhs=b.npy --kappa=smooth
refuses 1 'discretization needs an exact solution, --exact' --rhs=b.npy --stop=discretization
refuses 1 '--output and --guess name the same file' --N=7 --guess=u.npy --output=u.npy

echo "$passed passed, $failed failed"
[ $failed = 0 ]
