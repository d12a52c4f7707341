#!/usr/bin/env bash
# tests/cli/why.sh: why CG stopped, as messages say it. Causes are those of the matrix at hand, in the numbers of
# its file; nothing is advised that is in force already, or that does not help. SPD matrices of any units converge
# with every preconditioner; separate parts and singular coarse grids are no obstacle to --precond=amg.
set -u

# shellcheck source=tests/cli/files.bash
. "$(dirname "${BASH_SOURCE[0]}")/files.bash"

never() { # PATTERN: not in the message
    ! grep -Eq -- "$1" err
    verdict "... never '$1'" $? "$(head -n 1 err)"
}

# chain NAME ROWS UNITS SHIFT [BREAK]: tridiag(-1, 2, -1) as springs between neighbours, no spring after row BREAK, SHIFT
# on the first diagonal entry; row i is in units of 10^(UNITS (i mod 7) / 6): a_ij times both.
chain() {
    awk -v n="$2" -v units="$3" -v shift="$4" -v cut="${5:-0}" 'BEGIN {
        for (i = 1; i <= n; i++) s[i] = exp(log(10) * units * (i % 7) / 6)
        print "%%MatrixMarket matrix coordinate real symmetric"
        print n, n, 2 * n - 1 - (cut > 0)
        for (i = 1; i <= n; i++) {
            springs = (i > 1 && i - 1 != cut) + (i < n && i != cut)
            printf "%d %d %.17g\n", i, i, (springs + (i == 1 ? shift : 0)) * s[i] * s[i]
            if (i < n && i != cut) printf "%d %d %.17g\n", i + 1, i, -s[i] * s[i + 1]
        }
    }' >"$1"
}

echo '# SPD in any units'
for units in 3 6 10; do
    chain units.mtx 700 $units 0.5
    for precond in jacobi chebyshev amg; do
        timeout 60 "$cgsolve" --backend=cpu --matrix=units.mtx --rhs=random --precond=$precond >out 2>err
        ! grep -Eq 'definite|singular' err
        verdict "units of 1 to 1e$units, $precond: not called indefinite or singular" $? "$(head -n 1 err)"
    done
done
for h in 1e9 1e12 1e16 1e20; do
    for precond in jacobi chebyshev mg amg; do
        timeout 60 "$cgsolve" --backend=cpu --source=1 --N=7 --precond=$precond --face=x0:h=$h,ambient=0 \
            --face=x1:value=0 --face=y0:flux --face=y1:flux --face=z0:flux --face=z1:flux >out 2>err
        ! grep -Eq 'definite|singular' err
        verdict "box with h = $h, $precond: not called indefinite or singular" $? "$(head -n 1 err)"
    done
done
# Penalties on four rows, whose sum of squares hides the others.
chain plain.mtx 60 0 0.5
sed -E 's/^(7|8|20|33) \1 .*/\1 \1 1e18/' plain.mtx >penalty.mtx
for precision in double single; do
    solves 2 '.' --matrix=penalty.mtx --rhs=ones --precision=$precision
    never 'is singular,|from its range|not positive definite'
    grep -q -- '--precond=jacobi' err
    verdict "penalties in $precision precision: Jacobi is proposed" $? "$(head -n 1 err)"
done

echo '# Indefinite: two rows prove it'
matrix minor.mtx symmetric 4 '1 1 9' '2 2 1' '3 3 5' '4 4 2' '2 1 1' '3 2 3'
for more in --precond=none --precond=jacobi --precond=chebyshev --precision=single --cg=single-reduction --format=crs; do
    solves 3 'a\(2, 2\) a\(3, 3\) < a\(2, 3\)\^2 \(1 x 5, 3 squared; .*not positive definite' --matrix=minor.mtx --rhs=ones $more
    never '--prec(ond|ision)=|powers of two'
done
matrix small.mtx symmetric 6 '1 1 4' '2 2 4' '3 3 4' '4 4 4' '5 5 4' '6 6 1e-300' '2 1 -1' '3 2 -1' '4 3 -1' '5 4 -1' '6 5 -1'
solves 3 'a\(5, 5\) a\(6, 6\) < a\(5, 6\)\^2 \(4 x 1e-300, -1 squared' --matrix=small.mtx --rhs=ones
never 'powers of two|overflow'

echo '# Indefinite: a direction proves it'
matrix hidden.mtx symmetric 3 '1 1 1' '2 2 1' '3 3 1' '2 1 -0.9' '3 1 -0.9' '3 2 -0.9'
for more in --precond=none --precond=jacobi --precision=single --cg=single-reduction --precond=amg; do
    solves 3 "p'A p / p'p = -8.00e-01 by a plain product.*so the matrix is not positive definite" --matrix=hidden.mtx --rhs=ones $more
    never '--prec(ond|ision)='
done

echo '# Numbers near the ends of the range'
matrix apart.mtx symmetric 2 '1 1 1e300' '2 2 1e-300' '2 1 0.5'
timeout 60 "$cgsolve" --backend=cpu --matrix=apart.mtx --rhs=ones >out 2>err
never 'multiply matrix|not positive definite'

