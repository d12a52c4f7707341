"""A x = b by conjugate gradients, on the CPU or the GPU: libcgsolve for Python, without a compiler.

    import cgsolve
    x = cgsolve.solve(A, b, precond="amg")              A of scipy.sparse or cupyx.scipy.sparse
    s = cgsolve.Solver(A, precond="amg", tol=1e-8)      set up once
    x1, x2 = s.solve(b1), s.solve(b2)
    print(s.result.iterations, s.history[-1])
    x = cgsolve.box(64, precond="mg").solve()           the model problem of the program `cgsolve`

A is symmetric positive definite: a sparse matrix, a dense array of NumPy, a tuple (pointers, columns, values) of
arrays by rows, or whatever has `shape` and `matvec` (scipy.sparse.linalg.LinearOperator). Vectors are arrays of
NumPy, CuPy, PyTorch, or anything with a buffer of doubles; the solution is an array of the same kind as b. Arrays of
doubles without gaps are used where they are, on the host or on the device; others are converted first.

Options are those of `cgsolve solve`, with underscores: tol, precond, backend, max_iterations, threads, ...
(`cgsolve help` lists them). SciPy's names are understood, too: rtol, atol, maxiter, M. The options face, let,
material, region and probe, which the program takes several times, take lists.

What fails raises an Error, whose text says what was wrong, and what would be right. Ctrl-C ends a solve after the
iteration in which it came.
"""

from __future__ import annotations

import array
import ctypes
import ctypes.util
import inspect
import json
import math
import operator
import os
import re
import signal
import sys
import threading
from typing import Any, Callable, Dict, List, NoReturn, Optional, Tuple, Union

__all__ = ["Breakdown", "DeviceError", "Error", "InputError", "Interrupted", "NotConverged", "OutOfMemory",
           "Result", "Solver", "UsageError", "__version__", "box", "inverse", "solve", "version"]

# Arrays have no type in common: NumPy's, CuPy's, PyTorch's, Python's own.
Vector = Any  # numbers, in any shape
Matrix = Any  # see `solve`
Preconditioner = Any  # a matrix, an object with matvec, or a function r -> z
Callback = Union[Callable[[Vector], Any], Callable[[int, float], Any]]


# ---- errors ----

class Error(RuntimeError):
    """A failure of cgsolve. `status`: the program's exit status."""
    status = 7

    def __init__(self, message: str, result: Optional[Result] = None, x: Vector = None) -> None:
        super().__init__(message)
        self.result = result  # of a solve that failed; else None
        self.x = x            # what the last iteration left, where there is that; else None

    def __reduce__(self):
        """For pickle, and so for pools of processes."""
        x = array.array("d", self.x) if isinstance(self.x, memoryview) else self.x
        return type(self), self.args, {**self.__dict__, "x": x}


class UsageError(Error, ValueError):
    """Options, lengths or calls that make no sense."""
    status = 1


class NotConverged(Error):
    """The iterations ended before the tolerance was reached: `x` is what the last one left."""
    status = 2


class Breakdown(Error, ArithmeticError):
    """The matrix is not symmetric or not positive definite, or NaN or infinity was met."""
    status = 3


class InputError(Error, ValueError):
    """Arrays that are no matrix or vector, or an unreadable file."""
    status = 4


class OutOfMemory(Error, MemoryError):
    """A plan found that memory is not enough, before anything was allocated."""
    status = 5


class DeviceError(Error):
    """No device, no driver, or an error of CUDA."""
    status = 6


class Interrupted(Error):
    """The callback asked to stop: `x` is what the last iteration left."""
    status = 130


_ERRORS = {kind.status: kind for kind in
           (UsageError, NotConverged, Breakdown, InputError, OutOfMemory, DeviceError, Interrupted)}


# ---- the library ----

class Result(ctypes.Structure):
    """The findings of a solve. NaN: not known, or not applicable.

    status                         0, or that of the Error that was raised
    outcome                        "converged", "rounding_floor", "iteration_limit", ... (doc/report.md)
    unknowns, iterations
    relative_residual              ||r|| / ||b|| of CG's recursion, which decides when to stop
    true_relative_residual         ||b - A x|| / ||b||, computed afresh
    l2_error, nodal_l2_error, h1_error, max_error    against the exact solution of a box
    setup_seconds, solve_seconds   of this call
    mups                           million updates of unknowns a second
    backend, kernel, format        "cpu" or "cuda", and what it computed with
    """
    status: int
    unknowns: int
    iterations: int
    relative_residual: float
    true_relative_residual: float
    l2_error: float
    nodal_l2_error: float
    h1_error: float
    max_error: float
    setup_seconds: float
    solve_seconds: float
    mups: float
    _fields_ = [
        ("status", ctypes.c_int),
        ("_outcome", ctypes.c_char_p),
        ("unknowns", ctypes.c_int64),
        ("iterations", ctypes.c_int64),
        ("relative_residual", ctypes.c_double),
        ("true_relative_residual", ctypes.c_double),
        ("l2_error", ctypes.c_double),
        ("nodal_l2_error", ctypes.c_double),
        ("h1_error", ctypes.c_double),
        ("max_error", ctypes.c_double),
        ("setup_seconds", ctypes.c_double),
        ("solve_seconds", ctypes.c_double),
        ("mups", ctypes.c_double),
        ("_backend", ctypes.c_char_p),
        ("_kernel", ctypes.c_char_p),
        ("_format", ctypes.c_char_p),
    ]

    @property
    def outcome(self) -> str:
        return (self._outcome or b"").decode()

    @property
    def backend(self) -> str:
        return (self._backend or b"").decode()

    @property
    def kernel(self) -> str:
        return (self._kernel or b"").decode()

    @property
    def format(self) -> str:
        return (self._format or b"").decode()

    def __reduce__(self):
        """For pickle: texts instead of pointers to the library's."""
        return Result, tuple(getattr(self, name) for name, _ in self._fields_)

    def __repr__(self) -> str:
        return (f"<{self.outcome or 'no result'}: {self.unknowns} unknowns, {self.iterations} iterations, "
                f"true relative residual {self.true_relative_residual:.2e}, {self.solve_seconds:.3g} s on "
                f"{self.backend or 'nothing'}>")


class _Arrays(ctypes.Structure):
    """struct cgsolve_arrays"""
    _fields_ = [
        ("rows", ctypes.c_int64),
        ("nonzeros", ctypes.c_int64),
        ("pointers", ctypes.c_void_p),
        ("pointer_bits", ctypes.c_int),
        ("row", ctypes.c_void_p),
        ("columns", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("stored", ctypes.c_int),
        ("on_device", ctypes.c_int),
    ]


_WATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double)
_LOOK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_int64,
                         ctypes.c_void_p)
