#!/usr/bin/env bash
# tests/box/user_problem.sh: a problem of one's own, --source, --exact, --kappa, --face, --let: the orders of theory with each
# kind of face, the same solution in each format and with each preconditioner, what goes in and out, and clear refusals.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

exact='--exact=exp(x)*cos(2*y)+z^2' kappa='--kappa=1+x+2*y*z' size=--size=1x2x0.5

echo "# Refusals"
# caret COLUMN ARGUMENT...: ends with status 1, and the caret is below that column of the expression.
caret() {
    local column=$1 got
    shift
    timeout 120 "$cgsolve" --backend=cpu "$@" >out 2>err
    got=$?
    [ $got = 1 ] && [ "$(grep -n '^ *^$' err | head -n 1 | cut -d: -f2 | tr -d '\n' | wc -c)" = $((column + 4)) ]
    verdict "$*: a caret below column $column" $? "status $got: $(sed -n '1,3p' err | tr '\n' '|')"
}
caret 11 '--source=sin(pi*x)*foo'
caret 1 '--exact=q*x'
caret 8 --source=1 '--kappa=1+x+2*y)'
caret 3 --source=1 '--face=x1:value=1+w'
refuses 1 "kappa '0.3-x' is -?[0-9.]+ in cell \([0-9]+, 0, 0\).*expected a finite number > 0" --N=7 --source=1 '--kappa=0.3-x'
refuses 1 'the source .*log\(x-0.5\).* is -?nan at x = 0\.0.*expected finite' --N=7 '--source=log(x-0.5)'
refuses 1 "'exp\(1000\*y\)' of face x = 0 is inf at node" --N=7 --source=1 '--face=x0:flux=exp(1000*y)'
refuses 1 '--face=x0 appears twice.*flux=1.*value=2' --source=1 --face=x0:flux=1 --face=x0:value=2
refuses 1 "the reaction 'x-0.5' is -0.4375 in cell \(0, 0, 0\).*expected a finite number >= 0" --N=7 --source=1 --reaction=x-0.5
refuses 1 '--reaction needs a problem whose solution is a formula in x, y and z' --reaction=1 --problem=course
refuses 1 '--reaction belongs to the box' --reaction=1 --matrix=none.mtx
for wrong in q x2:flux=1 x0 x0:flow=1 x0: x0:ambient=1; do
    refuses 1 "--face=$wrong is not understood: expected FACE:CONDITION" --source=1 "--face=$wrong"
done
refuses 1 '--source and --problem=sine both name a problem' --source=1 --problem=sine
refuses 1 '--exact belongs to the undeformed box' --exact=x --deform=0.1
refuses 1 '--kappa=0.5 is not 1, smooth or jump:R.*give --source' --kappa=0.5
refuses 1 '--kappa=smooth belongs to built-in problems .*write it in x, y, z' --source=1 --kappa=smooth
refuses 1 '--let needs --source or --exact' --let=k=2
refuses 1 'k is defined already' '--source=k' --let=k=2 --let=k=3
refuses 1 '--source belongs to the box' --source=1 --matrix=none.mtx

