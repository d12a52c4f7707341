"""penalties.py PROGRAM SEED COUNT: random symmetric positive definite systems in which a few rows rule ||b||: values by
penalty, unknowns in units of very different size, both at once. What a run with status 0 leaves in x is held against a
dense solve of the system scaled to a unit diagonal: right to 1e-2, by every preconditioner. Status 2 is allowed to plain CG,
and where units differ by more than 1e8. Prints the systems that are wrong; exit status: 1 if there is one.
"""
import subprocess
import sys

import numpy as np


def laplacian(n, dimensions):
    line, one = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1), np.eye(n)
    a = line
    for _ in range(dimensions - 1):
        a = np.kron(a, one) + np.kron(np.eye(len(a)), line)
    return a


def random_system(random):
    """A, b, a description, and whether every preconditioner has to solve it."""
    dimensions = int(random.integers(1, 4))
    n = int(random.integers(*{1: (5, 200), 2: (4, 15), 3: (3, 7)}[dimensions]))
    a = laplacian(n, dimensions)
    b = np.full(len(a), random.choice([0.0, 1.0, 1e3]))
    penalty, units = 10 ** random.uniform(4, 16), 10 ** random.uniform(0, 20)
    kind = str(random.choice(["penalty", "units", "both"]))
    if kind != "units":
        rows = random.choice(len(a), max(1, len(a) // 10), replace=False)
        a[rows, rows] += penalty
        b[rows] += penalty * random.choice([1.0, 300.0]) * (1 + random.random(len(rows)))
    else:
        b[0] += 1
    if kind != "penalty":
        scale = units ** random.uniform(-0.5, 0.5, len(a))
        a, b = a * scale[:, None] * scale, b * scale
    return a, b, f"{kind}: {dimensions} dimensions, n = {n}, penalty {penalty:.0e}, units {units:.0e}", kind == "penalty" or units < 1e8


def write(name, banner, lines):
    with open(name, "w", encoding="ascii") as file:
        file.write(f"%%MatrixMarket matrix {banner}\n" + "\n".join(lines) + "\n")


def main():
    random = np.random.default_rng(int(sys.argv[2]))
    wrong = 0
    for _ in range(int(sys.argv[3])):
        a, b, what, sure = random_system(random)
        s = a.diagonal() ** -0.5
        u = s * np.linalg.solve(a * s[:, None] * s, s * b)
        rows, columns = np.nonzero(np.tril(a))
        write("a.mtx", "coordinate real symmetric", [f"{len(a)} {len(a)} {len(rows)}"] + [
            f"{i + 1} {j + 1} {a[i, j]:.17g}" for i, j in zip(rows, columns)])
        write("b.mtx", "array real general", [f"{len(b)} 1"] + [f"{value:.17g}" for value in b])
        for name in ("none", "jacobi", "chebyshev", "amg"):
            done = subprocess.run([sys.argv[1], "--backend=cpu", "--matrix=a.mtx", "--rhs=b.mtx", "--output=x.npy", f"--precond={name}"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                x = np.load("x.npy").ravel()
                error = np.linalg.norm(x - u) / np.linalg.norm(u)
                bad = "" if error <= 1e-2 else f"status 0, but x is wrong by {error:.1e}"
            else:
                bad = f"status {done.returncode}: {done.stderr.strip()}" if name != "none" and sure or done.returncode != 2 else ""
            if bad:
                wrong += 1
                print(f"{what}, {name}: {bad}")
    sys.exit(wrong > 0)


main()
