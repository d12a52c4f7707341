#!/usr/bin/env bash
# tests/cli/files.sh: cgsolve --matrix=FILE: what goes with it and what does not, right-hand sides, solutions
# and matrices written, matrices that CG cannot solve with the reason, memory.
set -u

# shellcheck source=tests/cli/files.bash
. "$(dirname "${BASH_SOURCE[0]}")/files.bash"

matrix two.mtx symmetric 2 '1 1 2' '2 2 2' '2 1 -1'
vector b.mtx 1 4

echo '# Options'
for option in --N=8 --problem=sine --quadrature=gauss --deform=0.1 --kappa=smooth --material=a:kappa=2 '--region=a:x<0.5' --let=k=1; do
    solves 1 "${option%%=*}(=[a-z]*)? belongs to the box, but here is --matrix" --matrix=two.mtx "$option"
done
solves 1 '--stop=discretization belongs to the box' --matrix=two.mtx --stop=discretization
solves 1 '--rhs=ones belongs to --matrix=FILE' --rhs=ones
solves 1 "--random belongs to 'cgsolve spmv'" --random=10,0.5
solves 1 '--plan solves nothing, so there is no --output' --matrix=two.mtx --plan --output=x.mtx
solves 1 '--plan solves nothing, so there is no --save-matrix' --plan --save-matrix=x.mtx
solves 1 '--output=- would mix with the report' --output=-
for command in spmv spgemm study; do
    "$cgsolve" $command --csv=- >out 2>err
    same "$command --csv=-: status" $? 1
    grep -q -- '--csv=- would mix with the report' err
    verdict '... and why' $?
done
solves 1 '--output and --save-matrix name the same file' --output=x.mtx --save-matrix=./x.mtx
solves 1 "--save-matrix and --matrix name the same file" --matrix=two.mtx --save-matrix=two.mtx
solves 1 '--output and --rhs name the same file' --matrix=two.mtx --rhs=b.mtx --output=b.mtx
solves 0 '' --matrix=two.mtx --stop=residual
solves 4 'nowhere.mtx' --matrix=nowhere.mtx
solves 4 'nowhere.mtx' --matrix=two.mtx --rhs=nowhere.mtx
solves 4 'nowhere' --matrix=two.mtx --output=nowhere/x.mtx

echo '# Right-hand sides, and the solution'
solves 0 '' --matrix=two.mtx --rhs=b.mtx --output=x.mtx # x = (2, 3)
same 'the solution' "$(sed '/^%/d' x.mtx | awk 'NR > 1 { printf "%.9f ", $1 }')" \
    '2.000000000 3.000000000 '
solves 0 '' --matrix=two.mtx --rhs=ones --output=x.mtx # x = (1, 1)
same 'the solution' "$(sed '/^%/d' x.mtx | awk 'NR > 1 { printf "%.9f ", $1 }')" \
    '1.000000000 1.000000000 '
absent relative
solves 0 . --matrix=two.mtx --verbose
says 'b = A u with a random u'
says 'max \|x - u\|'
below relative 1e-10
npy() { # SHAPE FORTRAN: an array with the bytes 1 and 4
    printf "\\x93NUMPY\\x01\\x00\\x76\\x00%-117s\\n\\x01\\x04" "{'descr': '|i1', 'fortran_order': $2, 'shape': $1, }"
}
for shape in '(2,)' '(2, 1)'; do
    for fortran in False True; do
        npy "$shape" $fortran >b.npy
        solves 0 '' --matrix=two.mtx --rhs=b.npy --output=x.mtx
        same "... $shape: the solution" "$(sed '/^%/d' x.mtx | awk 'NR > 1 { printf "%.9f ", $1 }')" \
            '2.000000000 3.000000000 '
        solves 0 '' --matrix=two.mtx --rhs=b.mtx --guess=b.npy
    done
done
npy '(1, 2)' False >b.npy
solves 4 'its shape is \(1, 2\), and there are \(2,\) unknowns: save a.ravel\(\)' --matrix=two.mtx --rhs=b.npy
for fortran in False True; do # two right-hand sides, one set-up
    { npy '(2, 2)' $fortran; printf '\002\001'; } >b.npy
    if [ $fortran = True ]; then wanted='2.0000 3.0000 1.6667 1.3333 '; else wanted='1.3333 1.6667 3.0000 2.0000 '; fi
    solves 0 . --matrix=two.mtx --rhs=b.npy --output=x.mtx --verbose
    says '2 of 2 right-hand sides, one set-up: [12] to 2 iterations'
    same "... (2, 2): the solutions" "$(sed '/^%/d' x.mtx | awk 'NR == 1 { printf "%s: ", $0; next } { printf "%.4f ", $1 }')" \
        "2 2: $wanted"
done
solves 0 '' --matrix=two.mtx --rhs=x.mtx --output=y.npy # Matrix Market, and NumPy's order of columns
same 'a report on each' "$(grep -c '"true_relative_residual"' report.json)" 3
solves 0 '' --matrix=two.mtx --rhs=y.npy --output=z.csv
same 'columns of CSV' "$(sed -n '1p' z.csv) $(awk -F, 'NR > 1 { print NF }' z.csv | tr '\n' ' ')" 'row,solution_1,solution_2 3 3 '
solves 2 'right-hand side 1 of 1 \.\.\. 2\)' --matrix=two.mtx --rhs=y.npy --max-iterations=1
solves 4 'its shape is \(2, 2\), and there are \(2,\) unknowns: give one column, as by saving a\[:, 0\]' \
    --matrix=two.mtx --rhs=b.mtx --guess=y.npy
