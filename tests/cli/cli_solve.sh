#!/usr/bin/env bash
# tests/cli/cli_solve.sh: how runs end: outcomes, the same bits, interrupts; and the figures that issue 2
# promises, by every kernel.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Outcomes"
refuses 2 'limit of 3 iterations' --backend=cpu --N=15 --max-iterations=3
solves limit.json --N=15 --max-iterations=3
same 'status in JSON' "$(value status limit.json | tail -n 1)" iteration_limit
same 'exit status in JSON' "$(value exit_status limit.json)" 2
for n in 31 63; do
    solves single.json --precision=single --N=$n
    same "single, N = $n: exit status" $? 0
    status=$(value status single.json)
    case $status in converged | rounding_floor) true ;; *) false ;; esac
    verdict "single, N = $n: converged or rounding_floor" $? "$status"
done
solves floor.json --precision=single --N=31 --tol=1e-9
same 'single, tol = 1e-9: exit status' $? 0
same 'single, tol = 1e-9: status' "$(value status floor.json)" rounding_floor
grep -q 'ROUNDING FLOOR' out && grep -q -- '--precision=double' out
verdict 'said loudly, with what helps' $?
# H D H with eigenvalues D of 1 ... 1e-8 and a reflection H, dense.
awk 'BEGIN { n = 60; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, n * (n + 1) / 2
    for (i = 1; i <= n; i++) { d[i] = 10 ^ (-8 * (i - 1) / (n - 1)); v[i] = sin(i * i); vv += v[i] ^ 2 }
    for (i = 1; i <= n; i++) { v[i] /= sqrt(vv); c += v[i] ^ 2 * d[i] }
    for (j = 1; j <= n; j++) for (i = j; i <= n; i++) printf "%d %d %.17g\n", i, j, \
        (i == j) * d[i] + v[i] * v[j] * (4 * c - 2 * d[i] - 2 * d[j]) }' >spread.mtx
for command in solve study; do
    refuses 2 'single precision cannot solve this.*take --precision=double' $command --backend=cpu \
        --matrix=spread.mtx --rhs=ones --precision=single --precond=amg --json=low.json
done
solves low.json --matrix=spread.mtx --rhs=ones --precision=single --precond=amg
same 'no digit is right: status' "$(value status low.json | tail -n 1)" precision_too_low
same 'its exit status in JSON' "$(value exit_status low.json)" 2
awk -v true="$(value true_relative_residual low.json)" 'BEGIN { exit !(true > 1e-2) }'
verdict 'the true residual is above 1e-2' $?
solves double.json --matrix=spread.mtx --rhs=ones --precond=amg --tol=1e-6
same 'double precision can' $? 0

echo "# Order of cells"
# The L2 error falls by 2^(P + 1), the H1 error by 2^P where cells halve; rows and star agree.
for order in 2 5; do
    for cells in 4 8; do
        solves order$cells.json --order=$order --cells=$cells --tol=1e-12 --precond=jacobi
        same "order $order, $cells cells: exit status" $? 0
    done
    for norm in l2 h1; do
        awk -v p=$order -v n=$norm -v a="$(value $norm order4.json)" -v b="$(value $norm order8.json)" \
            'BEGIN { e = log(a / b) / log(2) - p - (n == "l2"); exit !(e > -0.2 && e < 0.2) }'
        verdict "order $order: $norm" $? "$(value $norm order4.json) $(value $norm order8.json)"
    done
done
# Deformed, with a smooth kappa, by one rule or the other.
for order in 2 3 4 5 6 7 8; do
    [ $instrumented = no ] || [ $order -lt 6 ] || continue # the rest runs the same code
    rule=lobatto few=2 many=4
    [ $((order % 2)) = 1 ] && rule=gauss
    [ $order -lt 4 ] && few=3 many=6
    for cells in $few $many; do
        solves "order$cells.json" --order=$order --cells="$cells" --deform=0.05 --kappa=smooth --quadrature=$rule \
            --tol=1e-13 --precond=jacobi
        same "order $order, $cells cells, $rule, deformed: exit status" $? 0
    done
    for norm in l2 h1; do
        awk -v p=$order -v n=$norm -v a="$(value $norm order$few.json)" -v b="$(value $norm order$many.json)" \
            'BEGIN { e = log(a / b) / log(2) - p - (n == "l2"); exit !(e > -0.1 && e < 0.1) }'
        verdict "order $order, $rule, deformed: $norm" $? "$(value $norm order$few.json) $(value $norm order$many.json)"
    done
