#!/usr/bin/env python3
"""Holds --precond=fdm against a solve by SciPy on random boxes, and looks for sizes that take far longer than their
neighbours.

    python3 bench/fdm_scan.py boxes [COUNT [SEED [OPTION=VALUE...]]]      2000 boxes from seed 1 on
    python3 bench/fdm_scan.py lines [FROM [TO [OPTION=VALUE...]]]         2 to 300 cells in x, then in y, then in z

boxes: lengths, layers of contrast up to 1e6, values, fluxes, transfer or a period on faces, grading and a reaction, all
drawn at random. A is made here, as a sum of Kronecker products of lines, without a line of cgsolve's; the residual
||b - A x|| / ||b|| of each is printed where it is above 1e-12 and three times that of SciPy's direct solve (which, too,
leaves more than 1e-12 where contrasts are high), or where there are more than 3 iterations. Without SciPy the residual is
the one that cgsolve reports.

lines: the least of five solves, seconds an unknown, of lines of that many cells beside 12 and 12; sizes that take more
than twice as long an unknown as the mean of their neighbours are listed, and the largest such ratio.

Needs NumPy. CGSOLVE_LIBRARY names the library, PYTHONPATH the folder python/. Exit status 1: a residual or a number of
iterations is not as above, or a ratio is above 3.
"""
import sys

import numpy

import cgsolve

try:
    import scipy.sparse as sparse
    import scipy.sparse.linalg
except ImportError:
    sparse = None

AXES = "xyz"
ENDS = ("values", "low", "high", "free", "transfer", "period")
FLUX = {"low": (0,), "high": (1,), "free": (0, 1), "transfer": (0, 1)}


class Line:
    """A direction of a random box: its matrices K and M, and the options that say the same to cgsolve."""

    def __init__(self, axis, draw, cells, ends, layers):
        name, contrast, cut = AXES[axis], 10.0 ** draw.uniform(-6, 6), draw.uniform(0.1, 0.9)
        ratio = 10.0 ** draw.uniform(-1.5, 1.5) if cells > 1 and draw.random() < 0.4 else 1.0
        self.cells, self.length = cells, draw.uniform(0.5, 2.0)
        self.transfer = draw.uniform(0.1, 10.0) if ends == "transfer" else 0.0
        self.grade = f"{name}:{ratio!r}" if ratio != 1.0 else None
        lengths = ratio ** (numpy.arange(cells) / max(1, cells - 1))
        lengths *= self.length / lengths.sum()
        centres = numpy.cumsum(lengths) - lengths / 2
        self.factor = f"({name}<{cut * self.length!r}?1:{contrast!r})" if layers else "1"
        weights = numpy.where(centres < cut * self.length, 1.0, contrast) if layers else numpy.ones(cells)
        condition = f"h={self.transfer!r},ambient=0" if self.transfer else "flux"
        self.faces = [f"{name}{side}:{condition}" for side in FLUX.get(ends, ())]
        if ends == "period":
            self.faces = [f"{name}0:periodic"]
        self.K, self.M = numpy.zeros((cells + 1, cells + 1)), numpy.zeros((cells + 1, cells + 1))
        for i, (h, a) in enumerate(zip(lengths, weights)):
            self.K[i:i + 2, i:i + 2] += a / h * numpy.array([[1, -1], [-1, 1]])
            self.M[i:i + 2, i:i + 2] += a * h / 6 * numpy.array([[2, 1], [1, 2]])
        self.K[0, 0] += self.transfer
        self.K[-1, -1] += self.transfer
        if ends == "period":
            for matrix in (self.K, self.M):
                matrix[0] += matrix[-1]
                matrix[:, 0] += matrix[:, -1]
            keep = slice(0, cells)
        else:
            keep = slice(0 if 0 in FLUX.get(ends, ()) else 1, cells + 1 if 1 in FLUX.get(ends, ()) else cells)
        self.K, self.M = self.K[keep, keep], self.M[keep, keep]


def random_box(seed):
    """The lines of a box with at most some 30 000 unknowns, one of them long, and its constant reaction."""
    draw = numpy.random.default_rng(seed)
    cells = draw.integers(2, 9, 3)
    cells[draw.integers(3)] = int(2.0 * 150.0 ** draw.random())
    ends = draw.choice(ENDS, 3)
    layered = draw.random(3) < 0.4
    for axis in range(3):  # the h of a face is one number: kappa does not vary along it
        if ends[axis] == "transfer":
            layered[[k for k in range(3) if k != axis]] = False
    cells = [max(count, 3) if end == "period" else count for count, end in zip(cells, ends)]
    lines = [Line(axis, draw, int(cells[axis]), ends[axis], layered[axis]) for axis in range(3)]
    held = any(end in ("values", "low", "high", "transfer") for end in ends)
    reaction = draw.uniform(1.0, 100.0) if not layered.any() and (not held or draw.random() < 0.3) else 0.0
    return (lines, reaction) if held or reaction else random_box(seed + 10 ** 9)