vector three.mtx 1 2 3
solves 4 'three.mtx' --matrix=two.mtx --rhs=three.mtx
vector huge.mtx 1 1e39
solves 4 "'huge.mtx': b\(2\) = 1e\+39 does not fit single precision" --matrix=two.mtx --rhs=huge.mtx \
    --precision=single
vector zero.mtx 0 0
solves 0 '' --matrix=two.mtx --rhs=zero.mtx
same 'b = 0: no iteration' "$(value iterations report.json)" 0
for size in e-320 e-170 e170 e306; do # squares of b are no numbers: a power of two is taken out of it
    vector size.mtx 1$size 4$size
    for precond in none jacobi amg; do
        solves 0 '' --matrix=two.mtx --rhs=size.mtx --precond=$precond --output=x.mtx
        same "the solution times 1$size" "$(sed '/^%/d' x.mtx | awk -v s=1$size 'NR > 1 { printf "%.3f ", $1 / s }')" \
            "$(awk -v a=2$size -v b=3$size -v s=1$size 'BEGIN { printf "%.3f %.3f ", a / s, b / s }')"
    done
    solves 0 '' --matrix=two.mtx --rhs=size.mtx --precision=mixed
done
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '1 1 1' '1 1 1e-300' >slight.mtx
vector size.mtx 1e20
solves 3 'overflow' --matrix=slight.mtx --rhs=size.mtx # x = 1e320
matrix stiff.mtx symmetric 2 '1 1 200' '2 2 200' '2 1 -1'
for start in 'double 1e200' 'single 1e38' 'mixed 1e60'; do
    vector start.mtx "${start#* }" "${start#* }"
    solves 3 "the residual of the start vector overflows in (double|single) precision: take a start that is nearer" \
        --matrix=stiff.mtx --rhs=ones --guess=start.mtx --precision="${start% *}"
done
vector small.mtx 1e-140 2e-140
solves 0 '' --matrix=two.mtx --rhs=small.mtx
solves 3 'nothing is left of it in single precision.*take --precision=mixed, or double, or multiply' --matrix=two.mtx \
    --rhs=small.mtx --precision=single
solves 0 '' --matrix=two.mtx --rhs=small.mtx --precision=mixed
vector small.mtx 1e-40 2e-40 # times a power of ten
solves 0 '' --matrix=two.mtx --rhs=small.mtx --precision=mixed
vector small.mtx 1e-10 2e-10
solves 0 '' --matrix=two.mtx --rhs=small.mtx --precision=single
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '1 1 1' '1 1 1e-116' >slight.mtx
solves 0 '' --matrix=slight.mtx

echo '# Rows, each beside its own terms'
# chain N PENALTY: -u'' = 0 with u = 1 held at both ends by penalty: u = 1 everywhere, chain.mtx and chain_b.mtx.
chain() {
    awk -v n="$1" -v p="$2" 'BEGIN { print "%%MatrixMarket matrix coordinate real symmetric"
        print n, n, 2 * n - 1
        for (i = 1; i <= n; i++) {
            printf "%d %d %.17g\n", i, i, i == 1 || i == n ? 1 + p : 2
            if (i < n) print i + 1, i, -1 } }' >chain.mtx
    awk -v n="$1" -v p="$2" 'BEGIN { print "%%MatrixMarket matrix array real general"; print n, 1
        for (i = 1; i <= n; i++) print (i == 1 || i == n ? p : 0) }' >chain_b.mtx
}
for penalty in 1e6 1e12 1e18; do
    chain 60 $penalty
    for options in --precond=jacobi --precond=chebyshev --precond=amg '--precond=jacobi --cg=single-reduction' \
        '--precond=jacobi --precision=mixed' '--precond=jacobi --format=crs --tol=1e-3'; do
        # shellcheck disable=SC2086 # words
        solves 0 '' --matrix=chain.mtx --rhs=chain_b.mtx --output=x.mtx $options
        same "... penalty $penalty: u(30)" "$(awk 'NR > 1 && !/%/' x.mtx | awk 'NR == 31 { printf "%.4f", $1 }')" 1.0000
        below worst_row 0.5
    done
done
# Diagonal entries of 1e-24 and 1e24.
awk 'BEGIN { n = 40; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
    for (i = 1; i <= n; i++) {
        s = i % 2 ? 1e12 : 1e-12
        printf "%d %d %.17g\n", i, i, 2.5 * s * s
        if (i < n) print i + 1, i, -1 } }' >units.mtx
# shellcheck disable=SC2046 # words
vector units_b.mtx $(for _ in $(seq 20); do echo 1e12 1e-12; done)
solves 0 '' --matrix=units.mtx --rhs=units_b.mtx
chain 60 1e12
solves 2 'in row [0-9]+ of the matrix the residual is .* of its own terms.* raise --max-iterations' --matrix=chain.mtx \
    --rhs=chain_b.mtx --precond=jacobi --max-iterations=5
