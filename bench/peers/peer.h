/* Shared by the peers: our problem, split among MPI ranks, and the report of a library's result.
 * Problem, matrix entries and load vector come from fem/, so that a peer and cgsolve solve the same
 * equations.
 *
 *     peer_NAME [--N=63] [--problem=smooth] [--tol=1e-8] [--max-iterations=K] [--method=a,b]
 *               [--json=FILE] [--output=FILE]
 *
 * Each rank owns whole planes of the box, so that its rows are a range in natural order:
 *
 *     z planes   0 ... | ... | ... n - 1        rows (z n + y) n + x, x fastest
 *     rank         0      1     2
 *
 * A method is one function: it builds the library's matrix (assemble), its preconditioner (setup),
 * solves from x = 0 until ||b - A x|| <= tol ||b||, and leaves x. peer_main computes the true
 * residual afresh from fem/'s rows, and the errors. Programs end at the first failure: a benchmark
 * has nothing to rescue. Exit status: 0 all methods converged (true residual <= 2 tol), 1 usage,
 * 2 one did not, 7 the library failed. --json and --output hold the last method that ran.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fem/assembly.h"
#include "fem/errors.h"
#include "fem/problem.h"

enum { PEER_STENCIL = 27 };

struct peer {
    struct cgs_context context;
    const char *program;
    const struct cgs_problem *problem;
    struct cgs_mesh mesh;
    struct cgs_row_source source;
    double tolerance;
    int max_iterations;
    int rank, ranks;
    int n;               /* unknowns in each direction */
    int first_z, last_z; /* this rank's planes, and rows: [first, last) */
    int first_row, last_row;
    double *b, *x; /* last_row - first_row numbers each */
};

/* Results of a method; seconds as seen by rank 0, with all ranks synchronised. */
struct peer_solve {
    double assemble, setup, solve;
    int iterations;
};

struct peer_method {
    const char *name, *description;
    bool seven_point; /* solves h (6 u - sum of 6 neighbours) = b instead of the Q1 matrix */
    void (*run)(struct peer *peer, struct peer_solve *solve);
};

/* A library: `begin` and `end` enclose all methods unless NULL. */
struct peer_library {
    const char *name;
    const char *version;
    void (*begin)(void);
    void (*end)(void);
    const struct peer_method *methods;
    int count;
};

int peer_main(int argc, char **argv, const struct peer_library *library);

/* Prints the reason on standard error, and ends all ranks. */
_Noreturn void peer_fail(const struct peer *peer, const char *format, ...) CGS_PRINTF(2, 3);

/* Seconds since an arbitrary origin, after a barrier of all ranks. */
double peer_now(void);

/* Writes rows [first, last) of the Q1 matrix: lengths, columns (ascending in a row), values; room
 * for 27 a row. Returns the number of entries. */
int64_t peer_rows(const struct peer *peer, int first, int last, int32_t *lengths, int32_t *columns,
                  double *values);

/* Allocates n elements of `size` bytes, or ends the program; to be freed by free(). */
void *peer_room(const struct peer *peer, int64_t n, size_t size);

/* Gathers all ranks' x on rank 0 and computes ||b - A x|| / ||b|| and errors against the exact
 * solution; writes x in natural order to the file `output` unless NULL. Sets nothing on other
 * ranks. */
void peer_judge(struct peer *peer, bool seven_point, const char *output, double *residual,
                struct cgs_errors *errors);