done
# The L2 projection onto deformed cells, and its error in the norm that CG reduces, by which it may stop.
for cells in 4 8; do
    solves mass$cells.json --problem=mass --order=3 --cells=$cells --deform=0.05 --quadrature=gauss --precond=auto
    same "mass matrix, $cells cells: exit status" $? 0
done
awk -v a="$(value l2 mass4.json)" -v b="$(value l2 mass8.json)" 'BEGIN { e = log(a / b) / log(2) - 4; exit !(e > -0.2 && e < 0.2) }'
verdict 'mass matrix of order 3: l2' $? "$(value l2 mass4.json) $(value l2 mass8.json)"
# The nearer limit is the one that takes the larger part of the product's time.
limit=$(value limit mass8.json)
awk -v limit="$limit" -v share="$(value limit_share mass8.json)" -v memory="$(value roofline mass8.json)" \
    -v rate="$(value operator_gflops mass8.json)" -v most="$(value attainable_gflops mass8.json)" \
    'BEGIN { a = rate / most; nearer = a > memory ? a : memory; d = share / nearer - 1
             exit !(most > 0 && limit == (a > memory ? "arithmetic" : "memory") && d < 1e-6 && d > -1e-6) }'
verdict 'the nearer limit' $? "$limit $(value limit_share mass8.json)"
solves stop.json --problem=mass --order=3 --cells=8 --deform=0.05 --quadrature=gauss --precond=auto --stop=discretization
awk -v a="$(value l2 stop.json)" -v b="$(value l2 mass8.json)" -v i="$(value iterations stop.json)" -v all="$(value iterations mass8.json)" \
    'BEGIN { exit !(a < 1.5 * b && i < all) }'
verdict 'mass matrix of order 3: stop' $? "$(value l2 stop.json) $(value iterations stop.json) $(value iterations mass8.json)"
solves octants.json --order=4 --cells=4 --problem=octants --kappa=jump:100 --tol=1e-12 --precond=chebyshev
same 'octants: exit status' $? 0
solves cube.json --order=4 --cells=4 --problem=octants --tol=1e-12 --precond=chebyshev
awk -v a="$(value l2 octants.json)" -v b="$(value l2 cube.json)" 'BEGIN { exit !(a < b) }'
verdict 'octants: the jump between cells costs no accuracy' $? "$(value l2 octants.json) $(value l2 cube.json)"
solves order4.json --order=5 --cells=4 --tol=1e-12 --precond=jacobi
solves cells.json --order=5 --cells=4 --tol=1e-12 --precond=jacobi --kernel=order_cells
same 'iterations cell by cell' "$(value iterations cells.json)" "$(value iterations order4.json)"
for format in crs sell sellc; do
    solves rows.json --order=5 --cells=4 --tol=1e-12 --precond=jacobi --format=$format
    same "iterations by rows, $format" "$(value iterations rows.json)" "$(value iterations order4.json)"
done
same 'order in JSON' "$(value order rows.json)" 5
# So do rows and kernel of the other matrices, whose entries the report of either counts.
for matrix in '--deform=0.05' '--deform=0.05 --kappa=smooth --quadrature=gauss' '--problem=mass --quadrature=gauss'; do
    for format in none crs sell; do
        # shellcheck disable=SC2086 # words
        solves $format.json --order=3 --cells=4 $matrix --tol=1e-12 --precond=jacobi --format=$format
        same "$matrix, $format" "$? $(value nonzeros $format.json)" "0 $(value nonzeros none.json)"
        awk -v a="$(value l2 $format.json)" -v b="$(value l2 none.json)" -v i="$(value iterations $format.json)" \
            -v j="$(value iterations none.json)" \
            'BEGIN { d = a / b - 1; exit !(d < 1e-6 && d > -1e-6 && i - j <= 1 && j - i <= 1) }'
        verdict "$matrix, $format: l2, iterations" $? "$(value l2 $format.json) $(value iterations $format.json)"
    done