same 'the outcome' "$(value status report.json)" row_not_solved
solves 0 '' --matrix=units.mtx --rhs=units_b.mtx --precond=jacobi
below worst_row 1e-5
# A penalty at one end, and rows behind it whose residuals fall by 0.38 an iteration.
awk 'BEGIN { n = 40; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
    for (i = 1; i <= n; i++) { print i, i, i == 1 ? "1e12" : 3; if (i < n) print i + 1, i, -1 } }' >held.mtx
# shellcheck disable=SC2046 # words
vector held_b.mtx 1e12 $(yes 1 | head -39)
solves 0 '' --matrix=held.mtx --rhs=held_b.mtx --precond=jacobi --max-iterations=8
below worst_row 1e-3
grep -Eq 'in row 8 of the matrix the residual is 4\.[0-9]e-04 of its own terms .*; a larger --max-iterations shows' report.json
verdict '... a note names the row' $?
# b - A x is 0, and would be for many x: b is A x to rounding (1e-14) of the terms that cancel in it.
matrix cancels.mtx symmetric 3 '1 1 1.0000000000000036' '2 2 2' '3 3 1.0000000000000036' '2 1 -1' '3 2 -1'
vector cancels_b.mtx 3.5527136788005009e-15 0 3.5527136788005009e-15
vector cancels_x.mtx 1 1 1
solves 2 'the true relative residual is 0\.00e\+00, and rounding alone may leave' --matrix=cancels.mtx \
    --rhs=cancels_b.mtx --guess=cancels_x.mtx
# Where a source fades away x is 0 beyond the rows that CG has reached, and that is right.
awk 'BEGIN { n = 60; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 2 * n - 1
    for (i = 1; i <= n; i++) { print i, i, 10; if (i < n) print i + 1, i, -1 } }' >fades.mtx
# shellcheck disable=SC2046 # words
vector fades_b.mtx 1 $(yes 0 | head -59)
solves 0 '' --matrix=fades.mtx --rhs=fades_b.mtx
absent continuations
solves 0 '' --N=7 --source=1 --face=x0:h=1e12,ambient=1 --face=x1:value=0 --face=y0:flux --face=y1:flux \
    --face=z0:flux --face=z1:flux --precond=jacobi
says 'x1 1\.5'
solves 0 '' --N=7 --source=1 --face=x0:h=1e17,ambient=1 --face=x1:value=0 --face=y0:flux --face=y1:flux \
    --face=z0:flux --face=z1:flux --precond=jacobi # u - ambient is a few units in the last place
says 'what comes in and what goes out differ by [0-9.e+-]+ of it'
# The biharmonic matrix of a line: its condition number is some n^4.
awk 'BEGIN { n = 400; print "%%MatrixMarket matrix coordinate real symmetric"; print n, n, 3 * n - 3
    for (i = 1; i <= n; i++) { print i, i, 6; if (i < n) print i + 1, i, -4; if (i < n - 1) print i + 2, i, 1 } }' >plate.mtx
solves 0 '' --matrix=plate.mtx --rhs=random --tol=1e-7
says 'a known u, which x misses by [0-9.]+e-0[12] of'

echo '# Files of other programs'
# follow FILE: takes the message's two (or one) lines, its awk command where it has one, and solves what they make.
follow() {
    local file=$1 lines entries
    solves 4 'expected the banner.*%%MatrixMarket matrix (coordinate|array)' --matrix="$file"
    lines=$(grep -oE ': put ".*" (\(rows|above it)' err | grep -o '"[^"]*"' | tr -d '"')
    entries=$(grep -o "tr ',;' .*}'" err | sed "s/FILE/$file/")
    { echo "$lines" && eval "${entries:-cat $file}"; } >followed.mtx
    solves 0 '' --matrix=followed.mtx --save-matrix=saved.mtx
    same "... the matrix of $file" "$(sed '/^%/d' saved.mtx | tr '\n' ';')" '3 3 4;1 1 4;2 1 -1;2 2 4;3 3 2;'
}
printf '1 1 4\n1 2 -1\n2 1 -1.\n2 2 4\n3 3 2\n' >ijv.txt
printf '\n  3\t3  .2D1 \r\n1 1 4\r\n2 1 -1\r\n2 2 4' >lower.txt
printf '%% mine\n1 1 4\n1 2 -1\n2 2 4\n3 3 2\n' >upper.txt
printf '# Created by Octave\n# rows: 3\n1 1 4\n1 2 -1\n2 1 -1\n2 2 4\n3 3 2\n' >octave.txt
printf '  %s %s %s\n' 1.0e+00 1.0e+00 4.0e+00 1.0e+00 2.0e+00 -1.0e+00 2.0e+00 1.0e+00 -1.0e+00 \
    2.0e+00 2.0e+00 4.0e+00 3.0e+00 3.0e+00 2.0e+00 >matlab.txt
printf '0,0,4\n0,1,-1\n1,0,-1\n1,1,4\n2,2,2\n' >zero.csv
printf 'row,col,val\n1,1,4\n1,2,-1\n2,1,-1\n2,2,4\n3,3,2\n' >titled.csv
printf '3 3 5\n1 1 4\n1 2 -1\n2 1 -1\n2 2 4\n3 3 2\n' >sized.txt
printf '3 3 4\n0 0 4\n1 0 -1\n1 1 4\n2 2 2\n' >sized_zero.txt
for file in ijv.txt lower.txt upper.txt octave.txt matlab.txt zero.csv titled.csv sized.txt sized_zero.txt; do
    follow $file
