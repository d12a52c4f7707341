"""kronecker.py PROGRAM SEED COUNT [hard]: random boxes, assembled here cell by cell as Kronecker products of matrices of one
direction and solved densely, against the matrix of --save-matrix and the solution of --output. Nothing of the program
is used. Prints the command of each box that differs; exit status: 1 if there is one. `hard`: heat transfer of 1e-3 to 1e14,
as values by penalty have it, and kappa that jumps: what ends with status 0 is right to 1e-2, and only plain CG may not.

A cell of lengths h has K = kappa sum over k of S_k (x) M_j (x) M_i, with S = [1 -1; -1 1]/h and M the mass matrix of the
quadrature; a face with heat transfer adds h M (x) M. Nodes on opposite faces of a periodic direction are one. In half of
the boxes cells have other lengths in some directions, by --grid or by --grade.
"""
import itertools
import subprocess
import sys

import numpy as np

EDGE = {"gauss": (1 / 3, 1 / 6), "blended": (5 / 12, 1 / 12)}
SOURCE = "1+x*y-2*z^2+y"
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(3)
LETTERS = "xyz"


def product(one, two, three):
    """Of x, y, z, x fastest."""
    return np.kron(three, np.kron(two, one))


def random_box(random):
    box = {"cells": random.integers(3, 8, 3), "size": random.choice([0.5, 1.0, 2.0], 3), "faces": {},
           "quadrature": str(random.choice(["gauss", "blended"])), "periodic": [False] * 3}
    for k in range(3):
        box["periodic"][k] = bool(random.random() < 0.4)
        for side in range(2):
            number = round(float(random.uniform(-2, 2)), 3)
            kind = "periodic" if box["periodic"][k] else str(random.choice(["value", "flux", "h"]))
            box["faces"][k, side] = (kind, number, round(float(random.uniform(0.5, 3)), 3))
    box["x"] = [np.arange(n + 1) * (length / n) for n, length in zip(box["cells"], box["size"])]
    box["graded"], graded = str(random.choice(["", "", "grade", "grid"])), random.random(3) < 0.7
    for k in range(3):
        n, ratio = box["cells"][k], round(float(np.exp(random.uniform(-2, 2))), 3)
        if box["graded"] == "" or not graded[k]:
            continue
        steps = ratio ** (np.arange(n) / (n - 1)) if box["graded"] == "grade" else random.uniform(0.2, 2, n)
        box["x"][k] = np.concatenate([[0.0], np.cumsum(steps)]) * (box["size"][k] / steps.sum())
        box["x"][k][n] = box["size"][k]
        box["words"] = box.get("words", []) + [f"--grade={LETTERS[k]}:{ratio}"] * (box["graded"] == "grade")
    if all(kind in ("flux", "periodic") for kind, _, _ in box["faces"].values()):
        box["faces"][0, 0], box["faces"][0, 1] = ("value", 0.5, 0), ("h", 1.5, 0.75)
        box["periodic"][0] = False
    shape = box["cells"][::-1]
    box["kappa"] = np.exp(random.uniform(-2, 2, shape)) if random.random() < 0.7 else np.full(shape, 1.5)
    return box


def words(box):
    face = {"value": "value={0}", "flux": "flux={0}", "h": "h={1},ambient={0}", "periodic": "periodic"}
    return ["--cells=" + "x".join(map(str, box["cells"])), "--size=" + "x".join(map(str, box["size"])),
            "--quadrature=" + box["quadrature"], "--source=" + SOURCE, "--kappa=kappa.npy"] + box.get("words", []) + [
                "--grid=grid.txt"] * (box["graded"] == "grid") + [
                f"--face={LETTERS[k]}{side}:" + face[kind].format(number, transfer)
                for (k, side), (kind, number, transfer) in box["faces"].items()]