echo "# Orders"
finest=24x40x56
[ $instrumented = no ] || finest=
# orders NAME OPTION...: on three meshes, with sanitizers two, each twice as fine, L2 falls by 4 and H1 by 2.
orders() {
    local name=$1 cells l2s=() h1s=() i
    shift
    for cells in 6x10x14 12x20x28 $finest; do
        solves one.json "$exact" "$kappa" $size --cells="$cells" --precond=mg --tol=1e-9 "$@"
        [ "$(value status one.json)" = converged ] && [ "$(value iterations one.json)" -le 12 ]
        verdict "$name, $cells: at most 12 iterations" $? "$(value iterations one.json) $(head -n 1 err)"
        l2s+=("$(value l2 one.json)")
        h1s+=("$(value h1 one.json)")
    done
    for ((i = 1; i < ${#l2s[@]}; i++)); do
        near "$(awk -v a="${l2s[i - 1]}" -v b="${l2s[i]}" 'BEGIN { print log(a / b) / log(2) }')" 2 0.025 &&
            near "$(awk -v a="${h1s[i - 1]}" -v b="${h1s[i]}" 'BEGIN { print log(a / b) / log(2) }')" 1 0.03
        verdict "$name: orders 2 and 1" $? "${l2s[*]} ${h1s[*]}"
    done
}
all=()
for face in x0 x1 y0 y1 z0 z1; do all+=("--face=$face:flux"); done
orders 'values' --format=sell
orders 'values, nothing stored' --format=none
orders 'a flux' --face=y1:flux --format=crs
orders 'a transfer' '--face=x1:h=2+y' --format=none
orders 'all kinds' --face=x0:flux '--face=z1:h=2+x' --face=y1:value --face=z0:flux --format=none
orders 'all fluxes' "${all[@]}" --format=sell
orders 'as given' '--source=-((1+x+2*y*z)*(exp(x)*cos(2*y)-4*exp(x)*cos(2*y)+2)+exp(x)*cos(2*y)-4*z*exp(x)*sin(2*y)+4*y*z)' \
    '--face=x1:flux=(2+2*y*z)*e*cos(2*y)' '--face=y0:value=exp(x)+z^2' --format=none

kappa=--kappa=1,2,3 orders 'kappa of three numbers' --face=x0:flux '--face=y1:h=2+y' --face=z1:flux --format=none
# A reaction: with --exact, and with the f that belongs to it; without a face that holds u, too.
orders 'a reaction' --reaction=7 --face=x0:flux '--face=z1:h=2+x' --quadrature=blended --format=sell
kappa=--kappa=1,2,3 orders 'a reaction that varies' '--reaction=x<0.5?0:50*y' "${all[@]}" --format=none
orders 'a reaction, as given' --format=none '--reaction=2+x' \
    '--source=-((1+x+2*y*z)*(exp(x)*cos(2*y)-4*exp(x)*cos(2*y)+2)+exp(x)*cos(2*y)-4*z*exp(x)*sin(2*y)+4*y*z)+(2+x)*(exp(x)*cos(2*y)+z^2)'
solves one.json --source=6 --reaction=3 "${all[@]}" --cells=5x4x3 --grade=x:5 --precond=fdm --format=none
[ "$(value iterations one.json)" -le 2 ] && [ "$(value separable one.json)" = exact ]
verdict 'f = c u, graded, by fdm: at once' $? "$(value iterations one.json)"
figure '... u = f / c' one.json most 2 1e-12
figure '... all of it is absorbed' one.json reaction_out 6 1e-12
solves one.json --source=6 '--kappa=1+9*(z>0.5)' '--reaction=z<0.3?0:50' --face=z0:h=2 --cells=5x4x6 --precond=fdm
[ "$(value iterations one.json)" -le 2 ] && [ "$(value separable one.json)" = exact ]
verdict 'a reaction in layers, by fdm: at once' $? "$(value iterations one.json)"
solves one.json --source=6 '--kappa=(1+z)*(1+x)' --reaction=3 --cells=5x4x6 --precond=fdm --format=crs --tol=1e-12
same 'a constant reaction where kappa varies is nearly separable' "$(value separable_because one.json)" 'the reaction does not vary as kappa does'
solves two.json --source=6 '--kappa=(1+z)*(1+x)' --reaction=3*1 --cells=5x4x6 --precond=mg --coarse=galerkin --format=none --tol=1e-12
for key in most reaction_out flux_x0 flux_z1; do
    figure "$key by mg" two.json "$key" "$(value "$key" one.json)" 1e-9
done
solves one.json "$exact" --kappa=1,2,3 --cells=9x8x7 --precond=amg --format=crs --output=three.vtu
same 'and by amg' "$(value status one.json)" converged
grep -aq 'Name="kappa" NumberOfComponents="3"' three.vtu
verdict 'its picture has kappa in three directions' $?
# Materials of three numbers and of one, which three equal ones are; layers across z: their series resistance.
layers=(--source=0 --face=else:flux --face=z0:value=1 --face=z1:value=0 --N=7 --tol=1e-12 '--region=a:z<0.5' --precond=mg)
for a in 5,0.1,2 2 2,2.0,2 2,2,2; do
    solves one.json "${layers[@]}" --material=a:kappa=$a --kappa=1,7,1+2*1 --output=$a.npy
    figure "layers, one of $a" one.json flux_z1 2.4 1e-9
done
cmp -s 2.npy 2,2,2.npy && cmp -s 2.npy 2,2.0,2.npy
verdict 'three equal numbers are one, to the bit' $?
solves one.json "${layers[@]}" --material=a:kappa=2 --kappa=3 --output=2.npy
solves one.json "${layers[@]}" --material=a:kappa=2,2,2 --kappa=3,3,3 --output=3.npy
cmp -s 2.npy 3.npy
verdict '... and everywhere' $?
mixed=("$exact" --cells=5x6x7 --face=x0:flux '--face=y1:h=2+y' --tol=1e-12)
solves one.json "${mixed[@]}" --kappa=2
solves two.json "${mixed[@]}" --kappa=2,2.0,2
for key in l2 h1 energy source_in flux_x0 flux_y1 flux_z1; do
    near "$(value $key two.json)" "$(value $key one.json)" 1e-8
    verdict "$key of kappa=2,2.0,2 is that of 2" $? "$(value $key one.json) $(value $key two.json)"
done

# Graded cells: a linear function, the same at both ends of y, is a discrete one, and what is said of points is said of true places.
graded=('--exact=1+2*x+3*z' --cells=6x5x4 "$size" '--grade=x:9,y:0.2' --grade=z:3 --face=x1:flux --face=y0:periodic)
for options in '--format=none --precond=mg' '--format=crs --precond=fdm'; do
    # shellcheck disable=SC2086 # several options
    solves one.json "${graded[@]}" $options --tol=1e-12 --probe=0.3,1.7,0.2 --output=graded.csv
    awk -v h1="$(value h1 one.json)" 'BEGIN { exit !(h1 < 1e-9) }'
    verdict "graded, $options: the gradient" $? "$(value h1 one.json)"
    figure "graded, $options: a probe" one.json value 2.2 1e-9
    same "graded, $options: the mesh" "$(value mesh one.json)" graded
    awk -F, 'NR > 1 { d = $4 - (1 + 2 * $1 + 3 * $3); off += d * d; nodes++ } END { exit !(nodes == 210 && off < 1e-16) }' graded.csv
    verdict "graded, $options: the file has true coordinates" $?
done
solves one.json --source=1 --face=x1:flux --face=y1:h=3 --cells=7x6x5 --grade=x:6,y:0.3,z:4 --precond=fdm
[ "$(value iterations one.json)" -le 2 ]
verdict 'graded, fdm: at most two iterations' $? "$(value iterations one.json)"
figure 'graded: all that comes in' one.json source_in 1 1e-12
solves one.json --source=0 '--material=a:kappa=2' '--region=a:z<0.3' --cells=4x4x8 --grade=z:2 --face=else:flux --face=z0:value=1 --face=z1:value=0 --tol=1e-12
thick=$(awk 'BEGIN { q = 2 ^ (1 / 7); for (i = 0; i < 8; i++) all += q ^ i; for (i = 0; i < 8; i++) { h = q ^ i / all; if (z + h / 2 < 0.3) a += h; z += h } print a }')
figure 'graded layers in series' one.json flux_z1 "$(awk -v a="$thick" 'BEGIN { print 1 / (a / 2 + 1 - a) }')" 1e-5

# Built-in problems on graded cells and with a reaction: the orders of theory by both rules, and to the bit what their formulas
# give as expressions. The program alone starts a study of them (tests/python has the library's door).
for options in '--quadrature=gauss --precond=fdm --format=none' '--quadrature=blended --precond=mg --format=none'; do
    # shellcheck disable=SC2086 # several options
    timeout 120 "$cgsolve" study --backend=cpu --cells=12,24 --grade=x:4,y:0.5 --kappa=smooth $options --expect-order=l2:2:0.1,h1:1:0.05 >out 2>err
    verdict "study of smooth, graded, $options: orders 2 and 1" $? "$(grep expected out)"
done
built_in=("$size" --cells=6x5x4 --grade=x:3 --reaction=5 --tol=1e-12)
solves one.json "${built_in[@]}" --problem=boundary --kappa=smooth --output=one.npy
same 'built-in, graded: its name' "$(value name one.json)" boundary
solves two.json "${built_in[@]}" '--exact=exp(x)*cos(2*(y/2))+(z/0.5)^2' '--kappa=1+x+2*(y/2)*(z/0.5)' --output=two.npy
cmp -s one.npy two.npy && [ "$(value h1 one.json)" = "$(value h1 two.json)" ]
verdict '... the solution and the error of its formula' $? "$(value h1 one.json) $(value h1 two.json)"
CGSOLVE_RANKS=3 solves three.json "${built_in[@]}" --problem=boundary --kappa=smooth --precond=mg --format=none
figure '... on three ranks' three.json l2 "$(value l2 one.json)" 1e-9

# The coarsest grid, which may be the only one, has an inverse where constants solve the problem, too.
for options in --N=3 --N=14 '--N=14 --coarse=galerkin' '--N=20 --format=none --precision=mixed'; do
    # shellcheck disable=SC2086 # several options
    solves one.json '--source=x-0.5' "${all[@]}" --precond=mg $options
    same "all fluxes, $options: multigrid converges" "$(value status one.json)" converged
done

# Where no face holds u, its mean is that of the exact solution, or 0: a node on a free face weighs half.
mean() { # NAME EXACT CELLS FIRST_X ARGUMENT...: x begins with that node; EXACT in awk
    solves one.json --cells="$3" --size=1x2x0.5 --tol=1e-13 --output=mean.mtx "${@:5}"
    grep -v '^%' mean.mtx | awk -v cells="$3" -v first="$4" '
        BEGIN { split(cells, c, "x"); n = c[1] + 1 - first }
        NR > 1 {
            i = NR - 2; ix = i % n + first; iy = int(i / n) % (c[2] + 1); iz = int(i / n / (c[2] + 1))
            w = (first || (ix && ix < c[1]) ? 1 : 0.5) * (iy && iy < c[2] ? 1 : 0.5) * (iz && iz < c[3] ? 1 : 0.5)
            x = ix / c[1]; y = 2 * iy / c[2]; z = 0.5 * iz / c[3]
            sum += w * ($1 - ('"$2"')); size += w * ($1 < 0 ? -$1 : $1)
        }
        END { exit !(NR > 100 && size > 0 && sum < 1e-12 * size && -sum < 1e-12 * size) }'
    verdict "$1" $?
}
mean 'the mean of the exact solution' 'x*x*y+z' 5x6x7 0 "${all[@]}" --exact=x^2*y+z --format=crs
mean 'a mean of 0' 0 7x4x6 0 "${all[@]}" --source=x+y^2 --format=none
mean 'a mean of 0, periodic' 0 6x4x5 1 --face={x0,x1}:periodic "${all[@]:2}" --source='sin(2*pi*x)+y^2' --format=sell

echo "# The same in each format, by each preconditioner"
for options in --format=crs --format=sellc --format=none '--format=none --precond=mg' '--precond=amg' '--precond=jacobi' \
    '--precond=mg --coarse=galerkin' --precond=fdm '--precond=chebyshev --reproducible'; do
    # shellcheck disable=SC2086 # several options
    solves one.json "$exact" "$kappa" $size --cells=9x14x11 --face=x0:flux '--face=z1:h=2+x' --tol=1e-13 $options
    if [ "$options" = --format=crs ]; then
        l2=$(value l2 one.json) h1=$(value h1 one.json)
        continue
    fi
    figure "$options" one.json l2 "$l2" 1e-10
    figure "$options" one.json h1 "$h1" 1e-10
done
for ranks in 2 3; do
    CGSOLVE_RANKS=$ranks solves one.json "$exact" "$kappa" $size --cells=9x14x11 --face=x0:flux '--face=z1:h=2+x' \
        --tol=1e-13 --format=none --precond=mg
    figure "$ranks ranks" one.json l2 "$l2" 1e-9
    figure "$ranks ranks" one.json flux_z1 "$(value flux_z1 one.json)" 1e-9
done

echo "# Words that are refused with what is right, and else"
refuses 1 "--face=all:flux: take --face=else:flux" --source=1 --face=all:flux
refuses 1 "--face=else appears twice, as 'else:flux' and as 'else:value=1'" --source=1 --face=else:flux --face=else:value=1
refuses 1 "--face=else:nonsense is not understood: expected FACE:CONDITION" --source=1 --face=else:nonsense
refuses 1 "--face=else: unknown name 'q'" --source=1 --face=else:value=q
for file in f.npy data/f.csv f.vtu; do
    refuses 1 "--source: a file is named, and an expression belongs here.* --kappa .*--rhs" --source="$file"
    refuses 1 "--face=z0: a file is named, and an expression belongs here" --source=1 --face=z0:value="$file"
done
refuses 1 "--size=10mm is not understood: .*without a unit: 10 mm are 0.01" --source=1 --size=10mm
refuses 1 "unknown name 'mW': numbers stand without a unit" --source=1 --face=x0:flux=5mW
refuses 1 "--kappa=1,2: expected one number or expression in x, y, z, or three" --source=1 --kappa=1,2
refuses 1 "kappa 'x-0.3' is -.* in cell \(0, 0, 0\)" --source=1 --kappa=1,1,x-0.3
each=(--source=y --face=x0:value=1 '--face=z1:h=2,ambient=3' --N=7 --tol=1e-12)
solves one.json "${each[@]}" --face=x1:flux=ny --face=y0:flux=ny --face=y1:flux=ny --face=z0:flux=ny --output=each.npy
solves one.json "${each[@]}" --face=else:flux=ny --output=else.npy
cmp -s each.npy else.npy
verdict "else is for all faces without a condition" $?
solves one.json --source=1 --face=y1:periodic --face=else:value=2 --N=7 --output=each.npy
solves one.json --source=1 --face=y1:periodic --face={x0,x1,z0,z1}:value=2 --N=7 --output=else.npy
cmp -s each.npy else.npy
verdict "not for the face opposite a periodic one" $?

echo "# Only ratios of lengths matter"
for options in '--face=else:flux --face=x0:value=1' '--face=x0:value=1' '--face=else:h=2/L,ambient=1 --precision=mixed' \
    '--face=else:flux --face=x0:h=2/L --material=a:kappa=100 --region=a:y>0.5*L'; do
    for length in 1 1e-12 1e-6 1e12; do
        # shellcheck disable=SC2086
        solves one.json --size=$length --let=L=$length '--source=(1+x/L)/L^2' --N=15 --precond=mg $options
        [[ $length = 1 ]] && cp one.json alone.json
        near "$(awk -v f="$(value flux_x0 one.json)" -v l=$length 'BEGIN { printf "%.12g", f / l }')" "$(value flux_x0 alone.json)" 1e-7
        verdict "$length $options: the flux is that of length 1 times the length" $?
        same "as many iterations" "$(value iterations one.json)" "$(value iterations alone.json)"
    done
done

echo "# A note where u leaves the values of the faces, and nothing takes it there"
# noted REGEX ARGUMENT...: the run has a note of u like this; none with an empty one.
noted() {
    local regex=$1
    shift
    solves one.json "$@"
    if [[ $regex ]]; then
        grep -qE "\"u $regex" one.json
    else
        ! grep -qE '"u (falls|rises)' one.json
    fi
    verdict "'$*': ${regex:-no note of u}" $?
}
flat=(--cells=40x5x40 --source=0)
noted 'rises to 1\.08[0-9]* at a node, above the largest value or ambient of the faces, 1, though' "${flat[@]}" '--face=x0:value=y<0.5?0:1'
noted 'falls to -1\.08[0-9]* at a node, below the least .* faces, -1, though' "${flat[@]}" '--face=x0:value=y<0.5?0:-1'
noted '' --cells=40x40x40 --source=0 '--face=x0:value=y<0.5?0:1'
noted '' "${flat[@]}" '--face=x0:value=y<0.5?0:1' --source=1
noted '' "${flat[@]}" '--face=x0:value=y<0.5?0:1' --face=y1:flux=1 --face=y0:flux=-1
noted '' --source=-1 --N=7
for options in '--source=0 --face=x0:value=1 --face=else:flux' '--exact=1 --precond=mg --precision=mixed'; do
    # shellcheck disable=SC2086
    noted '' $options --N=7
    ! grep -q 'what comes in and what goes out' one.json
    verdict '... nor of an imbalance: nothing flows' $?
done
noted '' --source=1 --face=x0:h=3,ambient=20 --face=else:flux --N=15 --tol=1e-2
noted '' '--exact=sin(9*x)*y' --N=5
echo "# In and out"
wall=(--source=0 '--kappa=x < a ? 1 : x < b ? 10 : 0.5' --let=a=1/3 --let=b=2*a --cells=30x4x5 --size=1x2x0.5
    --face=x0:value=1 --face=x1:value=0)
for face in y0 y1 z0 z1; do wall+=("--face=$face:flux"); done
for options in --format=sell '--format=none --precond=mg'; do
    # shellcheck disable=SC2086
    solves one.json "${wall[@]}" --tol=1e-13 $options
    figure "a wall of three layers: its series resistance" one.json flux_x1 0.96774193548387100 1e-8
    figure "what goes in" one.json flux_x0 -0.96774193548387100 1e-8
done
between=(--N=9 --tol=1e-12)
for face in y0 y1 z0 z1; do between+=("--face=$face:flux"); done
for options in '--precond=mg' '--format=none --precond=mg' '--format=crs --quadrature=blended' '--size=10 --precond=mg'; do
    length=1
    [[ $options = --size=* ]] && length=10
    # shellcheck disable=SC2086
    solves one.json --source="x<0.5*$length?1:0" "${between[@]}" $options
    volume=$((length ** 3))
    figure "a source that jumps where cells meet, $options" one.json source_in "$(awk "BEGIN { print 0.5 * $volume }")" 1e-12
    figure "it leaves through both ends, $options" one.json flux_x0 "$(awk "BEGIN { print 0.375 * $volume }")" 1e-8
done
CGSOLVE_RANKS=3 solves one.json '--source=x<0.5?1:0' "${between[@]}" --format=none --precond=mg
figure "a source that jumps, on ranks" one.json source_in 0.5 1e-12
echo "# A source that jumps inside of cells: the exact integral, and the one of two Gauss points was 0.45, 0, 0.13, 0.04725"
while read -r source integral tolerance; do
    for options in '--N=9' '--cells=31x23x27 --format=none'; do
        # shellcheck disable=SC2086
        solves one.json --source="$source" "${between[@]:2}" --precond=mg $options
        figure "$source, $options" one.json source_in "$integral" "$tolerance"
    done
done <<'END'
x<0.43?1:0 0.43 3e-4
abs(x-0.55)<0.02 0.04 5e-3
(x-0.5)^2+(y-0.5)^2<0.04 0.125663706 2e-3
x>0.23&&x<0.57&&y>0.31&&y<0.66&&z<0.47 0.05593 3e-3
floor(3*z)*sign(x-0.625) -0.25 3e-3
END
solves one.json '--source=x<0.43?1:0' --N=9
cp one.json alone.json
for ranks in 2 3; do
    CGSOLVE_RANKS=$ranks solves one.json '--source=x<0.43?1:0' --N=9
    figure "$ranks ranks" one.json source_in "$(value source_in alone.json)" 0
done
refuses 1 "the source 'x<0.43 \? 1 : 1/\(x-0.425\)\^9\^9' is" --N=9 '--source=x<0.43 ? 1 : 1/(x-0.425)^9^9'
solves one.json '--source=x<0.3 || x>0.8 ? y : -y' --face=y0:flux --face=y1:flux --cells=10x7x5
near "$(awk -v s="$(value source_in one.json)" 'BEGIN { print 1 + s }')" 1 1e-12
verdict "and whose halves are the same" $?
solves one.json --source=6 --kappa=3 --N=9 '--face=x0:h=5,ambient=20' --face=x1:flux=2 --tol=1e-12
figure "a source" one.json source_in 6 1e-12
figure "a flux that comes in" one.json flux_x1 -2 1e-12
near "$(value imbalance one.json | tr -d -)" 0 1 || near "$(awk -v i="$(value imbalance one.json)" 'BEGIN { print (i < 0 ? -i : i) < 1e-9 ? 1 : 0 }')" 1 0
verdict "it balances" $? "$(value imbalance one.json)"
solves one.json --source=1 --N=9 --precond=mg --face=x0:flux --face=x1:flux=-1 --face=y0:flux --face=y1:flux --face=z0:flux \
    --face=z1:flux
same "a source that leaves through one face, and no face holds u" "$(value status one.json)" converged
figure "and leaves" one.json flux_x1 1 1e-12

echo "# Examples"
examples=$here/../../examples
if [ -f "$examples/wall.txt" ]; then
    solves one.json "@$examples/wall.txt" --tol=1e-13
    figure "a wall of brick, wool and plaster: its series resistance" one.json flux_x0 7.5634792004322 1e-8
    solves one.json "@$examples/heat-sink.txt"
    figure "a heat sink takes what the processor gives" one.json flux_z0 -60 1e-10
    solves one.json "@$examples/chip.txt"
    figure "a chip has its sources" one.json source_in 10 1e-10
    figure "and the cold plate takes them" one.json flux_z1 10 1e-8
    ! grep -q '"u falls' one.json
    verdict "a chip is nowhere colder than its coolant" $?
    for ranks in 1 2; do
        CGSOLVE_RANKS=$ranks solves one.json "@$examples/chip.txt" --cells=40x40x10
        grep -q '"u falls to 39.3506 at a node, below the least value or ambient of the faces, 40,' one.json
        verdict "with flat cells it is, and a note says so on $ranks ranks" $?
    done
    solves one.json "@$examples/periodic-cell.txt"
    figure "a composite conducts as Maxwell says" one.json flux_x1 0.2755 0.03
    solves one.json "@$examples/manufactured.txt"
    same "a manufactured solution" "$(value status one.json)" converged
fi

echo "# Units"
for options in '--source=1e-36 --precond=amg' '--source=1e-36 --precond=mg' '--source=1e-33 --kappa=1e20 --precond=mg --precision=mixed' \
    '--source=1 --kappa=1e-30 --precond=mg'; do
    # shellcheck disable=SC2086
    solves one.json --cells=12 $options
    same "$options: converges" "$(value status one.json)" converged
done
refuses 3 'the load vector is so small .*nothing is left of it in single precision.*: take --precision=mixed' --cells=5 --source=1e-50 --precision=single
refuses 3 'the load vector is so large .*overflows in single precision.*: take --precision=mixed' --cells=5 --source=1e50 --precision=single
tiny=(--source=1 --kappa=1e-40 --cells=13)
refuses 3 'overflow or underflow in single precision.*diagonal entries of 2.1e-41.*take --precond-precision=double, or take units' \
    "${tiny[@]}" --precond=mg
accepts "${tiny[@]}" --precond=mg --precond-precision=double
solves one.json "${tiny[@]}" --precond=amg
same "amg begins again where single underflows" "$(value begun_again_because one.json)" "set-up broke down"

# A large tolerance does not hide rows that are not solved beside a large h.
for options in --precision=single --tol=1e-4; do
    solves one.json '--exact=x*y+z' --cells=6x5x7 --face=x0:flux --face=y1:h=1e9 --precond=jacobi $options
    same "h = 1e9, $options: converged" "$(value status one.json)" converged
    [ "$(awk -v error="$(value max one.json)" 'BEGIN { print error < 1e-5 }')" = 1 ]
    verdict "h = 1e9, $options: x is right" $? "$(value max one.json)"
done
weak='only the h of faces holds u, so weakly that rounding hides it: raise h, give a face a value, or leave h out'
# How CG ends there is rounding's choice: by status 2 or 3.
for options in --face=x0:h=1e-14 '--face=x0:h=1e-12 --precond=mg' '--face=x0:h=1e-14 --precond=amg'; do
    # shellcheck disable=SC2086 # words
    timeout 120 "$cgsolve" --N=5 --source=1 $options "${all[@]:1}" >out 2>err
    [[ $? = [23] ]] && grep -q "$weak" err
    verdict "$options: only that h holds u" $? "$(head -n 1 err)"
done
timeout 120 "$cgsolve" --N=5 --source=1 --face=x0:h=1e-6 "${all[@]:1}" --precision=single >out 2>err
[[ $? = [23] ]] && grep -q 'take --precision=double$' err
verdict 'h = 1e-6 in single precision: double helps' $? "$(head -n 1 err)"
accepts --N=5 --source=1 --face=x0:h=1e-6 "${all[@]:1}"

echo "# Memory"
# A program with sanitizers takes memory of its own.
planned() { # OPTION...
    [ $instrumented = no ] || return
    solves one.json --tol=1e-4 "$@"
    as_planned "$*" one.json 3 1300000
}
planned --source=1 --cells=60x60x4
planned '--source=1+x*y' --face=z0:flux=x '--face=z1:h=2+x,ambient=y' --cells=150x150x3 --format=crs --threads=2
planned "$exact" "$kappa" --cells=100x100x10 --format=none --threads=2
planned "$exact" --face=x0:flux --face=y0:h=1 --cells=100x100x10 --format=none --precision=single --threads=8
planned '--exact=x*y+z' "${all[@]}" --cells=30x40x30 --format=none --precond=mg
planned '--source=x<0.43' --cells=150x150x3 --format=none --threads=2
planned '--source=sin(2*pi*x)' --face={x0,y0}:periodic --cells=200x3x60 --precision=mixed --precond=jacobi
planned --source=y --material=a:kappa=2,source=3 '--region=a:x>0.5' --cells=3x200x60 --format=none --threads=16
planned --source=1 --cells=60x60x60 --format=none --precond=chebyshev

# What fits: cells of a box with free faces, and N.
for options in --cells=40x60x20 --N=33; do
    refuses 5 'what fits: --(cells|N)=' "$exact" --face=x1:flux --face=y0:flux --face=y1:flux $options --backend=cpu --threads=2 --format=none --precision=single --memory-limit=2M
    fitting=$(sed -n 's/.*what fits: \(--[a-zN]*=[0-9x]*\) .*/\1/p' err)
    accepts "$exact" --face=x1:flux --face=y0:flux --face=y1:flux "${fitting:-none}" --backend=cpu --threads=2 --format=none --precision=single --memory-limit=2M --plan
done

echo "# Reports"
solves one.json "$exact" "$kappa" $size --cells=6x7x8 --face=x0:flux --let=k=1
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON'
import json
p = json.load(open("one.json"))["problem"]
assert p["source" if "source" in p else "exact"] == "exp(x)*cos(2*y)+z^2", p
assert p["kappa"] == "1+x+2*y*z" and p["faces"] == ["x0:flux"] and p["constants"] == ["k=1"], p
assert p["unknowns"] == 6 * 6 * 7, p
PYTHON
    verdict "the report has the expressions" $?
else
    echo "skipped: no python3 for the report's expressions"
fi
valid_json "the report" one.json
printf 'exact = exp(x)*cos(2*y)+z^2\nkappa = 1+x+2*y*z # a coefficient\ncells=6x7x8\nface = x0:flux\nface=y1:h = 3\n' >mine.txt
timeout 60 "$cgsolve" --backend=cpu @mine.txt --json=two.json >out 2>err
same "a file of options with two faces" "$(value status two.json)" converged

echo "$passed passed, $failed failed"
[ $failed = 0 ]