_APPLY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_HANDLE, _INT64, _TEXT, _POINTER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
_FUNCTIONS = {
    "create": [ctypes.POINTER(_HANDLE)],
    "destroy": [ctypes.POINTER(_HANDLE)],
    "set": [_HANDLE, _TEXT, _TEXT],
    "matrix_arrays": [_HANDLE, ctypes.POINTER(_Arrays)],
    "matrix_values": [_HANDLE, _INT64, _POINTER],
    "matrix_operator": [_HANDLE, _INT64, _APPLY, _POINTER],
    "matrix_box": [_HANDLE],
    "matrix_file": [_HANDLE, _TEXT],
    "preconditioner": [_HANDLE, _APPLY, _POINTER],
    "near_null": [_HANDLE, ctypes.c_int, _INT64, _POINTER],
    "unknowns": [_HANDLE, ctypes.POINTER(_INT64)],
    "rhs_count": [_HANDLE, ctypes.POINTER(_INT64)],
    "setup": [_HANDLE],
    "step": [_HANDLE, _INT64, _POINTER, ctypes.POINTER(Result)],
    "step_rhs": [_HANDLE, _INT64, _POINTER, _POINTER],
    "solve": [_HANDLE, _INT64, _POINTER, _POINTER, ctypes.POINTER(Result)],
    "solve_from": [_HANDLE, _INT64, _POINTER, _POINTER, ctypes.POINTER(Result)],
    "solve_many": [_HANDLE, _INT64, _INT64, _POINTER, _POINTER, ctypes.POINTER(Result)],
    "history": [_HANDLE, ctypes.POINTER(_INT64), ctypes.POINTER(ctypes.POINTER(ctypes.c_double))],
    "worst_row": [_HANDLE, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(_INT64)],
    "watch": [_HANDLE, _WATCH, _POINTER],
    "watch_solution": [_HANDLE, _LOOK, _POINTER],
    "measure": [_HANDLE, ctypes.c_int],
    "report_json": [_HANDLE, ctypes.POINTER(_POINTER)],
}


def _is_installed(name):
    """Whether the system has that library, or the process already: then it is taken, as every other package does."""
    try:
        ctypes.CDLL(name)
        return True
    except OSError:
        return False


def _load_bundled(folder):
    """Loads the libraries of a wheel that the system lacks, so that libcgsolve finds each of them by its name."""
    rest = sorted(name for name in os.listdir(folder) if not name.startswith("libcgsolve.") and not _is_installed(name))
    while rest:
        left = []
        for name in rest:
            try:
                ctypes.CDLL(os.path.join(folder, name))
            except OSError:  # one that it needs comes later
                left.append(name)
        if len(left) == len(rest):
            break
        rest = left
    return ctypes.CDLL(os.path.join(folder, "libcgsolve.so.1"))


def _load():
    wanted = os.environ.get("CGSOLVE_LIBRARY")
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cgsolve.libs")
    if wanted:
        library = ctypes.CDLL(wanted)
    elif os.path.exists(os.path.join(folder, "libcgsolve.so.1")):
        library = _load_bundled(folder)
    else:
        try:
            library = ctypes.CDLL(ctypes.util.find_library("cgsolve") or "libcgsolve.so.1")
        except OSError as error:
            raise ImportError("libcgsolve.so.1 is not installed: run 'make install' in cgsolve's build, 'pip "
                              "install' a wheel of cgsolve, or name the file in CGSOLVE_LIBRARY") from error
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, "cgsolve_" + name)
        function.argtypes, function.restype = arguments, ctypes.c_int
    library.cgsolve_message.restype = library.cgsolve_version.restype = _TEXT
    library.cgsolve_free.argtypes, library.cgsolve_free.restype = [_POINTER], None
    return library


_library = _load()


def version() -> str:
    """The version of the library that runs; `__version__` is the same."""
    return _library.cgsolve_version().decode()


__version__ = version()


_WORDS = (  # of the library's messages, and what they are called here
    ("the handle is NULL: expected one of cgsolve_create that has not been destroyed",
     "the solver is closed: expected a new one"),
    ("the handle is in use", "the solver is in use"),
    ("runs the function of cgsolve_watch; wait for its end, or take a handle for each thread",
     "runs the callback; wait for its end, or take a solver for each thread"),
    ("cgsolve_report_json gives the report", "`report` has the program's report"),
    ("cgsolve_matrix_file names a file", "the name of a file is given as A"),
    ("expected yes, or NULL to take the option back", "expected True or False"),
    ("call cgsolve_setup first", "call setup() first"),
    ("cgsolve_solve makes one", "solve() makes one"),
    ("b is NULL: ", "b is None: "),
    ("pass NULL for b and call cgsolve_solve", "leave out b and x0"),
    ("pass NULL for ", "leave out b for "),
    ("x is a start vector", "x0 is a start vector"),
    ("take cgsolve_solve, or", "leave out x0, or take"),
    ("or cgsolve_preconditioner", "or M"),
)


def _message():
    """Why the last call of the library failed, in the words of Python."""
    message = re.sub(r"^cgsolve_\w+: ", "", _library.cgsolve_message().decode(errors="replace"))
    for words, here in _WORDS:
        message = message.replace(words, here)
    return message


def _check(status, result=None, x=None):
    if status:
        raise _ERRORS.get(status, Error)(_message(), result, x)


# ---- signals, and functions of the caller that the library calls ----

class _Call:
    """A call of the library in which it may call functions of Python, for a `with` statement.

    What they raise is kept in `raised`, ends the solve, and is raised after the call. A signal's handler runs where
    the main thread next executes Python: during a call that is mostly the entry of such a function, outside of any
    `try`, where ctypes drops what is raised (KeyboardInterrupt). So handlers are replaced for the time of the call
    by ones that keep it, too. Calls may be nested: a function may solve another system."""

    _thread = threading.local()  # innermost: the call under way

    def __init__(self):
        self.raised = None
        self.open = False  # the caller's own code is running: what is raised there passes through it
        self.outer = getattr(_Call._thread, "innermost", None)
        self.handlers = {}

    def __enter__(self):
        _Call._thread.innermost = self
        try:
            if self.outer is None and threading.current_thread() is threading.main_thread():
                self._replace_handlers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        _Call._thread.innermost = self.outer
        self._restore_handlers()

    def _replace_handlers(self):
        for number in signal.valid_signals():
            before = signal.getsignal(number)
            if callable(before):
                handler = _Handler(getattr(before, "before", before))
                try:
                    signal.signal(number, handler)
                except ValueError as error:
                    raise UsageError("a call in a subinterpreter: expected one in the main interpreter, where ctypes "
                                     "has functions of Python called") from error
                self.handlers[number] = handler

    def _restore_handlers(self):
        for number, handler in self.handlers.items():
            if signal.getsignal(number) is handler:  # else it has set another one
                signal.signal(number, handler.before)

    def keep(self, error):
        """Keeps what was raised; an exit, such as KeyboardInterrupt, takes the place of an Exception before it."""
        if self.raised is None or not isinstance(error, Exception):
            self.raised = error

    @staticmethod
    def run(function, *arguments):
        """Calls a function for the library. Returns its answer, and False where the solve is to end."""
        call = _Call._thread.innermost
        answer = False
        try:
            if call.raised is None:
                call.open = True
                answer = function(*arguments)
                call.open = False
        except BaseException as error:  # pylint: disable=broad-except
            call.open = False
            call.keep(error)
        return answer if call.raised is None else False


