#!/usr/bin/env bash
# tests/box/periodic.sh: periodic faces: the orders of theory, the same solution in each format, by each preconditioner
# and on several ranks, and wherever the box is cut; files; clear refusals.
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"

size=--size=1x2x0.5 kappa='--kappa=2+cos(2*pi*x)*sin(pi*y)'
wave='--exact=sin(2*pi*x)*cos(pi*y)*exp(cos(4*pi*z))'
round=(--face=x0:periodic --face=y1:periodic --face=z0:periodic)

echo "# Orders"
# orders NAME OPTION...: on two meshes, one twice as fine, L2 falls by 4 and H1 by 2.
orders() {
    local name=$1 cells l2s=() h1s=()
    shift
    for cells in 12x20x14 24x40x28; do
        solves one.json $size --cells=$cells --precond=mg --tol=1e-9 "$@"
        [ "$(value status one.json)" = converged ] && [ "$(value iterations one.json)" -le 12 ]
        verdict "$name, $cells: at most 12 iterations" $? "$(value iterations one.json) $(head -n 1 err)"
        l2s+=("$(value l2 one.json)")
        h1s+=("$(value h1 one.json)")
    done
    near "$(awk -v a="${l2s[0]}" -v b="${l2s[1]}" 'BEGIN { print log(a / b) / log(2) }')" 2 0.03 &&
        near "$(awk -v a="${h1s[0]}" -v b="${h1s[1]}" 'BEGIN { print log(a / b) / log(2) }')" 1 0.03
    verdict "$name: orders 2 and 1" $? "${l2s[*]} ${h1s[*]}"
}
if [ $instrumented = no ]; then # the meshes below run the same code
    orders 'all directions' "$wave" "$kappa" "${round[@]}"
    orders 'x, and values' "$wave" "$kappa" --face=x0:periodic --format=none
    orders 'y, a flux and a transfer' '--exact=exp(x)*cos(pi*y)*(1+z)^2' '--kappa=2+x*sin(pi*y)' --face=y0:periodic \
        --face=x1:flux --face=z0:h=2+x --format=none
    orders 'z, and fluxes' '--exact=x*y*cos(4*pi*z)' --face=z0:periodic --face=z1:periodic --face=x0:flux --face=x1:flux \
        --face=y0:flux --face=y1:flux --format=crs
    orders 'a source' '--source=5*pi^2*sin(2*pi*x)*cos(pi*y)' '--exact=sin(2*pi*x)*cos(pi*y)' "${round[@]}" --format=none
fi

echo "# The same in each format, by each preconditioner, on ranks"
# Odd numbers of cells, grids that do not nest; the fewest that there may be.
for cells in 9x14x11 3x7x16; do
    for faces in "${round[*]}" '--face=x0:periodic --face=y0:periodic --face=z1:flux'; do
        l2='' h1=''
        for options in --format=crs --format=sell '--format=sell --sigma=64' --format=sellc --format=none \
            '--format=none --precond=mg' --precond=amg --precond=jacobi '--precond=mg --coarse=galerkin' --precond=fdm \
            '--precond=mg --precision=mixed --guess=fmg'; do
            # shellcheck disable=SC2086 # several options
            solves one.json "$wave" "$kappa" $size --cells=$cells --tol=1e-13 $options $faces
            figure "$cells $faces $options" one.json l2 "${l2:=$(value l2 one.json)}" 1e-10
            figure "$cells $faces $options" one.json h1 "${h1:=$(value h1 one.json)}" 1e-10
        done
    done
    for options in --format=crs --format=none '--format=none --precond=mg'; do
        for ranks in 2 3; do
            # shellcheck disable=SC2086
            CGSOLVE_RANKS=$ranks solves one.json "$wave" "$kappa" $size --cells=$cells --tol=1e-13 $options \
                --face=x0:periodic --face=y0:periodic --face=z1:flux
            figure "$cells $options on $ranks ranks" one.json l2 "$l2" 1e-9
        done
    done
done

echo "# Wherever the box is cut"
# A ball of metal, whose centre moves by whole cells: what flows from x0 to x1 stays.
ball() {
    solves one.json --source=0 --cells=16 --face=x0:value=1 --face=x1:value=0 --face=y0:periodic --face=z0:periodic \
        --let=c="$1" --let=d="$2" --material=metal:kappa=50 --tol=1e-12 --precond=mg --format="$3" \
        '--region=metal:(x-0.5)^2 + min(abs(y-c), 1-abs(y-c))^2 + min(abs(z-d), 1-abs(z-d))^2 < 0.3^2'
}
ball 0.5 0.5 sell
flux=$(value flux_x1 one.json)
ball 0 0.125 sell
figure 'a ball at an edge' one.json flux_x1 "$flux" 1e-9
ball 0.9375 0.5 none
figure 'a ball at a face, nothing stored' one.json flux_x1 "$flux" 1e-9
for face in y0 y1 z0 z1; do figure 'nothing leaves through periodic faces' one.json flux_$face 0 0; done
grep -q 'out through x0 -[0-9.]*, x1 [0-9.]*$' out
verdict 'and the text does not speak of them' $? "$(grep 'out through' out)"
# Cells of all grids move with it where they nest, so that multigrid takes the same iterations.
layer() { # AT FACES: a layer of a quarter of the box from that fraction of y on
    solves one.json --source=x*z --cells=16 "${@:2}" --tol=1e-11 --precond=mg --whole-grids=0 --format=none --let=c="$1" \
        '--kappa=(y-c < 0 ? y-c+1 : y-c) < 0.25 ? 1e4 : 1'
}
layer 0.25 --face=y0:periodic
iterations=$(value iterations one.json)
for at in 0 0.5 0.75; do
    layer $at --face=y0:periodic
    near "$(value iterations one.json)" "$iterations" 0.01
    verdict "a layer at $at: multigrid takes as many iterations" $? "$(value iterations one.json), not $iterations"
