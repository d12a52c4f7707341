/* Shared by the tests of CG: a queue on the device under test, small matrices, one solve.
 *
 * The device is CHECK_DEVICE: each program is built for the CPU and for CUDA, which ends with 77
 * where there is no usable device. CK_NOFORK: neither OpenMP nor CUDA survives a fork. */
#pragma once

#include "solver/cg/cg.h"
#include "tests/support/support.h"

extern struct cgs_context context;
extern struct cgs_queue *queue;

/* A dense n x n matrix, row by row; as a row source its zeros are left out. `d` is borrowed. */
struct dense {
    int n;
    const double *a;
};
struct cgs_row_source dense_source(const struct dense *d);

/* Settings of a solve. */
struct solve {
    enum cgs_format format;
    enum cgs_precision precision;
    const char *kernel;
    bool jacobi;
    struct cgs_cg_settings settings;
    double *errors; /* of iterations 0 ... iterations (cgs_cg_error_history); NULL: not wanted */
};

/* SELL, kernel auto, double, tolerance 1e-10, at most 1000 iterations. */
struct solve usual(void);

/* Solves A x = b from x = 0 (x out); history, if wanted, takes up to max_iterations + 1 numbers. */
struct cgs_cg_result solve(const struct solve *how, const struct cgs_row_source *source,
                           const double *b, double *x, double *history);

/* Returns true if the kernel takes the matrix of trilinear cells: those of order p take other
 * meshes, crs_nodes dense blocks. */
bool takes_q1(const struct cgs_kernel_entry *entry);

/* Checked fixtures: `queue` is open in each test. */
void queue_open(void);
void queue_close(void);

/* Runs a suite, without forks; returns the program's exit status. */
int queue_run(Suite *suite);

/* Runs the tests of this file, each with a queue of its own. */
static inline int solve_tests(const char *name)
{
    return queue_run(suite_of(name, 600, queue_open, queue_close));
}