class _Handler:
    """The handler of a signal during a call: the one before, but what that raises waits for the end of the call,
    unless the caller's own code is running. Without a call it is the one before."""

    def __init__(self, before):
        self.before = before

    def __call__(self, number, frame):
        call = getattr(_Call._thread, "innermost", None)
        try:
            self.before(number, frame)
        except BaseException as error:  # pylint: disable=broad-except
            if call is None or call.open:
                if call is not None:
                    call.open = False  # one exception at a time
                raise
            while call is not None:
                call.keep(error)
                call = call.outer


# ---- arrays ----

def _kind(object_):
    """The package that an array is of: "numpy", "cupy", "torch", "array", ..."""
    return type(object_).__module__.partition(".")[0]


def _package(name):
    return sys.modules[name]  # it is there, since one of its arrays is


class _View:
    """An array of numbers as the library takes it: address, length, place. It keeps its array alive."""

    def __init__(self, array_, type_="f8", writable=False, what="a vector"):
        self.array = array_
        interface = self.interface = _interface(array_, what)
        self.address, read_only = interface["data"]
        self.shape = tuple(interface["shape"])
        self.on_device = interface["on_device"]
        self.fits = (interface["typestr"] == "<" + type_ and _is_plain(interface) and self.address % int(type_[1]) == 0
                     and not (writable and read_only))
        self.size = 1
        for extent in self.shape:
            self.size *= extent


def _interface(array_, what="a vector"):
    """Address, shape, type and strides of an array, as of NumPy's and CUDA's array interfaces."""
    if _kind(array_) == "torch":
        array_ = array_.detach()
        if str(array_.dtype) == "torch.bfloat16":  # which NumPy does not know
            array_ = array_.float()
        array_ = array_ if array_.is_cuda else array_.numpy()  # the same memory
    cuda = getattr(array_, "__cuda_array_interface__", None)
    found = cuda or getattr(array_, "__array_interface__", None)
    if found:
        return {**found, "on_device": cuda is not None}
    try:
        view = memoryview(array_)
    except TypeError as error:
        raise UsageError(f"{what} of type {type(array_).__name__}: expected an array of numbers") from error
    plain = view.c_contiguous and 0 not in view.shape
    if not plain:
        address = 0
    else:
        address = _address_of(view) if view.readonly else ctypes.addressof(ctypes.c_char.from_buffer(array_))
    type_ = {"d": "<f8", "f": "<f4", "i": "<i4", "l": "<i8", "q": "<i8"}.get(view.format)
    if type_ is None or not view.c_contiguous:
        type_ = "?" + str(view.itemsize)
    return {"data": (address, view.readonly), "shape": view.shape, "typestr": type_, "strides": view.strides,
            "on_device": False, "held": view}  # an array of Python's own is not resized while it is held


def _is_plain(interface):
    """Whether strides are those of an array without gaps."""
    if interface.get("strides") is None:
        return True
    size = int(interface["typestr"][2:])
    for extent, stride in zip(reversed(interface["shape"]), reversed(interface["strides"])):
        if extent != 1 and stride != size:
            return False
        size *= extent
    return True


def _address_of(view):
    import numpy  # the way to the address of a buffer that is read-only
    return numpy.frombuffer(view, dtype=numpy.uint8).__array_interface__["data"][0]


_TYPES = {"f8": ("float64", "d", "a number"), "i4": ("int32", "i", "a whole number of 32 bits"),
          "i8": ("int64", "q", "a whole number of 64 bits")}