done
printf '# mine\n1\n4.0\n' >column.txt # as numpy.savetxt writes a vector
vector two_b.mtx 1 4
solves 0 '' --matrix=two.mtx --rhs=two_b.mtx --output=x.mtx
for text in '# mine\n1\n4.0\n' '\n%% mine\n  +1.e0 \r\n4.0' '1\n\n4'; do
    # shellcheck disable=SC2059 # lines
    printf "$text" >column.txt
    solves 0 '' --matrix=two.mtx --rhs=column.txt --guess=column.txt --output=y.mtx
    solves 0 '' --matrix=two.mtx --rhs=column.txt --output=y.mtx
    cmp -s <(sed '/^% /d' x.mtx) <(sed '/^% /d' y.mtx)
    verdict '... the solution of the Matrix Market vector' $?
done
solves 4 'column.txt:1: .*it seems to be a vector, which --rhs and --guess take as it is' --matrix=column.txt
printf 'b,\n1,\n4.0,\n' >commas.txt
solves 4 'it seems to be a vector: a line has one number' --matrix=two.mtx --rhs=commas.txt
eval "$(grep -o "tr ',;' .*}'" err | sed 's/FILE/commas.txt/')" >b.txt
solves 0 '' --matrix=two.mtx --rhs=b.txt
printf '1\n4\n9\n' >long.txt
solves 4 'long.txt:3: one entry too many: expected 2, one for each row of the matrix' --matrix=two.mtx --rhs=long.txt
printf '1\n' >short.txt
solves 4 'short.txt:2: the text ends after 1 entry: expected 2, one for each row' --matrix=two.mtx --rhs=short.txt
printf '1 2\n4 5\n' >columns.txt
solves 4 "columns.txt:1: expected one value, found 2 words: .*; awk '.*' FILE takes the first column" --matrix=two.mtx --rhs=columns.txt
printf '1\nnan\n' >nan.txt
solves 4 'nan.txt:2: expected a finite number, found "nan"' --matrix=two.mtx --rhs=nan.txt
# What is no such table gets no such advice.
printf '%%mine\n%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n' >late.txt
printf '1 1 1\n2 2 x\n' >word.txt
printf 'a b c\nd e f\n1 1 1\n' >words.txt
printf '1 1 1\n2 2\n' >uneven.txt
printf '1.5 1 1\n2 2 2\n' >fraction.txt
printf '1 1 1\n2 2 1e999\n' >huge.txt
for file in late.txt word.txt words.txt uneven.txt fraction.txt huge.txt; do
    solves 4 'expected the banner "%%MatrixMarket matrix ..." as the first line, found "' --matrix=$file
    ! grep -q 'it seems' err
    verdict "... no advice on $file" $? "$(head -n 1 err)"
done
# begins WHAT FORMAT: a file that begins with what printf makes of FORMAT is known for what it is.
begins() {
    # shellcheck disable=SC2059 # bytes
    { printf "$2" && head -c 3000 /dev/zero; } >begins
    solves 4 "it seems to be $1" --matrix=begins
}
begins 'an array of NumPy' '\223NUMPY\001\000'
begins 'a MAT-file of MATLAB:' 'MATLAB 5.0 MAT-file'
begins 'a MAT-file of MATLAB in HDF5' 'MATLAB 7.3 MAT-file'
begins 'an HDF5 file' '\211HDF\r\n\032\n'
begins "a matrix in PETSc's" '\000\022{P'
begins "a vector in PETSc's" '\000\022{N'
begins "a system in AmgX's" '%%%%NVAMGBinary\n\001'
begins "a system in AmgX's second" '%%%%NVAMGBin_v2\n\000'
begins 'packed by bzip2' 'BZh9'
begins 'packed by zstd' '\050\265\057\375'
begins 'text in UTF-16' '\377\376%%\000'
begins 'a pointer of Git LFS' 'version https://git-lfs.github.com/spec/v1\n'
begins 'a mesh of Gmsh' '\044MeshFormat\n4.1 0 8\n'
begins 'a surface' 'solid cube\nfacet\n'
blender=$(printf '%-80s' 'Exported from Blender')
begins 'a surface' "$blender"'\074\000\000\000' # 60 triangles in the 3000 bytes that follow
for triangles in '\074' '\073'; do # packed, and with a wrong number of triangles
    # shellcheck disable=SC2059 # bytes
    { printf "$blender$triangles"'\000\000\000' && head -c 3000 /dev/zero; } >begins
    gzip -c begins >begins.gz
    if [ $triangles = '\074' ]; then expected='it seems to be a surface'; else expected='found "Exported"$'; fi
    solves 4 "$expected" --matrix=begins
    solves 4 "$expected" --matrix=begins.gz
done
{ printf '%s\200\032\006\000' "$blender" && head -c 20000000 /dev/zero; } | gzip -1 >begins.gz # 400000, more than a buffer
solves 4 'it seems to be a surface' --matrix=begins.gz
rm begins.gz
{ printf 'MATLAB 5' && head -c 17000000 /dev/zero; } >long_line
solves 4 'a line of more than .* bytes; it seems to be a MAT-file' --matrix=long_line
rm long_line
{ printf 'PK\003\004' && head -c 3000 /dev/zero; } >begins
solves 4 'zip archive' --matrix=begins