def assemble(box):
    """A and b of all nodes, and which of these have which value."""
    cells, lengths = box["cells"], [np.diff(x) for x in box["x"]]
    counts = cells + 1 - np.array(box["periodic"])
    number = lambda i: (i[0] % counts[0]) + counts[0] * ((i[1] % counts[1]) + counts[1] * (i[2] % counts[2]))
    same, other = EDGE[box["quadrature"]]
    a, b, held = np.zeros((counts.prod(),) * 2), np.zeros(counts.prod()), {}
    f = eval("lambda x, y, z: " + SOURCE.replace("^", "**"))
    for cell in itertools.product(*map(range, cells)):
        h = [lengths[k][cell[k]] for k in range(3)]
        mass = [hk * np.array([[same, other], [other, same]]) for hk in h]
        stiff = [np.array([[1, -1], [-1, 1]]) / hk for hk in h]
        shape = [np.array([(1 - POINTS) / 2, (1 + POINTS) / 2]) * WEIGHTS * hk / 2 for hk in h]
        element = product(stiff[0], mass[1], mass[2]) + product(mass[0], stiff[1], mass[2]) + product(mass[0], mass[1], stiff[2])
        nodes = [number((cell[0] + i, cell[1] + j, cell[2] + k)) for k, j, i in itertools.product(range(2), repeat=3)]
        a[np.ix_(nodes, nodes)] += box["kappa"][cell[::-1]] * element
        x, y, z = (box["x"][k][cell[k]] + h[k] * (1 + POINTS) / 2 for k in range(3))
        values = f(x[None, None, :], y[None, :, None], z[:, None, None]) + np.zeros((3, 3, 3))
        np.add.at(b, nodes, product(*shape) @ values.ravel())
        for (k, side), (kind, value, transfer) in box["faces"].items():
            if cell[k] != (cells[k] - 1 if side else 0) or kind in ("periodic", "value"):
                continue
            here = [np.diag([1.0 - side, side]) if m == k else mass[m] for m in range(3)]
            if kind == "h":
                a[np.ix_(nodes, nodes)] += transfer * product(*here)
            np.add.at(b, nodes, product(*here).sum(1) * value * (transfer if kind == "h" else 1))
    for (k, side), (kind, value, _) in box["faces"].items():
        for i in itertools.product(*map(range, counts)):
            if kind == "value" and i[k] == (cells[k] if side else 0):
                held.setdefault(number(i), value)
    return a, b, held


def read(name):
    rows = [line.split() for line in open(name, encoding="ascii") if not line.startswith("%")]
    if len(rows[0]) == 2:
        return np.array([float(row[0]) for row in rows[1:]])
    matrix = np.zeros((int(rows[0][0]), int(rows[0][1])))
    for i, j, value in rows[1:]:
        matrix[int(i) - 1, int(j) - 1] = matrix[int(j) - 1, int(i) - 1] = float(value)
    return matrix


def solve(a, b):
    """x of A x = b, whose diagonal may span many orders of magnitude."""
    s = a.diagonal() ** -0.5
    return s * np.linalg.solve(a * s[:, None] * s, s * b)


def compare(program, box, options, least, may_fail):
    """What is wrong, and the command. x may differ by `least` of its largest number."""
    np.save("kappa.npy", box["kappa"])
    with open("grid.txt", "w", encoding="ascii") as file:
        file.writelines(f"{letter}: {' '.join(map(repr, map(float, x)))}\n" for letter, x in zip(LETTERS, box["x"]))
    command = [program, "--backend=cpu", "--output=x.mtx"] + words(box) + options
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    a, b, held = assemble(box)
    free = [i for i in range(len(b)) if i not in held]
    known, values = list(held), np.array(list(held.values()))
    b = b[free] - a[np.ix_(free, known)] @ values
    a = a[np.ix_(free, free)]
    if done.returncode:
        return None if may_fail and done.returncode == 2 else f"status {done.returncode}: {done.stderr.strip()}", command
    u, x = solve(a, b), read("x.mtx")
    if not abs(x - u).max() <= least * abs(u).max():
        return f"x differs by {abs(x - u).max() / abs(u).max():.1e}", command
    if "--save-matrix=a.mtx" in options:
        difference = abs(read("a.mtx") - a).max() / abs(a).max()
        if difference > 1e-13:
            return f"the matrix differs by {difference:.1e}", command
    return None, command


def hard_box(random):
    box = random_box(random)
    for face, (kind, number, _) in box["faces"].items():
        box["faces"][face] = (kind, number, float(f"{10 ** random.uniform(-3, 14):.3g}"))
    if random.random() < 0.5:
        box["kappa"] = np.where(random.random(box["kappa"].shape) < 0.5, 10 ** random.uniform(0, 8), 1.0)
    return box


def main():
    hard = sys.argv[4:] == ["hard"]
    random = np.random.default_rng(int(sys.argv[2]))
    choices = [["--format=sell", "--save-matrix=a.mtx"], ["--format=none", "--precond=mg"], ["--format=crs", "--precond=mg", "--coarse=galerkin"],
               ["--format=none"], ["--format=sellc", "--precond=amg"], ["--precond=fdm"]]
    if hard:
        choices = [[f"--precond={name}"] for name in ("none", "jacobi", "chebyshev", "mg", "amg")]
    wrong = 0
    for i in range(int(sys.argv[3])):
        options = choices[i % len(choices)]
        box = hard_box(random) if hard else random_box(random)
        what, command = compare(sys.argv[1], box, options + ([] if hard else ["--tol=1e-12"]), 1e-2 if hard else 1e-8,
                                hard and options == ["--precond=none"])
        if what:
            wrong += 1
            print(f"{what}: {' '.join(command)}")
    sys.exit(wrong > 0)


main()
