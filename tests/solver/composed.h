/* Shared by the tests of composed, recorded and observed steps: the Q1 matrix, solved by CG in some
 * way. */
#pragma once

#include "base/random.h"
#include "fem/assembly.h"
#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/cg/cg_traffic.h"
#include "tests/support/rows.h"
#include "tests/support/solve.h"

enum { N = 7, ROWS = N * N * N };

/* The Q1 matrix on N^3 nodes as an operator in double. */
static struct cgs_mesh mesh;
static struct cgs_row_source source;
static struct cgs_matrix matrix;
static const struct cgs_kernel *kernel;
static struct cgs_operator plain;
static double rhs[ROWS];

static inline void make(void)
{
    const struct cgs_kernel_entry *entry;
    mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_SELL, 8, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_SELL, &entry), CGS_OK);
    kernel = entry->tables[CGS_PRECISION_F64];
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), kernel,
                                         CGS_PRECISION_F64, &matrix, &plain),
                     CGS_OK);
    for (int i = 0; i < ROWS; i++)
        rhs[i] = cgs_random((uint64_t)i);
}

static inline void unmake(void)
{
    cgs_operator_release(&plain);
    cgs_matrix_release(&context, &matrix);
    cgs_assembler_release(&context, &source);
}

static const struct cgs_cg_settings settings = {
    .tolerance = 1e-11, .max_iterations = 500, .check_every = 3};

/* Solves with `cg`, which it releases. */
static inline struct cgs_cg_result finish(struct cgs_cg *cg, double *x)
{
    const struct cgs_space *space = &plain.domain;
    struct cgs_cg_result result;
    ck_assert_int_eq(space->ops->put(space, rhs, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
    ck_assert_int_eq(result.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, ROWS, x), CGS_OK);
    cgs_cg_release(cg);
    result.history = NULL;
    return result;
}

static inline struct cgs_cg_result solve_as(const struct cgs_operator *op,
                                            const struct cgs_operator *preconditioner,
                                            const struct cgs_cg_settings *how, double *x)
{
    struct cgs_cg *cg;
    ck_assert_int_eq(cgs_cg_create(queue, op, preconditioner, how, &cg), CGS_OK);
    return finish(cg, x);
}

static inline struct cgs_cg_result solve_by(const struct cgs_operator *op,
                                            const struct cgs_operator *preconditioner, double *x)
{
    return solve_as(op, preconditioner, &settings, x);
}

/* plain without any fused step, of its own or of its space. Not to be moved. */
struct bare {
    struct cgs_space_ops ops;
    struct cgs_steps steps;
    struct cgs_operator op;
};

static inline void make_bare(struct bare *bare)
{
    *bare = (struct bare){.ops = *plain.domain.ops, .steps = *plain.steps, .op = plain};
    bare->ops.update = NULL;
    bare->ops.direction = NULL;
    bare->ops.update_direction = NULL;
    bare->ops.update_direction_passes = NULL;
    bare->steps.apply_dot = NULL;
    bare->op.domain.ops = bare->op.range.ops = &bare->ops;
    bare->op.steps = &bare->steps;
}

/* Vectors that an iteration reads and writes; the matrix is read once. */
static inline double vectors_moved(const struct cgs_operator *op, const struct cgs_operator *m)
{
    const struct cgs_moves moves = cgs_cg_iteration(op, m, CGS_CG_STANDARD, CGS_LAUNCH_PLAIN).moves;
    ck_assert_double_eq(moves.products, 1.0);
    return moves.read + moves.written;
}

static inline void same_solution(const double *x, const double *y)
{
    for (int i = 0; i < ROWS; i++)
        ck_assert_double_eq_tol(x[i], y[i], 1e-10);
}
