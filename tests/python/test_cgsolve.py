"""python/cgsolve.py, as its users meet it. What needs NumPy, SciPy, CuPy or PyTorch is skipped without it; the
rest runs with Python alone."""

import array
import copy
import ctypes
import gc
import importlib.util
import inspect
import itertools
import math
import multiprocessing
import os
import re
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
import weakref

import cgsolve

N = 60


def there(name):
    return importlib.util.find_spec(name) is not None


def cuda_there():
    if not there("cupy"):
        return False
    import cupy
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


needs_numpy = unittest.skipUnless(there("numpy"), "no NumPy here")
needs_scipy = unittest.skipUnless(there("scipy"), "no SciPy here")
needs_torch = unittest.skipUnless(there("torch") and there("numpy"), "no PyTorch here")
needs_cuda = unittest.skipUnless(cuda_there(), "no CuPy with a device here")


def tridiagonal(n=N, diagonal=2.5):
    """Pointers, columns, values of tridiag(-1, 2.5, -1), as arrays of Python's own."""
    pointers, columns, values = array.array("q", [0]), array.array("i"), array.array("d")
    for i in range(n):
        for j in range(max(i - 1, 0), min(i + 2, n)):
            columns.append(j)
            values.append(diagonal if i == j else -1.0)
        pointers.append(len(columns))
    return pointers, columns, values


def known(n=N):
    return array.array("d", [math.sin(3.0 * i) for i in range(n)])


def product(A, x):
    pointers, columns, values = A
    return array.array("d", [sum(values[k] * x[columns[k]] for k in range(pointers[i], pointers[i + 1]))
                             for i in range(len(x))])


def laplacian(n):
    """The 7-point matrix of a cube."""
    import scipy.sparse as sp
    t, i = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)), sp.identity(n)
    return (sp.kron(sp.kron(t, i), i) + sp.kron(sp.kron(i, t), i) + sp.kron(sp.kron(i, i), t)).tocsr()


