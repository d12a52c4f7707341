/* libcgsolve: A x = b by conjugate gradients, A symmetric positive definite, on CPU or GPU.
 *
 *     #include <cgsolve/cgsolve.h>
 *
 *     struct cgsolve *s = cgsolve_create();
 *     cgsolve_set(s, "tol", "1e-8");
 *     cgsolve_matrix_crs(s, rows, pointers, columns, values);
 *     if (cgsolve_solve(s, b, x, NULL) != CGSOLVE_OK)
 *         fprintf(stderr, "%s\n", cgsolve_message(s));
 *     cgsolve_destroy(s);
 *
 * The matrix is the caller's, by rows (CRS), or what the options name: the Q1 box of the program
 * `cgsolve`, which is the default, or a Matrix Market file. Whole programs: examples/solve_crs.c,
 * examples/solve_box.c. Build: cc x.c $(pkg-config --cflags --libs cgsolve). C from C99 on, and C++.
 *
 * The library prints nothing, never exits, installs no signal handlers, has no state outside its
 * handles. A handle is for one thread at a time; several handles may be used by several threads at
 * once (the kernel crs_librsb excepted: librsb has state of its own). It computes on the OpenMP threads
 * of the caller, or as many as the option `threads` says.
 *
 * A call that fails returns a status, and cgsolve_message says what was wrong, where, and what would be
 * right; the handle stays usable. Indices in messages: of arrays from 0, of entries a(i, j) from 1.
 */
#ifndef CGSOLVE_CGSOLVE_H
#define CGSOLVE_CGSOLVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the program's exit statuses. */
enum cgsolve_status {
    CGSOLVE_OK = 0,            /* done; of a solve: converged, or at the floor of rounding */
    CGSOLVE_USAGE = 1,         /* unknown option, value out of range, calls that make no sense */
    CGSOLVE_NOT_CONVERGED = 2, /* x is what the last iteration left */
    CGSOLVE_BREAKDOWN = 3,     /* A is not symmetric or not positive definite, NaN or Inf was met */
    CGSOLVE_INPUT = 4,         /* arrays that are no matrix or vector, an unreadable file */
    CGSOLVE_MEMORY = 5,        /* not enough; found out by a plan, before anything is allocated */
    CGSOLVE_DEVICE = 6,        /* no device, no driver, an error of CUDA */
    CGSOLVE_BUG = 7,           /* of the library */
    CGSOLVE_INTERRUPTED = 130  /* by the caller's cgsolve_watch */
};

struct cgsolve; /* a handle */

/* What a solve found. NaN: not known, or not applicable. */
struct cgsolve_result {
    enum cgsolve_status status;
    /* "converged", "rounding_floor", "iteration_limit", ...: solver.status of the program's report; ""
     * where CG did not run. */
    const char *outcome;
    int64_t unknowns, iterations;
    double relative_residual;      /* that CG went by, ||r|| / ||b|| */
    double true_relative_residual; /* ||b - A x|| / ||b||, computed afresh */
    /* Against the exact solution: of the box with its own right-hand side; max_error also of other
     * matrices with rhs = random. */
    double l2_error, nodal_l2_error, h1_error, max_error;
    double setup_seconds; /* of this call, before the iterations: little where all was set up */
    double solve_seconds; /* of the iterations */
    double mups;          /* 1e-6 unknowns x iterations / solve_seconds */
    /* "cpu" or "cuda"; of cgsolve_report_json and 'cgsolve list kernels'. They stay. */
    const char *backend, *kernel, *format;
};

/* NULL: no memory; the functions below take that, and say CGSOLVE_MEMORY. */
struct cgsolve *cgsolve_create(void);
void cgsolve_destroy(struct cgsolve *solver);

/* An option of `cgsolve solve`, by its name without dashes, with a value as it is written there:
 * ("precond", "amg"), ("N", "128"), ("precision", "mixed"), ("backend", "cpu"). value "yes" gives a
 * flag; NULL takes an option back. Checked at once but for combinations and the kernels' names, which
 * the next solve checks; options of the box (N, problem, kappa, deform, ...) are to be taken back before
 * a matrix by rows is solved.
 * Not here are options that write files or print (json, history, output, save-matrix, verbose, plan,
 * help, ...), `inject`, and kernels from files.
 * CGSOLVE_USAGE: unknown (the nearest is proposed), or out of range: nothing is changed then. */
