#!/usr/bin/env bash
# tests/cli/cli_multigrid.sh: what goes with --precond=chebyshev and mg: options that belong together, what is
# planned, what reports say of grids and of what a solution costs, --solves.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Options"
if command -v cc >/dev/null && [ -f "$sources/examples/crs_kernel.c" ]; then
    refuses 1 "kernel '.*crs_kernel.c' of your own takes the one" --backend=cpu --N=7 --precond=mg \
        --kernel="$sources/examples/crs_kernel.c"
fi
accepts list preconditioners
grep -q '^  mg .*V-cycle' out && grep -q '^  chebyshev .*--degree' out
verdict 'and the list says what they are' $?

echo "# All that goes together"
# combination OPTIONS...: multigrid with these converges in few iterations, in the memory that was planned.
combination() {
    solves one.json --N=31 --precond=mg "$@"
    same "$*: converged" "$(value status one.json)" converged
    [ "$(value iterations one.json)" -le 10 ]
    verdict "$*: at most 10 iterations" $? "$(value iterations one.json)"
}
for options in --reproducible --precision=single --precision=mixed --precond-precision=double \
    '--format=none --deform=0.1' '--format=sellc' '--format=crs --kappa=smooth' --problem=course \
    --degree=1 --degree=5 '--kernel=sell_gather' '--problem=boundary --quadrature=blended' '--coarse=galerkin --format=none' \
    '--coarse=galerkin --precision=mixed' '--coarse=galerkin --guess=fmg --deform=0.1'; do
    # shellcheck disable=SC2086 # several options
    combination $options
done
for n in 1 2 5 6; do
    solves small.json --N=$n --precond=mg
    same "N = $n" $? 0
    solves small.json --N=$n --precond=mg --coarse=galerkin
    same "N = $n, galerkin" $? 0
done
solves fault.json --N=15 --precond=mg --inject=nan@2
same '--inject=nan@2' $? 3
solves few.json --N=31 --precond=mg --stop=discretization
same '--stop=discretization' "$(value status few.json)" discretization
[ "$(value iterations few.json)" -le 4 ]
verdict 'which takes few iterations' $? "$(value iterations few.json)"
accepts --backend=cpu --N=15 --precond=chebyshev --degree=7 --verbose
grep -q '^Chebyshev  polynomial of degree 7 in D^-1 A on \[0' out
verdict 'the degree is that of the polynomial' $?

echo "# What is planned"
if [ $instrumented = no ]; then
    for options in '' --precond-precision=double '--format=none --N=64' '--deform=0.1' \
        '--format=none --kappa=smooth' --precision=mixed --precision=single; do
        # shellcheck disable=SC2086 # several options
        instead --N=48 $options
        solves planned.json --precond=mg "${words[@]}"
        as_planned "mg $options" planned.json
    done
    # what compresses a matrix is given back before the next one is made
    for options in --N=95 '--order=2 --N=47' '--order=4 --N=47' '--order=8 --N=47'; do
        # shellcheck disable=SC2086 # several options
        solves planned.json --precond=mg --format=sellc $options
        as_planned "mg --format=sellc $options" planned.json 33
    done
    for options in '--N=48' '--N=64 --format=none --degree=5'; do
        # shellcheck disable=SC2086 # several options
        solves planned.json --precond=chebyshev $options
        as_planned "chebyshev $options" planned.json
    done
fi
# Memory that makes Galerkin products is given back before CG takes its vectors: planned as if it were not. Most is
# taken by A P.
if [ $instrumented = no ]; then
    for n in 41 48; do
        solves planned.json --N=$n --precond=mg --coarse=galerkin
        as_planned "mg --coarse=galerkin, N = $n" planned.json 30
    done
fi
refuses 5 'multigrid, Galerkin products' --backend=cpu --N=100 --precond=mg --coarse=galerkin --memory-limit=600M
accepts --backend=cpu --N=48 --precond=mg --coarse=galerkin --plan
grep -Eq '^ +multigrid, Galerkin products +[0-9.]+ MB' out
verdict '--plan has what makes them' $?
accepts --backend=cpu --N=48 --precond=mg --plan
grep -Eq '^ +multigrid, grid of 48\^3 +[0-9.]+ MB' out
verdict '--plan has its grids' $?