echo '# Harwell-Boeing'
# boeing FILE TYPE FORMATS NUMBERS: four entries of three rows; NUMBERS are the lines behind the formats.
boeing() {
    # shellcheck disable=SC2059 # lines
    printf "%-72s%-8s\n%14d%14d%14d%14d%14d\n%-14s%14d%14d%14d%14d\n%s\n$4" Title KEY 4 1 1 1 0 "$2" 3 3 4 0 "$3" >"$1"
}
# holds FILE ENTRIES: it is read, and is this matrix.
holds() {
    solves 0 '' --matrix="$1" --save-matrix=saved.mtx
    same "... the matrix of $1" "$(sed '/^%/d' saved.mtx | tr '\n' ';')" "$2"
}
lower='3 3 4;1 1 4;2 1 -1;2 2 4;3 3 2;'
formats='(20I4)          (26I3)          (3E9.2)'
boeing lower.rsa rsa "$formats" '   1   3   4   5\n  1  2  2  3\n 4.00E+00-1.00E+00 4.00d+00\n       2.\n'
holds lower.rsa "$lower"
boeing narrow.rsa RSA '(4I9) (4I9) (3E26.16)' ' 1 3 4 5\n 1 2 2 3\n  4.0E+00 -1.0E+00 4.0E+00\n 2.0E+00\n' # as by SciPy
holds narrow.rsa "$lower"
boeing upper.rsa RSA "$formats" '   1   2   4   5\n  1  1  2  3\r\n 4.00E+00-1.00E+00 4.00E+00\n 0.2E1'
holds upper.rsa "$lower"
boeing scaled.rsa RSA '(2I4) ( 4I1 ) (1P,2D10.2)' '   1   3\n   4   5\n1223\n  4.00D+00 -1.00D+00\n   4.00+00  2.00-000\n'
holds scaled.rsa "$lower"
boeing pattern.psa psa '(4I2) (4I2)' ' 1 2 3 5\n 1 2 3 3\n'
holds pattern.psa '3 3 3;1 1 1;2 2 1;3 3 2;' # an entry twice, as in Matrix Market files: their sum
boeing whole.isa isa '(4I2) (4I2) (4I2)' ' 1 3 4 5\n 1 2 2 3\n 4-1 4 2\n'
holds whole.isa "$lower"
sed '2s/ *0$//' lower.rsa >lower.rb # Rutherford-Boeing
holds lower.rb "$lower"
awk 'NR == 2 { sub("0$", "1") } { print } NR == 4 { print "F             1             0" }' lower.rsa >rhs.rsa
holds rhs.rsa "$lower"
gzip -c lower.rsa >lower.rsa.gz
holds lower.rsa.gz "$lower"
wrong() { # PATTERN TYPE FORMATS NUMBERS
    boeing wrong.hb "${@:2}"
    solves 4 "wrong.hb:$1" --matrix=wrong.hb
}
good='   1   3   4   5\n  1  2  2  3\n'
wrong '3: a Harwell-Boeing file, type CUA: CG needs a real' CUA "$formats" "$good"
wrong '3: .*, type RSE, of elements' RSE "$formats" "$good"
wrong '4: expected the formats of pointers' RSA '(20I4) (26I3) (3(1X,E9.2))' "$good"
wrong '4: expected the formats' RSA '(20I4) (26I3) (3E0.2)' "$good"
wrong '4: expected the formats' RSA '(20I4) (26I3) (3E99.2)' "$good"
wrong '5: expected a whole number from 1 to 1, column pointer 1 of 4, found "0"' RSA "$formats" '   0   3   4   5\n'
wrong '5: expected a whole number from 3 to 5, column pointer 3 of 4, found "2"' RSA "$formats" '   1   3   2   5\n'
wrong '5: expected a whole number from 5 to 5, column pointer 4 of 4, found "4"' RSA "$formats" '   1   3   4   4\n'
wrong '6: expected a whole number from 1 to 3, row index 4 of 4, found "4"' RSA "$formats" '   1   3   4   5\n  1  2  2  4\n'
wrong '6: expected a whole number from 1 to 3, row index 4 of 4, found blanks' RSA "$formats" '   1   3   4   5\n  1  2  2\n'
wrong '6: .* entries on both sides of the diagonal, here \(1, 2\)' RSA "$formats" '   1   3   4   5\n  1  2  1  3\n'
wrong '6: .* row index 3 of 4, found "2 0"' RSA '(20I4) (26I4) (3E9.2)' '   1   3   4   5\n   1   2 2 0   3\n'
wrong '7: expected a finite number, value 2 of 4, found "NaN."' RSA "$formats" "$good"' 4.00E+00     NaN. 4.00E+00\n'
wrong '7: expected a finite number, value 1 of 4, found "1.0E\+999"' RSA "$formats" "$good"' 1.0E+999-1.00E+00 4.00E+00\n'
wrong '7: expected a number with its point, .* value 3 of 4, found "4"' RSA "$formats" "$good"' 4.00E+00-1.00E+00        4\n'
wrong '8: the text ends here: expected value' RSA "$formats" "$good"' 4.00E+00-1.00E+00 4.00E+00\n'
wrong '3: 3 columns with 4 entries expected, but 0 bytes follow' RSA "$formats" ''
for sizes in '3 3 4000000000' '3 2000000000 4' '0 0 0' '3 4 4' '3000000000 3000000000 4'; do
    { sed -n 1,2p lower.rsa && echo "RSA $sizes 0" && sed -n '4,$p' lower.rsa; } >sizes.hb
    solves 4 'sizes.hb:3: ' --matrix=sizes.hb
