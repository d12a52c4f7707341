#!/usr/bin/env bash
# tests/cli/cli_amg.sh: what goes with --precond=amg: options that belong together, what is planned and refused,
# what reports say, near-null vectors, the same bits for any number of threads, files of the collection where it is
# there.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Options"
accepts list preconditioners
grep -q '^  amg .*aggregates' out
verdict 'and the list says what it is' $?

echo "# All that goes together"
# combination MOST OPTIONS...: converges within MOST iterations.
combination() {
    local most=$1
    shift
    solves one.json --precond=amg "$@"
    same "$*: converged" "$(value status one.json)" converged
    [ "$(value iterations one.json)" -le "$most" ]
    verdict "$*: at most $most iterations" $? "$(value iterations one.json)"
}
for options in --reproducible --precision=single --precision=mixed --precond-precision=double \
    --format=crs --format=sellc '--kappa=smooth --sigma=64' --guess=fmg --degree=3 --strength=0; do
    # shellcheck disable=SC2086 # several options
    combination 16 --N=15 $options
done
combination 12 --N=31 --tol=1e-8
for n in 1 2 7 8; do
    combination 12 --N=$n
done
for file in LF10 LFAT5 Trefethen_20 bcsstk01 mesh1e1 nos4; do
    combination 3 --matrix="$systems/$file.mtx" --precond-precision=double --tol=1e-8
done
solves fault.json --N=15 --precond=amg --inject=nan@2
same '--inject=nan@2' $? 3

echo "# What is not positive definite"
cat >indefinite.mtx <<'MTX'
%%MatrixMarket matrix coordinate real symmetric
2 2 3
1 1 1
2 1 2
2 2 1
MTX
refuses 3 'not positive' --backend=cpu --precond=amg --matrix=indefinite.mtx
sed 's/^2 2 1/2 2 -1/' indefinite.mtx >negative.mtx
refuses 3 'negative|not positive' --backend=cpu --precond=amg --matrix=negative.mtx
solves shifted.json --N=15 --precond=amg --inject=indefinite
same '--inject=indefinite' $? 3

echo "# Cycles in single that end a solve"
cat >path.mtx <<'MTX'
%%MatrixMarket matrix coordinate real symmetric
6 6 11
1 1 71419
2 1 -71418
2 2 81927
3 2 -10509
3 3 18338313
4 3 -18327804
4 4 51958865
5 4 -33631061
5 5 43426234
6 5 -9795173
6 6 9795173
MTX
refuses 3 'not positive' --backend=cpu --precond=amg --matrix=path.mtx --tol=1e-8 --precond-precision=single
for options in --threads=1 --threads=2; do
    solves again.json --precond=amg --matrix=path.mtx --tol=1e-8 "$options"
    same "$options: converged" "$(value status again.json)" converged
    grep -q '"cycle_precision": *"double"' again.json
    verdict "$options: with cycles in double" $?
    grep -q '"begun_again_because": *"r.M r was not positive"' again.json
    verdict "$options: which it says" $?
    grep -q 'amg began again with cycles in double' again.json
    verdict "$options: in a note, too" $?
done
solves double.json --precond=amg --matrix=path.mtx --tol=1e-8 --precond-precision=double
grep -q begun_again double.json
same 'cycles in double from the start begin once' $? 1
# The same beside a part of two rows, of whose entries a minor is 0, as b and the null space allow.
sed 's/^6 6 11/8 8 14/' path.mtx >parts.mtx
printf '7 7 1\n8 7 -1\n8 8 1\n' >>parts.mtx
refuses 3 'not positive' --backend=cpu --precond=amg --matrix=parts.mtx --nullspace=constant --tol=1e-8 --precond-precision=single
solves again.json --precond=amg --matrix=parts.mtx --nullspace=constant --tol=1e-8
same 'two parts' "$(value status again.json)" converged
grep -q '"begun_again_because": *"r.M r was not positive"' again.json
verdict 'begin again' $?
# Springs between 4 x 4 points, two of them stiff, one point held by 0.1.
awk 'BEGIN {
    n = 4
    for (i = 1; i <= n * n; i++)
        for (k = 0; k < 2; k++) {
            j = k ? i + n : i + 1
            if (k ? j > n * n : i % n == 0)
                continue
            w = i == 4 && k || i == 15 && !k ? 60207665 : 1
            d[i] += w
            d[j] += w
            entry[++m] = j " " i " " (-w)
        }
    d[1] += 0.1
    print "%%MatrixMarket matrix coordinate real symmetric"
    print n * n, n * n, n * n + m
    for (i = 1; i <= n * n; i++)
        printf "%d %d %.17g\n", i, i, d[i]
    for (i = 1; i <= m; i++)
        print entry[i]
}' >stiff.mtx
refuses 3 "p'A p is not positive" --backend=cpu --precond=amg --matrix=stiff.mtx --tol=1e-8 --precond-precision=single --kernel=crs_row
solves again.json --precond=amg --matrix=stiff.mtx --tol=1e-8 --kernel=crs_row
same "p'A p was not positive" "$(value status again.json)" converged
grep -q '"begun_again_because": *"p.A p was not positive"' again.json
verdict 'which it says' $?
# A box that no face holds, with a cylinder of 1e8, as a file.
accepts --backend=cpu '--source=cos(2*pi*x)*sin(2*pi*y)' '--kappa=(x-0.5)^2+(y-0.5)^2 < 0.0625 ? 1e8 : 1' --cells=24 \
    --face={x,y,z}{0,1}:flux --precond=amg --save-matrix=free.mtx