echo "# The report"
solves mg.json --N=31 --precond=mg --history=mg.csv --profile --verbose
valid_json 'multigrid' mg.json
bill mg.json
grep -q '^Multigrid  cycles in single, smoother of degree 2' out &&
    grep -Eq '^ +31\^3 +29 791 .*\(proven\)$' out && grep -q 'solved exactly' out
verdict 'the text has the grids' $?
same 'rows that are solved exactly' "$(value coarsest_rows mg.json)" 27
figure 'sum of 31^3, 15^3, 7^3, 3^3' mg.json grid_complexity 1.12571 1e-5
grep -q '^Cycle      grid' out
verdict 'and what a cycle takes on each' $?
same "their bytes are the cycle's" "$(sed -n 's/.*"grid_cycle_bytes": \([0-9]*\).*/\1/p' mg.json |
    awk '{ sum += $1 } END { printf "%d", sum }')" "$(value cycle_bytes mg.json)"
for key in setup_seconds degree cycle_precision cycle_bytes operator_complexity levels n grid_unknowns \
    grid_nonzeros matrix_bytes grid_bytes grid_cycle_bytes grid_cycle_seconds eigenvalue_bound bound unknowns_per_second operator_gdofs \
    once_seconds median_seconds amortized_seconds; do
    grep -q "\"$key\": " mg.json || verdict "JSON has $key" 1
done
figure 'unknowns a second to solution' mg.json unknowns_per_second \
    "$(awk -v a="$(value setup_seconds mg.json)" -v b="$(value median_seconds mg.json)" \
        'BEGIN { printf "%.9g", 29791 / (a + b) }')" 1e-6
figure 'GDoF/s of a product' mg.json operator_gdofs \
    "$(awk -v s="$(value spmv_seconds mg.json)" 'BEGIN { printf "%.9g", 29.791e-6 / s }')" 1e-6
same 'how coarser grids come about' "$(value coarse mg.json)" rediscretize
solves product.json --N=31 --precond=mg --coarse=galerkin --verbose
valid_json 'Galerkin products' product.json
same 'how coarser grids come about' "$(value coarse product.json)" galerkin
same 'as many entries where grids nest' "$(value operator_complexity product.json)" \
    "$(value operator_complexity mg.json)"
near "$(value iterations product.json)" "$(value iterations mg.json)" 0.2
verdict 'and about as many iterations' $? "$(value iterations product.json)"
grep -q "coarser grids: Galerkin products P'A P in CRS, " out &&
    awk -v part="$(value galerkin_seconds product.json)" -v all="$(value setup_seconds product.json)" \
        'BEGIN { exit !(0 < part && part < all) }'
verdict 'the seconds that they took' $?
solves bounds.json --N=48 --precond=mg --deform=0.1
grep -q '"bound": "estimated"' bounds.json && grep -q '"bound": "coarser"' bounds.json
verdict 'where bounds of eigenvalues are from' $?
solves none.json --N=31
! grep -q '"preconditioning"' none.json
verdict 'nothing of that without a preconditioner' $?

echo "# The error"
same 'a line an iteration, and one more' "$(wc -l <mg.csv)" $(($(value iterations mg.json) + 2))
same 'the header of --history' "$(head -n 1 mg.csv)" iteration,relative_residual,energy_error
awk -F, 'NR > 2 && !($3 < last) { wrong = 1 } NR > 1 { last = $3 } END { exit !(NR > 4 && !wrong) }' mg.csv
verdict 'the error falls in every iteration' $?
# From zero it is ||u_h||; by Galerkin orthogonality ||grad u||^2 less the mesh's error squared.
solves mg8.json --N=31 --precond=mg --tol=1e-8 --history=mg8.csv --verbose
near "$(sed -n 2p mg8.csv | cut -d, -f3)" "$(sed -n 2p mg.csv | cut -d, -f3)" 0.01
verdict 'and does not depend on when CG stops' $?
figure 'the error of the mesh: H1, where kappa is 1' mg.json energy_error_of_mesh "$(value h1 mg.json)" 1e-3
k=$(value after_iterations mg.json)
[ "$k" -ge 1 ] && [ "$k" -lt "$(value iterations mg.json)" ]
verdict 'below it before the residual is' $? "$k"
tr -s "\n " " " <out | grep -Eq "algebraic error was below that of the mesh \(9\.1.e-02, energy norm\) after $k iteration"
verdict 'says the text' $?
awk -F, -v k="$k" -v mesh="$(value energy_error_of_mesh mg.json)" \
    'NR == k + 1 && !($3 > mesh) { wrong = 1 } NR == k + 2 && !($3 <= mesh) { wrong = 1 } END { exit wrong }' mg.csv
