/* libcgsolve: A x = b by conjugate gradients, A symmetric positive definite, on CPU or GPU.
 *
 *     #include <cgsolve/cgsolve.h>
 *
 *     struct cgsolve *s = NULL;
 *     if (cgsolve_create(&s) != CGSOLVE_OK ||
 *         cgsolve_set(s, "tol", "1e-8") != CGSOLVE_OK ||
 *         cgsolve_matrix_crs(s, rows, nonzeros, pointers, columns, values) != CGSOLVE_OK ||
 *         cgsolve_solve(s, rows, b, x, NULL) != CGSOLVE_OK)
 *         fprintf(stderr, "%s\n", cgsolve_message());
 *     cgsolve_destroy(&s);
 *
 * The matrix is the caller's, by rows (CRS), or the Q1 box of the program `cgsolve`, or a Matrix
 * Market file. Whole programs: examples/solve_crs.c, examples/solve_box.c. Build: cc x.c -lcgsolve,
 * or with $(pkg-config --cflags --libs cgsolve), or CMake's find_package(cgsolve) and
 * cgsolve::cgsolve. C from C99 on, and C++.
 *
 * Errors. A call that fails returns a status other than CGSOLVE_OK, and cgsolve_message says what
 * was wrong, where, and what would be right; also where there is no handle. The handle stays
 * usable. Every function takes a handle that is NULL, and refuses it (CGSOLVE_USAGE);
 * cgsolve_destroy has nothing to do then. Indices in messages: those of arrays count from 0, those
 * of entries a(i, j) from 1.
 *
 * Threads. A handle is for one call at a time. A second one meanwhile, from another thread or from
 * the function of cgsolve_watch, is refused (CGSOLVE_USAGE) and changes nothing. Several handles
 * may be used by several threads at once (the kernel crs_librsb excepted: librsb has state of its
 * own). A call computes on the OpenMP threads of the caller, or on as many as the option `threads`
 * says; inside a parallel region of the caller's that is one, unless nested regions are allowed
 * (OMP_MAX_ACTIVE_LEVELS).
 *
 * The process. The library prints nothing, never exits, installs no signal handlers, and has no
 * state outside its handles but each thread's message. The caller's locale and floating-point
 * environment (flags, traps, rounding) are the same after a call as before; within a call no
 * floating-point exception traps.
 *
 * Several processes. cgsolve_communicator (cgsolve/cgsolve_mpi.h, a library of its own: this one
 * knows no MPI) gives a handle a communicator; then the handles of all its ranks solve one system.
 * All ranks together call cgsolve_matrix_distributed, cgsolve_matrix_values, cgsolve_setup, the
 * solves, cgsolve_step, cgsolve_step_rhs and cgsolve_destroy; what these return, and their message,
 * is the same on all ranks. Other calls are each rank's own; options, but `threads` and the number
 * of a `device`, are to be the same. Results other than x, and reports, are those of the whole.
 * What a rank finds wrong before it can speak to the others (a handle that is NULL or in use) is
 * not told to them, and they wait.
 */
#ifndef CGSOLVE_CGSOLVE_H
#define CGSOLVE_CGSOLVE_H

#include <stdint.h>