done
for more in '' --deform=0.05; do
    # shellcheck disable=SC2086 # no word
    solves amg.json --order=4 --cells=4 $more --precond=amg --tol=1e-8
    same "amg of order 4 $more: exit status, format" "$? $(value format amg.json)" '0 sell'
    i=$(value iterations amg.json)
    [ "${i:-99}" -le 25 ]
    verdict 'few iterations' $? "$i"
done
solves rows.json --order=5 --cells=4 --tol=1e-12 --precond=jacobi --chunk=16 --sigma=64
same 'sorted rows of order 5' "$? $(value format rows.json) $(value chunk rows.json) $(value sigma rows.json)" '0 sell 16 64'
solves mg.json --order=5 --cells=4 --tol=1e-12 --precond=auto --deform=0.05
[ "$(value iterations mg.json)" -le 10 ]
verdict 'multigrid of order 5' $? "$(value iterations mg.json)"
same 'its levels' "$(sed -n '/"levels"/,/]/s/.*"order": \([0-9]*\).*/\1/p' mg.json | tr '\n' ' ')" '5 3 2 1 '
solves mg.json --order=4 --cells=4x3x5 --exact='sin(x)*exp(y)*z' --tol=1e-8 --precond=mg
i=$(value iterations mg.json)
[ "${i:-99}" -le 8 ]
verdict 'multigrid of order 4, an exact solution' $? "$i"
# Cells that have no rows end at order 1, however few there are.
solves mg.json --order=4 --cells=2 --deform=0.05 --tol=1e-8 --precond=mg
same 'two deformed cells: exit status, levels' "$? $(sed -n '/"levels"/,/]/s/.*"order": \([0-9]*\).*/\1/p' mg.json | tr '\n' ' ')" '0 4 2 1 '
# fdm is the inverse, which auto takes; in floats it is nearly that.
for precision in double single; do
    solves fdm.json --order=5 --cells=4x6x8 --tol=1e-10 --precond=auto --precond-precision=$precision
    same "$precision fdm of order 5: exit status" $? 0
    same 'its name' "$(value preconditioner fdm.json)" fdm
    awk -v i="$(value iterations fdm.json)" -v most="$([ $precision = double ] && echo 2 || echo 5)" \
        'BEGIN { exit !(i <= most) }'
    verdict 'few iterations' $? "$(value iterations fdm.json)"
done
# A polynomial of degree 2 has no error, whatever is said of faces; and there is no balance, which
# would be of order 1.
solves faces.json --order=3 --cells=3x2x2 --grade=y:2 --exact='x^2*y+z^2-y^2' --reaction=2 --tol=1e-13 \
    --face=x0:flux --face=x1:value='y+z^2-y^2' --face=z1:h=2 --face=y1:flux=x^2-2 --precond=auto \
    --probe=0.25,0.5,0.75
awk -v l2="$(value l2 faces.json)" 'BEGIN { exit !(l2 != "" && l2 < 1e-10) }'
verdict 'faces of order 3' $? "$(value l2 faces.json)"
grep -q '"balance"' faces.json
same 'no balance' $? 1
awk -v u="$(value value faces.json)" 'BEGIN { exit !(u > 0.34375 - 1e-10 && u < 0.34375 + 1e-10) }'
verdict 'a probe in graded cells' $? "$(value value faces.json)"
awk -v u="$(value mean faces.json)" 'BEGIN { exit !(u > 1 / 6 - 1e-10 && u < 1 / 6 + 1e-10) }'
verdict 'and the mean' $? "$(value mean faces.json)"
same 'solved directly' "$(value preconditioner faces.json) $(value iterations faces.json)" 'fdm 1'
solves periodic.json --order=3 --cells=4 --source='sin(2*pi*x)' --exact='sin(2*pi*x)/(4*pi^2)' --tol=1e-12 \
    --face=x0:periodic --face=else:flux=0 --precond=mg
