#!/usr/bin/env bash
# tests/cli/spgemm_scipy.sh: A A of every square file of the collection with fewer than 1e6 products, in single precision
# with fewer than 2e5 (all of $CGS_SHARED, ../shared beside the sources; without it, of tests/systems), by cgsolve
# spgemm and by SciPy: the same structure, values within (l + 2) eps |A| |A|, l the entries of the row of A.
# A Python that has SciPy is first in PATH, or Debian's.
set -u

# shellcheck source=tests/cli/files.bash
. "$(dirname "${BASH_SOURCE[0]}")/files.bash"
if ! find_python 'scipy.io, scipy.sparse'; then
    echo 'skipped: SciPy is not here (package python3-scipy)'
    exit 77
fi
[ -d "$shared" ] || shared=$systems

# SciPy drops entries that cancel, so the structure is that of a product of ones, which never do.
cat >square.py <<'PYTHON'
import numpy, os, scipy.io, scipy.sparse, subprocess, sys
program, folder = sys.argv[1:]

def read(path):
    A = scipy.io.mmread(path)
    if isinstance(A, numpy.ndarray): # a dense file's zeros are entries, too
        there = numpy.ones(A.shape, bool)
        if scipy.io.mminfo(path)[5] == 'skew-symmetric':
            numpy.fill_diagonal(there, False)
        rows, columns = numpy.nonzero(there)
        pointers = numpy.concatenate(([0], numpy.cumsum(there.sum(axis=1))))
        return scipy.sparse.csr_matrix((A[there], columns, pointers), shape=A.shape)
    return scipy.sparse.csr_matrix(A)

def ones(A):
    return scipy.sparse.csr_matrix((numpy.ones(A.nnz), A.indices, A.indptr), shape=A.shape)

def places(A):
    A.sort_indices()
    rows = numpy.repeat(numpy.arange(A.shape[0], dtype=numpy.int64), numpy.diff(A.indptr))
    return rows * A.shape[1] + A.indices

def written(path, A): # by cgsolve: all entries of a general matrix, "row column value" each
    with open(path) as file:
        line = file.readline()
        while line.startswith('%'):
            line = file.readline()
        entries = numpy.fromfile(file, sep=' ').reshape(-1, 3)
    C = scipy.sparse.csr_matrix((entries[:, 2], (entries[:, 0] - 1, entries[:, 1] - 1)), shape=A.shape)
    if line.split() != [str(n) for n in (*A.shape, len(entries))] or C.nnz != len(entries):
        raise ValueError('size line "%s", %d entries, %d of them different' % (line, len(entries), C.nnz))
    return C

def product(path, precision, A, structure):
    run = subprocess.run([program, 'spgemm', '--backend=cpu', '--repeat=1', '--matrix=' + path,
                          '--precision=' + precision, '--output=c.mtx'],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if run.returncode != 0:
        return 'exit status %d: %s' % (run.returncode, run.stderr.decode()[:200])
    C, numbers = written('c.mtx', A), dict(single=numpy.float32, double=numpy.float64)[precision]
    B = A.astype(numbers).astype(float)
    exact, bound = B @ B, abs(B) @ abs(B)
    if C.nnz != structure.nnz or (places(C) != places(structure)).any():
        return 'another structure: %d entries, not %d' % (C.nnz, structure.nnz)
    lengths = scipy.sparse.diags(numpy.diff(A.indptr) + 2.0)
    info = numpy.finfo(numbers)
    # in every place of the structure, in its order: what is absent there is 0
    at, got = places(C), C.data
    def spread(M):
        M, out = scipy.sparse.csr_matrix(M), numpy.zeros(len(at))
        out[numpy.searchsorted(at, places(M))] = M.data
        return out
    with numpy.errstate(all='ignore'):
        allowed = spread(lengths @ bound) * float(info.eps) + spread(lengths @ structure) * float(info.smallest_subnormal)
        wrong = (abs(got - spread(exact)) > allowed) & (allowed < float(info.max) * float(info.eps))
    return '%d entries differ' % wrong.sum() if wrong.any() else ''

# Keeps those of the awkward files that every reader takes alike; they are small, so once is enough.
done, bad, large, left = 0, 0, 0, 0
for place, folders, names in os.walk(folder):
    folders.sort()
    for name in sorted(names):
        path = os.path.join(place, name)
        awkward = '/awkward' in place
        if not name.endswith(('.mtx', '.mtx.gz')) or awkward and not place.endswith('/valid'):
            continue
        try:
            A = read(path)
            if numpy.iscomplexobj(A) or A.shape[0] != A.shape[1]:
                continue
            A = A.astype(float)
        except Exception as error: # a reader's matter: tests/matrix/check_market
            left += 1
            continue
        lengths = numpy.diff(A.indptr)
        products = lengths[A.indices].sum()
        if products >= 1e6:
            large += 1
            continue
        structure = ones(A) @ ones(A)
        for precision in ('double',) if awkward or products >= 2e5 else ('double', 'single'):
            with numpy.errstate(all='ignore'):
                if precision == 'single' and not numpy.isfinite(A.data.astype(numpy.float32)).all():
                    continue
            said = product(path, precision, A, structure)
            done += 1
            bad += said != ''
            print('FAILED ' if said else 'ok     ', path, precision, said)
print('%d products equal to SciPy\'s, %d not; %d files have 1e6 products or more, %d SciPy cannot read' %
      (done - bad, bad, large, left))
sys.exit(bad > 0 or done < 5)
PYTHON
OPENBLAS_NUM_THREADS=1 PYTHONWARNINGS=ignore $python square.py "$cgsolve" "$shared" >square.out 2>&1
verdict 'A A as by SciPy' $? "$(grep -c '^FAILED' square.out) failed"
grep -v '^ok ' square.out
echo "$passed passed, $failed failed"
[ $failed = 0 ]
