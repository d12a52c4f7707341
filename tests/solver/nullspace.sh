#!/usr/bin/env bash
# tests/solver/nullspace.sh: matrices by rows that take constants on parts of their rows, or vectors of a file, to 0: found or
# asked for (--nullspace), what becomes of b and x, the same bits for any number of threads.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/../cli/cli.bash"

# laplacian FILE: reads edges, i j weight, and writes the Laplacian of their graph.
laplacian() {
    awk '{ n = $1 > n ? $1 : n; n = $2 > n ? $2 : n; at[NR] = $2 " " $1 " " (-$3); sum[$1] += $3; sum[$2] += $3 }
        END {
            print "%%MatrixMarket matrix coordinate real symmetric"
            print n, n, NR + n
            for (k = 1; k <= NR; k++) print at[k]
            for (i = 1; i <= n; i++) print i, i, sum[i]
        }' >"$1"
}
# A path of 60 rows, a star of 30, a ring of 40; the path alone, and the path held at its first row.
{
    for i in {1..59}; do echo "$i $((i + 1)) $((i % 3 + 1))"; done
    for i in {62..90}; do echo "61 $i 0.5"; done
    for i in {91..129}; do echo "$i $((i + 1)) 2"; done
    echo "91 130 4"
} >edges
laplacian parts.mtx <edges
head -n 59 edges | laplacian path.mtx
sed 's/^1 1 2$/1 1 3/' path.mtx >held.mtx
# A beam on nothing, u'''' = 0 at its inner points: constants and lines are taken to 0.
awk 'BEGIN {
    n = 24; c[0] = 1; c[1] = -2; c[2] = 1
    for (k = 1; k <= n - 2; k++) for (i = 0; i < 3; i++) for (j = 0; j <= i; j++) a[k + i, k + j] += c[i] * c[j]
    print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 3 * n - 3
    for (i = 1; i <= n; i++) for (j = i > 2 ? i - 2 : 1; j <= i; j++) print i, j, a[i, j]
    for (i = 1; i <= n; i++) print 1, i >"lines.txt"
    for (i = 1; i <= n; i++) print 1, 2 >"twice.txt"
    for (i = 1; i <= n; i++) print i * i >"square.txt"
    for (i = 1; i <= n; i++) print sin(i) + 0.1 >"b.txt"
}' >beam.mtx
# array FILE: a text of numbers as an array in Matrix Market.
array() {
    awk '{ for (c = 1; c <= NF; c++) a[NR, c] = $c; k = NF }
        END { print "%%MatrixMarket matrix array real general\n" NR, k
            for (c = 1; c <= k; c++) for (i = 1; i <= NR; i++) print a[i, c] }' "$1.txt" >"$1.mtx"
}
array lines && array twice && array square

echo "# Found"
for precond in none jacobi chebyshev amg; do
    solves found.json --matrix=parts.mtx --precond=$precond --tol=1e-10
    same "$precond: converged" "$(value status found.json)" converged
    awk -v e="$(value relative found.json)" 'BEGIN { exit !(e != "" && e < 1e-6) }'
    verdict "$precond: x is near u" $? "$(value relative found.json)"
done
same 'three parts' "$(value dimension found.json)" 3
same 'that nobody asked for' "$(value asked found.json)" false
grep -q 'constants solve A x = 0 on each of 3 parts' out
verdict 'and the report says so' $?
solves one.json --matrix=held.mtx
grep -q '"nullspace"' one.json
same 'none where a row does not add up to 0' $? 1
# The hub of a star is held so weakly that its sum is below the bound of rounding for so many terms of one size.
awk 'BEGIN {
    n = 10001
    print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 2 * n - 1
    printf "1 1 %.17g\n", n - 1 + 1e-8
    for (i = 2; i <= n; i++) print i, 1, -1 "\n" i, i, 1
}' >hub.mtx
solves hub.json --matrix=hub.mtx --max-iterations=1
grep -q '"nullspace"' hub.json
same 'nor where one is held weakly' $? 1
solves tight.json --matrix=path.mtx --tol=1e-30 --max-iterations=500
same 'rounding alone is taken off whatever the tolerance' "$(value taken_off tight.json)" true
solves none.json --matrix=path.mtx --nullspace=none
grep -q '"nullspace"' none.json
same 'none where none is looked for' $? 1
refuses 2 'constants solve A x = 0.*adds up to 0, or --nullspace=constant, which takes that part off' \
    --backend=cpu --matrix=path.mtx --rhs=ones

echo "# Asked for"
# orthogonal FILE RANGE...: x, of Matrix Market, adds up to 0 on each range of rows.
orthogonal() {
    local file=$1
    shift
    for range; do
        tail -n +4 "$file" | awk -v from="${range%-*}" -v to="${range#*-}" '
            NR >= from && NR <= to { sum += $1; size += $1 < 0 ? -$1 : $1 }
            END { exit !(size > 0 && (sum < 0 ? -sum : sum) <= 1e-12 * size) }'
        verdict "x adds up to 0 on rows $range" $?
    done
}
awk 'BEGIN { for (i = 1; i <= 130; i++) print cos(i) + (i > 60) }' >b.130
for precond in jacobi amg; do
    solves asked.json --matrix=parts.mtx --kernel=crs_row --rhs=b.130 --nullspace=constant --precond=$precond \
        --tol=1e-10 --output=x.mtx
    same "$precond: converged" "$(value status asked.json)" converged
    awk -v part="$(value rhs_outside asked.json)" 'BEGIN { exit !(part > 0.1 && part < 1) }'
    verdict 'though b had a part outside the range' $? "$(value rhs_outside asked.json)"
    same 'which was taken off' "$(value taken_off asked.json)" true
    orthogonal x.mtx 1-60 61-90 91-130
done
tail -n +4 x.mtx >one.txt
solves asked.json --matrix=parts.mtx --kernel=crs_row --rhs=b.130 --nullspace=constant --precond=amg \
    --tol=1e-10 --output=x.mtx --threads=3
tail -n +4 x.mtx | cmp -s - one.txt
verdict 'the same bits with 3 threads' $?
solves ones.json --matrix=path.mtx --rhs=ones --nullspace=constant
same 'of b = 1 nothing is left' "$(value iterations ones.json)" 0

echo "# Vectors of a file"
solves beam.json --matrix=beam.mtx --rhs=b.txt --nullspace=lines.mtx --precond=jacobi --output=x.mtx
same 'converged' "$(value status beam.json)" converged
same 'two vectors' "$(value dimension beam.json)" 2
tail -n +4 x.mtx | awk '{ a += $1; b += NR * $1; size += NR * ($1 < 0 ? -$1 : $1) }
    END { exit !(size > 0 && a * a + b * b < 1e-20 * size * size) }'
verdict 'x is orthogonal to both' $?
refuses 4 'vector 2 is a sum of those before it' --backend=cpu --matrix=beam.mtx --nullspace=twice.mtx
refuses 1 'A does not take vector 1 to 0' --backend=cpu --matrix=beam.mtx --nullspace=square.mtx

echo "$passed passed, $failed failed"
[ $failed = 0 ]