same 'no face holds u: exit status' $? 0
[ "$(value iterations periodic.json)" -le 10 ]
verdict 'by multigrid' $? "$(value iterations periodic.json)"
awk -v l2="$(value l2 periodic.json)" 'BEGIN { exit !(l2 != "" && l2 < 1e-4) }'
verdict 'a period, no face that holds u' $? "$(value l2 periodic.json)"

echo "# The ends of single precision"
laplace() { # SCALE: the 1-D one, times that; with a second diagonal for amg
    awk -v s="$1" 'BEGIN { n = 900; print "%%MatrixMarket matrix coordinate real symmetric"
        print n, n, 2 * n - 1
        for (i = 1; i <= n; i++) { print i, i, "2.01" s; if (i < n) print i + 1, i, "-1" s } }'
}
scales='e-300 e-60 e-38 e38 e60' precisions='single double mixed'
if [ $instrumented = yes ]; then # the rest runs the same code; mixed has the kernels of both precisions
    scales='e-300 e60' precisions=mixed
fi
for scale in $scales; do
    laplace "$scale" >scaled.mtx
    for precond in none jacobi chebyshev amg; do
        [ "$scale$precond" = e-300none ] && continue # the solution is beyond double's range
        solves scaled.json --matrix=scaled.mtx --rhs=random --precond=$precond
        case $?:$scale:$(head -n 1 err) in
        0:* | 3:e-300:*'overflow or underflow in double'* | 3:e-300:*'is so small'*) true ;;
        *) false ;;
        esac
        verdict "1$scale, $precond: solved, or the range is said" $? "$(head -n 1 err)"
        for precision in single mixed; do
            ! solves scaled.json --matrix=scaled.mtx --precond=$precond --precision=$precision ||
                awk -v e="$(value relative scaled.json)" 'BEGIN { exit !(e != "" && e < 0.1) }'
            verdict "1$scale, $precond, $precision: no wrong answer ends with 0" $?
            grep -Eq 'not symmetric|not positive|is singular' err
            verdict "1$scale, $precond, $precision: the matrix is not blamed" $((! $?)) "$(head -n 1 err)"
        done
    done
done
laplace e38 >scaled.mtx
solves scaled.json --matrix=scaled.mtx --precond=amg --rhs=ones
same '1e38, amg: exit status' $? 0
refuses 3 'overflow or underflow in single precision, .*take --precond-precision=double' --backend=cpu \
    --matrix=scaled.mtx --precond=amg --precond-precision=single

# CG with one reduction an iteration, in all formats and with all preconditioners.
for options in '--format=crs --precond=jacobi' '--format=none' '--format=sellc --precond=chebyshev' \
    '--format=none --precond=mg' '--precond=amg' '--precision=single --precond=mg --tol=1e-4'; do
    # shellcheck disable=SC2086 # words
    solves standard.json --N=15 $options
    # shellcheck disable=SC2086 # words
    solves form.json --N=15 --cg=single-reduction $options
    same "single-reduction, $options: status" "$(value status form.json)" converged
    same 'method' "$(value method form.json)" cg-single-reduction
    awk -v k="$(value iterations form.json)" -v standard="$(value iterations standard.json)" \
        'BEGIN { exit !(k >= standard - 1 && k <= standard + 1) }'
    verdict 'as many iterations as standard CG, within one' $?
done
solves form.json --N=15 --cg=single-reduction --inject=nan@5
same 'single-reduction, NaN: exit status' $? 3
refuses 1 'belongs to --precision=double or single, but here is --precision=mixed' --N=7 --cg=single-reduction --precision=mixed
refuses 1 'belongs to --backend=cpu, but here is --backend=cuda' --N=7 --cg=single-reduction --backend=cuda