class Plain(unittest.TestCase):
    """With Python's own arrays."""

    def setUp(self):
        self.A, self.u = tridiagonal(), known()
        self.b = product(self.A, self.u)

    def assert_near(self, x, u, bound=1e-9):
        self.assertEqual(len(x), len(u))
        self.assertLess(max(abs(float(a) - float(b)) for a, b in zip(x, u)), bound)

    def test_solve(self):
        x = cgsolve.solve(self.A, self.b, tol=1e-13, backend="cpu")
        self.assert_near(x, self.u)

    def test_symmetric_but_for_rounding(self):
        pointers, columns, values = self.A
        off = array.array("d", values)
        off[pointers[1]] *= 1 + 1e-15
        with cgsolve.Solver((pointers, columns, off), tol=1e-13, backend="cpu") as s:
            self.assert_near(s.solve(self.b), self.u)
            self.assertIn("symmetric except for rounding", str(s.report))
            off[pointers[1]] *= 1 + 1e-9
            s.update(off)
            with self.assertRaisesRegex(cgsolve.Breakdown, r"a\(2, 1\) = .* up to 1e-10 is taken as rounding"):
                s.solve(self.b)

        alone = (array.array("q", [0, 2, 3]), array.array("i", [0, 1, 1]), array.array("d", [1.0, 1e-10, 1.0]))
        with cgsolve.Solver(alone, backend="cpu") as s:
            self.assert_near(s.solve([1.0, 1.0]), [1.0, 1.0], 1e-15)
            self.assertIn("its 1 entry without a mirror image as 0: a(1, 2) = ", str(s.report))

    def test_start_of_another_length(self):
        for wrong in (array.array("d", [0.0]), array.array("d", [0.0] * (N + 1))):
            with self.assertRaisesRegex(cgsolve.UsageError, f"x0 has {len(wrong)} numbers: expected {N}"):
                cgsolve.solve(self.A, self.b, wrong, backend="cpu")

    def test_freed_with_the_last_reference(self):
        gc.disable()
        try:
            s = cgsolve.Solver(self.A, backend="cpu", callback=lambda iteration, residual: True)
            s.solve(self.b)
            gone = weakref.ref(s)
            del s
            self.assertIsNone(gone())

            def fails(iteration, residual):
                raise KeyError
            s = cgsolve.Solver(self.A, backend="cpu", callback=fails)
            gone = weakref.ref(s)
            try:  # assertRaises would clear the frames
                s.solve(self.b)
            except KeyError:
                pass
            del s
            self.assertIsNone(gone())
        finally:
            gc.enable()

    def test_solver_keeps_its_setup(self):
        with cgsolve.Solver(self.A, precond="jacobi", backend="cpu", tol=1e-6) as s:
            s.solve(self.b)
            loose = s.result.iterations
            s.set(tol=1e-13)
            self.assert_near(s.solve(self.b), self.u)
            self.assertGreater(s.result.iterations, loose)
            self.assertEqual(len(s.history), s.result.iterations + 1)
            self.assertEqual(s.result.outcome, "converged")
            self.assertEqual(s.unknowns, N)
            self.assertEqual(s.report["solver"]["status"], "converged")
            s.update(array.array("d", [2.0 * v for v in self.A[2]]))
            self.assert_near(s.solve(self.b), [0.5 * v for v in self.u])

    def test_new_values_keep_set_up(self):
        n = 900  # more rows than a grid of one inverse has
        entries = [(i, j) for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n]
        values = [2.0 if i == j else -1.0 for i, j in entries]
        path = [0] + [3 * i - 1 for i in range(1, n)] + [3 * n - 2], [j for i, j in entries], values
        u = [math.sin(i) for i in range(n)]
        b = [sum(v * u[j] for (i, j), v in zip(entries[s:t], values[s:t])) for s, t in zip(path[0], path[0][1:])]
        for kept in ("pattern", "all"):
            with cgsolve.Solver(path, precond="amg", backend="cpu", tol=1e-13, reuse=kept) as s:
                self.assert_near(s.solve(b), u, 1e-6)
                self.assertEqual(s.report["preconditioning"]["reused"], "none")
                s.update(array.array("d", [2.0 * v for v in values]))
                self.assert_near(s.solve(b), [0.5 * v for v in u], 1e-6)
                self.assertEqual(s.report["preconditioning"]["reused"], kept)

    def test_start_and_out(self):
        out = array.array("d", bytes(8 * N))
        with cgsolve.Solver(self.A, backend="cpu", tol=1e-12) as s:
            x = s.solve(self.b, out=out)
            self.assertIs(x, out)
            self.assert_near(x, self.u)
            s.solve(self.b, x0=x)
            self.assertLessEqual(s.result.iterations, 1)
            with self.assertRaisesRegex(cgsolve.UsageError, "out: expected 60 doubles"):
                s.solve(self.b, out=array.array("f", bytes(4 * N)))

    def test_lists(self):
        x = cgsolve.solve(tuple(list(part) for part in self.A), list(self.b), tol=1e-13, backend="cpu")
        self.assert_near(x, self.u)

    def test_one_triangle(self):
        pointers, columns, values = array.array("i", [0]), array.array("i"), array.array("d")
        for i in range(N):
            for j in range(max(i - 1, 0), i + 1):
                columns.append(j)
                values.append(2.5 if i == j else -1.0)
            pointers.append(len(columns))
        A = (pointers, columns, values)
        self.assert_near(cgsolve.solve(A, self.b, triangle="lower", tol=1e-13, backend="cpu"), self.u)
        with self.assertRaisesRegex(cgsolve.InputError, "in the other triangle"):
            cgsolve.Solver(A, triangle="upper")

    def test_box(self):
        with cgsolve.box(15, precond="mg", tol=1e-8, backend="cpu") as s:
            self.assertEqual(len(s.solve()), 15**3)
            self.assertLess(s.result.iterations, 12)
            self.assertLess(s.result.l2_error, 1e-2)
        with cgsolve.box(cells="8x12x20", size="1x2x0.5", precond="mg", tol=1e-8, backend="cpu") as s:
            self.assertEqual(len(s.solve()), 7 * 11 * 19)
            self.assertLess(s.result.iterations, 12)
        with cgsolve.box(cells="8x12x20", source="1", kappa="1+9*(z>0.5)", precond="auto", backend="cpu",
                         precond_precision="single") as s:
            s.solve()
            self.assertLess(s.result.iterations, 5)
            self.assertEqual(s.report["preconditioning"]["cycle_precision"], "single")
            self.assertEqual(s.report["solver"]["preconditioner"], "fdm")
        graded = {"cells": "6x5x4", "grade": "x:3", "reaction": 5, "precond": "fdm", "tol": 1e-12, "backend": "cpu"}
        with cgsolve.box(**graded, problem="octants") as s, \
                cgsolve.box(**graded, exact="sin(2*pi*x)*sin(2*pi*y)*sin(2*pi*z)") as own:
            self.assertTrue((s.solve() == own.solve()).all())
            self.assertEqual((s.result.l2_error, s.report["problem"]["name"]), (own.result.l2_error, "octants"))
        with cgsolve.box(7, source="1", face="x0:periodic", backend="cpu") as s:
            self.assertEqual(len(s.solve()), 8 * 7 * 7)
        probes = ["0.3,0.6,0.5", "1,0.2,0.7"]
        with cgsolve.box(cells="4x3x2", order=3, tol=1e-12, precond="mg", backend="cpu", probe=probes) as s:
            self.assertEqual(len(s.solve()), 11 * 8 * 5)
            self.assertEqual([grid["order"] for grid in s.report["preconditioning"]["levels"]][:2], [3, 2])
            self.assertLess(s.result.l2_error, 5e-3)
            self.assertEqual(s.report["problem"]["order"], 3)
            inside, face = s.report["probes"]
            exact = math.prod([t * (1 - t) * math.exp(k * t) for k, t in zip((1, 2, 3), inside["at"])])
            self.assertAlmostEqual(inside["value"], exact, delta=5e-3)
            self.assertEqual(face["value"], 0)
        with cgsolve.box(cells=4, order=4, deform=0.1, kappa="smooth", quadrature="gauss", backend="cpu") as s:
            self.assertEqual(len(s.solve()), 15**3)
            self.assertLess(s.result.l2_error, 5e-5)
            self.assertEqual((s.report["kernel"], s.report["problem"]["quadrature"]), ("order_cells", "gauss"))
        with cgsolve.box(cells=4, order=6, precond="fdm", tol=1e-10, backend="cpu") as s:
            s.solve()
            self.assertLessEqual(s.result.iterations, 2)
        with cgsolve.box(cells=4, order=4, problem="mass", quadrature="gauss", precond="auto", backend="cpu") as s:
            self.assertEqual(len(s.solve()), 15**3)
            self.assertLess(s.result.l2_error, 5e-5)
            self.assertEqual(s.report["solver"]["preconditioner"], "jacobi")
        with cgsolve.box(cells=3, order=2, exact="x^2-y*z", face=["x0:flux", "z0:h=2"], tol=1e-13, precond="mg",
                         backend="cpu") as s:
            self.assertEqual(len(s.solve()), 6 * 5 * 6)
            self.assertLess(s.result.l2_error, 1e-10)
        own = dict(cells=4, order=3, exact="sin(x)*y", kappa="1+x", tol=1e-12, backend="cpu")
        with cgsolve.box(**own, precond="mg") as cells, cgsolve.box(**own, precond="amg") as rows:
            x, y = cells.solve(), rows.solve()
            for x, y in ((x, y), (cells.solve(x), rows.solve(x))):
                self.assertLess(abs(x - y).max(), 1e-9 * abs(x).max())
            self.assertEqual((cells.report["kernel"], rows.report["kernel"]), ("order_cells", "sell_chunk"))
        with cgsolve.box(cells=3, order=2, exact="x^2-y*z", reaction="1+x", face=["x0:flux", "z0:h=2+y"], tol=1e-13,
                         precond="mg", backend="cpu") as s:
            self.assertEqual(len(s.solve()), 6 * 5 * 6)
            self.assertLess(s.result.l2_error, 1e-4)
        with cgsolve.box(cells=3, order=2, exact="x^2-y*z", kappa="1+x", quadrature="gauss", face="x0:flux", tol=1e-13,
                         precond="mg", backend="cpu") as s:
            self.assertEqual(len(s.solve()), 6 * 5 * 5)
            self.assertLess(s.result.l2_error, 1e-10)
        middle = 1.0 / 6  # weight of the rule in cells of order 2 and length 1/4; at their ends half of it
        line = [middle, middle / 2] * 3 + [middle]
        own = {"cells": 4, "order": 2, "tol": 1e-12, "precond": "mg", "backend": "cpu"}
        with tempfile.TemporaryDirectory() as folder, cgsolve.box(**own, source=1) as s:
            with open(folder + "/b.txt", "w", encoding="ascii") as file:
                file.writelines(f"{x * y * z!r}\n" for z in line for y in line for x in line)
            with cgsolve.box(**own, rhs=file.name) as given:
                for x, y in zip(s.solve(), given.solve()):
                    self.assertAlmostEqual(x, y, delta=1e-10)
        with cgsolve.box(15, cells=16, backend="cpu") as s:
            with self.assertRaises(cgsolve.UsageError):
                s.solve()

    def test_callback(self):
        seen = []
        cgsolve.solve(self.A, self.b, backend="cpu", callback=lambda k, r: seen.append((k, r)), check_every=1)
        self.assertGreater(len(seen), 3)
        with self.assertRaises(cgsolve.Interrupted) as raised:
            cgsolve.solve(self.A, self.b, backend="cpu", callback=lambda k, r: k < 2, check_every=1)
        self.assertEqual(len(raised.exception.x), N)

        def fails(k, r):
            raise KeyError("of the caller")
        with self.assertRaisesRegex(KeyError, "of the caller"):
            cgsolve.solve(self.A, self.b, backend="cpu", callback=fails)

    def test_names_of_scipy(self):
        """rtol and maxiter are options; atol relates to the norm of each b, and leaves rtol as it was."""
        norm = math.hypot(*self.b)
        with cgsolve.Solver(self.A, rtol=1e-4, maxiter=500, backend="cpu", check_every=1) as s:
            for given, expected in (({}, 1e-4), ({"atol": 1e-2 * norm}, 1e-2), ({"atol": 1e-9 * norm}, 1e-4),
                                    ({"rtol": 0, "atol": 1e-6 * norm}, 1e-6), ({"rtol": None}, 1e-6),
                                    ({"atol": 1e-12 * norm}, 1e-10), ({"atol": None}, 1e-10), ({"tol": 1e-3}, 1e-3),
                                    ({"atol": 9.0 * norm}, 1.0)):
                s.set(**given)
                x = s.solve(self.b)
                self.assertAlmostEqual(s.report["solver"]["tolerance"] / expected, 1.0, places=9, msg=str(given))
                left = math.hypot(*(p - b for p, b in zip(product(self.A, x), self.b)))
                self.assertLess(left, 2.0 * expected * norm)
            s.set(atol=1e-3 * norm, rtol=1e-6)
            s.solve([1e3 * b for b in self.b])
            self.assertAlmostEqual(s.report["solver"]["tolerance"] / 1e-6, 1.0, places=9)
            self.assert_near(s.solve([0.0] * N), [0.0] * N, 1e-300)
        with cgsolve.Solver(self.A, precision="single", atol=1e-9, backend="cpu") as s:
            s.solve(self.b)
            self.assertAlmostEqual(s.report["solver"]["tolerance"] / 1e-5, 1.0, places=9)
        for kind, words, options in (
                (cgsolve.NotConverged, "the limit of 2 iterations", {"maxiter": 2}),
                (cgsolve.UsageError, "^rtol=2 is out of range", {"rtol": 2}),
                (cgsolve.UsageError, "^rtol=0 is out of range", {"rtol": 0}),
                (cgsolve.UsageError, "^maxiter=-1 is out of range", {"maxiter": -1}),
                (cgsolve.UsageError, "^atol = -1: expected a number, 0 or more", {"atol": -1}),
                (cgsolve.UsageError, "^atol = 'a': expected a number", {"atol": "a"}),
                (cgsolve.UsageError, "tol and rtol are two names of one option", {"rtol": 0.1, "tol": 0.1}),
                (cgsolve.UsageError, r"expected a function of x, callback\(xk\), or of iteration and residual",
                 {"callback": lambda: None})):
            with self.assertRaisesRegex(kind, words):
                cgsolve.solve(self.A, self.b, backend="cpu", **options)
        with self.assertRaisesRegex(cgsolve.UsageError, "atol is for a b that is given"):
            cgsolve.box(7, atol=1e-3, backend="cpu").solve()

    def test_words_of_python(self):
        """No message names what Python has not: handles, NULL, functions of the library."""
        closed = cgsolve.Solver(self.A)
        closed.close()
        for words, call in (
                ("^the solver is closed: expected a new one$", lambda: closed.solve(self.b)),
                ("^the solver is closed", lambda: closed.set(tol=0.1)),
                ("expected True or False", lambda: cgsolve.Solver(self.A, profile="maybe")),
                ("`report` has the program's report", lambda: cgsolve.Solver(self.A, json="a.json")),
                ("the name of a file is given as A", lambda: cgsolve.Solver(self.A, matrix="a.mtx")),
                (r"call setup\(\) first", lambda: cgsolve.Solver("a.mtx").unknowns),
                (r"solve\(\) makes one", lambda: cgsolve.Solver(self.A).report),
                ("^b is None: expected a right-hand side of 60 numbers", lambda: cgsolve.solve(self.A, None)),
                ("leave out b for the problem's own", lambda: cgsolve.box(3, probe="0,0,0").solve([1.0] * 27)),
                ("leave out b and x0", lambda: cgsolve.box(3, problem="course").solve([1.0] * 27)),
                ("^x0 is a start vector, .*: leave out x0, or take guess", lambda: cgsolve.box(
                    7, guess="fmg", precond="mg").solve([1.0] * 343, [0.0] * 343))):
            with self.subTest(words):
                with self.assertRaisesRegex(cgsolve.UsageError, words) as raised:
                    call()
                self.assertNotRegex(str(raised.exception), "handle|NULL|cgsolve_")

    def test_errors_say_what_would_be_right(self):
        pointers, columns, values = self.A
        wrong = array.array("i", columns)
        wrong[4] = N
        for kind, text, call in (
                (cgsolve.UsageError, "did you mean 'precond'", lambda: cgsolve.Solver(self.A, preconf="amg")),
                (cgsolve.UsageError, "amg", lambda: cgsolve.Solver(self.A, precond="agm")),
                (cgsolve.InputError, r"columns\[4\] = 60 is out of range: expected 0 ... 59",
                 lambda: cgsolve.Solver((pointers, wrong, values))),
                (cgsolve.UsageError, "length 59, but the matrix has 60 rows",
                 lambda: cgsolve.solve(self.A, self.b[1:], backend="cpu")),
                (cgsolve.UsageError, "expected one of scipy.sparse", lambda: cgsolve.Solver(Matrixless())),
                (cgsolve.UsageError, "expected an array of numbers", lambda: cgsolve.solve(self.A, object())),
                (cgsolve.UsageError, "expected 'lower', 'upper'", lambda: cgsolve.Solver(self.A, triangle="low")),
                (cgsolve.Breakdown, "the diagonal of a positive definite matrix is positive",
                 lambda: cgsolve.solve(tridiagonal(diagonal=-2.5), self.b, backend="cpu")),
                (cgsolve.Breakdown, r"row and column 2 \(counted from 1\) hold only zeros",
                 lambda: cgsolve.solve((array.array("q", [0, 1, 2]), array.array("i", [0, 1]), array.array("d", [2, 0])),
                                       array.array("d", [1, 0]), backend="cpu")),
                (cgsolve.InputError, "cannot be opened",
                 lambda: cgsolve.Solver("/nowhere/a.mtx", backend="cpu").setup())):
            with self.assertRaisesRegex(kind, text):
                call()
        self.assertTrue(issubclass(cgsolve.UsageError, ValueError))

    def test_not_converged_keeps_x(self):
        with self.assertRaises(cgsolve.NotConverged) as raised:
            cgsolve.solve(self.A, self.b, backend="cpu", max_iterations=2)
        self.assertEqual(raised.exception.result.iterations, 2)
        self.assertEqual(len(raised.exception.x), N)

    def test_range(self):
        for size in (5e-324, 1e-200, 1e200):
            self.assert_near([x / size for x in cgsolve.solve(self.A, [size * b for b in self.b], tol=1e-13, backend="cpu")],
                             self.u, 1e-9 if size > 1e-300 else 10.0)
        x = cgsolve.solve(self.A, [0.0] * N, x0=[5e-324] + [0.0] * (N - 1), backend="cpu")
        self.assert_near(x, [0.0] * N, 1e-300)

    def test_null_space(self):
        n = 60
        path = ([0] + [3 * i - 1 for i in range(1, n)] + [3 * n - 2],
                [j for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n],
                [(1.0 if i in (0, n - 1) else 2.0) if i == j else -1.0
                 for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n])
        b = [math.sin(i) + 1 for i in range(n)]
        with self.assertRaises(cgsolve.NotConverged):
            cgsolve.solve(path, b, backend="cpu")
        x = list(cgsolve.solve(path, b, nullspace="constant", backend="cpu"))
        self.assertLess(abs(sum(x)), 1e-10 * max(map(abs, x)))
        self.assertAlmostEqual(x[0] - x[1], b[0] - sum(b) / n)

    def test_value_by_penalty(self):
        pointers, columns, values = self.A
        values = list(values)
        b = [0.0] * N
        for row in (0, N - 1):
            for k in range(pointers[row], pointers[row + 1]):
                if columns[k] == row:
                    values[k] += 1e12
            b[row] = 1e12
        s = cgsolve.Solver((pointers, columns, values), precond="jacobi", backend="cpu")
        x = s.solve(b)
        rest = [abs(r - w) for r, w in zip(product((pointers, columns, values), x), b)]
        self.assertLess(max(rest[1:N - 1]), 1e-6)
        ratio, row = s.worst_row
        self.assertLess(ratio, 1e-5)
        said = s.report["solver"]
        self.assertEqual((ratio, row + 1), (said["worst_row"], said["worst_row_number"]))
        with self.assertRaisesRegex(cgsolve.NotConverged, "in row [0-9]+ of the matrix"):
            cgsolve.solve((pointers, columns, values), b, precond="jacobi", backend="cpu", max_iterations=1)
        s = cgsolve.box(102, format="none", precond="mg", backend="cpu")  # more rows than are looked at one by one
        s.solve()
        self.assertLess(s.worst_row[0], 1e-5)
        self.assertEqual(s.worst_row, (s.report["solver"]["worst_row"], -1))

    def test_version(self):
        self.assertRegex(cgsolve.version(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(cgsolve.__version__, cgsolve.version())

    def test_help_and_hints(self):
        """Each public function and method says what it takes and returns; the help of `solve` names what is typed most."""
        page = inspect.getdoc(cgsolve.solve)
        for word in ("A ", "b ", "x0", "out", "rtol", "atol", "maxiter", "precond", "M ", "callback", "triangle", "backend",
                     "threads", "precision", "NotConverged", "max(rtol ||b||, atol)"):
            self.assertRegex(page, "(?m)" + re.escape(word))
        for owner in (cgsolve, cgsolve.Solver, cgsolve.Result, cgsolve.Error):
            for name, member in vars(owner).items():
                member = getattr(member, "fget", member)
                if inspect.isfunction(member) and (not name.startswith("_") or name in ("__init__", "__repr__")):
                    hints = typing.get_type_hints(member)
                    self.assertIn("return", hints, member)
                    self.assertEqual(set(inspect.signature(member).parameters) - {"self"}, set(hints) - {"return"}, member)
        for name, _ in cgsolve.Result._fields_:
            self.assertTrue(name.startswith("_") or name in typing.get_type_hints(cgsolve.Result), name)

    def test_repr(self):
        with cgsolve.Solver(self.A, backend="cpu", rtol=1e-6, threads=1) as s:
            self.assertEqual(repr(s), f"<Solver of a matrix of {N} unknowns, backend='cpu', rtol=1e-06, threads=1: no solve yet>")
            s.solve(self.b)
            s.set(tol=1e-8, threads=None)
            self.assertRegex(repr(s), rf"^<Solver of a matrix of {N} unknowns, backend='cpu', tol=1e-08: converged after "
                             r"\d+ iterations, true relative residual \d\.\d\de-\d\d>$")
            s.set(rtol=0, atol=1e-3)
            self.assertIn("unknowns, backend='cpu', rtol=0, atol=0.001: converged", repr(s))
            s.set(rtol=None, atol=None)
            self.assertIn("unknowns, backend='cpu': converged", repr(s))
        self.assertEqual(repr(s), "<Solver of a matrix: closed>")
        self.assertEqual(repr(cgsolve.Solver("a.mtx")), "<Solver of the file 'a.mtx': no solve yet>")
        s = cgsolve.box(3, face=["x0:flux"], backend="cpu")
        s.set(face="x1:value=1")
        self.assertIn("of 36 unknowns, face=['x0:flux', 'x1:value=1'], backend='cpu', N=3:", repr(s))
        s.set(face=None)
        self.assertEqual(repr(s), "<Solver of a box of 27 unknowns, backend='cpu', N=3: no solve yet>")
        seen = []
        s = cgsolve.Solver(self.A, backend="cpu", callback=lambda k, r: seen.append(repr(s)))
        s.solve(self.b)
        self.assertEqual(seen[0], "<Solver of a matrix, backend='cpu': no solve yet>")

    def test_options_given_several_times(self):
        """u is a line from 1 at x0 to 3 at x1: 7 x 9 x 9 unknowns, 2 in the middle."""
        faces = ["x0:value=1", "x1:value=1+k", "y0:flux", "y1:flux", "z0:flux", "z1:flux"]
        kept = {"source": "0", "tol": 1e-12, "backend": "cpu", "let": "k=2"}
        added = cgsolve.box(7, **kept)
        for face in faces:
            added.set(face=face)
        named = {"material": [f"{name}:kappa=3,2,1" for name in "ab"], "region": ["a:x<0.5", "b:x>0.5"]}
        shuffled = random.Random(1).sample(faces, 6)
        rest = cgsolve.box(7, face=["else:flux", "x0:value=1", "x1:value=1+k"], **kept)
        for s in (cgsolve.box(7, face=faces, **kept), cgsolve.box(7, face=tuple(shuffled), **kept, **named), rest, added):
            x = s.solve()
            self.assertEqual(len(x), 7 * 9 * 9)
            self.assertAlmostEqual(float(x[len(x) // 2]), 2.0, places=9)
        with cgsolve.box(7, face=faces, probe=["0.25,0.5,0.5", "1,1,1"], line="0,0,0:1,0,0:3", **kept) as s:
            s.solve()
            for value, said in zip((1.5, 3.0), s.report["probes"]):
                self.assertAlmostEqual(said["value"], value, places=9)
                self.assertAlmostEqual(said["gradient"][0], 2.0, places=9)
            self.assertEqual([point["at"][0] for point in s.report["line"]["points"]], [0.0, 0.5, 1.0])
        added.set(face=[])
        self.assertEqual(added.unknowns, 7 * 9 * 9)
        added.set(face=None)
        added.set(face=["x1:flux"])
        self.assertEqual(added.unknowns, 8 * 7 * 7)
        for options, words in (({"face": faces[:2] + ["y1:wrong"]}, "face=y1:wrong is not understood"),
                               ({"face": faces + ["y1:flux"]}, "face=y1 appears twice"),
                               ({"face": ["x0:flux", ""]}, "face= is not understood"),
                               ({"let": ["k=1", "m=no"]}, "let=m: unknown name 'no'"),
                               ({"tol": [1e-3, 1e-4]}, "expected one value; lists are for face, let, material, region, probe"),
                               ({"source": "1\0+x"}, "a character of it is 0")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.box(7, **{**kept, **options}).solve()

    def test_errors_can_be_pickled(self):
        self.assertIn("no result", repr(cgsolve.Result()))
        solver = cgsolve.Solver(self.A, backend="cpu")
        for other in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "make one for each thread and process"):
                other(solver)
        solver.solve(self.b)
        for kind in (cgsolve.Error, *cgsolve._ERRORS.values()):
            x = array.array("d", [1.0, 2.0])
            error = pickle.loads(pickle.dumps(kind("why", cgsolve.Result(iterations=3), memoryview(x))))
            self.assertIs(type(error), kind)
            self.assertEqual((str(error), error.result.iterations, error.x), ("why", 3, x))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            with self.assertRaisesRegex(cgsolve.NotConverged, "the limit of 2 iterations") as raised:
                pool.apply(ends_early)
        self.assertEqual((raised.exception.result.iterations, raised.exception.result.backend), (2, "cpu"))
        self.assertEqual(len(raised.exception.x), N)

    def test_what_is_no_matrix_or_vector(self):
        pointers, columns, values = self.A
        halves, large = [i + 0.5 if i == 3 else i for i in columns], [i + 2**40 for i in columns]
        for kind, text, call in (
                (cgsolve.UsageError, "matrix of type NoneType", lambda: cgsolve.solve(None, self.b)),
                (cgsolve.UsageError, "matrix of type tuple", lambda: cgsolve.solve((1, 2), self.b)),
                (cgsolve.UsageError, "pointers of type int", lambda: cgsolve.solve((1, 2, 3), self.b)),
                (cgsolve.UsageError, "matrix of type bytes", lambda: cgsolve.solve(b"A.mtx", self.b)),
                (cgsolve.UsageError, r"columns\[\d+\] = .*\.5: expected a whole number",
                 lambda: cgsolve.solve((pointers, halves, values), self.b)),
                (cgsolve.UsageError, r"columns\[\d+\] = .*\.5: expected a whole number",
                 lambda: cgsolve.solve((pointers, array.array("d", halves), values), self.b)),
                (cgsolve.UsageError, r"columns\[0\] = 1099511627776: expected a whole number of 32 bits",
                 lambda: cgsolve.solve((pointers, large, values), self.b)),
                (cgsolve.UsageError, r"columns\[0\] = 1099511627776: expected a whole number of 32 bits",
                 lambda: cgsolve.solve((pointers, array.array("q", large), values), self.b)),
                (cgsolve.UsageError, r"pointers\[0\] = ", lambda: cgsolve.solve((values, columns, pointers), self.b)),
                (cgsolve.UsageError, r"b\[1\] = 'a': expected a number", lambda: cgsolve.solve(self.A, [1.0, "a"])),
                (cgsolve.UsageError, "b of type generator", lambda: cgsolve.solve(self.A, (v for v in self.b))),
                (cgsolve.UsageError, "b of type bytearray", lambda: cgsolve.solve(self.A, bytearray(8 * N))),
                (cgsolve.UsageError, "x0 of type dict", lambda: cgsolve.solve(self.A, self.b, {})),
                (cgsolve.UsageError, "out of type list", lambda: cgsolve.solve(self.A, self.b, out=[0.0] * N)),
                (cgsolve.UsageError, "int is no function", lambda: cgsolve.solve(self.A, self.b, M=5)),
                (cgsolve.UsageError, "callback of type int", lambda: cgsolve.solve(self.A, self.b, callback=5))):
            with self.assertRaisesRegex(kind, text):
                call()
        x = cgsolve.solve((pointers, [float(i) for i in columns], values), tuple(self.b), tol=1e-13, backend="cpu")
        self.assert_near(x, self.u)

    def test_in_use(self):
        """What is lent is not moved, what is at work is not freed, and what one thread's function raises is its own."""
        s = cgsolve.Solver(self.A, backend="cpu")
        with self.assertRaises(BufferError):
            self.A[2].append(1.0)
        s.close()
        self.A[2].append(1.0)
        self.A[2].pop()
        for inside in (lambda s: s.close(), lambda s: s.solve(self.b), lambda s: s.set(tol=0.1)):
            s = cgsolve.Solver(self.A, backend="cpu", callback=lambda k, r: inside(s))
            with self.assertRaisesRegex(cgsolve.UsageError, "in use"):
                s.solve(self.b)
        inside, released = threading.Event(), threading.Event()

        def fails(k, r):
            inside.set()
            released.wait(60)
            raise KeyError("of the caller")
        s = cgsolve.Solver(self.A, backend="cpu", callback=fails)
        raised = []

        def solve():
            try:
                s.solve(self.b)
            except KeyError as error:
                raised.append(error)
        thread = threading.Thread(target=solve)
        thread.start()
        inside.wait(60)
        with self.assertRaisesRegex(cgsolve.UsageError, "in use"):
            s.solve(self.b)
        released.set()
        thread.join()
        self.assertEqual(len(raised), 1)


def ends_early():
    """For another process."""
    A = tridiagonal()
    cgsolve.solve(A, product(A, known()), backend="cpu", threads=1, max_iterations=2)


class Signals(unittest.TestCase):
    """A signal at any time of a call: what its handler raises comes out of it, soon, and nothing is said on the way."""

    def setUp(self):
        self.A = tridiagonal()
        self.b = product(self.A, known())
        self.lost = []
        before = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
        self.addCleanup(signal.signal, signal.SIGINT, before[0])
        self.addCleanup(setattr, sys, "unraisablehook", before[1])
        sys.unraisablehook = self.lost.append

    def send(self, solver, number, raised, b=None, times=20):
        """Solves over and over until the signal has come: at the latest in one of a few solves after it was sent."""
        for _ in range(times):
            sent = threading.Event()

            def send():
                time.sleep(random.uniform(0.0, 2e-3))
                os.kill(os.getpid(), number)
                sent.set()
            thread = threading.Thread(target=send)
            after = 0
            try:
                thread.start()
                while after < 10:
                    after += sent.is_set()
                    solver.solve(self.b if b is None else b)
            except raised:
                after = -1
            thread.join()
            self.assertEqual(after, -1, "the signal was lost")
        self.assertEqual(self.lost, [])
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_with_and_without_callback(self):
        for callback in (None, lambda iteration, residual: None):
            self.send(cgsolve.Solver(self.A, backend="cpu", threads=1, callback=callback), signal.SIGINT, KeyboardInterrupt)

    @needs_numpy
    def test_in_functions(self):
        import numpy as np

        class Operator:
            shape = (N, N)

            def matvec(_, x):
                y = 2.5 * x
                y[1:] -= x[:-1]
                y[:-1] -= x[1:]
                return y

        def inner(r):
            return cgsolve.solve(self.A, r, tol=1e-2, backend="cpu", threads=1)
        for A, M in ((Operator(), None), (self.A, lambda r: r / 2.5), (self.A, inner)):
            self.send(cgsolve.Solver(A, M=M, threads=1), signal.SIGINT, KeyboardInterrupt)
        self.send(cgsolve.Solver(self.A, backend="cpu", threads=1), signal.SIGINT, KeyboardInterrupt,
                  np.ones((N, 3)))

    def test_subinterpreter(self):
        """Where ctypes could not call a function of its."""
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest("no _xxsubinterpreters here")
        other = interpreters.create()
        try:
            refused = "expected one in the main interpreter|does not support loading in subinterpreters"
            with self.assertRaisesRegex(interpreters.RunFailedError, refused): # ours, or ctypes' own
                interpreters.run_string(other, f"import sys\nsys.path[:0] = {sys.path!r}\nimport cgsolve\n"
                                        "cgsolve.solve(([0, 1], [0], [2.0]), [1.0], backend='cpu', threads=1)")
        finally:
            interpreters.destroy(other)

    def test_other_handlers(self):
        def late(*_):
            raise TimeoutError
        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.send(cgsolve.Solver(self.A, backend="cpu", threads=1), signal.SIGALRM, TimeoutError)
        self.assertIs(signal.getsignal(signal.SIGALRM), late)

    def test_stops_where_it_comes(self):
        """In the callback of iteration 3: that is the last. A handler that returns ends nothing, and one that it sets
        stays; SIGINT that is ignored stays so."""
        seen, noted = [], []

        def callback(iteration, residual):
            seen.append(iteration)
            if iteration == 3:
                signal.raise_signal(signal.SIGINT)
        s = cgsolve.Solver(self.A, backend="cpu", tol=1e-13, callback=callback)
        with self.assertRaises(KeyboardInterrupt):
            s.solve(self.b)
        self.assertEqual((seen[-1], s.result.outcome), (3, "interrupted"))

        def handler(*_):
            noted.append(1)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGINT, handler)
        s.solve(self.b)
        self.assertEqual((len(noted), s.result.outcome), (1, "converged"))
        self.assertIs(signal.getsignal(signal.SIGINT), signal.SIG_IGN)
        s.solve(self.b)
        self.assertEqual(len(noted), 1)

    def test_not_in_the_main_thread(self):
        """Another thread's solve goes on, as other calls do: the signal is the main thread's."""
        raised = []

        def solve():
            try:
                for _ in range(20):
                    cgsolve.solve(self.A, self.b, backend="cpu", threads=1)
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
        thread = threading.Thread(target=solve)
        with self.assertRaises(KeyboardInterrupt):
            thread.start()
            signal.raise_signal(signal.SIGINT)
        thread.join()
        self.assertEqual(raised, [])


def pinned(penalty):
    """tridiag(-1, 2, -1) with 1 at both ends by penalty, and its b."""
    A = tridiagonal(diagonal=2.0)
    for row in (0, N - 1):
        for k in range(A[0][row], A[0][row + 1]):
            A[2][k] += penalty if A[1][k] == row else 0.0
    return A, [penalty if row in (0, N - 1) else 0.0 for row in range(N)]


def dense(rows):
    n = len(rows)
    return (array.array("q", range(0, n * n + 1, n)), array.array("i", list(range(n)) * n),
            array.array("d", [value for row in rows for value in row]))


class Doors(unittest.TestCase):
    """Why a solve ended: the same words by the functions of the library, by Python and, where its matrix is a file,
    by the program, which has a line more. A caller's preconditioner that is none is named."""

    def by_library(self, A, b, M, options):
        library, handle, held = cgsolve._library, ctypes.c_void_p(), cgsolve._Matrix(A, 0)

        def apply(_, length, r, z):
            numbers = ctypes.c_double * length
            numbers.from_address(z)[:] = M(numbers.from_address(r)[:])
            return 0
        callback = cgsolve._APPLY(apply)
        library.cgsolve_create(ctypes.byref(handle))
        for name, value in {"backend": "cpu", **options}.items():
            self.assertEqual(library.cgsolve_set(handle, name.replace("_", "-").encode(), str(value).encode()), 0)
        library.cgsolve_matrix_arrays(handle, ctypes.byref(held.arrays))
        if M:
            library.cgsolve_preconditioner(handle, callback, None)
        right = array.array("d", b)
        status = library.cgsolve_solve(handle, len(b), right.buffer_info()[0], None, None)
        said = library.cgsolve_message().decode()
        library.cgsolve_destroy(ctypes.byref(handle))
        return status, said

    def by_python(self, A, b, M, options):
        import numpy as np
        try:
            cgsolve.solve(A, b, backend="cpu", M=M and (lambda r: np.array(M(r.tolist()))), **options)
        except cgsolve.Error as error:
            return error.status, str(error)
        return 0, ""

    def by_program(self, A, b, options):
        pointers, columns, values = A
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("a.mtx", "b.mtx")]
            with open(files[0], "w", encoding="ascii") as file:
                print("%%MatrixMarket matrix coordinate real general", f"{len(b)} {len(b)} {len(values)}", sep="\n", file=file)
                for i in range(len(b)):
                    for k in range(pointers[i], pointers[i + 1]):
                        print(i + 1, columns[k] + 1, repr(values[k]), file=file)
            with open(files[1], "w", encoding="ascii") as file:
                print("%%MatrixMarket matrix array real general", f"{len(b)} 1", *map(repr, map(float, b)), sep="\n", file=file)
            done = subprocess.run([os.environ["CGSOLVE"], "--backend=cpu", f"--matrix={files[0]}", f"--rhs={files[1]}",
                                   *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.partition("\n")[0].removeprefix("cgsolve: ")

    @needs_scipy
    def test_files_of_others(self):
        """SciPy's .npz and a Harwell-Boeing file by name: x of the matrix itself, bit by bit."""
        import numpy, scipy.sparse
        pointers, columns, values = tridiagonal()
        A, b = scipy.sparse.csr_array((values, columns, pointers)), product(tridiagonal(), known())
        lower = scipy.sparse.tril(A).tocsc()
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("a.npz", "b.npz", "a.rsa")]
            scipy.sparse.save_npz(files[0], A, compressed=False)
            B = numpy.column_stack((b, b[::-1]))
            numpy.save(os.path.join(folder, "b.npy"), B)
            with cgsolve.Solver(A) as one, cgsolve.Solver(files[0], rhs=os.path.join(folder, "b.npy")) as other:
                self.assertEqual(other.solve().tolist(), one.solve(B).tolist())
                self.assertEqual([r.iterations for r in other.results], [r.iterations for r in one.results])
            scipy.sparse.save_npz(files[1], A.tocoo())
            with open(files[2], "w", encoding="ascii") as file:
                print("A", "3 1 1 1 0", f"RSA {N} {N} {lower.nnz} 0", "(9I9) (9I9) (E26.17)", sep="\n", file=file)
                for numbers in (lower.indptr, lower.indices):
                    for k in range(0, len(numbers), 9):
                        print(*(f"{number + 1:9}" for number in numbers[k:k + 9]), sep="", file=file)
                print(*(f"{value:26.17e}" for value in lower.data), sep="\n", file=file)
            x = cgsolve.solve(A, b, backend="cpu")
            for file in files:
                self.assertEqual(list(cgsolve.solve(file, b, backend="cpu")), list(x), file)
            scipy.sparse.save_npz(files[0], scipy.sparse.dia_array(A))
            with self.assertRaisesRegex(cgsolve.InputError, "SciPy's format 'dia'"):
                cgsolve.solve(files[0], b, backend="cpu")

    @needs_numpy
    def test_the_same_words(self):
        A, far = tridiagonal(), product(tridiagonal(), known())
        hidden = dense([[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]])
        hilbert = dense([[1.0 / (i + j + 1) for j in range(6)] for i in range(6)])
        none, no_m = {"precond": "none"}, "r'M r is not positive: the caller's preconditioner M is not symmetric positive definite"
        odd = "the caller's preconditioner made y[3] = nan of a vector x of finite numbers"
        skew = "the caller's preconditioner M is not symmetric (u'M v and v'M u differ by"
        rows = [  # what is said, status, A, b, M, options
            ("a(1, 1) a(2, 2) < a(1, 2)^2", 3, dense([[1.0, 2.0], [2.0, 1.0]]), [1.0, -2.0], None, none),
            ("so the matrix is not positive definite", 3, hidden, [1.0, 2.0, 3.0], None, none),
            ("but a(2, 1) = 3 (rows and columns counted from 1): the matrix is not symmetric", 3,
             dense([[4.0, 2.0], [3.0, 4.0]]), [1.0, 1.0], None, none),
            ("of its own terms |A| |x| + |b|: other rows rule the norm", 2, *pinned(1e12), None,
             {"precond": "jacobi", "max_iterations": 20}),
            ("the limit of 2 iterations", 2, A, far, None, {"max_iterations": 2, **none}),
            ("precond=jacobi, or amg, may take fewer", 2, A, far, None, {"max_iterations": 2}),
            ("so the matrix is singular in single precision", 2, hilbert, [1.0] * 6, None,
             {"precision": "single", "kernel": "crs_row", **none}),
            ("constants solve A x = 0", 2, dense([[1.0, -1.0], [-1.0, 1.0]]), [1.0, 1.0], None, none),
            ("x overflows in double precision", 3, dense([[1e-200]]), [1e200], None, none),
            ("raise max_iterations, or tol", 2, A, far, lambda r: [v / 2.5 for v in r], {"max_iterations": 2}),
            (skew, 2, A, far,
             lambda r: [v + 1e4 * (r[i - 1] - r[(i + 1) % N]) for i, v in enumerate(r)], {}),
            (no_m, 3, A, far, lambda r: [-v for v in r], {}),
            (no_m, 3, A, far, lambda r: [0.0] * N, {}),
            (no_m, 3, A, far, lambda r: [v if i % 2 else -v for i, v in enumerate(r)], {}),
            (no_m, 3, A, far, lambda r: [v + 3.0 * r[i - 1] for i, v in enumerate(r)], {}),
            (odd, 3, A, far, lambda r: [math.nan if i == 3 else v for i, v in enumerate(r)], {}),
            ("what the caller's function gives", 3, A, far, lambda r: [1e200 * v for v in r], {}),
            ("a number that brings M A near 1", 2, A, far, lambda r: [1e-200 * v for v in r], {}),
            ("solve without it to tell", 2, dense([[1.0 / (i + j + 1) for j in range(12)] for i in range(12)]), [1.0] * 12,
             lambda r: r, {}),
            (skew, 2, A, far,
             lambda r: [v + 1e8 * (r[i - 1] - r[(i + 1) % N]) for i, v in enumerate(r)], {})]
        for words, status, A, b, M, options in rows:
            with self.subTest(words):
                said = self.by_library(A, b, M, options)
                self.assertEqual(said[0], status, said)
                self.assertIn(words, said[1])
                self.assertEqual(self.by_python(A, b, M, options), said)
                if M is None and "CGSOLVE" in os.environ:
                    by_program = self.by_program(A, b, options)
                    words = re.sub(r"--([a-z-]+)", lambda m: m[1].replace("-", "_"), by_program[1])
                    self.assertEqual((by_program[0], words.partition(" (matrix '")[0]), said)
                if M is not None:
                    self.assertNotIn("precond=", said[1])


class Matrixless:
    shape = (N, N)


@needs_numpy
class Numpy(unittest.TestCase):
    def setUp(self):
        import numpy as np
        self.np = np
        self.A = tuple(np.array(part) for part in tridiagonal())
        self.u = np.array(known())
        self.b = np.array(product(tridiagonal(), self.u))

    def test_kinds_of_vectors(self):
        np = self.np
        read_only = self.b.copy()
        read_only.flags.writeable = False
        for b in (self.b, read_only, self.b.astype("f4").astype("f8"), np.repeat(self.b, 2)[::2],
                  self.b.astype(">f8"), self.b.tolist(), memoryview(self.b)):
            x = cgsolve.solve(self.A, b, tol=1e-13, backend="cpu")
            np.testing.assert_allclose(x, self.u, atol=1e-6)

    def test_no_copies(self):
        """The library reads values as they are now, without another call: they were borrowed."""
        s = cgsolve.Solver(self.A, backend="cpu", tol=1e-13)
        self.A[2][:] *= 2.0
        self.np.testing.assert_allclose(s.solve(self.b), 0.5 * self.u, atol=1e-9)

    def test_many_right_hand_sides(self):
        np = self.np
        U = np.array([known(N), self.u * 2.0, np.cos(np.arange(N))]).T
        B = np.array([product(tridiagonal(), column) for column in U.T]).T
        for order in "CF":
            s = cgsolve.Solver(self.A, backend="cpu", tol=1e-13)
            X = s.solve(np.array(B, order=order))
            self.assertEqual(X.shape, (N, 3))
            np.testing.assert_allclose(X, U, atol=1e-9)
            self.assertEqual(len(s.results), 3)

    def test_near_null_vectors(self):
        np = self.np
        given = {"precond": "amg", "backend": "cpu", "tol": 1e-13}
        both = np.stack([np.ones(N), np.arange(N)], axis=1)
        for vectors, count in ((both[:, 0], 1), (both[:, 0].tolist(), 1), (both, 2), (np.asfortranarray(both), 2)):
            s = cgsolve.Solver(self.A, near_null=vectors, **given)
            np.testing.assert_allclose(s.solve(self.b), self.u, atol=1e-6)
            self.assertEqual(s.report["preconditioning"]["near_null_vectors"], count)
        s = cgsolve.Solver(self.A, adaptive=2, **given)
        s.solve(self.b)
        self.assertEqual(s.report["preconditioning"]["near_null_vectors"], 2)
        with self.assertRaisesRegex(cgsolve.UsageError, f"near-null vectors of length {N - 1}"):
            cgsolve.solve(self.A, self.b, near_null=both[1:], **given)
        with self.assertRaisesRegex(cgsolve.UsageError, "expected 0 ... 6"):
            cgsolve.solve(self.A, self.b, near_null=np.ones((N, 7)), **given)
        with self.assertRaisesRegex(cgsolve.InputError, "none.npy"):
            cgsolve.solve(self.A, self.b, near_null="none.npy", **given)
        with self.assertRaisesRegex(cgsolve.UsageError, "near_null of type memoryview in two dimensions"):
            cgsolve.solve(self.A, self.b, near_null=memoryview(both), **given)

    def test_kernel_of_nodes(self):
        np = self.np
        dense = np.kron([[2.0, -1.0], [-1.0, 2.0]], [[4.0, 1.0, 0.0], [1.0, 5.0, 2.0], [0.0, 2.0, 6.0]])
        A = (np.arange(0, 37, 6), np.tile(np.arange(6), 6), dense.ravel())
        u = np.arange(1.0, 7.0)
        given = {"kernel": "crs_nodes", "tol": 1e-12}
        np.testing.assert_allclose(cgsolve.solve(A, dense @ u, **given), u, rtol=1e-9)
        with self.assertRaisesRegex(cgsolve.UsageError, "do not fill dense blocks: of 3 x 3 row 1 "):
            cgsolve.solve(self.A, self.b, **given)

    def test_steps_in_time(self):
        """One mode of heat: a step of backward Euler divides it by 1 + dt times its eigenvalue."""
        np = self.np
        dt, n = 0.01, 7
        t = np.arange(1, n + 1) / (n + 1)
        mode = np.sin(np.pi * t)
        u = mode[:, None, None] * mode[:, None] * mode
        s, one = cgsolve.box(n, source=0, reaction=1 / dt, precond="fdm", backend="cpu", tol=1e-12), 4 * np.sin(np.pi / 16)**2
        eigenvalue = 3 * 64 * one / (1 - one / 6)
        for step in range(3):
            u = s.solve(s.step_rhs(u), u) if step == 1 else s.step(u)
            np.testing.assert_allclose(u[3, 3, 3], (1 + dt * eigenvalue)**-(step + 1), rtol=1e-10)
        b = np.empty(n**3)
        self.assertIs(s.step_rhs(u, out=b), b)
        np.testing.assert_allclose(b, s.step_rhs(u.ravel()), rtol=1e-13)
        with self.assertRaisesRegex(cgsolve.UsageError, "expected 343 doubles"):
            s.step_rhs(u, out=b[1:])
        before = u.copy()
        self.assertIs(s.step(u, out=u), u)
        np.testing.assert_allclose(u * (1 + dt * eigenvalue), before, rtol=1e-9)
        both = s.solve(np.stack([b, 2 * b], axis=1))
        self.assertEqual(s.worst_row[1], -1)  # a bound, as of one step
        np.testing.assert_array_equal(both[:, 0], s.solve(b))
        self.assertGreaterEqual(s.worst_row[1], 0)
        with self.assertRaisesRegex(cgsolve.UsageError, "option reaction"):
            cgsolve.box(n).step_rhs(u)

    def test_function_as_preconditioner(self):
        calls = []

        def divide(r):
            calls.append(1)
            return r / 2.5
        x = cgsolve.solve(self.A, self.b, M=divide, tol=1e-13)
        self.np.testing.assert_allclose(x, self.u, atol=1e-9)
        self.assertGreater(len(calls), 3)

        def spoils(r):
            r *= 0.5
            return r
        with self.assertRaisesRegex(ValueError, "read-only"):
            cgsolve.solve(self.A, self.b, M=spoils)
        for answer, words in ((lambda r: r[:1], f"returned 1 numbers: expected {N}"),
                              (lambda r: [0.0] * N, "returned list: expected an array")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.solve(self.A, self.b, M=answer)

        def fails(r):
            raise RuntimeError("of the caller")
        with self.assertRaisesRegex(RuntimeError, "of the caller"):
            cgsolve.solve(self.A, self.b, M=fails)

    def test_answers_of_functions(self):
        np = self.np
        for answer in (lambda r: r.reshape(-1, 1), lambda r: r.astype("f4"), lambda r: r.astype(object),
                       lambda r: r.astype(">f8"), lambda r: np.ma.masked_array(r)):
            np.testing.assert_allclose(cgsolve.solve(self.A, self.b, M=answer, tol=1e-12), self.u, atol=1e-8)
        for answer, words in ((lambda r: r * 1j, "complex numbers"), (lambda r: r.astype("U9"), "numbers of type <U"),
                              (lambda r: (r + 1j).astype(object), "complex"), (lambda r: None, "returned NoneType"),
                              (lambda r: np.ma.masked_array(r, r > 0), "masked numbers")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.solve(self.A, self.b, M=answer)

    def test_functions_may_keep_their_vectors(self):
        kept = []

        def keeps(r):
            kept.append((r[1:], r[1:].copy()))
            return r / 2.5
        cgsolve.solve(self.A, self.b, M=keeps, tol=1e-12)
        gc.collect()
        self.assertGreater(len(kept), 3)
        for one, copy in kept:
            self.np.testing.assert_array_equal(one, copy)

    def test_shapes_of_vectors(self):
        np = self.np
        column, cube = self.b.reshape(-1, 1), self.b.reshape(3, 4, 5)
        for b in (column, np.stack([self.b, self.b], axis=1)[:, 1:], cube, np.asfortranarray(cube)):
            for x0 in (None, self.u, self.u.reshape(-1, 1), list(self.u)):
                x = cgsolve.solve(self.A, b, x0, tol=1e-12, backend="cpu")
                self.assertEqual(x.shape, b.shape)
                np.testing.assert_allclose(x.reshape(-1), self.u, atol=1e-8)
        both = np.append(self.b, 0.0)
        self.assertEqual(cgsolve.solve(self.A, both[:N], out=both[1:], tol=1e-12, backend="cpu").shape, (N,))
        np.testing.assert_allclose(both[1:], self.u, atol=1e-8)
        for b, out in ((both[:N], both[:N]), (both[1:], both[:N])):
            with self.assertRaisesRegex(cgsolve.UsageError, "out and b share memory"):
                cgsolve.solve(self.A, b, self.u, out=out, backend="cpu")
        x = cgsolve.solve(self.A, self.b, self.u.reshape(-1, 1), out=np.zeros((N, 1)), backend="cpu")
        self.assertEqual(x.shape, (N, 1))
        with self.assertRaises(cgsolve.NotConverged) as raised:
            cgsolve.solve(self.A, column, backend="cpu", max_iterations=2)
        self.assertEqual(raised.exception.x.shape, (N, 1))

    def test_numbers_of_all_kinds(self):
        np = self.np
        pointers, columns, values = self.A
        odd = np.frombuffer(bytearray(8 * N + 4), dtype="f8", offset=4)  # not at a multiple of 8 bytes
        odd[:] = self.b
        for type_ in ("f4", "f8", "i2", "i4", "i8", "u4", "u8", ">i4", "O", "g"):
            A = (pointers.astype(type_), columns.astype(type_), values.astype("f4"))
            np.testing.assert_allclose(cgsolve.solve(A, odd, tol=1e-12, backend="cpu"), self.u, atol=1e-8)
        wrong = columns.astype("f8")
        wrong[7] = np.nan
        for A, b, words in (((pointers, columns + 0.5, values), self.b, r"columns\[0\] = 0.5: expected a whole number"),
                            ((pointers, wrong, values), self.b, r"columns\[7\] = nan"),
                            ((pointers + 0.25, columns, values), self.b, r"pointers\[0\] = 0.25"),
                            ((pointers, columns.astype("u8") + 2**63, values), self.b, r"columns\[0\] = 9223372036854775808"),
                            ((pointers, columns, values * 1j), self.b, "complex numbers in values"),
                            (self.A, self.b.astype("U9"), "numbers of type <U9 in b"),
                            (self.A, np.zeros(N, "M8[s]"), "numbers of type datetime"),
                            (self.A, np.ma.masked_array(self.b, self.b > 0), "masked numbers in b"),
                            (self.A, np.zeros(0), "length 0")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.solve(A, b, backend="cpu")


@needs_scipy
class Scipy(unittest.TestCase):
    def setUp(self):
        import numpy as np
        self.np = np
        self.A = laplacian(12)
        self.u = np.random.default_rng(1).standard_normal(self.A.shape[0])
        self.b = self.A @ self.u

    def test_formats(self):
        import scipy.sparse as sp
        doubled = sp.coo_matrix(self.A)
        doubled = sp.coo_matrix((self.np.tile(doubled.data / 2, 2),
                                 (self.np.tile(doubled.row, 2), self.np.tile(doubled.col, 2))))
        wide = self.A.copy()
        wide.indptr, wide.indices = wide.indptr.astype("i8"), wide.indices.astype("i8")
        for A in (self.A, self.A.tocsc(), self.A.tocoo(), self.A.tobsr(), self.A.todia(), self.A.tolil(), self.A.todok(),
                  doubled, wide, self.A.astype("f4"),
                  sp.csr_array(self.A) if hasattr(sp, "csr_array") else self.A):
            x = cgsolve.solve(A, self.b, precond="amg", tol=1e-12, backend="cpu")
            self.np.testing.assert_allclose(x, self.u, atol=1e-8, err_msg=A.format)

    def test_dense(self):
        np, A = self.np, self.A.toarray()
        for kind in (A, np.asfortranarray(A), np.asmatrix(A), A.astype("i4"), A.astype("f4")[::1, ::1]):
            x = cgsolve.solve(kind, self.b, precond="amg", rtol=1e-12, backend="cpu")
            np.testing.assert_allclose(x, self.u, atol=1e-8)
        x = cgsolve.solve(np.tril(A), self.b, triangle="lower", rtol=1e-12, backend="cpu")
        np.testing.assert_allclose(x, self.u, atol=1e-8)
        for wrong, words in ((A[:5], r"a matrix of shape \(5, 1728\): expected a square one"),
                             (A[0], "expected a square one"), (1j * A, "complex numbers in A"),
                             (np.ma.masked_array(A, A < 0), "masked numbers in A")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.solve(wrong, self.b, backend="cpu")
        with self.assertRaisesRegex(cgsolve.UsageError, "in another order now"):
            cgsolve.Solver(A, backend="cpu").update(self.A.data)

    def test_matrix_as_preconditioner(self):
        import scipy.sparse as sp
        np, alone = self.np, cgsolve.Solver(self.A, rtol=1e-10, precond="none", backend="cpu")
        alone.solve(self.b)
        one = sp.identity(self.A.shape[0], format="csr")
        rest = one - self.A / 6.0  # of norm < 1, so that A^-1 is a series
        near = (one + rest) @ (one + rest @ rest) / 6.0
        for M in (near, near.tocoo(), near.toarray(), sp.csr_array(near)):
            with cgsolve.Solver(self.A, M=M, rtol=1e-10) as s:
                np.testing.assert_allclose(s.solve(self.b), self.u, atol=1e-6)
                self.assertLess(s.result.iterations, alone.result.iterations)
        for wrong, words in ((near[:9, :9], r"M of shape \(9, 9\): expected \(1728, 1728\), as A has"),
                             (near[:9], "M of shape .* expected a square one")):
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.Solver(self.A, M=wrong)

    def test_atol_of_many(self):
        """Each column is as near as the criterion of SciPy's asks for."""
        B = self.np.stack([self.b, 1e-3 * self.b, 0.0 * self.b], axis=1)
        norm = self.np.linalg.norm(self.b)
        for zero in (0.0, self.np.float32(0), self.np.int64(0)):
            X = cgsolve.solve(self.A, B, rtol=zero, atol=1e-6 * norm, backend="cpu")
            left = self.np.linalg.norm(B - self.A @ X, axis=0)
            self.assertLess(left.max(), 2e-6 * norm)
            self.assertGreater(left.max(), 1e-9 * norm)

    def test_triangles(self):
        import scipy.sparse as sp
        for form, side in itertools.product(("csr", "csc", "coo"), ("lower", "upper")):
            A = (sp.tril if side == "lower" else sp.triu)(self.A).asformat(form)
            x = cgsolve.solve(A, self.b, triangle=side, tol=1e-12, backend="cpu")
            self.np.testing.assert_allclose(x, self.u, atol=1e-8, err_msg=f"{form} {side}")

    def test_linear_operators(self):
        from scipy.sparse.linalg import LinearOperator, aslinearoperator, cg
        shifted = LinearOperator(self.A.shape, matvec=lambda x: self.A @ x + self.np.roll(x, 1), dtype="f8")
        with self.assertRaisesRegex(cgsolve.NotConverged, "the caller's product A is not symmetric"):
            cgsolve.solve(shifted, self.b)
        A = aslinearoperator(self.A)
        D = LinearOperator(A.shape, matvec=lambda r: r / 6.0, dtype="f8")
        x = cgsolve.solve(A, self.b, M=D, tol=1e-12)
        self.np.testing.assert_allclose(x, self.u, atol=1e-8)
        inverse = cgsolve.inverse(self.A, precond="amg", tol=1e-10, backend="cpu")
        for operator in (inverse, inverse.T, inverse.H):
            self.np.testing.assert_allclose(operator @ self.b, self.u, atol=1e-6)
        steps = []
        x, _ = cg(self.A, self.b, M=cgsolve.inverse(self.A, precond="amg", tol=1e-3, backend="cpu"),
                  callback=steps.append)
        self.np.testing.assert_allclose(x, self.u, atol=1e-3)
        self.assertLess(len(steps), 8)

    def test_callback_of_x(self):
        """callback(xk) as of SciPy: the x of each iteration, that of a plain CG; and which functions get it."""
        np = self.np
        A, b, x0 = self.A, self.b, np.linspace(-1.0, 1.0, len(self.b))

        def plain(x, M=lambda r: r):
            x, r = x.copy(), b - A @ x
            p = z = M(r)
            while True:
                q = A @ p
                alpha = r @ z / (p @ q)
                x, before = x + alpha * p, r @ z
                r = r - alpha * q
                z = M(r)
                p = z + r @ z / before * p
                yield x

        for options, start, M in (({}, None, None), ({"precond": "jacobi"}, x0, lambda r: r / A.diagonal()),
                                  ({"precision": "mixed"}, None, None), ({"M": lambda r: r / 6.0}, x0, None)):
            seen = []
            s = cgsolve.Solver(self.A, rtol=1e-5, backend="cpu", callback=seen.append, **options)
            x = s.solve(b, start)
            self.assertEqual(len(seen), s.result.iterations)
            expected = plain(0.0 * b if start is None else start, M or (lambda r: r))
            for k, (xk, known) in enumerate(zip(seen, expected)):
                np.testing.assert_allclose(xk, known, atol=1e-4 if options else 1e-9, err_msg=f"{options} {k}")
            np.testing.assert_array_equal(seen[-1], x)
        calls = []
        with self.assertRaises(cgsolve.Interrupted) as raised:
            cgsolve.solve(self.A, b, backend="cpu", callback=lambda xk, keep=calls: keep.append(xk[0]) or len(keep) < 3)
        self.assertEqual(len(calls), 3)
        self.assertEqual(raised.exception.x[0], calls[-1])
        cgsolve.solve(self.A, b, backend="cpu", callback=lambda *what: calls.append(what))
        self.assertEqual(len(calls[-1]), 2)

        def fails(xk):
            raise KeyError("of the caller")
        with self.assertRaisesRegex(KeyError, "of the caller"):
            cgsolve.solve(self.A, b, backend="cpu", callback=fails)

    def test_new_values_in_the_order_given(self):
        import scipy.sparse as sp
        coo = sp.coo_matrix(self.A)
        order = self.np.random.default_rng(2).permutation(coo.nnz)
        shuffled = sp.coo_matrix((coo.data[order], (coo.row[order], coo.col[order])), shape=coo.shape)
        unsorted = self.A.copy()
        for i in range(unsorted.shape[0]):
            row = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
            for part in (unsorted.indices, unsorted.data):
                part[row] = part[row][::-1].copy()
        unsorted = sp.csr_matrix((unsorted.data, unsorted.indices, unsorted.indptr))
        columns = sp.csc_matrix((unsorted.data, unsorted.indices, unsorted.indptr))
        for A in (self.A, self.A.tocsc(), coo, shuffled, unsorted, columns):
            s = cgsolve.Solver(A, tol=1e-12, backend="cpu", precond="jacobi")
            self.np.testing.assert_allclose(s.solve(self.b), self.u, atol=1e-8, err_msg=A.format)
            s.update(2.0 * A.data)
            self.np.testing.assert_allclose(s.solve(self.b), 0.5 * self.u, atol=1e-8, err_msg=A.format)
        with self.assertRaisesRegex(cgsolve.UsageError, "in another order now"):
            cgsolve.Solver(self.A.todia()).update(self.A.data)

    def test_messages_name_row_and_column(self):
        """The same of each format: CSC has the column of an entry where CSR has its row."""
        A = self.A.tolil()
        A[3, 4] = -7.0
        said = set()
        for form in ("csr", "coo", "csc", "lil"):
            with self.assertRaises(cgsolve.Breakdown) as raised:
                cgsolve.solve(A.asformat(form), self.b, backend="cpu")
            said.add(str(raised.exception))
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said.pop(), r"a\(4, 5\) = -7 but a\(5, 4\) = -1")

    def test_arrays_of_other_lengths(self):
        """Members of a sparse matrix that somebody has set: nothing is read beyond them."""
        for form, name, words in (("csr", "indptr", "1728 pointers of 1728 rows"), ("csr", "data", "columns and .* values"),
                                  ("coo", "row", "[0-9]+ rows, "), ("coo", "col", "columns and "), ("coo", "data", "values of entries")):
            A = self.A.asformat(form, copy=True)
            setattr(A, name, getattr(A, name)[:-1])
            with self.assertRaisesRegex(cgsolve.UsageError, words):
                cgsolve.Solver(A)
        A = self.A.copy()
        A.indptr[5] = 3
        A.has_canonical_format = False
        with self.assertRaisesRegex(cgsolve.InputError, "row 4: pointers"):
            cgsolve.Solver(A)

    def test_backend_stays_with_functions(self):
        s = cgsolve.Solver(self.A, M=lambda r: r)
        with self.assertRaisesRegex(cgsolve.UsageError, "expected a new Solver"):
            s.set(backend="auto")

    def test_not_square(self):
        from scipy.sparse.linalg import LinearOperator
        with self.assertRaisesRegex(cgsolve.UsageError, "expected a square one"):
            cgsolve.Solver(LinearOperator((4, 5), matvec=lambda x: x, dtype="f8"))
        with self.assertRaisesRegex(cgsolve.UsageError, "expected real ones"):
            cgsolve.solve(self.A, self.b * 1j)
        for wrong in (self.b.reshape(-1, 1)[:, :0], self.b.reshape(1, -1)):
            with self.assertRaisesRegex(cgsolve.UsageError, r"b of shape .*: expected \(1728, k\), one column or more"):
                cgsolve.solve(self.A, wrong)
        for whole in (LinearOperator((4, 4), matvec=lambda x: x, dtype="f8"), "a.mtx", cgsolve._BOX):
            with self.assertRaisesRegex(cgsolve.UsageError, "is for a matrix in arrays"):
                cgsolve.Solver(whole, triangle="lower")
        with self.assertRaisesRegex(cgsolve.UsageError, "expected a square one"):
            cgsolve.Solver(self.A[:5])


@needs_torch
class Torch(unittest.TestCase):
    def test_vectors_and_matrix(self):
        import torch
        pointers, columns, values = (torch.tensor(list(part)) for part in tridiagonal())
        A = torch.sparse_csr_tensor(pointers, columns, values.double(), size=(N, N))
        u = torch.tensor(list(known()), dtype=torch.float64)
        b = A @ u
        x = cgsolve.solve(A, b, tol=1e-13, backend="cpu")
        self.assertIsInstance(x, torch.Tensor)
        self.assertLess(float((x - u).abs().max()), 1e-9)


@needs_cuda
class Cuda(unittest.TestCase):
    """On the device: nothing goes to the host, and answers stay there."""

    def setUp(self):
        import cupy as cp
        import cupyx.scipy.sparse as sp
        self.cp = cp
        n, i = 12, sp.identity(12, format="csr")
        t = sp.diags([-cp.ones(n - 1), 2.0 * cp.ones(n), -cp.ones(n - 1)], [-1, 0, 1], format="csr")
        self.A = sp.csr_matrix(sp.kron(sp.kron(t, i), i) + sp.kron(sp.kron(i, t), i) + sp.kron(sp.kron(i, i), t))
        self.u = cp.sin(3.0 * cp.arange(n**3))
        self.b = self.A @ self.u

    def near(self, x, bound=1e-8):
        self.assertLess(float(self.cp.abs(self.cp.asarray(x) - self.u).max()), bound)

    def test_cupy(self):
        for options in ({}, {"precond": "jacobi"}, {"precond": "amg"}, {"precision": "mixed"}):
            with cgsolve.Solver(self.A, tol=1e-11, **options) as s:
                x = s.solve(self.b)
                self.assertIsInstance(x, self.cp.ndarray)
                self.near(x)
                self.assertEqual(s.result.backend, "cuda")
                self.near(s.solve(self.cp.asnumpy(self.b)))
                s.solve(self.b, x0=x)
                self.assertLessEqual(s.result.iterations, 1)

    def test_places_that_do_not_fit(self):
        host = self.A.get()
        for call in (lambda: cgsolve.solve(host, self.b, backend="cpu"),
                     lambda: cgsolve.solve(host, self.b, M=lambda r: r),
                     lambda: cgsolve.Solver(host).update(self.A.data)):
            with self.assertRaises(cgsolve.UsageError):
                call()

    def test_many_right_hand_sides(self):
        U = self.cp.stack([self.u, 2.0 * self.u], axis=1)
        X = cgsolve.solve(self.A, self.A @ U, tol=1e-11)
        self.assertLess(float(self.cp.abs(X - U).max()), 1e-8)

    def test_functions(self):
        class Operator:
            shape = self.A.shape

            def matvec(_, x):
                return self.A @ x
        self.near(cgsolve.solve(Operator(), self.b, tol=1e-11, backend="cuda"))
        self.near(cgsolve.solve(self.A, self.b, M=lambda r: r / 6.0, tol=1e-11))

    def test_streams(self):
        with self.cp.cuda.Stream(non_blocking=True):
            b = self.A @ self.u
            x = cgsolve.solve(self.A, b, tol=1e-11)
            self.near(x)

    @needs_torch
    def test_torch(self):
        import torch
        if not torch.cuda.is_available():
            self.skipTest("PyTorch without CUDA")
        A = torch.sparse_csr_tensor(*(torch.as_tensor(part, device="cuda") for part in
                                      (self.A.indptr, self.A.indices, self.A.data)), size=self.A.shape)
        x = cgsolve.solve(A, torch.as_tensor(self.b, device="cuda"), tol=1e-11, precond="jacobi")
        self.assertEqual(x.device.type, "cuda")
        self.near(x)

    def test_not_finite_is_met_by_the_iterations(self):
        b = self.b.copy()
        b[7] = float("nan")
        with self.assertRaises(cgsolve.Breakdown):
            cgsolve.solve(self.A, b)
        A = self.A.copy()
        A.data[5] = float("inf")
        with self.assertRaisesRegex(cgsolve.InputError, "expected a finite number"):
            cgsolve.solve(A, self.b)


if __name__ == "__main__":
    unittest.main(verbosity=2)