# Sums, or x itself: multiplied by the powers of two that the message names, the same system is solved.
while read -r size_a size_b precision words; do
    chain near.mtx 20 0 0.5
    awk -v s="$size_a" 'NR > 2 { $3 = sprintf("%.17g", $3 * s) } 1' near.mtx >far.mtx
    # shellcheck disable=SC2046 # numbers
    vector far_b.mtx $(yes "$size_b" | head -n 20)
    timeout 60 "$cgsolve" --backend=cpu --precision="$precision" --matrix=far.mtx --rhs=far_b.mtx >out 2>err
    grep -q "$words in $precision precision" err
    verdict "diagonal near $size_a, b = $size_b, $precision: $words" $? "$(head -n 1 err)"
    read -r a b <<<"$(sed -n -e 's/.*matrix and right-hand side by 2^\(-*[0-9]*\).*/\1 \1/p' \
        -e 's/.*matrix by 2^\(-*[0-9]*\) and the right-hand side by 2^\(-*[0-9]*\):.*/\1 \2/p' err | head -n 1)"
    awk -v s="$a" 'NR > 2 { $3 = sprintf("%.17g", $3 * 2 ^ s) } 1' far.mtx >near.mtx
    awk -v s="$b" 'NR > 2 { $1 = sprintf("%.17g", $1 * 2 ^ s) } 1' far_b.mtx >near_b.mtx
    solves 0 '' --matrix=near.mtx --rhs=near_b.mtx --precision="$precision"
done <<'END'
1e-200 1e200 double x overflows
1e-10 1e304 double x overflows
1e-300 1e20 double sums overflow or underflow
1e300 1e-30 double x underflows
1e30 1e-30 single x underflows
1e30 1e30 single sums overflow or underflow
END

echo '# Singular, b out of range: all rows, or those of a part'
chain whole.mtx 50 0 0
chain parts.mtx 90 0 0 40
# shellcheck disable=SC2046 # numbers
vector b.mtx $(seq -19.5 1 19.5) $(yes 1 | head -n 50)
for more in --precond=none --precond=jacobi --precond=amg --precision=single; do
    solves 2 'constants solve A x = 0, so the matrix is singular, and b has a part outside its range' --matrix=whole.mtx --rhs=ones $more
    never '--prec(ond|ision)='
    solves 2 'constants on the 50 rows that entries join to row 41 .*singular' --matrix=parts.mtx --rhs=b.mtx $more
done

echo '# ... and in range: amg takes separate parts, a star, thousands of parts, isolated rows'
# shellcheck disable=SC2046
vector b.mtx $(seq -19.5 1 19.5) $(seq -24.5 1 24.5)
solves 0 '' --matrix=parts.mtx --rhs=b.mtx --precond=amg
below iterations 12
n=500
star=("1 1 $((n - 1))")
for ((i = 2; i <= n; i++)); do star+=("$i $i 1" "$i 1 -1"); done
matrix star.mtx symmetric $n "${star[@]}"
# shellcheck disable=SC2046
vector b.mtx $(seq -249.5 1 249.5)
for more in --precond-precision=single --precond-precision=double --precision=single; do
    solves 0 '' --matrix=star.mtx --rhs=b.mtx --precond=amg --tol=1e-5 $more
    below iterations 5
done
timeout 60 "$cgsolve" --backend=cpu --matrix=star.mtx --rhs=ones --precond=amg >out 2>err
grep -q 'constants solve A x = 0, so the matrix is singular, and b has a part outside its range' err
verdict 'a star, b out of range: said' $? "$(head -n 1 err)"
never "row 1 .*not positive|Jacobi can't"
awk -v n=6000 'BEGIN {
    print "%%MatrixMarket matrix coordinate real symmetric"
    print n, n, n + n / 3 * 2
    for (i = 1; i <= n; i += 3)
        printf "%d %d 1\n%d %d 2\n%d %d 1\n%d %d -1\n%d %d -1\n", i, i, i + 1, i + 1, i + 2, i + 2, i + 1, i, i + 2, i + 1
}' >many.mtx
# shellcheck disable=SC2046
vector b.mtx $(yes '1 1 -2' | head -n 2000)
solves 0 '' --matrix=many.mtx --rhs=b.mtx --precond=amg
below iterations 5
rows=('1 1 1.5' '2 2 2' '3 3 1' '2 1 -1' '3 2 -1')
for ((i = 4; i <= 40; i++)); do rows+=("$i $i 1e$((i % 13))"); done
matrix isolated.mtx symmetric 40 "${rows[@]}"
for precond in jacobi chebyshev amg; do
    timeout 60 "$cgsolve" --backend=cpu --matrix=isolated.mtx --rhs=random --precond=$precond >out 2>err
    never 'definite|singular'
done

echo '# Nothing is known'
rows=()
for ((i = 1; i <= 14; i++)); do
    for ((j = 1; j <= i; j++)); do rows+=("$i $j $(awk -v k=$((i + j - 1)) 'BEGIN { printf "%.17g", 1 / k }')"); done
done
matrix hilbert.mtx symmetric 14 "${rows[@]}"
timeout 60 "$cgsolve" --backend=cpu --matrix=hilbert.mtx --rhs=ones >out 2>err
never 'not positive definite|matrix is singular,|from its range|powers of two'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
