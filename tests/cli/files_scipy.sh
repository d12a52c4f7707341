#!/usr/bin/env bash
# tests/cli/files_scipy.sh: SPD matrices of the collections, solved from their files, with a residual that
# somebody else computes, and the way to a file and back: SciPy checks where it is there. Files of
# $CGS_SHARED (../shared beside the sources) are read where they are there.
set -u

# shellcheck source=tests/cli/files.bash
. "$(dirname "${BASH_SOURCE[0]}")/files.bash"
find_python 'scipy.io, scipy.sparse.linalg'

if [ -n "${python-}" ]; then
    echo "# Files of other programs: the message's command makes what is solved"
    $python - <<'EOF'
import bz2, numpy, scipy.io, scipy.sparse
A = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(12, 12)).tocsc()
numpy.save('a.npy', A.toarray())
scipy.io.savemat('a.mat', {'NAME': A})
B = A.tocsr()
with open('a.petsc', 'wb') as file:
    for numbers in ([1211216, *B.shape, B.nnz], numpy.diff(B.indptr), B.indices):
        file.write(numpy.array(numbers, '>i4').tobytes())
    file.write(B.data.astype('>f8').tobytes())
with open('a.amgx', 'wb') as file:
    file.write(b'%%NVAMGBinary\n' + numpy.array([1, 1, 0, 0, 0, 1, 1, 12, B.nnz], '<u4').tobytes())
    file.write(B.indptr.astype('<i4').tobytes() + B.indices.astype('<i4').tobytes())
    file.write(B.data.astype('<f8').tobytes() + numpy.arange(12.0).astype('<f8').tobytes())
for name, value, index in (('a.amgx_v2', 'f8', 'i4'), ('narrow.amgx_v2', 'f4', 'i8')):
    head = numpy.zeros(128, '<u8')
    head[:13] = 0, 1, 1, 0, 0, 0, 1, 1, 12, B.nnz, 3 if value == 'f8' else 2, 3, index == 'i8'
    with open(name, 'wb') as file:
        file.write(b'%%NVAMGBin_v2\n' + head.tobytes())
        file.write(B.indptr.astype(index).tobytes() + B.indices.astype(index).tobytes())
        file.write(B.data.astype(value).tobytes() + numpy.arange(12.0).tobytes())
C = A.tocoo()
for first in (0, 1):
    numpy.savetxt(f'from_{first}.ijv', numpy.column_stack((C.row + first, C.col + first, C.data)), '%d %d %g')
open('diagonal.ij', 'w').write('% mine\n' + ''.join(f'{i} {i}\n' for i in range(1, 13)))
with open('b.petsc', 'wb') as file:
    file.write(numpy.array([1211214, 12], '>i4').tobytes() + numpy.arange(12.0).astype('>f8').tobytes())