/* The version of this header; cgsolve_version is that of the library that runs. */
#define CGSOLVE_VERSION_MAJOR 0
#define CGSOLVE_VERSION_MINOR 1
#define CGSOLVE_VERSION_PATCH 0
/* 102 is 0.1.2: for #if CGSOLVE_VERSION >= 100. */
#define CGSOLVE_VERSION                                                                            \
    (CGSOLVE_VERSION_MAJOR * 10000 + CGSOLVE_VERSION_MINOR * 100 + CGSOLVE_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the program's exit statuses. */
enum cgsolve_status {
    CGSOLVE_OK = 0,            /* done; of a solve: converged, or at the floor of rounding */
    /* no handle, one in use, no matrix, wrong lengths, an option unknown or out of range, calls
     * that make no sense */
    CGSOLVE_USAGE = 1,
    CGSOLVE_NOT_CONVERGED = 2, /* x is what the last iteration left */
    CGSOLVE_BREAKDOWN = 3,     /* A is not symmetric or not positive definite, NaN or Inf was met */
    CGSOLVE_INPUT = 4,         /* arrays that are no matrix or vector, an unreadable file */
    CGSOLVE_MEMORY = 5,        /* not enough; found out by a plan, before anything is allocated */
    CGSOLVE_DEVICE = 6,        /* no device, no driver, an error of CUDA */
    CGSOLVE_BUG = 7,           /* of the library */
    CGSOLVE_LOST = 8,          /* a call of MPI failed; ranks that have not seen it may wait */
    CGSOLVE_INTERRUPTED = 130  /* by the caller's cgsolve_watch */
};

struct cgsolve; /* a handle */

/* The findings of a solve. NaN: not known, or not applicable. */
struct cgsolve_result {
    enum cgsolve_status status;
    /* "converged", "rounding_floor", "iteration_limit", ...: solver.status of the program's
     * report; "" where CG did not run. This text and those below are constants: they stay. */
    const char *outcome;
    int64_t unknowns, iterations;
    double relative_residual;      /* the one that CG went by, ||r|| / ||b|| */
    double true_relative_residual; /* ||b - A x|| / ||b||, computed afresh */
    /* Errors against the exact solution: known for the box with its own right-hand side;
     * max_error also for other matrices with rhs = random. */
    double l2_error, nodal_l2_error, h1_error, max_error;
    double setup_seconds; /* of this call, before the iterations: little where all was set up */
    double solve_seconds; /* of the iterations */
    double mups;          /* 1e-6 unknowns x iterations / solve_seconds */
    const char *backend;  /* "cpu" or "cuda" */
    const char *kernel;   /* a name of 'cgsolve list kernels' */
    const char *format;   /* "crs", "sell", "sellc", "none" */
};

/* Makes a handle without a matrix, owned by the caller, to be given back by cgsolve_destroy.
 * CGSOLVE_MEMORY: *solver is NULL. CGSOLVE_USAGE: solver is NULL. */
enum cgsolve_status cgsolve_create(struct cgsolve **solver);
/* Gives a handle back and sets *solver to NULL; where it is NULL already, or solver is, nothing
 * is done. The message stays unless CGSOLVE_USAGE: the handle is in use, and stays. */
enum cgsolve_status cgsolve_destroy(struct cgsolve **solver);

/* Sets an option of `cgsolve solve`, by its name without dashes, with a value as it is written
 * there:
 * ("precond", "amg"), ("N", "128"), ("precision", "mixed"), ("backend", "cpu"). value "yes" sets a
 * flag; NULL resets an option. Both texts are copied.
 * These options repeat: "grade", "face", "material", "region", "let", "probe". Each call adds a
 * value to those set before, in that order, so that there is one call for each face; NULL removes
 * all of them. A further value of any other option replaces the one before.
 * Checked at once except for combinations, expressions, faces, materials, regions and kernels'
 * names, which the next set-up checks, naming the one that is wrong; options of the box (N,
 * problem, kappa, deform, ...) are to be reset before another matrix is solved.
 * A new `tol`, `max-iterations` or `rhs` keeps the set-up, any other change makes the next solve
 * set up again.
 * Not here are options that write files or print (json, history, output, save-matrix, verbose,
 * plan, help, ...), `matrix` (cgsolve_matrix_file), `inject`, and kernels from files.
 * CGSOLVE_USAGE: unknown (the nearest is proposed), or out of range: nothing is changed then.
 * CGSOLVE_MEMORY: likewise. */
enum cgsolve_status cgsolve_set(struct cgsolve *solver, const char *name, const char *value);

/* The same with a number: ("tol", 1e-8), ("N", 128); of a flag 1 is "yes" and 0 resets it. */
enum cgsolve_status cgsolve_set_real(struct cgsolve *solver, const char *name, double value);
enum cgsolve_status cgsolve_set_integer(struct cgsolve *solver, const char *name, int64_t value);

/* ---- The matrix: arrays, the box, or a file. A new one takes the place of the one before.
 * Where a call fails (other than for a handle that is NULL or in use), the handle has no matrix,
 * and solves are refused. ---- */

/* The caller's rows: row i has entries pointers[i] ... pointers[i + 1] - 1 with columns, from 0, in
 * ascending order. All of it is given, both triangles; entries of value 0 are fine.
 *     rows      1 ... 2^31 - 1; the matrix is square
 *     nonzeros  length of columns and of values, at least rows (the diagonal is positive)
 *     pointers  rows + 1 numbers; pointers[0] = 0, pointers[rows] = nonzeros
 *     columns   nonzeros numbers, 0 ... rows - 1
 *     values    nonzeros numbers, finite
 * The arrays are borrowed until the handle gets another matrix or is destroyed, and are not to be
 * changed meanwhile; where values have changed, call this again. They are checked at once and by
 * each set-up, symmetry and diagonal by the set-up alone (CGSOLVE_BREAKDOWN there). A matrix is
 * symmetric where a_ij and a_ji differ by at most 1e-10 of the largest magnitude in rows i and j.
 * Where any differ, the set-up makes a copy for (A + A') / 2, 12 bytes an entry, in which an entry
 * without a mirror image is 0, and the report has a note.
 * CGSOLVE_INPUT: names the first row that is wrong: pointers that descend, columns out of range,
 * unsorted, or twice, values that are not finite. CGSOLVE_USAGE: an array is NULL. */
enum cgsolve_status cgsolve_matrix_crs(struct cgsolve *solver, int64_t rows, int64_t nonzeros,
                                       const int64_t *pointers, const int32_t *columns,
                                       const double *values);

/* Entries of a symmetric matrix that the arrays have. */
enum cgsolve_triangle {
    CGSOLVE_FULL,  /* both triangles */
    CGSOLVE_LOWER, /* those with column <= row; the others are mirrored */
    CGSOLVE_UPPER  /* those with column >= row */
};

/* A matrix in arrays of the caller: by rows (CRS) where `pointers` are given, else entry by
 * entry (COO). What is not named may be left 0. */
struct cgsolve_arrays {
    int64_t rows;         /* 1 ... 2^31 - 1; the matrix is square */
    int64_t nonzeros;     /* length of the arrays of entries */
    const void *pointers; /* CRS: rows + 1 numbers, as of cgsolve_matrix_crs; else NULL */
    int pointer_bits;     /* CRS: 64 (int64_t) or 32 (int32_t) */
    const int32_t *row;   /* COO: the entries' rows, from 0, in any order; else NULL */
    const int32_t *columns;
    const double *values; /* finite; COO: entries at the same place are summed in their order */
    enum cgsolve_triangle stored;
    int on_device; /* 1: CRS of both triangles, all arrays in the memory of a CUDA device */
};

/* The matrix of these arrays. CRS of both triangles with 64-bit pointers is borrowed, as by
 * cgsolve_matrix_crs; with 32-bit pointers these are copied and the others borrowed; COO and
 * triangles are copied, so that the arrays are the caller's again, and columns of a row may come
 * in any order. Arrays on a device are borrowed and used where they are, by CUDA's kernels of
 * CRS; they are looked at by the set-up, not by this call. Columns and values begin at multiples
 * of 16 bytes. CGSOLVE_INPUT: names the first row, or entry, that is wrong. CGSOLVE_USAGE: an
 * array is NULL, or both or none of pointers and row are given. CGSOLVE_MEMORY. */
enum cgsolve_status cgsolve_matrix_arrays(struct cgsolve *solver,
                                          const struct cgsolve_arrays *arrays);
/* New values on the pattern of the arrays that were given last, `nonzeros` in the same order,
 * borrowed where those were. The next solve makes the matrix and the preconditioner again, but
 * keeps the machine, the choice of a kernel, and the layout, and of algebraic multigrid what the
 * option reuse says: none, pattern (aggregates; on the host patterns, too), all (until iterations
 * have grown by half). CGSOLVE_USAGE: the matrix is not one of arrays, another number of entries,
 * values is NULL: nothing is changed. CGSOLVE_INPUT: a value is not finite: likewise. */
enum cgsolve_status cgsolve_matrix_values(struct cgsolve *solver, int64_t nonzeros,
                                          const double *values);

/* Rows of a matrix that is cut among the ranks of the handle, in any way: this rank has rows first
 * ... first + rows - 1 of the whole, after those of the ranks before it. All ranks call this
 * together; a handle without a communicator has all rows. Sums want cuts at multiples of a block,
 * so that the set-up moves rows, and each solve parts of b and x, to the rank that adds them up:
 * the answer has the bits of one process.
 *     first     the first row's number in the whole, from 0; anything where rows is 0
 *     rows      0 or more; 1 ... 2^31 - 1 of all ranks together
 *     nonzeros  length of columns and of values
 *     pointers  rows + 1 numbers; pointers[0] = 0, pointers[rows] = nonzeros; may be NULL where rows is 0
 *     columns   nonzeros numbers, 0 ... rows of the whole - 1, ascending in each row
 *     values    nonzeros numbers, finite
 * The arrays are borrowed as by cgsolve_matrix_crs, and checked at once and by each set-up. b
 * and x of a solve have `rows` numbers in the host's memory, and may be NULL where that is 0.
 * Where there are several ranks, the set-up takes the default kernel of the option `format`,
 * instead of choosing by the lengths of rows. CGSOLVE_INPUT: names the rank and the row that is
 * wrong; ranges overlap, or rows are missing. CGSOLVE_USAGE: an array is NULL, or another rank
 * is in another call. CGSOLVE_LOST. */
enum cgsolve_status cgsolve_matrix_distributed(struct cgsolve *solver, int64_t first, int64_t rows,
                                               int64_t nonzeros, const int64_t *pointers,
                                               const int64_t *columns, const double *values);

/* A function of the caller: computes y = A x (of a matrix) or y = M x (of a preconditioner). Both
 * vectors have `length` numbers and are in the memory of the backend: the host's, or the CUDA
 * device's. y is complete when it returns, or queued in a stream that blocks the device: it is
 * called between two kernels, and all streams are waited for. Returns 0; another number ends the
 * solve as CGSOLVE_INTERRUPTED. NaN or Inf in a y of the host's end it as CGSOLVE_BREAKDOWN, with
 * its place. After a solve that has not converged the function is called for two random x more,
 * which tell whether it is symmetric, and before the first with the option "nullspace" for those
 * vectors and a random one. Calls with the handle are refused in it. `user` is passed on
 * as it is. */
typedef int cgsolve_apply(void *user, int64_t length, const double *x, double *y);

/* A symmetric positive definite operator of that many rows, known by its product alone, in double
 * precision. It is applied as it is: nothing looks beforehand whether it is symmetric, which up to
 * rounding is enough.
 * CGSOLVE_USAGE: apply is NULL. CGSOLVE_INPUT: rows is not 1 ... 2^31 - 1. */
enum cgsolve_status cgsolve_matrix_operator(struct cgsolve *solver, int64_t rows,
                                            cgsolve_apply *apply, void *user);
/* A preconditioner of the caller's, in the place of the option "precond", for every matrix and
 * solve from now on: y = M x, M near the inverse of A, symmetric positive definite; it may vary
 * from one product to the next (flexible CG). Double precision. NULL: none. */
enum cgsolve_status cgsolve_preconditioner(struct cgsolve *solver, cgsolve_apply *apply,
                                           void *user);

/* Near-null vectors for the option "precond" = "amg": vectors that A nearly annihilates, which
 * coarse grids then keep, as the rigid-body modes of an elastic body. They hold for every matrix
 * in arrays or of a file from now on; a node has as many rows as the option "block" says.
 *     count    1 ... 6, the same on all ranks; 0: none
 *     length   of each: the rows of the matrix, of a distributed one those of this rank
 *     vectors  count times length numbers, finite, one vector after the other, in memory of the
 *              host or of the device that computes; borrowed until the next call, or the handle's
 *              end. NULL: none
 * They are looked at by each set-up, and with new values: CGSOLVE_INPUT for what is not finite,
 * CGSOLVE_USAGE for another length, other memory, a vector of zeros, another preconditioner, or
 * the options "near-null", "coordinates" and "adaptive", which bring vectors, too. CGSOLVE_USAGE
 * here: count or length is out of range: nothing is changed. */
enum cgsolve_status cgsolve_near_null(struct cgsolve *solver, int count, int64_t length,
                                      const double *vectors);

/* The Q1 matrix of the box that the options name ("N", "problem", "kappa", "deform", ...): N^3
 * rows. They may be set before or after. */
enum cgsolve_status cgsolve_matrix_box(struct cgsolve *solver);
/* A Matrix Market file, SciPy's .npz or a Harwell-Boeing file, which the next set-up reads. The
 * path is copied. CGSOLVE_USAGE: path is NULL or empty. CGSOLVE_MEMORY. */
enum cgsolve_status cgsolve_matrix_file(struct cgsolve *solver, const char *path);

/* Gives the length that b and x are to have: rows, or N^3; on several ranks this one's part, 0
 * or more. CGSOLVE_USAGE: there is no matrix; it is a file, or on several ranks the box, that no
 * set-up has read, or cut, since matrix or options changed; unknowns is NULL. *unknowns is set
 * only on success. */
enum cgsolve_status cgsolve_unknowns(struct cgsolve *solver, int64_t *unknowns);
/* Gives the number, in the whole, of the first of these rows; 0 of a process alone. As
 * cgsolve_unknowns. */
enum cgsolve_status cgsolve_first_row(struct cgsolve *solver, int64_t *first);
/* Gives the number of right-hand sides in the file that the option "rhs" names; 1 where it names
 * none. CGSOLVE_USAGE: as cgsolve_unknowns. CGSOLVE_INPUT: the file cannot be read, or has another
 * number of rows. *count is set only on success. */
enum cgsolve_status cgsolve_rhs_count(struct cgsolve *solver, int64_t *count);

/* Sets up what the matrix needs (layout, choice of kernel, transfer, preconditioner, CG's
 * vectors), unless that is done already. It is kept for all solves until the matrix or an option
 * changes; cgsolve_solve does it where it was not. CGSOLVE_USAGE: no matrix, or options that do
 * not go together. CGSOLVE_INPUT, CGSOLVE_BREAKDOWN, CGSOLVE_MEMORY, CGSOLVE_DEVICE: the next
 * call tries again. */
enum cgsolve_status cgsolve_setup(struct cgsolve *solver);

/* Solves A x = b from the start vector zero, or the one of "guess".
 *     length   of b and of x: as cgsolve_unknowns says; anything where both are NULL
 *     b        length numbers, finite. NULL: the right-hand side that the options name: the box has its
 *              problem's; of a file or the caller's rows it is "rhs" (a file, ones, or random: b = A u
 *              with a known random u)
 *     x        length numbers, out, may be b; in the box row (iz N + iy) N + ix. NULL: not wanted. Not
 *              touched but where there is CGSOLVE_OK, CGSOLVE_NOT_CONVERGED, CGSOLVE_INTERRUPTED
 *     result   NULL: not wanted; else set in any case
 * Where the solve runs on CUDA, b and x may each be in the memory of the device: nothing of them
 * goes to the host, and numbers that are not finite are CGSOLVE_BREAKDOWN. Work on them in any
 * stream is waited for. A vector in other memory, such as that of another device, is
 * CGSOLVE_USAGE. Residuals are relative to ||b||; to the first one where b = 0, and of the
 * problem "course", which takes neither a b nor a start. The arrays are the caller's again after
 * the call. Each status can occur; CGSOLVE_USAGE: no matrix, another length, no b where one is
 * needed, or one too many. */
enum cgsolve_status cgsolve_solve(struct cgsolve *solver, int64_t length, const double *b,
                                  double *x, struct cgsolve_result *result);
/* The same from the start vector that stands in x, which is finite and not NULL. */
enum cgsolve_status cgsolve_solve_from(struct cgsolve *solver, int64_t length, const double *b,
                                       double *x, struct cgsolve_result *result);

/* Solves A x = b for `count` right-hand sides, one after the other with one set-up: those in b, and
 * the solutions in x, have `length` numbers each and follow one another without gaps. x may be b,
 * else they have nothing in common.
 *     count     1 or more
 *     b         NULL: the columns of the file that the option "rhs" names, as many as
 *               cgsolve_rhs_count says
 *     results   count of them; NULL: not wanted
 * Returns the first status that is not CGSOLVE_OK, with a message that names the right-hand side;
 * those that come after it are solved all the same, unless it is CGSOLVE_USAGE or
 * CGSOLVE_INTERRUPTED. */
enum cgsolve_status cgsolve_solve_many(struct cgsolve *solver, int64_t count, int64_t length,
                                       const double *b, double *x, struct cgsolve_result *results);

/* An implicit step in time, of the box with the option "reaction" (c): u becomes the solution of
 * (R + K) u_new = R u + f. R is the matrix of the term c u, K + R that of the set-up, and f the
 * load of the options without that term: the source and what faces bring, whose values stay. With
 * c = 1 / dt, or rho c_p / dt, it is a step of backward Euler. The iterations begin with u, or with
 * 0 where fdm solves the box directly. The set-up serves all steps; the first one makes R and f.
 * They take two vectors (four in precisions other than double, or where a device pads vectors) and,
 * on a device, 8 bytes a cell, which no plan counts. Several ranks on CPUs make steps with the
 * option "format" none.
 *     length  of u: as cgsolve_unknowns says
 *     u       length numbers, finite, in and out; they may be in the memory of the device
 *     result  as of cgsolve_solve
 * CGSOLVE_USAGE: not such a box, another length. Others: as of cgsolve_solve. */
enum cgsolve_status cgsolve_step(struct cgsolve *solver, int64_t length, double *u,
                                 struct cgsolve_result *result);
/* The right-hand side of such a step, b = R u + f, for a load that changes in time: add that to b,
 * and call cgsolve_solve_from. b, length numbers, may be u, or in the memory of the device. */
enum cgsolve_status cgsolve_step_rhs(struct cgsolve *solver, int64_t length, const double *u,
                                     double *b);

/* The relative residuals of the last solve, that of the start vector first: iterations + 1
 * numbers. They belong to the handle and stay until its next solve, set-up, or destruction.
 * CGSOLVE_USAGE: there was no solve, or CG did not run; nothing is written. */
enum cgsolve_status cgsolve_history(struct cgsolve *solver, int64_t *count,
                                    const double **residuals);

/* Gives the row that the last solve left worst: the largest |b - A x|_i / (|A| |x| + |b|)_i, a
 * number without unit that solver.worst_row of the report defines (doc/report.md), and that row's
 * number in the whole matrix, from 0. Of more than 4 million entries of a box or on a GPU, of steps
 * in time of a box, and of its several right-hand sides of cgsolve_solve_many, *ratio is a bound
 * where that is small enough, and *row -1. NaN and -1 where no rows were looked at: the matrix is a
 * function or has no entries, or the solve ended otherwise than well or with "row_not_solved".
 * CGSOLVE_USAGE: as cgsolve_history; nothing is written. */
enum cgsolve_status cgsolve_worst_row(struct cgsolve *solver, double *ratio, int64_t *row);

/* Has `watch` called by every solve from now on, now and then while it iterates, from the
 * calling thread, in the locale "C"; 0 asks to stop. It must return, and calls with this handle
 * are refused in it. `user` is passed on as it is. NULL: nobody watches. */
enum cgsolve_status cgsolve_watch(struct cgsolve *solver,
                                  int (*watch)(void *user, int64_t iteration,
                                               double relative_residual),
                                  void *user);

/* Has `watch` called by every solve from now on, after each of its iterations, with the solution x
 * that this iteration left: `length` numbers in the host's memory, of which on several ranks each
 * has its part; to be read only, and only until it returns. Everything else as of cgsolve_watch;
 * both may be set. Residuals are the same to the bit as without it, and so is x on the CPU; on a
 * device x moves in other iterations, so that it may differ by rounding. Iterations take longer: x
 * is completed and copied after each. The time of `watch` is not counted as solve. On several ranks
 * all have one or none has. NULL: nobody watches. */
enum cgsolve_status cgsolve_watch_solution(struct cgsolve *solver,
                                           int (*watch)(void *user, int64_t iteration,
                                                        double relative_residual, int64_t length,
                                                        const double *x),
                                           void *user);

/* yes = 1: solves also measure what the program measures for its report: bandwidths, products,
 * memory, and, of a matrix by rows, which kernel is fastest; that takes up to a second more. 0,
 * the default: no such time is spent, and the kernel follows from the lengths of the rows. */
enum cgsolve_status cgsolve_measure(struct cgsolve *solver, int yes);

/* The message of the calling thread's last call that returned a status: "" where that was
 * CGSOLVE_OK. Never NULL; owned by the library, unchanged until the thread's next such call,
 * valid as long as the thread. A successful cgsolve_create or cgsolve_destroy leaves it as it
 * was. */
const char *cgsolve_message(void);
/* A few words: "not enough memory". A constant, never NULL. */
const char *cgsolve_status_text(enum cgsolve_status status);

/* Gives the program's JSON report of the last set-up or solve, of one that failed, too (not of
 * one that was refused for want of a matrix or for its vectors): doc/library.md. *json ends with
 * 0 and is the caller's, to be given back by cgsolve_free; NULL where there is a failure.
 * CGSOLVE_USAGE: there was none, or json is NULL. CGSOLVE_MEMORY. */
enum cgsolve_status cgsolve_report_json(struct cgsolve *solver, char **json);
void cgsolve_free(char *text); /* NULL: nothing is done */

/* "0.1.0": of the library that runs. A constant. */
const char *cgsolve_version(void);

#ifdef __cplusplus
}
#endif

#endif