for options in '--format=sell' '--format=crs --precond=jacobi' '--kappa=jump:1000 --precond=jacobi'; do
    # shellcheck disable=SC2086 # words
    solves double.json --N=31 $options
    # shellcheck disable=SC2086 # words
    solves mixed.json --N=31 --precision=mixed --verbose $options
    same "mixed, $options: status" "$(value status mixed.json)" converged
    awk -v k="$(value iterations mixed.json)" -v double="$(value iterations double.json)" \
        -v true="$(value true_relative_residual mixed.json)" \
        -v updates="$(value updates mixed.json)" -v restarts="$(value restarts mixed.json)" \
        'BEGIN { exit !(k <= 1.2 * double && true <= 2e-10 && updates >= 3 && restarts == 0) }'
    verdict 'the true residual of double, nearly as soon, no restart' $?
    case $options in *kappa*) continue ;; esac # no solution is known
    figure 'and its error' mixed.json nodal_l2 "$(value nodal_l2 double.json)" 1e-6
done
grep -q 'in single: the iterations' out && grep -q 'reliable updates' out &&
    grep -q '"inner": "single"' mixed.json && grep -q '"outer": "double"' mixed.json
verdict 'the report says what is kept in which precision' $?
awk -v inner="$(value inner_matrix_bytes mixed.json)" -v outer="$(value outer_matrix_bytes mixed.json)" \
    -v bytes="$(value bytes mixed.json)" 'BEGIN { exit !(inner < outer && inner + outer == bytes) }'
verdict 'both matrices count' $?
solves mixed.json --N=31 --precision=mixed --tol=1e-16
same 'mixed, tol = 1e-16: status' "$(value status mixed.json)" rounding_floor
grep -q 'in double precision rounding' out
verdict 'the floor is that of double' $?
accepts --backend=cpu --N=31 --precision=mixed --plan
grep -q 'matrix values, single' out && grep -q 'matrix values, double' out
verdict 'mixed: both matrices are planned' $?
solves stop.json --N=31 --stop=discretization
same 'stop=discretization: exit status' $? 0
same 'stop=discretization: status' "$(value status stop.json)" discretization
figure 'its discretisation error, that of the interpolant' stop.json discretization_error 9.146e-2 1e-3
figure 'its gradient is nearly as good' stop.json h1 9.14e-2 0.1
awk -v e="$(value energy_error_estimate stop.json)" -v d="$(value discretization_error stop.json)" \
    -v k="$(value iterations stop.json)" 'BEGIN { exit !(0 < e && e <= d && k < 40) }'
verdict 'the algebraic error is below it, well before the residual is' $?
tr -s '\n ' ' ' <out | grep -q 'stopped at the discretisation error after [0-9]* iterations.*L2 error may gain a lot'
verdict 'and says so' $?
solves stop.json --N=15 --stop=discretization --tol=0.5
same 'the residual may come first' "$(value status stop.json)" converged
! solves gap.json --N=7 --stop=residual || ! grep -q '"discretization_error"\|"parted"' gap.json
verdict 'no discretisation error where nobody asks, nothing parted' $?

echo "# The same bits"
for kernel in crs_row crs_merge crs_gather sell_chunk sell_gather sellc_chunk; do
    for precision in $precisions; do
        for threads in 1 2 7; do
            timeout 120 "$cgsolve" --backend=cpu --N=20 --kernel=$kernel --precision="$precision" \
                --threads=$threads --reproducible --history=bits$threads.csv >out 2>err ||
                verdict "--reproducible --kernel=$kernel" 1 "$(head -n 1 err)"
        done
        cmp -s bits1.csv bits2.csv && cmp -s bits1.csv bits7.csv
        verdict "$kernel, $precision: the same history with 1, 2, 7 threads" $?
    done