solves free.json --precond=amg --matrix=free.mtx --tol=1e-12 --kernel=crs_row
same 'a residual without its mean' "$(value status free.json)" converged
grep -q begun_again free.json
same 'with cycles in single' $? 1

echo "# The same bits"
# history FILE: the residuals of all iterations.
history() {
    tr -d ' \n' <"$1" | sed 's/.*"history":\[\([^]]*\)\].*/\1/'
}
for options in '' --precond-precision=double; do
    # shellcheck disable=SC2086 # none or one
    solves one.json --N=21 --precond=amg --threads=1 $options
    # shellcheck disable=SC2086
    solves three.json --N=21 --precond=amg --threads=3 $options
    same "1 and 3 threads $options" "$(history three.json)" "$(history one.json)"
done
# The five-point Laplacian on 50 x 50 points, of whose missing entries some are there as 0 on one side.
awk 'BEGIN {
    n = 50
    for (i = 1; i <= n * n; i++) {
        row[++k] = i " " i " 4"
        if (i % n) { row[++k] = i " " i + 1 " -1"; row[++k] = i + 1 " " i " -1" }
        if (i <= n * (n - 1)) { row[++k] = i " " i + n " -1"; row[++k] = i + n " " i " -1" }
        if (i % n && i % 3) row[++k] = i " " (i * 7919 + 3 * n) % (n * n - i) + i + 1 + n " 0"
    }
    for (e = 1; e <= k; e++) { split(row[e], part, " "); if (part[2] <= n * n && !seen[part[1], part[2]]++) kept[++m] = row[e] }
    print "%%MatrixMarket matrix coordinate real general"
    print n * n, n * n, m
    for (e = 1; e <= m; e++) print kept[e]
}' >zeros.mtx
for threads in 1 16; do
    solves $threads.json --matrix=zeros.mtx --precond=amg --precond-precision=double --kernel=crs_row --reproducible --threads=$threads --tol=1e-8
done
same "1 and 16 threads with zeros on one side" "$(history 16.json)" "$(history 1.json)"
solves often.json --N=21 --precond=amg --threads=2 --precond-precision=double --solves=2
same 'and a second solve' "$(history often.json)" "$(history one.json)"
same 'solves' "$(value count often.json)" 2

echo "# What is planned"
accepts --backend=cpu --N=31 --precond=amg --plan
grep -Eq '^ +multigrid, finest grid ' out && grep -Eq 'coarser grids \(estimate\)' out &&
    grep -Eq 'more in set-up \(estimate\)' out
verdict '--plan has its grids, and says what is an estimate' $?
accepts --backend=cpu --threads=2 --N=7 --precond=amg --format=crs --plan # with many threads set-up takes more
! grep -q 'set-up' out
verdict 'which is not named where more is there afterwards' $?
# planned OPTIONS...: three iterations take no more memory than was planned. (Of what is planned for products less is touched
# where pages are small, of a small matrix hardly any.)
planned() {
    solves planned.json --precond=amg --max-iterations=3 --tol=1e-15 "$@"
    as_planned "$*" planned.json 100
}
if [ $instrumented = no ]; then
    for options in '--N=7 --threads=8 --deform=0.1 --kappa=smooth' '--N=29 --threads=2' \
        '--N=31 --kappa=smooth --deform=0.2' '--N=44 --threads=2' '--N=24 --strength=0.05' \
        '--N=40 --format=crs --precond-precision=double' '--N=20 --precision=mixed' \
        '--N=48 --threads=2'; do
        # shellcheck disable=SC2086 # several options
        planned $options
    done
    as_planned 'half of it, on a box' planned.json 50
fi

