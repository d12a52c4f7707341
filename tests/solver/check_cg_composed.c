/* Steps that CG composes where space or operator offer no fused ones: the same iterations. The
 * spaces here have all fused steps, so copies of their tables without them are made. */
#include <math.h>
#include <string.h>

#include "matrix/walk.h"
#include "solver/cg/cg_create.h"
#include "solver/jacobi.h"
#include "tests/solver/composed.h"

/* ---- a space and an operator without fused steps ---- */

TEST(composed_steps_equal_fused_ones)
{
    static double x[2][ROWS];
    struct cgs_operator jacobi;
    struct bare bare;
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    make_bare(&bare);
    for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
        const struct cgs_operator *m = preconditioned ? &jacobi : NULL;
        const struct cgs_cg_result fused = solve_by(&plain, m, x[0]);
        const struct cgs_cg_result composed = solve_by(&bare.op, m, x[1]);
        ck_assert_int_eq(fused.iterations, composed.iterations);
        same_solution(x[0], x[1]);
        /* 2 for q, 2 for p'q, 3 + 3 + 1 for x, r, r'r, 3 for p, 3 for z: the table of cg_steps.c */
        ck_assert_double_eq(vectors_moved(&bare.op, m), m ? 17 : 14);
    }
    bare.ops.update = plain.domain.ops->update; /* 6 in one pass */
    ck_assert_double_eq(vectors_moved(&bare.op, NULL), 13);
    cgs_operator_release(&jacobi);
    unmake();
}

TEST(jacobi_is_an_operator_like_any_other)
{
    static double x[ROWS], y[ROWS];
    struct cgs_operator jacobi;
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    const struct cgs_space *space = &plain.domain;
    void *in, *out;
    ck_assert_int_eq(space->ops->alloc(space, "x", &in), CGS_OK);
    ck_assert_int_eq(space->ops->alloc(space, "y", &out), CGS_OK);
    ck_assert_int_eq(space->ops->put(space, rhs, 0, ROWS, in), CGS_OK);
    ck_assert_int_eq(cgs_operator_apply(&jacobi, queue, NULL, in, out), CGS_OK);
    ck_assert_int_eq(space->ops->get(space, out, 0, ROWS, y), CGS_OK);
    ck_assert_int_eq(cgs_matrix_diagonal(&context, &source, x), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        ck_assert_double_eq_tol(y[i] * x[i], rhs[i], 1e-14);
    space->ops->free(space, in);
    space->ops->free(space, out);
    cgs_operator_release(&jacobi);
    unmake();
}

/* A preconditioner that counts. */
static struct cgs_operator counted;
static int applications;
static enum cgs_status count_application(const void *self, struct cgs_queue *on,
                                         struct cgs_cg_state *state, const void *x, void *y,
                                         enum cgs_sum sum)
{
    applications++;
    return counted.steps->apply_dot(self, on, state, x, y, sum);
}

/* After an iteration that the host knows to be the last, no z is made. */
TEST(last_z_is_not_made)
{
    static double x[ROWS];
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &counted), CGS_OK);
    struct cgs_steps steps = *counted.steps;
    struct cgs_operator counting = counted;
    steps.apply_dot = count_application;
    counting.steps = &steps;
    applications = 0;
    const struct cgs_cg_settings each = {
        .tolerance = 1e-11, .max_iterations = 500, .check_every = 1};
    struct cgs_cg *cg;
    ck_assert_int_eq(cgs_cg_create(queue, &plain, &counting, &each, &cg), CGS_OK);
    const struct cgs_cg_result result = finish(cg, x);
    ck_assert_int_gt(result.iterations, 3);
    if (plain.domain.place == CGS_HOST) /* that of the start, and of each iteration but the last */
        ck_assert_int_eq(applications, (int)result.iterations);
    cgs_operator_release(&counted);
    unmake();
}