done
printf 'Title\n 4 1 1 1\nabc 1 2 3\n' >no.hb
solves 4 'found "Title"' --matrix=no.hb
! grep -q Harwell err
verdict '... which is none' $?

# AmgX puts the right-hand side below the entries; the commands of the message take both out.
amgx() { # LINE NUMBER...: a file with that second line, and the numbers below its entries
    printf '%s\n' '%%MatrixMarket matrix coordinate real general' "$1" '3 3 5' \
        '1 1 4' '1 2 -1' '2 1 -1' '2 2 4' '3 3 2' "${@:2}"
}
amgx '%%AMGX 1 1 rhs solution' 2 7 2 9 9 9 >amgx.mtx
solves 4 'amgx.mtx:2: .* a right-hand side follows the entries' --matrix=amgx.mtx --rhs=ones
commands=$(sed 's/FILE/amgx.mtx/g' err)
eval "$(grep -o 'head -n.*>A.mtx' <<<"$commands"); $(grep -o '(echo.*>b.mtx' <<<"$commands")"
solves 0 '' --matrix=A.mtx --rhs=b.mtx --output=x.mtx
same '... its solution' "$(sed '/^%/d' x.mtx | awk 'NR > 1 { printf "%.9f ", $1 }')" \
    '1.000000000 2.000000000 1.000000000 '
for words in '%%AMGX 2 2' '%%NVAMG diagonal' '%%amgx 1 1 base0 rhs'; do
    amgx "$words" >amgx.mtx
    solves 4 'amgx.mtx:2: .* blocks, a diagonal apart, or numbers from 0' --matrix=amgx.mtx
done
for words in '%%AMGX 1 1 sorted' '%%AMGX' '% %%AMGX 1 1 rhs' '%%AMGXrhs'; do
    amgx "$words" >amgx.mtx
    solves 0 '' --matrix=amgx.mtx
done

echo '# The report'
solves 0 . --matrix="$systems/bcsstk01.mtx" --precond=jacobi --tol=1e-8 --verbose
valid_json 'a file' report.json
same 'name' "$(value name report.json)" bcsstk01.mtx
same 'file' "$(value file report.json)" "$systems/bcsstk01.mtx"
same 'unknowns' "$(value unknowns report.json)" 48
same 'field' "$(value field report.json)" real
same 'symmetry' "$(value symmetry report.json)" symmetric
same 'entries in the file' "$(value entries_in_file report.json)" 224
same 'entries' "$(value nonzeros report.json)" 400
same 'shortest row' "$(value shortest report.json)" 5
same 'longest row' "$(value longest report.json)" 12
absent N
same 'max_iterations: 10 rows, at least 1000' "$(value max_iterations report.json)" 1000
says "A x = b, A from '.*bcsstk01.mtx'"
says 'entries in a row: 5 ... 12, 8.3 on average'
if grep -q -- '--problem=' out; then
    verdict 'ran with no option of the box' 1
fi
matrix twice.mtx general 2 '1 1 1' '2 2 2' '1 1 1' '1 2 0'
solves 0 '' --matrix=twice.mtx
says '1 entry of the file was added to another one'
says '1 entry of the matrix is 0'
same 'duplicates' "$(value duplicates report.json)" 1
grep -q 'entry of the file was added' report.json
verdict 'duplicates are a note in JSON' $?

echo '# Symmetric except for rounding'
matrix rounded.mtx general 3 '1 1 1' '2 2 1' '3 3 1' '1 2 0.1' '2 1 0.10000000000000003' '1 3 1e-11'
solves 0 '' --matrix=rounded.mtx --save-matrix=halved.mtx
says 'symmetric except for rounding'
grep -q '/ 2, its 1 entry without a mirror image as 0: a(1, 3) = 9.9999999999999994e-12 and a(3, 1) = 0 differ most, by 1.0e-11 of' report.json
verdict 'a note says by how much, and where' $?
same 'the matrix that is solved' "$(sed '/^%/d' halved.mtx | tr '\n' ';')" \
    '3 3 4;1 1 1;2 1 0.10000000000000002;2 2 1;3 3 1;'
solves 0 '' --matrix=halved.mtx
if grep -q 'except for rounding' report.json; then
    verdict 'a symmetric one has no such note' 1
fi