scipy.io.mmwrite('packed.mtx', A)
open('a.bz2', 'wb').write(bz2.compress(open('packed.mtx', 'rb').read()))
EOF
    for file in a.npy a.mat a.petsc a.bz2 from_0.ijv from_1.ijv diagonal.ij a.amgx narrow.amgx_v2 a.amgx_v2; do
        rm -f A.mtx
        solves 4 'it seems to be ' --matrix=$file
        command=$(grep -o 'python3 -c ".*"' err)
        command=${command#*\"}
        command=${command%\"}
        $python -c "${command//FILE/$file}" 2>command.out
        solves 0 '' --matrix=A.mtx --save-matrix=saved.mtx
        entries=23
        [ $file != diagonal.ij ] || entries=12
        same "... the entries of $file" "$(sed '/^%/d' saved.mtx | head -n 1)" "12 12 $entries"
    done
    solves 0 '' --matrix=packed.mtx --rhs=b.npy --output=x.npy # of a.amgx_v2, the last one
    $python -c "import numpy, scipy.io; A = scipy.io.mmread('packed.mtx').tocsr()
assert abs(A @ numpy.load('x.npy') - numpy.arange(12)).max() < 1e-6"
    verdict "... the right-hand side of a.amgx_v2" $?
    rm b.npy
    solves 4 "it seems to be a vector in PETSc's" --matrix=packed.mtx --rhs=b.petsc
    command=$(grep -o 'python3 -c ".*"' err)
    command=${command#*\"}
    command=${command%\"}
    $python -c "${command//FILE/b.petsc}" 2>command.out
    solves 0 '' --matrix=packed.mtx --rhs=b.npy
fi

if [ -n "${python-}" ]; then
    echo '# SciPy and Harwell-Boeing: read as they are'
    $python - <<'EOF' >good
import numpy, scipy.io, scipy.sparse
A = scipy.sparse.random(30, 30, density=0.2, random_state=1)
A = scipy.sparse.csr_array(A + A.T - 0.5 * (A + A.T).sign() + 20 * scipy.sparse.eye(30))
scipy.io.mmwrite('same.mtx', A.tocoo(), symmetry='general', precision=17)
kinds = {'csr': A, 'csc': A.tocsc(), 'coo': A.tocoo(), 'matrix': scipy.sparse.csr_matrix(A)}
wide = kinds['wide'] = A.copy()
wide.indices, wide.indptr = wide.indices.astype('i8'), wide.indptr.astype('i8')
for name, matrix in kinds.items():
    for compressed in (False, True):
        scipy.sparse.save_npz(f'{name}{compressed}.npz', matrix, compressed)
        print(f'{name}{compressed}.npz')
numpy.savez('swapped.npz', format='csc', shape=numpy.array(A.shape, '>i4'), data=A.data.astype('>f8'),
            indices=A.indices.astype('u2'), indptr=A.indptr.astype('>i4')) # A is symmetric: its rows are its columns
scipy.io.hb_write('a.rua', A.tocsc())
print('swapped.npz', 'a.rua')
A.data[:] = numpy.round(A.data) + 0.0 # not -0
scipy.io.mmwrite('whole.mtx', A.tocoo(), symmetry='general', precision=17)
scipy.sparse.save_npz('whole.npz', A.astype('i4'))
EOF
    solves 0 '' --matrix=same.mtx --save-matrix=same_saved.mtx --output=x.mtx --reproducible
    # shellcheck disable=SC2013 # names without blanks
    for file in $(cat good); do
        solves 0 '' --matrix="$file" --save-matrix=saved.mtx --output=y.mtx --reproducible
        cmp -s <(sed '/^% /d' saved.mtx) <(sed '/^% /d' same_saved.mtx) && cmp -s <(sed '/^% /d' x.mtx) <(sed '/^% /d' y.mtx)
        verdict "... $file: the matrix and the solution of same.mtx" $?
    done
    solves 0 '' --matrix=whole.mtx --save-matrix=same_saved.mtx
    solves 0 '' --matrix=whole.npz --save-matrix=saved.mtx
    cmp -s <(sed '/^% /d' saved.mtx) <(sed '/^% /d' same_saved.mtx)
    verdict '... whole numbers' $?
    $python - <<'EOF' >bad
import io, numpy, scipy.sparse, zipfile
A = scipy.sparse.csr_array([[4.0, -1, 0], [-1, 4, 0], [0, 0, 2]])
def bad(pattern, file, **changed):
    arrays = {'format': b'csr', 'shape': A.shape, 'data': A.data, 'indices': A.indices, 'indptr': A.indptr}
    arrays.update(changed)
    numpy.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    print(f'{file} {pattern}')
bad("SciPy's format 'bsr', and csr, csc and coo are read: python3", 'bsr.npz', format=b'bsr')
bad("seems to be a zip archive, and not a matrix by scipy.sparse.save_npz", 'arrays.npz', format=None)
bad("in format 'csr' lacks its indptr.npy", 'lacks.npz', indptr=None)
bad("data.npy has no real numbers", 'complex.npz', data=A.data * 1j)
bad("indices.npy has no whole numbers", 'indices.npz', indices=A.indices * 1.0)
bad("indices.npy has 4 numbers: expected 5", 'few.npz', indices=A.indices[:4])
bad("indptr.npy has 3 numbers: expected 4", 'pointers.npz', indptr=A.indptr[:3])
bad("indptr.npy: number 1 is 9: expected 0 first", 'far.npz', indptr=[0, 9, 4, 5])
bad("indptr.npy: number 2 is 1: expected 0 first", 'falls.npz', indptr=[0, 2, 1, 5])
bad("indptr.npy: number 0 is 1: expected 0 first", 'one.npz', indptr=[1, 2, 4, 5])
bad("indptr.npy ends with 4: expected 5", 'ends.npz', indptr=[0, 2, 4, 4])
bad("indices.npy: column 3 of entry 4 outside 0 ... 2", 'outside.npz', indices=[0, 1, 0, 1, 3])
bad("indices.npy: column -1 of entry 0 outside 0 ... 2", 'negative.npz', indices=[-1, 1, 0, 1, 2])
bad("data.npy: the value of entry 2 is nan", 'nan.npz', data=[4, -1, numpy.nan, 4, 2])
bad("shape.npy: expected two whole numbers", 'shape.npz', shape=(3, 3, 3))
bad("0 rows and 0 columns", 'empty.npz', shape=(0, 0))
whole = open('csrFalse.npz', 'rb').read()
flipped = bytearray(whole)
flipped[whole.index(b'data.npy') + 200] ^= 1
open('flipped.npz', 'wb').write(flipped)
print('flipped.npz damaged zip archive')
for part in (3, 30, 200, 900):
    open(f'cut{part}.npz', 'wb').write(whole[:part])
    print(f'cut{part}.npz .')
with zipfile.ZipFile('text.zip', 'w') as archive:
    archive.writestr('a.txt', 'text')
print('text.zip seems to be a zip archive, .* unpacks it')
with zipfile.ZipFile('raw.npz', 'w') as archive:
    archive.writestr('data.npy', 'no array')
print('raw.npz data.npy: is not an array of .npy')
def npy(type, shape):
    file = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(file, {'descr': type, 'fortran_order': False, 'shape': shape})
    return file.getvalue()
for file, arrays in {'long.npz': {'indptr': npy('<i8', (2**31,)), 'indices': npy('<i4', (2,)), 'data': npy('<f8', (2,))},
                     'wide.npz': {'row': npy('<i4', (2**40,)), 'col': npy('<i4', (2**40,)), 'data': npy('<f8', (2**40,))}}.items():
    with zipfile.ZipFile(file, 'w') as archive:
        archive.writestr('format.npy', npy('|S3', ()) + (b'csr' if 'indptr' in arrays else b'coo'))
        archive.writestr('shape.npy', npy('<i8', (2,)) + numpy.array((2**31 - 1, 2**31 - 1)).tobytes())
        for name, array in arrays.items():
            archive.writestr(f'{name}.npy', array)
print('long.npz an array of 2147483648 numbers expected, for which the file')
print('wide.npz an array of 1099511627776 numbers expected, for which the file')
EOF
    while read -r file pattern; do
        solves 4 "$file.*$pattern" --matrix="$file"
    done <bad
    # Packed, nothing bounds the numbers that headers declare: 2^60 entries of 16 bytes are 0 in 64 bits.
    $python - <<'EOF'
import gzip, io, numpy, zipfile
packed = io.BytesIO()
with zipfile.ZipFile(packed, 'w') as archive:
    for name, array in {'format': b'coo', 'shape': (12, 1), 'row': None, 'col': None, 'data': None}.items():
        file = io.BytesIO()
        if array is None:
            header = {'descr': '|u1', 'fortran_order': False, 'shape': (2**60,)}
            numpy.lib.format.write_array_header_1_0(file, header)
            file.write(bytes(100000))
        else:
            numpy.save(file, array)
        archive.writestr(f'{name}.npy', file.getvalue())
gzip.open('many.npz.gz', 'wb').write(packed.getvalue())
EOF
    solves 5 'right-hand sides while they are read \(' --matrix=packed.mtx --rhs=many.npz.gz
fi

echo '# SPD matrices: converged, and somebody else says so'
runs=0
# converges FILE ARGUMENT...: to 1e-8, by our own residual; its solution is kept for SciPy.
converges() {
    local file=$1
    shift
    runs=$((runs + 1))
    solves 0 '' --matrix="$file" --tol=1e-8 --output=x$runs.mtx "$@"
    same '... status' "$(value status report.json)" converged
    below true_relative_residual 2e-8
    echo "$file x$runs.mtx $(value true_relative_residual report.json)" >>converged
}
for name in LFAT5 LF10 Trefethen_20 bcsstk01 mesh1e1 nos4; do
    converges "$systems/$name.mtx" --precond=jacobi
done
converges "$systems/nos4.mtx" --format=crs
if [ -d "$shared/spd" ]; then # the small ones; all: bench/results/2026-11-21-spd-files.md
    for file in "$shared"/spd/*.mtx; do
        converges "$file" --precond=jacobi --threads=1
    done
fi
if [ -n "${python-}" ]; then
    cat >residual.py <<'EOF'
import numpy, scipy.io, scipy.sparse, sys
def random(n): # base/random.h
    z = numpy.arange(n, dtype=numpy.uint64) + numpy.uint64(0x9e3779b97f4a7c15)
    for shift, factor in ((30, 0xbf58476d1ce4e5b9), (27, 0x94d049bb133111eb)):
        z = (z ^ (z >> numpy.uint64(shift))) * numpy.uint64(factor)
    return 2.0 * ((z ^ (z >> numpy.uint64(31))) >> numpy.uint64(11)) * 2.0**-53 - 1.0
bad = 0
for line in open('converged'):
    file, solution, said = line.split()
    A = scipy.sparse.csr_matrix(scipy.io.mmread(file), dtype=float)
    x = scipy.io.mmread(solution).ravel()
    b = A @ random(len(x))
    found = numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b)
    if not (found <= 2.1e-8 and found <= 1.1 * float(said) + 1e-12):
        print(file, found, 'and not', said)
        bad += 1
sys.exit(bad)
EOF
    OPENBLAS_NUM_THREADS=1 $python residual.py >residual.out 2>&1
    verdict "the same residuals by SciPy, $runs of them" $? "$(head -n 3 residual.out)"
fi

echo '# Round trip'
solves 0 '' --N=16 --save-matrix=A.mtx --output=u.mtx
head -n 1 A.mtx | grep -q '^%%MatrixMarket matrix coordinate real symmetric$'
verdict 'a symmetric file' $?
solves 0 '' --matrix=A.mtx --save-matrix=B.mtx --rhs=ones --tol=1e-12 --output=x.mtx
cmp -s <(sed '/^% /d' A.mtx) <(sed '/^% /d' B.mtx)
verdict 'what is read is what was written' $?
if [ -n "${python-}" ]; then
    cat >trip.py <<'EOF'
import numpy, scipy.io, scipy.sparse, scipy.sparse.linalg
A = scipy.sparse.csr_matrix(scipy.io.mmread('A.mtx'))
x = scipy.io.mmread('x.mtx').ravel()
n, h = 16, 1 / 17
M = scipy.sparse.diags([h / 6, 4 * h / 6, h / 6], [-1, 0, 1], shape=(n, n))
K = scipy.sparse.diags([-1 / h, 2 / h, -1 / h], [-1, 0, 1], shape=(n, n))
kron = scipy.sparse.kron
Q = kron(kron(K, M), M) + kron(kron(M, K), M) + kron(kron(M, M), K)
assert A.nnz == 46 ** 3 and abs(A - Q).max() < 1e-15, 'the Q1 matrix'
b = numpy.ones(A.shape[0])
try:
    y, info = scipy.sparse.linalg.cg(A, b, rtol=1e-12, atol=0)
except TypeError: # SciPy before 1.12
    y, info = scipy.sparse.linalg.cg(A, b, tol=1e-12, atol=0)
assert info == 0 and numpy.linalg.norm(x - y) < 1e-9 * numpy.linalg.norm(y), "scipy's solution"
EOF
    OPENBLAS_NUM_THREADS=1 $python trip.py >trip.out 2>&1
    verdict "scipy reads the same matrix, and its cg has our solution" $? "$(tail -n 1 trip.out)"
else
    echo 'skipped: SciPy is not here (package python3-scipy)'
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