enum cgsolve_status cgsolve_set(struct cgsolve *solver, const char *name, const char *value);

/* The matrix: row i has entries pointers[i] ... pointers[i + 1] - 1 with columns, from 0, in ascending
 * order. All of it is given, both triangles; entries of value 0 are fine.
 *     pointers[rows + 1], pointers[0] = 0; columns and values: pointers[rows] of each
 * The arrays are borrowed until the handle gets another matrix or is destroyed, and are not to be
 * changed meanwhile. They are checked at once (CGSOLVE_INPUT names the first row that is wrong: pointers
 * that descend, columns out of range, unsorted, or twice, values that are not finite), symmetry and
 * diagonal by the next solve (CGSOLVE_BREAKDOWN). After a failure the handle has the matrix as before. */
enum cgsolve_status cgsolve_matrix_crs(struct cgsolve *solver, int64_t rows,
                                       const int64_t *pointers, const int32_t *columns,
                                       const double *values);
/* Takes that back: the matrix is again what the options name, the box ("N", "problem", "kappa",
 * "deform", ...) or a file ("matrix"). */
enum cgsolve_status cgsolve_matrix_options(struct cgsolve *solver);

/* Solves. What the matrix needs (layout, choice of kernel, transfer, preconditioner, CG's vectors) is
 * set up by the first solve, and kept for the next ones until the matrix or an option changes. That
 * makes it independent of the arrays; they are read again where an option changes.
 *     b   rows numbers. NULL: what the options name: of the box its problem's; of a file or of the
 *         caller's matrix by "rhs" (a file, ones, or random: b = A u with a known random u)
 *     x   rows numbers, out; of the box row (iz N + iy) N + ix. NULL: not wanted. Not touched but where
 *         there is CGSOLVE_OK, CGSOLVE_NOT_CONVERGED, CGSOLVE_INTERRUPTED
 *     result   NULL: not wanted; else set in any case
 * The start vector is zero, or by "guess". Residuals are relative to ||b||; to the first one where b = 0,
 * and of the problem "course", which takes neither a b nor a start. */
enum cgsolve_status cgsolve_solve(struct cgsolve *solver, const double *b, double *x,
                                  struct cgsolve_result *result);
/* The same from the start vector that stands in x. */
enum cgsolve_status cgsolve_solve_from(struct cgsolve *solver, const double *b, double *x,
                                       struct cgsolve_result *result);

/* How many numbers b and x have: rows, or N^3; 0: of a file that no solve has read since options
 * changed. */
int64_t cgsolve_unknowns(const struct cgsolve *solver);

/* `watch` is called by every solve from now on, now and then while it iterates, from the calling
 * thread, in the locale "C"; 0 asks to stop. It is not to call the library with this handle. NULL: nobody watches. */
void cgsolve_watch(struct cgsolve *solver,
                   int (*watch)(void *user, int64_t iteration, double relative_residual),
                   void *user);

/* yes = 1: solves also measure what the program measures for its report: bandwidths, products, memory,
 * and, of a matrix by rows, which kernel is fastest; that takes up to a second more. 0, the default: no
 * such time is spent, and the kernel follows from the lengths of the rows. */
enum cgsolve_status cgsolve_measure(struct cgsolve *solver, int yes);

/* Of the last call that could fail; "" where it did not. Stays until the next call with this handle. */
const char *cgsolve_message(const struct cgsolve *solver);
/* A few words: "not enough memory". */
const char *cgsolve_status_text(enum cgsolve_status status);

/* The program's JSON report of the last solve, of one that failed, too (not of one that was refused for
 * the vectors that it was called with): doc/library.md. NULL: there was none, or no memory. To be given back by cgsolve_free. */
char *cgsolve_report_json(struct cgsolve *solver);
void cgsolve_free(char *text);

/* "0.1.0": of the library that runs. */
const char *cgsolve_version(void);

#ifdef __cplusplus
}
#endif

#endif