def solver_of(lines, cells, reaction, options):
    words = dict(cells="x".join(map(str, cells)), size="x".join(repr(line.length) for line in lines), source=1,
                 precond="fdm", format="none", tol=1e-12)
    words["kappa"] = "*".join(line.factor for line in lines)
    words["face"] = sum((line.faces for line in lines), [])
    words["grade"] = [line.grade for line in lines if line.grade]
    words["reaction"] = reaction
    return cgsolve.box(**{name: value for name, value in words.items() if value}, **options)


def matrix_of(lines, reaction):
    (kx, mx), (ky, my), (kz, mz) = [(sparse.csr_array(line.K), sparse.csr_array(line.M)) for line in lines]
    kron = lambda z, y, x: sparse.kron(sparse.kron(z, y), x, format="csr")
    return kron(mz, my, kx) + kron(mz, ky, mx) + kron(kz, my, mx) + reaction * kron(mz, my, mx)


def boxes(count, seed, options):
    worst, most, wrong = 0.0, 0, 0
    for i in range(seed, seed + count):
        lines, reaction = random_box(i)
        cells = [line.cells for line in lines]
        with solver_of(lines, cells, reaction, options) as solver:
            b = numpy.random.default_rng(i).standard_normal(solver.unknowns)
            try:
                x = solver.solve(b)
            except cgsolve.Error as error:
                x = None
                print(f"seed {i}: {error}")
            iterations, residual, best = solver.result.iterations, solver.result.true_relative_residual, 0.0
        if sparse and x is not None:
            A = matrix_of(lines, reaction)
            residual = numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b)
            if residual > 1e-12:
                best = numpy.linalg.norm(b - A @ scipy.sparse.linalg.spsolve(A.tocsc(), b)) / numpy.linalg.norm(b)
        worst, most = max(worst, residual / max(1e-12, best)), max(most, iterations)
        if x is None or not residual <= max(1e-12, 3 * best) or iterations > 3:
            wrong += 1
            print(f"seed {i}: residual {residual:.1e}, SciPy's {best:.1e}, {iterations} iterations, cells {cells}, faces "
                  f"{sum((line.faces for line in lines), [])}, kappa {'*'.join(line.factor for line in lines)}, reaction "
                  f"{reaction:g}, grade {[line.grade for line in lines]}", flush=True)
    print(f"{count} boxes from seed {seed}: {wrong} wrong; the residual is at most {worst:.2f} times 1e-12 or "
          f"SciPy's, whichever is larger; at most {most} iterations")
    return wrong > 0


def lines(first, last, options):
    largest = 0.0
    for axis in range(3):
        seconds = {}
        for size in range(first, last + 1):
            cells = [12, 12, 12]
            cells[axis] = size
            words = dict(cells="x".join(map(str, cells)), source=1, precond="fdm", format="none", tol=1e-10)
            with cgsolve.box(**words, **options) as solver:
                solver.setup()
                times = []
                for _ in range(5):
                    solver.solve()
                    times.append(solver.result.solve_seconds / solver.unknowns)
                seconds[size] = min(times)
        ratios = {n: seconds[n] / ((seconds[n - 1] + seconds[n + 1]) / 2) for n in range(first + 1, last)}
        worst = max(ratios, key=ratios.get)
        largest = max(largest, ratios[worst])
        some = [n for n in seconds if n in (first, 8, 16, 32, 64, 128, 256, last)]
        print(f"{AXES[axis]}: {', '.join(f'{n} {1e9 * seconds[n]:.1f} ns' for n in some)}; "
              f"most against its neighbours: {worst} cells, {ratios[worst]:.2f}; above 2: "
              f"{', '.join(f'{n} ({ratios[n]:.2f})' for n in ratios if ratios[n] > 2) or 'none'}", flush=True)
    return largest > 3.0


def main(words):
    options = dict(word.split("=", 1) for word in words if "=" in word)
    numbers = [int(word) for word in words[1:] if "=" not in word]
    if words[:1] == ["boxes"] and len(numbers) <= 2:
        return boxes(*(numbers + [2000, 1][len(numbers):]), options)
    if words[:1] == ["lines"] and len(numbers) <= 2:
        return lines(*(numbers + [2, 300][len(numbers):]), options)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
