#!/usr/bin/env python3
"""bench/peers/cupy_cg.py [N [REPEATS]]: cgsolve.solve against CuPy's cg on the Q1 matrix of the box, N^3 rows of up to 27
entries, as a user calls them: matrix and vectors in the memory of the GPU, the call from its first line to its last
(CuPy's by cupyx.scipy.sparse.linalg.cg; ours with all checks and set-up). In turn; the medians and their ratio.

    CGSOLVE_LIBRARY=.../libcgsolve.so.1 PYTHONPATH=python python3 bench/peers/cupy_cg.py 256
"""

import inspect
import statistics
import sys
import time

import cupy as cp
import cupyx.scipy.sparse as sp
from cupyx.scipy.sparse.linalg import cg

import cgsolve


def q1(n):
    """The Q1 Laplacian on n^3 interior nodes by rows, columns ascending, entries of value 0 included."""
    by_distance = cp.array([8 / 3, 0.0, -1 / 6, -1 / 12]) / (n + 1)
    at = cp.arange(n, dtype=cp.int32)
    steps = cp.arange(-1, 2, dtype=cp.int32)
    inside = ((at[:, None] + steps >= 0) & (at[:, None] + steps < n))
    z, y, x = (slice(None), None, None), (None, slice(None), None), (None, None, slice(None))
    there = (inside[z + (slice(None), None, None)] & inside[y + (None, slice(None), None)] &
             inside[x + (None, None, slice(None))])
    pointers = cp.zeros(n**3 + 1, dtype=cp.int64)
    cp.cumsum(there.reshape(n**3, 27).sum(axis=1), out=pointers[1:])
    offset = ((steps[:, None, None] * n + steps[:, None]) * n + steps).astype(cp.int32).reshape(27)
    distance = (abs(steps[:, None, None]) + abs(steps[:, None]) + abs(steps)).reshape(27)
    there = there.reshape(-1)
    columns = (cp.arange(n**3, dtype=cp.int32)[:, None] + offset).reshape(-1)[there]
    values = cp.broadcast_to(by_distance[distance], (n**3, 27)).reshape(-1)[there]
    A = sp.csr_matrix((values, columns, pointers.astype(cp.int32)), shape=(n**3, n**3))
    A.has_canonical_format = True
    return A


def timed(call):
    cp.cuda.Device().synchronize()
    begin = time.perf_counter()
    result = call()
    cp.cuda.Device().synchronize()
    return time.perf_counter() - begin, result


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    tol = 1e-8
    name = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"
    small = q1(16)
    cg(small, cp.ones(16**3), **{name: tol})
    cgsolve.solve(small, cp.ones(16**3), tol=tol)
    A = q1(n)
    b = cp.sin(1e-3 * cp.arange(n**3))
    steps = []
    cg(A, b, callback=lambda x: steps.append(1), **{name: tol})
    print(f"{cp.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {cp.__version__}, cgsolve {cgsolve.version()}, "
          f"N = {n}: {A.shape[0]} rows, {A.nnz} entries, tol {tol:g}")

    def theirs():
        return cg(A, b, **{name: tol})[0], len(steps), ""

    def ours(**options):
        with cgsolve.Solver(A, tol=tol, **options) as solver:
            x, result = solver.solve(b), solver.result
            return x, result.iterations, (f", of it set-up {result.setup_seconds:.4f} s, iterations "
                                          f"{result.solve_seconds:.4f} s, kernel {result.kernel}")

    contestants = {"CuPy's cg": theirs, "cgsolve.solve": ours,
                   'precision="mixed"': lambda: ours(precision="mixed")}
    first = next(iter(contestants))
    seconds = {who: [] for who in contestants}
    norm = cp.linalg.norm(b)
    for turn in range(repeats):
        for who, call in contestants.items():
            took, (x, iterations, more) = timed(call)
            seconds[who].append(took)
            if turn < repeats - 1:
                continue
            median = statistics.median(seconds[who])
            print(f"{who:18s} {median:8.4f} s ({min(seconds[who]):.4f} ... {max(seconds[who]):.4f}), {iterations} "
                  f"iterations, true residual {float(cp.linalg.norm(b - A @ x) / norm):.2e}, "
                  f"{statistics.median(seconds[first]) / median:.2f} times as fast{more}")


main()