echo "# Near-null vectors"
# shellcheck source=tests/cli/body.bash
. "$sources/tests/cli/body.bash"
# bears VECTORS MOST OPTIONS...: converges within MOST iterations, with so many vectors, and says so
bears() {
    local vectors=$1 most=$2
    shift 2
    combination "$most" --matrix=body.mtx --tol=1e-8 "$@"
    same 'vectors' "$(value near_null_vectors one.json)" "$vectors"
    same 'rows of a node' "$(value block one.json)" 3
    grep -q '"nodes": 729' one.json
    verdict 'and nodes of the finest grid' $?
}
bears 6 12 --coordinates=points.mtx
bears 3 24 --near-null=shifts.mtx --block=3
bears 6 22 --adaptive=6 --block=3
# shellcheck disable=SC2086 # several options
[ $instrumented = yes ] || for options in --coordinates=points.mtx '--near-null=shifts.mtx --block=1'; do
    planned --matrix=body.mtx $options
done
# Six vectors on rows of seven entries, each a node: P and P'A P have several times the entries of A
if [ $instrumented = no ]; then
    awk 'BEGIN {
        n = 30
        printf "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n ^ 3, n ^ 3, 4 * n ^ 3 - 3 * n ^ 2
        for (i = 0; i < n ^ 3; i++) {
            x = i % n; y = int(i / n) % n; z = int(i / n / n)
            print i + 1, i + 1, 6
            if (x) print i + 1, i, -1
            if (y) print i + 1, i + 1 - n, -1
            if (z) print i + 1, i + 1 - n * n, -1
        }
    }' >seven.mtx
    awk 'BEGIN {
        n = 30
        printf "%%%%MatrixMarket matrix array real general\n%d 6\n", n ^ 3
        for (k = 0; k < 6; k++)
            for (i = 0; i < n ^ 3; i++) {
                x = i % n; y = int(i / n) % n; z = int(i / n / n)
                print k == 0 ? 1 : k == 1 ? x : k == 2 ? y : k == 3 ? z : k == 4 ? x * y : x * x
            }
    }' >six.mtx
    planned --matrix=seven.mtx --near-null=six.mtx --block=1
fi

echo "# The report"
solves amg.json --N=21 --precond=amg --profile --verbose
valid_json 'algebraic multigrid' amg.json
bill amg.json
grep -q '^Multigrid  algebraic, cycles in single, smoother of degree 2' out &&
    grep -Eq '^ +0 +9 261 +[0-9.]+ ' out && grep -q 'solved exactly' out && grep -q 'set-up: draw' out
verdict 'the text has the grids' $?
grep -q '^Cycle      grid' out
verdict 'and what a cycle takes on each' $?
same "their bytes are the cycle's" "$(sed -n 's/.*"grid_cycle_bytes": \([0-9]*\).*/\1/p' amg.json |
    awk '{ sum += $1 } END { printf "%d", sum }')" "$(value cycle_bytes amg.json)"
for key in strength coarsest setup_parts draw bounds aggregate prolong transpose products fetch \
    operators grid_mean_row aggregated_rows aggregate_mean_rows prolongation_nonzeros grid_complexity operator_complexity; do
    grep -q "\"$key\": " amg.json || verdict "JSON has $key" 1
done
# merit KEY FILE: a figure of merit, computed from other facts of the report
merit() {
    awk -v key="$1" -F'[:,]' '
        /"(grid|prolongation)_nonzeros"/ { entries += $2 }
        /"setup_seconds"/ { setup = $2 }
        /"iterations"/ { iterations = iterations ? iterations : $2 }
        /"count"/ { solves = $2 }
        /"median_seconds"/ { solve = $2 }
        END { printf "%.12e", key == "entries_per_second" ? entries / (setup + solves * solve) \
                                                          : (entries / setup + entries * iterations / solve) / 2 }
    ' "$2"
}
for key in figure_of_merit entries_per_second; do
    figure 'of its entries and seconds' amg.json $key "$(merit $key amg.json)" 1e-9
    figure 'likewise of two solves' often.json $key "$(merit $key often.json)" 1e-9
done
awk -v c="$(value operator_complexity amg.json)" 'BEGIN { exit !(c > 1 && c < 1.5) }'
verdict 'grids are small beside the finest' $? "$(value operator_complexity amg.json)"

echo "# Files"
spd=$shared/spd
if [ -d "$spd" ] && [ $instrumented = no ]; then
    for file in lap2D_5pt_n100 laplace27_25x25x25; do
        combination 15 --matrix="$spd/$file.mtx.gz" --format=crs --kernel=crs_row --tol=1e-8
    done
    # a diagonal, rows that meet in many, the largest
    for file in bcsstm11.mtx bcsstk08.mtx Trefethen_2000.mtx.gz bcsstk18.mtx.gz cvxbqp1.mtx.gz; do
        planned --matrix="$spd/$file" --format=crs --kernel=crs_gather --strength=0
    done
else
    echo "ok: none of the collection: $spd is not there"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