done
accepts --backend=cpu --N=12 --max-iterations=40 --tol=1e-8 --save-matrix=box.mtx
for options in '' --precond=jacobi --precond=chebyshev --precond=amg --format=crs --format=sell --format=sellc; do
    for threads in 1 2 7; do
        # shellcheck disable=SC2086 # words
        solves auto$threads.json --matrix=box.mtx --reproducible --threads=$threads $options \
            --history=auto$threads.csv ||
            verdict "--reproducible --kernel=auto $options" 1 "$(head -n 1 err)"
        same "--kernel=auto $options: the kernel" "$(value kernel auto$threads.json)" "$(value kernel auto1.json)"
    done
    ! grep -q '"choice"' auto1.json
    verdict 'nothing was timed to choose it' $?
    cmp -s auto1.csv auto2.csv && cmp -s auto1.csv auto7.csv
    verdict "a file, $options: the same history with 1, 2, 7 threads" $?
done
for problem in '--N=20' '--N=19 --deform=0.05' '--N=20 --kappa=jump:100 --precision=single'; do
    for format in sell sellc; do
        # shellcheck disable=SC2086 # several options
        accepts --backend=cpu --kernel=${format}_chunk $problem --history=$format.csv
    done
    cmp -s sell.csv sellc.csv
    verdict "$problem: the same history in SELL and compressed" $?
done
refuses 1 "kernel 'crs_librsb' may give other bits" --kernel=crs_librsb --N=7 --reproducible
mkdir -p unusable
: >unusable/librsb.so.0
: >unusable/librsb.so
LD_LIBRARY_PATH=$PWD/unusable${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} refuses 6 'librsb.*(librsb0|librsb-dev)' --kernel=crs_librsb --N=7
accepts --backend=cpu --N=7 --kernel=crs_gather --reproducible --verbose
grep -q -- ' --reproducible' out
verdict '--reproducible is among what it ran with' $?
solves bits.json --N=7
same 'kernel_reproducible' "$(value kernel_reproducible bits.json)" true

echo "# Interrupted"
set -m # without job control, what runs in the background ignores SIGINT
for signal in TERM INT; do
    rm -f k.json
    "$cgsolve" --backend=cpu --threads=1 --N=40 --solves=100000 --json=k.json --history=k.csv \
        >out 2>err &
    pid=$!
    sleep 1
    kill -$signal $pid
    wait $pid
    same "SIG$signal: exit status" $? 130
    same 'in JSON' "$(value exit_status k.json)" 130
    grep -Eq '"status": "interrupted"|"error_message": "interrupted' k.json
    verdict 'and what happened' $? "$(head -n 1 err)"
    [ -z "$(find . -name '*.tmp*')" ]
    verdict 'no temporary is left' $?
done
"$cgsolve" --backend=cpu --threads=1 --N=40 --solves=100000 --json=k.json >out 2>err &
pid=$!
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
[ -z "$(find . -name '*.tmp*')" ]
verdict 'nor by a run that is killed' $?
set +m

echo "# The figures of issue 2"
solves smooth.json --problem=smooth --N=31
figure 'smooth, N = 31' smooth.json nodal_l2 4.7085907e-04 5e-5
figure 'smooth, N = 31' smooth.json l2 8.6671707e-04 5e-5
figure 'smooth, N = 31' smooth.json max 1.4898002e-03 5e-5
figure 'smooth, N = 31' smooth.json h1 9.1408507e-02 5e-5
if [ $instrumented = no ]; then # 7 s under sanitizers, for a larger N
    solves blended.json --problem=smooth --N=63 --quadrature=blended --tol=1e-12
    figure 'blended, N = 63' blended.json nodal_l2 2.4804e-08 5e-5
    figure 'blended, N = 63' blended.json l2 2.7263202e-04 5e-5
    figure 'blended, N = 63' blended.json h1 4.5719157e-02 5e-5
