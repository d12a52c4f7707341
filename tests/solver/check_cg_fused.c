/* Fused steps of an operator: CG uses them where they are offered, and they equal the composed
 * ones. */
#include <math.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "tests/support/solve.h"

/* An operator that offers direction_apply_dot and update, made from a plain one. */
struct fused {
    const struct cgs_operator *plain;
    int directions, updates, finishes;
};

static enum cgs_status fused_apply(const void *self, struct cgs_queue *on,
                                   const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_operator_apply(((const struct fused *)self)->plain, on, state, x, y);
}

/* p = z + beta p with the beta of the iteration concluded before: state->beta, read by a look. */
static enum cgs_status fused_direction(const void *self, struct cgs_queue *on,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    struct fused *f = (struct fused *)self;
    const struct cgs_space *space = &f->plain->domain;
    struct cgs_cg_state seen;
    f->directions += 1;
    CGS_TRY(space->ops->look_start(space, on, state, 0));
    CGS_TRY(space->ops->look_finish(space, on, 0, &seen));
    CGS_TRY(seen.beta == 0.0
                ? space->ops->copy(space, on, state, v->z, v->p)
                : space->ops->xpby(space, on, state, v->z, cgs_constant(seen.beta), v->p));
    return cgs_operator_apply_dot(f->plain, on, state, v->p, v->q, CGS_SUM_PQ);
}

static enum cgs_status fused_update(const void *self, struct cgs_queue *on,
                                    struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    struct fused *f = (struct fused *)self;
    const struct cgs_space *space = &f->plain->domain;
    f->updates += 1;
    CGS_TRY(space->ops->axpy(space, on, state, cgs_scalar(CGS_ALPHA), v->p, v->x));
    CGS_TRY(space->ops->axpy(space, on, state, cgs_scalar(CGS_MINUS_ALPHA), v->q, v->r));
    return space->ops->dot(space, on, state, v->r, v->r, CGS_SUM_RR);
}

static enum cgs_status fused_finish(const void *self, struct cgs_queue *on,
                                    struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    (void)on, (void)state, (void)v;
    ((struct fused *)self)->finishes += 1;
    return CGS_OK;
}

static void fused_release(void *self)
{
    (void)self;
}

TEST(fused_steps_of_an_operator_are_used)
{
    enum { N = 8, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_backend *backend = cgs_backend(CHECK_DEVICE);
    const struct cgs_kernel_entry *entry;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_operator plain;
    static double b[ROWS], x[2][ROWS];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_SELL, 32, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_SELL, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, backend, entry->tables[CGS_PRECISION_F64],
                                         CGS_PRECISION_F64, &matrix, &plain),
                     CGS_OK);
    const struct cgs_steps steps = {.apply = fused_apply,
                                    .direction_apply_dot = fused_direction,
                                    .update = fused_update,
                                    .finish = fused_finish,
                                    .release = fused_release};
    struct fused self = {.plain = &plain};
    struct cgs_operator fused = plain;
    fused.steps = &steps;
    fused.self = &self;
    const struct cgs_operator *ops[2] = {&plain, &fused};
    int64_t iterations[2];
    for (int k = 0; k < 4; k++) { /* to the end, then only 3 iterations */
        const struct cgs_cg_settings settings = {
            .tolerance = 1e-11, .max_iterations = k < 2 ? 500 : 3, .check_every = 1};
        struct cgs_cg *cg;
        struct cgs_cg_result result;
        ck_assert_int_eq(cgs_cg_create(queue, ops[k % 2], NULL, &settings, &cg), CGS_OK);
        ck_assert_int_eq(plain.domain.ops->put(&plain.domain, b, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
        ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
        ck_assert_int_eq(result.outcome,
                         k < 2 ? CGS_OUTCOME_CONVERGED : CGS_OUTCOME_ITERATION_LIMIT);
        ck_assert_int_eq(
            plain.domain.ops->get(&plain.domain, cgs_cg_solution(cg), 0, ROWS, x[k % 2]), CGS_OK);
        iterations[k % 2] = result.iterations;
        /* Nothing was deferred, and no one goes on from a converged direction. */
        ck_assert_int_eq(self.finishes, k == 3);
        cgs_cg_release(cg);
        for (int i = 0; k % 2 && i < ROWS; i++)
            ck_assert_double_eq_tol(x[0][i], x[1][i], 1e-11);
    }
    ck_assert_int_eq(iterations[0], iterations[1]);
    ck_assert_int_ge(self.directions, (int)iterations[1]);
    ck_assert_int_eq(self.directions, self.updates);
    cgs_operator_release(&plain);
    cgs_matrix_release(&context, &matrix);
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("fused steps");
}