verdict 'at the first iteration where it is' $?

echo "# Solves"
solves often.json --N=31 --precond=mg --solves=5
same 'count' "$(value count often.json)" 5
same 'each as the one' "$(value iterations often.json)" "$(value iterations mg.json)"
awk -v a="$(value min_seconds often.json)" -v m="$(value median_seconds often.json)" \
    -v b="$(value max_seconds often.json)" -v s="$(value solve often.json)" -v o="$(value once_seconds often.json)" \
    -v all="$(value amortized_seconds often.json)" 'BEGIN { d = all - (m + o / 5)
        exit !(0 < a && a <= m && m <= b && s >= 5 * a && s <= 5.1 * b && d * d < 1e-12) }'
verdict 'least, median, most; what is made once is spread over them' $?
grep -q '^Solves     5 from the same start: median' out
verdict 'and the text says so' $?
for options in --problem=course --precision=mixed '--matrix=ident.mtx --precond=jacobi'; do
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 1\n2 2 3\n3 3 4\n' >ident.mtx
    # shellcheck disable=SC2086 # several options
    case $options in --matrix*) set -- $options ;; *) set -- --N=15 --tol=1e-9 $options ;; esac
    solves once.json "$@"
    solves thrice.json "$@" --solves=3
    same "$options: the same iterations" "$(value iterations thrice.json)" "$(value iterations once.json)"
    same "$options: the same residual" "$(value true_relative_residual thrice.json)" \
        "$(value true_relative_residual once.json)"
done

echo "# Fast diagonalisation"
# direct CASE MOST OPTIONS...: --precond=fdm finds that case, and takes at most MOST iterations, in the memory planned.
direct() {
    case=$1 most=$2
    shift 2
    solves one.json --precond=fdm "$@"
    same "$*: case" "$(value status one.json) $(value separable one.json)" "converged $case"
    [ "$(value iterations one.json)" -le "$most" ]
    verdict "$*: at most $most iterations" $? "$(value iterations one.json)"
    # a sanitizer takes memory of its own
    [ $instrumented = yes ] || [ "$(value host_peak one.json)" -le "$(value host_planned one.json)" ]
    verdict "$*: in the memory planned" $? "$(value host_peak one.json) of $(value host_planned one.json)"
}
direct exact 2 --N=24 --quadrature=blended --tol=1e-10 --profile
same 'the first iteration is the inverse' "$(grep -A3 '"step": "invert"' one.json | grep -c '"calls": 1,')" 1
for key in host_later device_later; do
    ! grep -q "\"$key\"" one.json
    verdict "$key belongs to fdm that begins with b and x alone" $?
done
# b and x alone, unless there is a second iteration: x and r + z p q of 8 bytes a number
direct exact 1 --N=40 --format=none --tol=1e-8 --profile
same 'b - A x is not written' "$(grep -c '"step": "residual_norm"' one.json) $(grep -c '"step": "residual"' one.json)" '1 0'
same 'bytes of a first iteration' "$(value bytes_per_unknown_iteration one.json)" 112.0
same 'a second one takes four vectors' "$(value host_later one.json)" $((4 * 8 * 40 * 40 * 40))
solves two.json --N=40 --format=none --precond=fdm --tol=1e-15
same 'a second iteration' "$(value iterations two.json)" 2
same 'and its bytes' "$(value bytes_per_unknown_iteration two.json)" 156.0
accepts --backend=cpu --N=64 --format=none --precond=fdm --memory-limit=10M --tol=1e-8 --solves=2
refuses 5 'r, z, p, q of 0.00839 GB do not fit .* a relative residual of .* take a --tol above that' \
    --backend=cpu --N=64 --format=none --precond=fdm --memory-limit=10M --tol=1e-15