echo '# What CG cannot solve, with the reason'
matrix unsymmetric.mtx general 3 '1 1 4' '2 2 4' '3 3 4' '1 2 1' '2 1 -1'
solves 3 "a\(1, 2\) = 1 but a\(2, 1\) = -1 .*not symmetric.*'unsymmetric.mtx'" --matrix=unsymmetric.mtx
absent candidates # no kernel was measured for it
matrix skew.mtx skew-symmetric 2 '2 1 3'
solves 3 "not symmetric" --matrix=skew.mtx
matrix negative.mtx symmetric 2 '1 1 1' '2 2 -1'
solves 3 "a\(2, 2\) = -1 .*the diagonal.*'negative.mtx'" --matrix=negative.mtx
matrix opposite.mtx symmetric 2 '1 1 -2' '2 2 -2' '2 1 1'
solves 3 'a\(1, 1\) = -2 .*negative definite, solve -A x = -b' --matrix=opposite.mtx
matrix off.mtx general 2 '1 1 1' '2 2 1' '1 2 0.1' '2 1 0.1000000003'
solves 3 'a\(2, 1\) = 0.1000000003.* differ by 3.0e-10 of the largest .*up to 1e-10 is taken as rounding' \
    --matrix=off.mtx
solves 3 'a\(1, 2\) = 1 but a\(2, 1\) = -1' --matrix=unsymmetric.mtx --plan
matrix missing.mtx symmetric 3 '1 1 1' '2 2 1'
solves 3 "'missing.mtx' announces 3 rows and 2 entries, so that at least 1 of its diagonal is not there" \
    --matrix=missing.mtx
matrix missing.mtx symmetric 3 '1 1 1' '2 2 1' '3 2 0'
for words in '' --precond=amg --nullspace=constant; do
    solves 3 "row and column 3 .* hold only zeros.* unknown 3 is in no equation; .*'missing.mtx'" \
        --matrix=missing.mtx $words
done
matrix missing.mtx symmetric 3 '1 1 1' '2 2 1' '3 2 1'
solves 3 'a\(3, 3\) is not there .*the diagonal' --matrix=missing.mtx
{
    echo '%%MatrixMarket matrix coordinate real general'
    echo '2 3 1'
    echo '1 1 1'
} >wide.mtx
solves 3 "'wide.mtx' has 2 rows and 3 columns: CG needs a square" --matrix=wide.mtx
{
    echo '%%MatrixMarket matrix coordinate real general'
    echo '0 0 0'
} >nothing.mtx
solves 4 'nothing.mtx:2: no rows' --matrix=nothing.mtx
matrix indefinite.mtx symmetric 2 '1 1 1' '2 2 1' '2 1 2'
vector minus.mtx 1 -1
for more in --precond=none --precond=jacobi --precision=single --format=crs; do
    solves 3 "breakdown in iteration 1: p'A p is not positive" --matrix=indefinite.mtx \
        --rhs=minus.mtx $more --output=never.mtx
    same '... status' "$(value status report.json)" not_positive_definite
    grep -q "'never.mtx' is not written" err && [ ! -e never.mtx ]
    verdict '... no solution is written' $?
done
# Neumann's second difference: constants are its null space.
n=50
entries=('1 1 1' "$n $n 1")
for ((i = 2; i < n; i++)); do entries+=("$i $i 2"); done
for ((i = 1; i < n; i++)); do entries+=("$((i + 1)) $i -1"); done
matrix neumann.mtx symmetric $n "${entries[@]}"
vector first.mtx 1 "$(yes 0 | head -n $((n - 1)))"
sed -i '2s/.*/50 1/' first.mtx
for more in --precond=none --precond=jacobi --format=crs; do
    solves 0 '' --matrix=neumann.mtx $more
    for rhs in ones first.mtx; do
        solves 2 'the matrix is singular, and b has a part outside its range' \
            --matrix=neumann.mtx --rhs=$rhs $more
        same '... status' "$(value status report.json)" singular
    done
done
solves 0 '' --matrix=neumann.mtx --nullspace=none
says 'the matrix$|seems to be singular|singular, and x one of many'

echo '# The bill'
solves 0 '' --matrix="$systems/nos4.mtx" --profile
bill report.json

echo '# Single precision'
matrix wide_range.mtx symmetric 2 '1 1 1e39' '2 2 1'
solves 0 '' --matrix=wide_range.mtx --precond=jacobi
solves 4 'entry \(1, 1\) = 1e\+39 does not fit single precision.*wide_range.mtx' \
    --matrix=wide_range.mtx --precision=single
solves 0 '' --matrix="$systems/nos4.mtx" --precision=single

echo '# Memory'
solves 0 '' --N=40 --save-matrix=middle.mtx --tol=0.1
solves 0 '' --matrix=middle.mtx --kernel=crs_row --max-iterations=1000
planned=$(value host_planned report.json)
if ! "$cgsolve" --version | grep -q -- -fsanitize; then # a sanitizer takes its own
    as_planned 'a file' report.json
fi
head -c 512000 /dev/zero | tr '\0' '\1' >ones # eight right-hand sides
{ npy '(64000, 8)' False && head -c 511998 ones; } >ones.npy
{ printf '%%%%MatrixMarket matrix array real general\n64000 8\n' && head -c 512000 /dev/zero | tr '\0' '1' | sed 's/1/1\n/g'; } >ones.mtx
{ printf '%%%%MatrixMarket matrix array real general\n64000 1\n' && sed -n '3,64002p' ones.mtx; } >one.mtx
for rhs in 'ones.npy --output=x.npy' ones.mtx one.mtx; do
    # shellcheck disable=SC2086 # words
    solves 0 '' --matrix=middle.mtx --kernel=crs_row --max-iterations=1000 --tol=0.1 --rhs=$rhs
    if ! "$cgsolve" --version | grep -q -- -fsanitize; then
        as_planned "--rhs=$rhs" report.json
    fi