fi
solves sine.json --problem=sine --N=15
figure 'sine, N = 15, gauss' sine.json nodal_l2 1.1336899e-03 5e-5
solves sine.json --problem=sine --N=15 --quadrature=blended
figure 'sine, N = 15, blended' sine.json nodal_l2 2.1929470e-06 5e-5
solves course.json --problem=course --N=32 --tol=1e-12
same 'course, N = 32: 84 iterations' "$(value iterations course.json)" 84
figure 'course, N = 32' course.json consistency 0.0394569 5e-6

# compare NAME FILE: the same problem solved in another way.
compare() {
    local key iterations reference
    iterations=$(value iterations "$2")
    reference=$(value iterations smooth.json)
    [ -n "$iterations" ] && [ $((iterations - reference)) -ge -1 ] &&
        [ $((iterations - reference)) -le 1 ]
    verdict "$1: iterations within 1" $? "$iterations, not $reference; $(head -n 1 err)"
    for key in nodal_l2 l2 max h1; do
        near "$(value $key "$2")" "$(value $key smooth.json)" 1e-6
        verdict "$1: $key to 6 digits" $? "$(value $key "$2")"
    done
}
for options in --format=crs '--format=crs --threads=1' '--chunk=4' '--chunk=8' '--chunk=32' \
    '--chunk=32 --threads=1' '--chunk=7 --sigma=50' '--sigma=4096' '--sigma=2147483647 --threads=1' \
    '--precond=jacobi' '--kernel=crs_row' '--format=none' '--format=none --threads=1' '--kernel=cells'; do
    # shellcheck disable=SC2086
    solves other.json --N=31 $options
    compare "$options" other.json
done

if [ $device = yes ]; then
    echo "# CUDA"
    refuses 1 'power of two, as 4 or 8' --backend=cuda --chunk=7
    refuses 1 'sigma = 8: cuSPARSE' --backend=cuda --kernel=sell_cusparse --sigma=8
    for sigma in 2 4096 100000; do
        timeout 300 "$cgsolve" --backend=cuda --N=31 --sigma=$sigma --json=cuda.json >out 2>err
        compare "sell_chunk, sigma = $sigma" cuda.json
    done
    refuses 6 'no CUDA device 999' --device=999 --N=7
    refuses 5 'of device memory' --backend=cuda --N=1290
    refuses 1 "kernel 'crs_cusparse' may give other bits.*--kernel=crs_" --backend=cuda --N=7 \
        --kernel=crs_cusparse --reproducible
    accepts --backend=cuda --N=15 --kernel=sell_cusparse --json=vendor.json --verbose
    same 'kernel_reproducible' "$(value kernel_reproducible vendor.json)" false
    grep -q -- '--reproducible refuses it' out
    verdict 'said in the report' $?
    # Those of higher order have their own test, check_order_cells_cuda, and ranks_cuda.sh.
    for kernel in $("$cgsolve" list kernels |
        awk '/^Products/ { exit } $2 == "cuda" && $1 !~ /^order/ { print $3 "/" $1 }'); do
        for launch in plain graph while persistent; do
            name="${kernel#*/}, $launch"
            timeout 300 "$cgsolve" --backend=cuda --N=31 --format="${kernel%/*}" \
                --kernel="${kernel#*/}" --launch=$launch --json=cuda.json >out 2>err
            if grep -Eq "can't be recorded|no iterations in one kernel" err; then
                echo "skipped: $name: $(head -n 1 err)"
                continue
            fi
            compare "$name" cuda.json
        done
    done
    for format in crs sell sellc none; do
        accepts --backend=cuda --N=31 --format=$format --precision=mixed --json=mixed.json
        same "mixed, $format: converged" "$(value status mixed.json)" converged
        near "$(value nodal_l2 mixed.json)" "$(value nodal_l2 smooth.json)" 1e-6
        verdict "mixed, $format: the same error" $? "$(value nodal_l2 mixed.json)"
    done
    refuses 1 "launch 'persistent'.*too big" --backend=cuda --N=200 --format=none --launch=persistent
    refuses 1 "launch 'persistent'.*without a preconditioner" --backend=cuda --N=15 --format=none \
        --launch=persistent --precond=jacobi
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