def _listed(values, type_, what):
    """The numbers of a list in an array of Python's own."""
    _, code, expected = _TYPES[type_]
    try:
        return array.array(code, values)
    except (TypeError, ValueError, OverflowError):
        pass
    made = array.array(code)
    for k, value in enumerate(values):
        try:
            if code != "d" and value != int(value):
                raise ValueError
            made.append(value if code == "d" else int(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"{what}[{k}] = {value!r}: expected {expected}") from error
    return made


def _converted(array_, type_, what):
    """The same numbers in an array of that type without gaps. Numbers that are no indices are refused."""
    name, _, expected = _TYPES[type_]
    kind = _kind(array_)
    if kind == "torch":
        array_ = array_.detach()
        made = array_.to(getattr(_package("torch"), name)).contiguous()
    elif kind == "cupy":
        made = _package("cupy").ascontiguousarray(array_, dtype=name)
    else:
        try:
            import numpy
        except ImportError:
            return _listed(array_, type_, what)
        array_ = numpy.asarray(array_)
        if array_.dtype.kind not in "biufO":
            raise UsageError(f"numbers of type {array_.dtype} in {what}: expected real ones")
        try:
            with numpy.errstate(invalid="ignore", over="ignore"):
                made = numpy.require(array_, name, ["C", "ALIGNED", "ENSUREARRAY"])
        except (TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"no array of numbers in {what} ({error}): expected real ones") from error
    if type_ != "f8":
        wrong = (made != array_).reshape(-1)
        if bool(wrong.any()):
            k = int(wrong.nonzero()[0][0])
            raise UsageError(f"{what}[{k}] = {array_.reshape(-1)[k]}: expected {expected}")
    return made


def _is_complex(array_):
    return str(getattr(array_, "dtype", "")).replace("torch.", "").startswith("complex")


def _refuse_what_is_no_real(array_, what):
    if _is_complex(array_):
        raise UsageError(f"complex numbers in {what}: expected real ones")
    if type(array_).__name__ == "MaskedArray" and bool(_package("numpy").ma.is_masked(array_)):
        raise UsageError(f"masked numbers in {what}: expected none")


def _numbers(array_, type_="f8", what="a vector"):
    """A view of an array, or of its conversion where the library cannot take it as it is."""
    if isinstance(array_, (list, tuple)):
        return _View(_listed(array_, type_, what), type_)
    if isinstance(array_, (bytes, bytearray)):  # which may mean bytes of doubles, or numbers of 8 bits
        raise UsageError(f"{what} of type {type(array_).__name__}: expected an array of numbers")
    _refuse_what_is_no_real(array_, what)
    view = _View(array_, type_, what=what)
    return view if view.fits else _View(_converted(array_, type_, what), type_)


def _room_like(array_, shape):
    """An array of doubles of that shape, of the same kind and in the same place."""
    kind = _kind(array_)
    if kind == "torch":
        torch = _package("torch")
        return torch.zeros(tuple(shape), dtype=torch.float64, device=array_.device)
    if kind == "cupy":
        return _package("cupy").zeros(shape)
    if kind == "numpy":
        return _package("numpy").zeros(shape)
    length = 1
    for extent in shape:
        length *= extent
    return array.array("d", bytes(8 * length))


def _transposed(array_, what="a vector"):
    if not hasattr(array_, "T"):
        raise UsageError(f"{what} of type {type(array_).__name__} in two dimensions: expected an array of NumPy's or "
                         "torch's, or one vector of n numbers")
    return array_.t() if _kind(array_) == "torch" else array_.T


def _copy(from_, to):
    """to = from_, the start vector of a solve, in any shape."""
    source, into = _numbers(from_, what="x0"), _View(to)
    if source.size != into.size:
        raise UsageError(f"x0 has {source.size} numbers: expected {into.size}")
    if not source.on_device and not into.on_device:
        ctypes.memmove(into.address, source.address, 8 * into.size)
    elif _kind(to) == "torch":
        to[:] = _package("torch").as_tensor(from_).reshape(to.shape)
    elif into.on_device:
        to[:] = _package("cupy").asarray(from_).reshape(to.shape)
    else:
        raise UsageError("x0 is on a device, and x is not: expected both in one place")


# ---- matrices ----

_FULL, _LOWER, _UPPER = 0, 1, 2


class _Matrix:
    """What the library is given of a matrix: struct cgsolve_arrays, and the arrays that it borrows."""

    def __init__(self, A, triangle):
        self.views = []
        self.in_order = True  # entries are those of A, one by one
        self.columns = None   # (indices, indptr) of CSC, whose entries stand by columns
        if isinstance(A, tuple) and len(A) == 3:
            pointers = _as_array(A[0])
            shape = _View(pointers, what="pointers").shape
            if len(shape) != 1:
                raise UsageError(f"pointers of shape {shape}: expected an array of rows + 1 numbers")
            self._by_rows(shape[0] - 1, pointers, *A[1:], triangle)
        elif str(getattr(A, "layout", "")) == "torch.sparse_csr":
            self._by_rows(_rows_of(A, "a matrix"), A.crow_indices(), A.col_indices(), A.values(), triangle)
        elif _is_dense(A):
            self._dense(A, triangle)
        else:
            self._sparse(A, triangle)

    def _dense(self, A, triangle):
        """The entries of an array that are not 0."""
        import numpy
        rows = _rows_of(A, "a matrix")
        _refuse_what_is_no_real(A, "A")
        A = numpy.asarray(A)
        row, columns = A.nonzero()
        self._by_entries(rows, row, columns, A[row, columns], triangle)
        self.in_order = False

    def _sparse(self, A, triangle):
        form = getattr(A, "format", None)
        if not hasattr(A, "tocsr"):
            raise UsageError(f"a matrix of type {type(A).__name__}: expected one of scipy.sparse or cupyx.scipy.sparse, "
                             "a dense array of NumPy, a tensor of PyTorch in CSR, a tuple (pointers, columns, values), "
                             "the name of a file, or a LinearOperator")
        rows = _rows_of(A, "a matrix")
        on_host = form in ("csr", "csc", "coo") and not _View(A.data).on_device
        if form == "coo" and on_host:
            self._by_entries(rows, A.row, A.col, A.data, triangle)
            return
        if form == "csc" and on_host:
            self.columns = (A.indices, A.indptr)
            A = A.tocsr()
        elif form != "csr":
            A = A.tocsr()
            self.in_order = False
        if triangle == _FULL and not getattr(A, "has_canonical_format", False):
            if not _View(A.data).on_device:
                import numpy  # as A is SciPy's
                lengths = numpy.diff(A.indptr)
                if lengths.min(initial=0) < 0:  # the library says where
                    self._by_rows(rows, A.indptr, A.indices, A.data, triangle)
                else:
                    row = numpy.repeat(numpy.arange(len(lengths), dtype="int32"), lengths)
                    self._by_entries(rows, row, A.indices, A.data, triangle)
                return
            A = A.copy()
            A.sum_duplicates()
            self.in_order = False
        self._by_rows(rows, A.indptr, A.indices, A.data, triangle)

    def ordered(self, view):
        """A view of as many values as A had, in the order in which the library has them."""
        if self.columns is None or view.size != self.nonzeros:
            return view
        import numpy
        from scipy.sparse import csc_matrix
        places = csc_matrix((numpy.arange(self.nonzeros), *self.columns), shape=(self.rows, self.rows)).tocsr().data
        return _View(view.array.reshape(-1)[places])

    def _by_entries(self, rows, row, columns, values, triangle):
        self.views = (_numbers(row, "i4", "row"), _numbers(columns, "i4", "columns"), _numbers(values, what="values"))
        self.rows, self.nonzeros = rows, self.views[2].size
        if {view.size for view in self.views} != {self.nonzeros}:
            raise UsageError("{} rows, {} columns and {} values of entries: expected as many"
                             .format(*(view.size for view in self.views)))
        self.arrays = _Arrays(rows=rows, nonzeros=self.nonzeros, row=self.views[0].address or None,
                              columns=self.views[1].address or None, values=self.views[2].address or None,
                              stored=triangle)

    def _by_rows(self, rows, pointers, columns, values, triangle):
        pointers = _as_array(pointers)
        wide = _View(pointers, "i8", what="pointers")
        if not wide.fits and wide.interface["typestr"] != "<i4":
            wide = _numbers(pointers, "i8", "pointers")
        narrow = wide if wide.fits else _numbers(pointers, "i4", "pointers")
        views = (narrow, _numbers(columns, "i4", "columns"), _numbers(values, what="values"))
        on_device = [view.on_device for view in views]
        if any(on_device) != all(on_device):
            raise UsageError("some arrays of the matrix are on a device, and some are not: expected all of them "
                             "in one place")
        if narrow.size != rows + 1:
            raise UsageError(f"{narrow.size} pointers of {rows} rows: expected one more than rows")
        if views[1].size != views[2].size:
            raise UsageError(f"{views[1].size} columns and {views[2].size} values: expected as many")
        self.views = views
        self.rows, self.nonzeros = rows, views[2].size
        self.arrays = _Arrays(rows=rows, nonzeros=self.nonzeros, pointers=narrow.address or None,
                              pointer_bits=64 if wide.fits else 32, columns=views[1].address or None,
                              values=views[2].address or None, stored=triangle, on_device=int(all(on_device)))


def _is_dense(A):
    """Whether A is an array of NumPy's, or of a class derived from it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(A, numpy.ndarray)


def _as_array(pointers):
    return _listed(pointers, "i8", "pointers") if isinstance(pointers, (list, tuple)) else pointers


def _rows_of(A, what):
    shape = getattr(A, "shape", None)
    try:
        rows, columns = map(operator.index, shape)
    except (TypeError, ValueError):
        rows, columns = -1, 0
    if rows != columns:
        raise UsageError(f"{what} of shape {shape}: expected a square one")
    return rows


def _largest_norm(view, length):
    """The largest ||b|| of the right-hand sides of that length in a view."""
    if view.size == 0:
        return 0.0
    if _kind(view.array) == "torch":
        norms = view.array.detach().reshape(-1, length).norm(dim=1)
    else:
        try:
            vectors = _vector(view.address, view.size, view.on_device).reshape(-1, length)
        except ImportError:  # then there is one, without NumPy
            return math.hypot(*(ctypes.c_double * length).from_address(view.address))
        norms = (vectors[:, None, :] @ vectors[:, :, None]).reshape(-1) ** 0.5
    return float(norms.max())


class _DeviceArray:
    """The memory of a vector on a device, for packages that take __cuda_array_interface__."""

    def __init__(self, address, length):
        self.__cuda_array_interface__ = {"data": (address, False), "shape": (length,), "typestr": "<f8",
                                         "strides": None, "version": 3}


def _vector(address, length, on_device):
    """A vector of the library's as an array of NumPy, or of CuPy."""
    if on_device:
        import cupy
        return cupy.asarray(_DeviceArray(address, length))
    import numpy
    return numpy.frombuffer((ctypes.c_double * length).from_address(address))


class _Function:
    """y = apply(x), for the library, which owns x and y."""

    def __init__(self, apply, on_device):
        self.apply = apply
        self.on_device = on_device
        self.copied = None  # see _copy_of

    def __call__(self, length, x, y):
        from_ = _vector(x, length, self.on_device)
        made = self.apply(from_ if self.on_device else _copy_of(self, from_))
        if not hasattr(made, "reshape"):
            raise UsageError(f"a function of the caller's returned {type(made).__name__}: expected an array")
        _refuse_what_is_no_real(made, "what a function of the caller's returned")
        if not self.on_device:
            made = _View(_converted(made, "f8", "what a function of the caller's returned")).array
        made = made.reshape(-1)
        if made.shape[0] != length:
            raise UsageError(f"a function of the caller's returned {made.shape[0]} numbers: expected {length}")
        _vector(y, length, self.on_device)[:] = made


def _copy_of(owner, from_):
    """A vector for a function of the caller's, which may keep it: in the memory of the last one, owner.copied, unless
    that was kept."""
    if owner.copied is None or sys.getrefcount(owner.copied) > 2 or owner.copied.shape != from_.shape:
        owner.copied = from_.copy()
    else:
        owner.copied[:] = from_
    shown = owner.copied.view()
    shown.flags.writeable = False  # what is written there goes nowhere
    return shown


class _Follower:
    """SciPy's callback(xk), for the library, which has each xk on the host."""

    def __init__(self, callback, on_device):
        self.callback = callback
        self.on_device = on_device
        self.copied = None  # see _copy_of

    def __call__(self, iteration, residual, length, x):
        xk = _vector(x, length, False)
        return self.callback(_package("cupy").asarray(xk) if self.on_device else _copy_of(self, xk))


# ---- the solver ----

_REPEATED = ("face", "let", "material", "region", "probe", "grade")  # options that the program takes several times


def _text_of(name, value):
    """An option's value as the library takes it; None takes the option back."""
    if type(value).__name__ in ("bool_", "bool"):  # NumPy's, too
        value = "yes" if value else None
    if isinstance(value, (list, tuple)):
        if name not in _REPEATED:
            raise UsageError(f"{name} = {value!r}: expected one value; lists are for {', '.join(_REPEATED)}")
        value = "\n".join(map(str, value))
    return None if value is None else _bytes_of(name, str(value))


def _bytes_of(name, text):
    if "\0" in text:
        raise UsageError(f"{name} = {text!r}: a character of it is 0: expected text")
    return os.fsencode(text)


_SCIPY = {"rtol": "tol", "maxiter": "max_iterations"}  # options by SciPy's names


def _named(options):
    """What was given for each option of the library: its name there, and the value."""
    given = {}
    for name, value in options.items():
        option = _SCIPY.get(name, name)
        if option in given:
            raise UsageError(f"{name} and {given[option][0]} are two names of one option: expected one of them")
        given[option] = (name, value)
    return given


def _is_zero(value):
    try:
        return float(value) == 0.0
    except (TypeError, ValueError):
        return False


def _absolute(value):
    """The number that `atol` is; 0 without it."""
    try:
        number = 0.0 if value is None else float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 <= number < math.inf:
        raise UsageError(f"atol = {value!r}: expected a number, 0 or more (norm of the residual at which to stop)")
    return number


def _takes(function, *arguments):
    """Whether a function can be called so; True where Python does not know."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        pass
    return True


def _wants_solution(callback):
    """Whether a callback is one of x, as SciPy's, since one argument is enough for it. One that takes any number of
    them, or of which Python does not know how many, is one of iteration and residual."""
    if callback is None or not callable(callback) or not (_takes(callback, None) or _takes(callback, 0, 0.0)):
        if callback is None:
            return False
        raise UsageError(f"callback of type {type(callback).__name__}: expected a function of x, callback(xk), or of "
                         "iteration and residual, callback(k, r)")
    try:
        kinds = {parameter.kind for parameter in inspect.signature(callback).parameters.values()}
    except ValueError:
        return False
    return inspect.Parameter.VAR_POSITIONAL not in kinds and _takes(callback, None)


def _product_of(M, rows):
    """The function r -> z of a preconditioner; rows: of A, None where they are not known yet."""
    if hasattr(M, "matvec") or not (hasattr(M, "tocsr") or _kind(M) in ("numpy", "cupy")):
        return getattr(M, "matvec", M)
    if _rows_of(M, "M") != (rows or M.shape[0]):
        raise UsageError(f"M of shape {tuple(M.shape)}: expected ({rows}, {rows}), as A has")
    return lambda r: M @ r


def _asking(kind, callback):
    """The function that the library calls after iterations; it stops the solve by 0."""
    def ask(*arguments):
        answer = callback(*arguments) if callback else None
        return type(answer).__name__ not in ("bool_", "bool") or bool(answer)
    return kind(lambda _, *arguments: int(_Call.run(ask, *arguments)))


class _Owner:
    """A handle, destroyed with the last reference. Python loses what a signal's handler raises in a __del__, so once
    the handle is destroyed, the owner's class is _Ended, which has none."""

    def __init__(self):
        self.handle = _HANDLE()
        _check(_library.cgsolve_create(ctypes.byref(self.handle)))

    def end(self):
        _check(_library.cgsolve_destroy(ctypes.byref(self.handle)))
        self.__class__ = _Ended

    def __del__(self):
        if _library:  # there is none at the end of Python
            _library.cgsolve_destroy(ctypes.byref(self.handle))


class _Ended:
    def end(self):
        pass


class Solver:
    """A matrix that is set up once, and solved with for any number of right-hand sides.

        with cgsolve.Solver(A, precond="amg", rtol=1e-8) as s:
            x1, x2 = s.solve(b1), s.solve(b2)
            print(s.result, s.history[-1])

    A, M, triangle, callback and options: as of `solve`, whose help says what they are. M, callback and the backend
    are the solver's from now on; other options may be changed by `set`, and the numbers of A by `update`.
    """

    result: Optional[Result]
    results: List[Result]

    def __init__(self, A: Matrix, *, M: Preconditioner = None, triangle: Optional[str] = None,
                 callback: Optional[Callback] = None, near_null: Optional[Vector] = None, **options: Any) -> None:
        self.close()  # where it is called again
        self._owner = _Owner()
        self._handle = self._owner.handle
        self._matrix = self._values = None  # lent to the library
        self._functions = []  # of the caller's, for the library
        self.result = None   # of the last solve
        self._rtol, self._atol, self._single = None, 0.0, False
        self._options = {}  # what is set, by the caller's names
        if isinstance(near_null, (str, os.PathLike)):
            near_null, options["near_null"] = None, os.fsdecode(near_null)
        self.set(**options)
        stored = {None: _FULL, "lower": _LOWER, "upper": _UPPER}
        if triangle not in stored:
            raise UsageError(f"triangle = {triangle!r}: expected 'lower', 'upper' or None")
        is_file, is_operator = isinstance(A, (str, os.PathLike)), hasattr(A, "matvec") and not hasattr(A, "tocsr")
        if triangle and (A is _BOX or is_file or is_operator):
            raise UsageError(f"triangle = {triangle!r} is for a matrix in arrays, and this one has none: expected None")
        self._what = ("a box" if A is _BOX else f"the file {os.fsdecode(A)!r}" if is_file else
                      "an operator" if is_operator else "a matrix")
        if is_file:
            _check(_library.cgsolve_matrix_file(self._handle, _bytes_of("A", os.fsdecode(A))))
        elif A is _BOX:
            _check(_library.cgsolve_matrix_box(self._handle))
        elif is_operator:
            rows = _rows_of(A, "an operator")
            _check(_library.cgsolve_matrix_operator(self._handle, rows, self._function(A.matvec, options), None))
        else:
            self._matrix = _Matrix(A, stored[triangle])
            _check(_library.cgsolve_matrix_arrays(self._handle, ctypes.byref(self._matrix.arrays)))
        if M is not None:
            rows = self._matrix.rows if self._matrix else A.shape[0] if is_operator else None
            apply = self._function(_product_of(M, rows), options)
            _check(_library.cgsolve_preconditioner(self._handle, apply, None))
        if near_null is not None:
            self._give_near_null(near_null)
        of_x = _wants_solution(callback)
        self._watch = _asking(_WATCH, None if of_x else callback)
        _check(_library.cgsolve_watch(self._handle, self._watch, None))
        if of_x:
            self._look = _asking(_LOOK, _Follower(callback, self._on_device(options)))
            _check(_library.cgsolve_watch_solution(self._handle, self._look, None))

    def _give_near_null(self, vectors):
        """vectors: n numbers, or n x k."""
        shape = tuple(_interface(vectors, "near_null")["shape"]) if not isinstance(vectors, (list, tuple)) else ()
        view = _numbers(_transposed(vectors, "near_null") if len(shape) == 2 else vectors, what="near_null")
        if len(view.shape) > 2 or view.size == 0:
            raise UsageError(f"near_null of shape {tuple(view.shape)}: expected (n, k), or (n,)")
        count = shape[1] if len(shape) == 2 else 1
        _check(_library.cgsolve_near_null(self._handle, count, view.size // count, view.address))
        self._near_null = view  # borrowed

    def close(self) -> None:
        """Gives all memory back; also done at the end of a `with` statement, and by the garbage collector. A solver
        that is in use by another call is refused."""
        if hasattr(self, "_owner"):
            self._owner.end()
            self._matrix = self._values = None  # nothing is lent any more

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self._owner, _Ended):
            return f"<Solver of {self._what}: closed>"
        try:
            size = f" of {self.unknowns} unknowns"
        except Error:  # a file that has not been read, or a call is under way
            size = ""
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        last = self.result
        said = (f"{last.outcome} after {last.iterations} iterations, true relative residual "
                f"{last.true_relative_residual:.2e}" if last else "no solve yet")
        return f"<Solver of {self._what}{size}{options}: {said}>"

    def __reduce__(self) -> NoReturn:
        """For copy and pickle, which would share the handle, or have another process's."""
        raise TypeError("a Solver cannot be copied or pickled: make one for each thread and process")

    # -- options --

    def set(self, **options: Any) -> None:
        """Sets options of `cgsolve solve`; None, and False of a flag, take one back. tol (or rtol), atol,
        max_iterations (or maxiter) and rhs keep the set-up. face, let, material, region and probe, one text or a list
        of them, are added to those before."""
        given = _named(options)
        rtol = given.get("tol", (None, self._rtol))[1]
        atol = _absolute(given["atol"][1]) if "atol" in given else self._atol
        for option, (name, value) in given.items():
            if option == "backend" and self._functions:
                raise UsageError("backend: functions get vectors of the place that was chosen with them: expected a "
                                 "new Solver")
            text = _text_of(name, value)
            if option == "tol" and _is_zero(value) and atol > 0.0:
                self._set_option(option, name, None)  # each solve says what atol means for its b
            elif option != "atol" and (text or not isinstance(value, (list, tuple))):
                self._set_option(option, name, text)  # an empty list adds nothing
            self._remember(option, name, value, text)
        if self._atol > 0.0 and atol == 0.0:
            self._set_option("tol", "rtol", _text_of("rtol", rtol))  # instead of what the last solve had
        self._rtol, self._atol = rtol, atol
        if "precision" in given:
            self._single = str(given["precision"][1]) == "single"

    def _remember(self, option, name, value, text):
        """For repr."""
        before = next((known for known in self._options if _SCIPY.get(known, known) == option), None)
        if option in _REPEATED and text:
            self._options[name] = [*self._options.get(name, []), *text.decode(errors="replace").split("\n")]
        elif option not in _REPEATED or text is None:
            self._options.pop(before, None)
            if text is not None:
                self._options[name] = value

    def _set_option(self, option, name, text):
        """name: what the caller calls it."""
        status = _library.cgsolve_set(self._handle, _bytes_of("an option", option), text)
        if status and name != option:
            raise _ERRORS.get(status, Error)(_message().replace(option, name, 1))
        _check(status)

    def _meet_atol(self, b, length):
        """Has the next solve stop where ||r|| <= max(rtol ||b||, atol). b: a view of one or more of that length."""
        if self._atol == 0.0:
            return
        if b is None:
            raise UsageError("atol is for a b that is given, and the right-hand side of the options has none: expected "
                             "rtol alone")
        default = 1e-5 if self._single else 1e-10
        tol, norm = default if self._rtol is None else float(self._rtol), _largest_norm(b, length)
        if norm > 0.0:
            tol = max(tol, self._atol / norm)
        tol = min(tol or default, 1.0 - 2.0**-53)
        self._set_option("tol", "atol", repr(tol).encode())

    def update(self, values: Vector) -> None:
        """New values on the same pattern, in the order of the arrays that were given: `data` of a matrix in CSR, CSC
        or COO. The next solve makes the preconditioner anew, but for what the option reuse keeps of amg: "pattern" its
        aggregates and patterns, "all" everything until iterations have grown by half."""
        if self._matrix and not self._matrix.in_order:
            raise UsageError("update: the matrix was converted, and its entries are in another order now: expected one "
                             "in CSR with sorted columns, or, on the host, any in CSR, CSC or COO")
        view = _numbers(values, what="values")
        if self._matrix and view.on_device != bool(self._matrix.arrays.on_device):
            raise UsageError("update: values are in another place than the matrix: expected both on the host, or both "
                             "on the device")
        view = self._matrix.ordered(view) if self._matrix else view
        _check(_library.cgsolve_matrix_values(self._handle, view.size, view.address))
        self._values = view  # borrowed

    def measure(self, yes: bool = True) -> None:
        """Whether solves measure bandwidths and products, too, for `report`."""
        _check(_library.cgsolve_measure(self._handle, int(yes)))

    # -- functions of the caller, called by the library --

    def _on_device(self, options):
        """Whether functions of the caller get arrays of CuPy."""
        return options.get("backend") == "cuda" or bool(self._matrix and self._matrix.arrays.on_device)

    def _function(self, apply, options):
        """A function for the library, on the host's vectors unless matrix or backend are the device's."""
        if not callable(apply):
            raise UsageError(f"{type(apply).__name__} is no function: expected r -> z, or something with matvec, as "
                             "scipy.sparse.linalg.aslinearoperator makes of a matrix")
        on_device = self._on_device(options)
        if not on_device and not self._functions:
            self.set(backend="cpu")
        function = _Function(apply, on_device)
        self._functions.append(_APPLY(lambda _, *arguments: int(_Call.run(function, *arguments) is False)))
        return self._functions[-1]

    def _run(self, function, *arguments):
        """Calls a function of the library in which it may call functions of Python. Returns its status, and the call,
        which has what they raised."""
        with _Call() as call:
            status = function(self._handle, *arguments)
        return status, call

    @staticmethod
    def _done(status, call, result=None, x=None):
        raised, call.raised = call.raised, None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised  # else it keeps this frame, and the solver, until cycles are collected
        _check(status, result, x if status in (NotConverged.status, Interrupted.status) else None)

    # -- solving --

    @property
    def unknowns(self) -> int:
        """The length of vectors; of a file once it has been read."""
        count = _INT64()
        _check(_library.cgsolve_unknowns(self._handle, ctypes.byref(count)))
        return count.value

    def setup(self) -> None:
        """Does beforehand what the first solve would: layout, transfer, preconditioner."""
        self._done(*self._run(_library.cgsolve_setup))

    def solve(self, b: Optional[Vector] = None, x0: Optional[Vector] = None, *, out: Optional[Vector] = None) -> Vector:
        """Returns x, an array of the kind and shape of b. b: n numbers in any shape other than n x k, which has k
        right-hand sides; None: those of the options (of a box its problem's; of a file rhs="b.npy" with k columns x is
        n x k). x0: where to start, n numbers in any shape. out: where x is written, doubles without gaps. Raises NotConverged with the x of the last
        iteration."""
        if isinstance(b, memoryview) and b.ndim > 1:
            import numpy
            b = numpy.asarray(b)
        shape = getattr(b, "shape", (0,))
        if b is not None and len(shape) == 2 and shape[1] != 1:
            return self._solve_many(b, x0, out)
        given = None if b is None else _numbers(b, what="b")
        if b is None:
            self.setup()
            count = _INT64()
            _check(_library.cgsolve_rhs_count(self._handle, ctypes.byref(count)))
            if count.value > 1:
                return self._solve_columns(None, self.unknowns, count.value, x0, out)
        length = given.size if given else self.unknowns
        self._meet_atol(given, length)
        x, into = self._into(out, b if b is not None else x0, length)
        if x0 is not None:
            if given and abs(given.address - into.address) < 8 * length:
                raise UsageError("out and b share memory, in which x0 would take the place of b: expected another out")
            _copy(x0, x)
        result = Result()
        solve_ = _library.cgsolve_solve if x0 is None else _library.cgsolve_solve_from
        status, call = self._run(solve_, length, given.address if given else None, into.address,
                                 ctypes.byref(result))
        self.result = result
        self._done(status, call, result, x)
        return x

    def step(self, u: Vector, *, out: Optional[Vector] = None) -> Vector:
        """Returns u after an implicit step in time, of a box with reaction=1/dt: backward Euler, from u, with the source and
        the faces of the options. out: where it is written, doubles without gaps; may be u. Raises as `solve` does."""
        given = _numbers(u, what="u")
        x, into = self._into(out, u, given.size)
        if into.address != given.address:
            _copy(u, x)
        result = Result()
        status, call = self._run(_library.cgsolve_step, given.size, into.address, ctypes.byref(result))
        self.result = result
        self._done(status, call, result, x)
        return x

    def step_rhs(self, u: Vector, *, out: Optional[Vector] = None) -> Vector:
        """Returns the right-hand side b of such a step, to which a load that changes in time may be added:
        solve(step_rhs(u) + more, u) is the step. out: as of `step`."""
        given = _numbers(u, what="u")
        b, into = self._into(out, u, given.size)
        self._done(*self._run(_library.cgsolve_step_rhs, given.size, given.address, into.address))
        return b

    def _into(self, out, like, length):
        x = out if out is not None else self._room(like, length)
        into = _View(x, writable=True, what="out")
        if not into.fits or into.size != length:
            raise UsageError(f"out: expected {length} doubles without gaps that can be written")
        return x, into

    def _room(self, like, length):
        if like is not None and not isinstance(like, (list, tuple)):
            view = _View(like)
            return _room_like(like, view.shape if view.size == length else (length,))
        try:
            import numpy
        except ImportError:
            return array.array("d", bytes(8 * length))
        return numpy.zeros(length)

    def _solve_many(self, b, x0, out):
        length, count = b.shape
        try:
            rows = self.unknowns
        except UsageError:  # of a file that has not been read
            rows = length
        if count == 0 or length != rows:
            raise UsageError(f"b of shape {tuple(b.shape)}: expected ({rows}, k), one column or more for as many "
                             f"right-hand sides, or ({rows},)")
        return self._solve_columns(b, length, count, x0, out)

    def _solve_columns(self, b, length, count, x0, out):
        """b: None: the columns of the file of rhs."""
        if x0 is not None or out is not None:
            raise UsageError("x0 and out are for one right-hand side: solve those of a matrix one by one")
        given = None if b is None else _numbers(_transposed(b, "b"), what="b")
        self._meet_atol(given, length)
        if b is None:
            import numpy
            x = numpy.zeros((count, length))
        else:
            x = _room_like(b, (count, length))
        results = (Result * count)()
        status, call = self._run(_library.cgsolve_solve_many, count, length, given.address if given else None,
                                 _View(x, writable=True).address, results)
        self.results = list(results)
        self.result = next((result for result in results if result.status), results[count - 1])
        x = _transposed(x)
        self._done(status, call, self.result, x)
        return x

    @property
    def history(self) -> List[float]:
        """The relative residuals of the last solve, iteration by iteration."""
        count, residuals = _INT64(), ctypes.POINTER(ctypes.c_double)()
        _check(_library.cgsolve_history(self._handle, ctypes.byref(count), ctypes.byref(residuals)))
        return residuals[:count.value]

    @property
    def worst_row(self) -> Tuple[float, int]:
        """(ratio, row) of the last solve: the largest |b - A x| / (|A| |x| + |b|) of a row, and its number from 0;
        (bound, -1) of a large box; (NaN, -1) where no rows were looked at, such as those of a LinearOperator or
        of a solve that broke down."""
        ratio, row = ctypes.c_double(), _INT64()
        _check(_library.cgsolve_worst_row(self._handle, ctypes.byref(ratio), ctypes.byref(row)))
        return ratio.value, row.value

    @property
    def report(self) -> Dict[str, Any]:
        """The program's JSON report of the last solve, as a dictionary (doc/report.md)."""
        text = _POINTER()
        _check(_library.cgsolve_report_json(self._handle, ctypes.byref(text)))
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            _library.cgsolve_free(text)

    def inverse(self) -> Any:
        """A scipy.sparse.linalg.LinearOperator b -> x."""
        from scipy.sparse.linalg import LinearOperator
        if not self._matrix:  # a file has to be read first
            self.setup()
        n = self.unknowns

        def solve_(b):
            return self.solve(b.reshape(-1))
        return LinearOperator((n, n), matvec=solve_, rmatvec=solve_, dtype="float64")  # it is symmetric


_BOX = object()


def solve(A: Matrix, b: Vector, x0: Optional[Vector] = None, *, out: Optional[Vector] = None, **options: Any) -> Vector:
    """Solves A x = b by conjugate gradients and returns x, an array of the kind and shape of b.

        x = cgsolve.solve(A, b, precond="amg", rtol=1e-8)

    A         symmetric positive definite: a matrix of scipy.sparse or cupyx.scipy.sparse, a dense array of NumPy, a
              tensor of PyTorch in CSR, a tuple (pointers, columns, values) of arrays by rows, an object with `shape`
              and `matvec` (LinearOperator), or the name of a Matrix Market file
    b         n numbers in any shape, or n x k: k right-hand sides
    x0        where to start; zero without it
    out       where x is written: doubles without gaps

    Options, all of them by name:

    rtol, atol
              the solve stops where ||r|| <= max(rtol ||b||, atol), as SciPy's cg does, r being the residual of CG's
              recursion. b - A x, computed afresh at the end, may be up to twice as large, or as large as rounding
              leaves it. rtol is 1e-10 by default, 1e-5 in single precision (SciPy: 1e-5), and may also be called tol;
              atol is 0 by default and needs a b; of k right-hand sides the one of the largest norm counts.
    maxiter   iterations at most, or max_iterations; 10 n by default, but at least 1000 and at most 1e5
    precond   "none" (the default), "jacobi", "chebyshev", "amg"
    M         a preconditioner in its place: a matrix near A^-1 (sparse or dense), an object with `matvec`, or a
              function r -> z
    near_null
              with precond="amg": n x k numbers, k <= 6 vectors that A nearly annihilates, which coarse grids keep, as
              the rigid-body modes of an elastic body; or a file of them. An array in Fortran order is borrowed,
              another copied
    block     unknowns of a node with near_null or adaptive; with precond="jacobi" the diagonal blocks of so many
              rows, at most 6, are inverted
    callback  callback(xk), as SciPy's: is called after each iteration with its x, n numbers that may be kept;
              callback(iteration, residual): now and then, which takes less time. Both stop the solve by returning
              False. A function that one argument is enough for gets xk
    triangle  "lower", "upper": A has only these entries
    backend   "auto", "cpu", "cuda"
    threads   of the CPU
    precision
              "double", "single", or "mixed", which iterates in single and answers in double
    ...       others of `cgsolve solve`, with underscores (`cgsolve help solve` lists them); face, let, material,
              region and probe take one text or a list of them

    Raises NotConverged where SciPy returns info > 0: error.x is the last x, error.result its Result. Others are
    Breakdown (A is not symmetric positive definite), UsageError, InputError, OutOfMemory, DeviceError; all are an
    Error, whose text says what was wrong and what would be right.

    Solver sets A up once for many b, and has iterations, seconds, history and report of the last solve.
    """
    with Solver(A, **options) as solver:
        return solver.solve(b, x0, out=out)


def box(N: Union[int, str, None] = None, **options: Any) -> Solver:
    """The solver of the program's model problem in the box: N^3 unknowns, 64^3 without N, or those of
    cells="20x36x50", size="1x2x0.5", or of a grid="FILE"; `solve()` needs no b."""
    if N is not None or (options.get("cells") is None and options.get("grid") is None):
        options["N"] = 64 if N is None else N
    return Solver(_BOX, **options)


def inverse(A: Matrix, **options: Any) -> Any:
    """The inverse of A as a scipy.sparse.linalg.LinearOperator."""
    return Solver(A, **options).inverse()