done
solves 0 '' --matrix=middle.mtx --kernel=crs_row --max-iterations=1000 --rhs=ones.npy --plan
says ' right-hand sides +4\.10 MB'
solves 0 '' --matrix=middle.mtx --kernel=crs_row --plan --max-iterations=1000
same '--plan says the same' "$(value host_planned report.json)" "$planned"
says '^Otherwise +--precision=single: '
absent largest_N
solves 5 "'middle.mtx' announces 64000 rows.*--memory-limit allows 10.0 MB" --matrix=middle.mtx \
    --memory-limit=10M
solves 0 '' --matrix=middle.mtx --kernel=crs_row --plan --precond=jacobi
planned=$(value host_planned report.json) # more than reading took
[ "$planned" -gt "$(value host_planned_reading report.json)" ]
verdict 'more than reading' $?
solves 5 "'middle.mtx' \(64 000 rows, 1.64 M entries\) needs .*what fits: --precision=single \(" \
    --matrix=middle.mtx --kernel=crs_row --precond=jacobi --memory-limit=$((planned - 1000))
matrix claims.mtx general 1000000000 '1 1 1'
sed -i '2s/.*/1000000000 1000000000 1/' claims.mtx
solves 3 "'claims.mtx' announces 1000000000 rows and 1 entry" --matrix=claims.mtx
sed -i '2s/.*/1000000000 1000000000 1000000000/' claims.mtx
gzip -c claims.mtx >claims.mtx.gz
solves 5 "'claims.mtx.gz' announces 1000000000 rows" --matrix=claims.mtx.gz --memory-limit=1G
# What is announced and not there takes no memory: of 2^31 - 1 rows the pointers alone are 17 GB.
most=2147483647
printf '%%%%MatrixMarket matrix coordinate real symmetric\n%s %s 1\n1 1 1\n' $most $most >few.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n%s %s %s\n1 1 1\n' $most $most $most >none.mtx
printf '%%%%MatrixMarket matrix array real general\n%s %s\n1\n' $most $most >dense.mtx
printf '%%%%MatrixMarket matrix array real general\n%s 1\n1\n' $most >vector.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n%s 1 1\n1 1 1\n' $most >single.mtx
printf "\\x93NUMPY\\x01\\x00\\x5a\\x00%-89s\n" \
    "{'descr': '<f8', 'fortran_order': False, 'shape': ($most, $most), }" >shape.npy
for file in few none dense; do gzip -k $file.mtx; done
if ! "$cgsolve" --version | grep -q -- -fsanitize; then # a sanitizer reserves more
    announced() {
        (ulimit -v 4000000 && exec timeout 60 "$cgsolve" "${@:2}" --backend=cpu >out 2>err)
        same "announced alone: ${*:2}" $? "$1"
    }
    announced 3 --matrix=few.mtx
    announced 3 --matrix=few.mtx.gz
    announced 4 --matrix=none.mtx
    announced 5 --matrix=none.mtx.gz
    announced 4 --matrix=dense.mtx
    announced 5 --matrix=dense.mtx.gz
    for file in few.mtx none.mtx dense.mtx vector.mtx single.mtx shape.npy; do
        announced 4 --matrix=two.mtx --rhs=$file
        announced 4 --matrix=two.mtx --guess=$file
    done
    announced 5 spmv --matrix=few.mtx
fi
matrix many.mtx general 3 '1 1 1'
sed -i '2s/.*/3 3 1000000000000000000/' many.mtx
timeout 60 "$cgsolve" --backend=cpu --matrix=many.mtx >out 2>err
status=$?
[ $status = 4 ] || [ $status = 5 ]
verdict "10^18 entries are refused" $? "$status"
for count in 600000000000000000 999999999999999999; do # times 16 bytes: beyond 64 bits with a sign
    printf 'Title\n 4 1 1 1\nRUA 2 1 %s 0\n(16I5) (16I5) (4D20.12)\n 1 2\n' $count | gzip >many.rua.gz
    solves 5 'needs more than 9 EB of host memory: right-hand sides while they are read' --matrix=two.mtx --rhs=many.rua.gz
done

echo '# Faults on purpose'
nos4=$systems/nos4.mtx
solves 3 'NaN or Inf in a sum.*injected' --matrix="$nos4" --inject=nan@3
solves 3 "not symmetric.*nos4.mtx'.*injected" --matrix="$nos4" --inject=asymmetric
solves 3 "the diagonal.*nos4.mtx'.*injected" --matrix="$nos4" --inject=indefinite
solves 5 'injected' --matrix="$nos4" --inject=oom

echo '# Reading: progress, and an interrupt'
set -m # or what runs in the background ignores signals
"$cgsolve" --backend=cpu --threads=1 --matrix=middle.mtx --tol=1e-15 --max-iterations=1000000 \
    --verbose --json=report.json >out 2>err &
pid=$!
for ((i = 0; i < 1000; i++)); do
    grep -q '^reading: .* of middle.mtx' err && break
    sleep 0.02
done
kill -TERM $pid
wait $pid
same 'interrupted' $? 130
grep -q '^reading: *[0-9]* % of middle.mtx' err
verdict 'reading is shown' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