done

echo "# No face holds u"
all=(--face=x0:periodic --face=y0:periodic --face=z0:periodic)
free=(--face=x0:flux --face=x1:flux --face=y0:flux --face=y1:flux --face=z0:flux --face=z1:flux)
for options in '' --precond=jacobi --precond=mg --precond=amg --precond=fdm; do
    # What rounding leaves of a constant load is none.
    for cells in 6 24; do
        # shellcheck disable=SC2086 # several options
        solves one.json --source=3 --kappa=2 --cells=$cells "${all[@]}" $options
        same "a constant load, $cells cells, $options" "$(value status one.json) $(value iterations one.json)" 'converged 0'
    done
done
# The coarsest grid has a pseudo-inverse, so that stiff parts do no harm.
for options in --precond=mg '--precond=mg --coarse=galerkin' --precond=amg; do
    for faces in "${all[*]}" "${free[*]}"; do
        # shellcheck disable=SC2086
        solves one.json '--source=cos(2*pi*x)*sin(2*pi*y)' '--kappa=(x-0.5)^2+(y-0.5)^2 < 0.0625 ? 1e6 : 1' --cells=24 \
            $options $faces
        [ "$(value status one.json)" = converged ] && [ "$(value iterations one.json)" -le 25 ]
        verdict "a stiff cylinder, $options, ${faces:0:16}" $? "$(value iterations one.json) $(head -n 1 err)"
    done
done
# The mean that rounding gives the residual does not reach amg's cycles.
for faces in "${all[*]}" "${free[*]}"; do
    # shellcheck disable=SC2086
    solves one.json '--source=cos(2*pi*x)*sin(2*pi*y)' '--kappa=(x-0.5)^2+(y-0.5)^2 < 0.0625 ? 1e8 : 1' --cells=24 \
        --precond=amg $faces
    [ "$(value iterations one.json)" -le 25 ] && ! grep -q begun_again one.json &&
        awk -v r="$(value true_relative_residual one.json)" 'BEGIN { exit !(r < 3e-9) }'
    verdict "a cylinder 1e8 as stiff, amg, ${faces:0:16}" $? "$(value iterations one.json) $(head -n 1 err)"
done

echo "# Files"
solves one.json "$wave" $size "${round[@]}" --cells=4x6x5 --output=u.csv
awk -F, 'NR > 1 { n++; u[($1 + 0) "," ($2 + 0) "," ($3 + 0)] = $4 }
    END { for (at in u) { split(at, x, ","); first = (x[1] == 1 ? 0 : x[1]) "," (x[2] == 2 ? 0 : x[2]) "," (x[3] == 0.5 ? 0 : x[3])
            if (u[at] != u[first]) wrong++ }
        exit !(n == 5 * 7 * 6 && !wrong) }' u.csv
verdict 'opposite faces of a file have the same numbers' $? "$(head -n 2 u.csv)"
without_drawing
solves one.json "$wave" $size "${round[@]}" --cells=4x6x5 --slice=y:2,s.svg
verdict 'a slice at a periodic face' $? "$(head -n 1 err)"
accepts --backend=cpu --source=1 --face=z0:periodic --cells=6x6x6 --plan

echo "# Refusals"
refuses 1 '--face=x0:periodic makes x0 and x1 periodic, and --face=x1:flux=1 gives the other one a condition' \
    --source=1 --face=x0:periodic --face=x1:flux=1
refuses 1 '--face=y1:periodic makes y0 and y1 periodic, and --face=y0:value' --source=1 --face=y0:value=0 --face=y1:periodic
refuses 1 '--face=x0:periodic=1 is not understood' --source=1 --face=x0:periodic=1
refuses 1 '2 cells in x, which is periodic: expected at least 3' --source=1 --face=x0:periodic --cells=2x4x4
refuses 1 '2 cells in z, which is periodic' --source=1 --face=z0:periodic --cells=4x4x2 --plan
refuses 1 "the exact solution 'x' is not periodic in x: 0 at x = 0 and 1 at x = 1" --exact=x --face=x0:periodic --N=7
for almost in 'sin(2*pi*x)+1e-3*x' 'sin(2*pi*x)+1e-7*x'; do # up to rounding, and what digits of constants leave of it
    refuses 1 "the exact solution .* is not periodic in x" "--exact=$almost" --face=x0:periodic --N=7
done
accepts --backend=cpu '--exact=sin(2*pi*x)+1e-10*x' --face=x0:periodic --N=7
CGSOLVE_RANKS=2 refuses 1 '--face=z0:periodic does not work on several ranks yet: let x or y be' --backend=cpu --source=1 --face=z1:periodic --N=7

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