accepts --backend=cpu --N=64 --format=none --precond=fdm --plan
grep -Eq 'vectors b, x +4.19 MB' out && grep -Eq 'a second iteration would add +8.39 MB' out
verdict '--plan has the first iteration, and what a second takes' $?
direct exact 4 --N=15 --precision=mixed
# floats take all vectors at once
direct exact 4 --N=40 --format=none --precond-precision=single --tol=1e-10
same 'transforms are single' "$(value cycle_precision one.json) $(grep -c '"host_later"' one.json)" 'single 0'
direct exact 3 --cells=12x13x14 --source=1 '--kappa=(z>0.5 ? 1e6 : 1)' --face=z0:h=2,ambient=1 --face=x1:flux=1
direct exact 3 --cells=12x13x14 --source=1 '--kappa=(z>0.3&&z<0.7 ? 1e6 : 1)' --face=z0:h=2 --face=z1:h=3 --tol=1e-8
direct nearest 30 --cells=12x13x14 --source=1 '--kappa=1' '--face=z0:h=1+x,ambient=1'
direct nearest 18 --N=24 --kappa=smooth
awk -v took="$(value iterations one.json)" -v most="$(value predicted_iterations one.json)" 'BEGIN { exit !(took <= most) }'
verdict 'no more iterations than predicted' $? "$(value predicted_iterations one.json)"
accepts --backend=cpu --N=7 --kappa=smooth --precond=fdm --verbose
grep -q '^Modes  ' out && grep -q 'nearest separable box: kappa is not a product' out
verdict 'and the text says why' $?
direct nearest 20 --N=15 --deform=0.05
refuses 1 'precond=fdm belongs to the box' --backend=cpu --matrix="$sources/tests/systems/LF10.mtx" --precond=fdm

echo "# auto"
# chosen PRECOND BECAUSE OPTIONS...: --precond=auto takes that one, and says why; in the memory planned.
chosen() {
    precond=$1 because=$2
    shift 2
    solves one.json --precond=auto "$@"
    same "$*: auto" "$(value status one.json) $(value preconditioner one.json)" "converged $precond"
    same "$*: why" "$(value chosen_because one.json)" "$because"
    [ $instrumented = yes ] || [ "$(value host_peak one.json)" -le "$(value host_planned one.json)" ]
    verdict "$*: in the memory planned" $? "$(value host_peak one.json) of $(value host_planned one.json)"
}
chosen fdm 'kappa is a product a(x) b(y) c(z)' --cells=12x13x14 --source=1 '--kappa=1+z' --face=z0:h=2
chosen fdm 'kappa is nearly a product a(x) b(y) c(z)' --cells=12 --source=1 '--kappa=1+0.01*x*y'
chosen mg 'the box has long lines without fast transforms' --cells=200x5x4 --source=1 --grade=x:3
chosen fdm 'kappa is a product a(x) b(y) c(z)' --cells=5x4x200 --source=1 --grade=z:3
# orders wait for long cells in no direction
chosen fdm 'kappa is a product a(x) b(y) c(z)' --cells=100x3x2 --order=2 --source=1 --grade=x:3 --face=z0:h=2
chosen mg 'the box has long lines without fast transforms' --cells=100x3x2 --size=50x1.5x1 --order=2 --source=1 --grade=x:3 \
    --face=z0:h=2
chosen mg 'kappa is not a product a(x) b(y) c(z)' --N=12 --kappa=smooth --degree=3
same 'with its degree' "$(value degree one.json)" 3
chosen mg 'the cells are deformed' --N=12 --deform=0.05
chosen mg '--guess=fmg has its grids' --N=12 --guess=fmg
chosen amg "the matrix is not the box's" --matrix="$sources/tests/systems/LF10.mtx"
accepts --backend=cpu --N=7 --precond=auto --verbose
grep -q 'chosen by --precond=auto: kappa is a product' out
verdict 'and the text says why' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