/* A space that does the second half of an iteration in one go, made from its two steps. */
static int halves;
static enum cgs_status second_half(const struct cgs_space *space, struct cgs_queue *on,
                                   struct cgs_cg_state *state, void *p, const void *q, void *x,
                                   void *r)
{
    const struct cgs_space_ops *whole = plain.domain.ops;
    halves++;
    CGS_TRY(whole->update(space, on, state, p, q, x, r));
    CGS_TRY(whole->reduce(space, on, state, CGS_SUM_RR, 1));
    return whole->direction(space, on, state, r, p);
}

static double seven(const struct cgs_space *space, double *written)
{
    *written = 3.0;
    return space->size == ROWS ? 7.0 : -1.0;
}

TEST(second_halves_of_a_space_are_used)
{
    static double x[2][ROWS];
    struct cgs_operator jacobi;
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    struct cgs_space_ops ops = *plain.domain.ops;
    struct cgs_operator op = plain;
    op.domain.ops = op.range.ops = &ops;
    ops.update_direction = second_half;
    ops.update_direction_passes = seven;
    halves = 0;
    const struct cgs_cg_result right = solve_by(&plain, NULL, x[0]);
    const struct cgs_cg_result got = solve_by(&op, NULL, x[1]);
    ck_assert_int_eq(got.iterations, right.iterations);
    ck_assert_int_ge(halves, (int)right.iterations);
    same_solution(x[0], x[1]);
    ck_assert_double_eq(vectors_moved(&op, NULL), plain.steps->apply_dot ? 9 : 11);
    halves = 0; /* z stands between its two steps where there is a preconditioner */
    solve_by(&op, &jacobi, x[1]);
    ck_assert_int_eq(halves, 0);
    cgs_operator_release(&jacobi);
    unmake();
}

static enum cgs_status put_refused(const struct cgs_space *space, const double *natural,
                                   int64_t first, int64_t count, void *vector)
{
    (void)natural, (void)first, (void)count, (void)vector;
    return cgs_fail(space->queue->context, CGS_DEVICE, "no way there");
}

TEST(jacobi_gives_back_what_cannot_be_put)
{
    struct cgs_operator jacobi = {0};
    make();
    struct cgs_space_ops ops = *plain.domain.ops;
    struct cgs_operator op = plain;
    op.domain.ops = &ops;
    ops.put = put_refused;
    ck_assert_int_eq(cgs_jacobi_create(queue, &op, &source, &jacobi), CGS_DEVICE);
    ck_assert_ptr_null(jacobi.self);
    unmake(); /* and close_queue finds nothing held */
}

/* ---- a kernel with wishes ---- */

static enum cgs_status refuse_all(struct cgs_context *c, const struct cgs_matrix *m)
{
    return cgs_fail(c, CGS_USAGE, "not a matrix of %lld rows", (long long)m->rows);
}

static int asked;
static void ask_layout(const struct cgs_matrix *m, struct cgs_layout *domain,
                       struct cgs_layout *range)
{
    asked++;
    ck_assert_int_eq(domain->size, m->columns);
    ck_assert_int_eq(range->size, m->rows);
    domain->size += 5; /* as a kernel that pads would */
}

TEST(kernels_are_asked)
{
    struct cgs_operator op = {0};
    make();
    struct cgs_kernel wishing = *kernel;
    wishing.layout = ask_layout;
    asked = 0;
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), &wishing,
                                         CGS_PRECISION_F64, &matrix, &op),
                     CGS_OK);
    ck_assert_int_eq(asked, 1);
    ck_assert_int_eq(op.domain.size, ROWS + 5);
    ck_assert_int_eq(op.range.size, ROWS);
    cgs_operator_release(&op);
    ck_assert_ptr_null(op.steps);
    cgs_operator_release(&op); /* again is nothing */
    wishing.accepts = refuse_all;
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), &wishing,
                                         CGS_PRECISION_F64, &matrix, &op),
                     CGS_USAGE);
    ck_assert_str_eq(context.message, "not a matrix of 343 rows");
    ck_assert_ptr_null(op.self);
    unmake();
}

int main(void)
{
    return solve_tests("composed steps");
}
