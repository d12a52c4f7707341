/* The state of CG in a space: what begin and conclude make of it, fused steps against composed
 * ones, and that nothing happens after the end. */
#include <math.h>

#include "tests/support/support.h"

LOOP_TEST(state_set_and_looks, CGS_NUMBERS)
{
    const struct cgs_space space = bed_space((enum cgs_number)_i, 10);
    struct cgs_cg_state initial = {.rz = 3.0, .max_iterations = 5, .iteration = 2, .sums = {1, 2}};
    struct cgs_cg_state *state = NULL, out;
    must(space.ops->state_create(&space, &initial, &state));
    must(space.ops->look_start(&space, bed.queue, state, 0));
    struct cgs_cg_state next = {.rz = 4.0, .max_iterations = 5, .iteration = 3, .sums = {9, 9}};
    must(space.ops->state_set(&space, bed.queue, state, &next));
    must(space.ops->look_start(&space, bed.queue, state, 1));
    must(space.ops->look_finish(&space, bed.queue, 0, &out));
    ck_assert(out.rz == 3.0 && out.iteration == 2 && out.sums[0] == 1 && out.sums[1] == 2);
    must(space.ops->look_finish(&space, bed.queue, 1, &out));
    ck_assert(out.rz == 4.0 && out.iteration == 3 && out.sums[0] == 1 && out.sums[1] == 2);
    space.ops->state_free(&space, state);
}

/* A state, and the one that begin or conclude makes of it. */
/* clang-format off */
static const struct {
    bool begin;
    struct cgs_cg_state from;
    int32_t reason;
    int64_t iteration;
    double rz;
} turns[] = {
    /* begin: sums are pq, rr, rz */
    {true, {.sums = {0, 4, 0}, .max_iterations = 9}, CGS_GOING_ON, 0, 4},
    {true, {.sums = {0, 4, 0}, .max_iterations = 9, .threshold = 4}, CGS_CONVERGED, 0, 4},
    {true, {.sums = {0, 0, 0}, .max_iterations = 9}, CGS_CONVERGED, 0, 0},
    {true, {.sums = {0, 4, 0}, .max_iterations = 0}, CGS_ITERATION_LIMIT, 0, 4},
    {true, {.sums = {0, NAN, 0}, .max_iterations = 9}, CGS_NOT_FINITE, 0, NAN},
    {true, {.sums = {0, INFINITY, 0}, .max_iterations = 9}, CGS_NOT_FINITE, 0, INFINITY},
    {true, {.sums = {0, 4, 7}, .max_iterations = 9, .preconditioned = 1}, CGS_GOING_ON, 0, 7},
    {true, {.sums = {0, 4, -7}, .max_iterations = 9, .preconditioned = 1}, CGS_NOT_POSITIVE, 0, -7},
    /* conclude */
    {false, {.sums = {8, 1, 0}, .rz = 4, .best = 4, .max_iterations = 9}, CGS_GOING_ON, 1, 1},
    {false, {.sums = {8, 1, 0}, .rz = 4, .best = 4, .max_iterations = 9, .threshold = 1},
     CGS_CONVERGED, 1, 1},
    {false, {.sums = {0, 1, 0}, .rz = 4, .best = 4, .iteration = 3, .max_iterations = 9},
     CGS_NOT_POSITIVE, 3, 4},
    {false, {.sums = {-8, 1, 0}, .rz = 4, .best = 4, .iteration = 3, .max_iterations = 9},
     CGS_NOT_POSITIVE, 3, 4},
    {false, {.sums = {NAN, 1, 0}, .rz = 4, .best = 4, .iteration = 3, .max_iterations = 9},
     CGS_NOT_FINITE, 3, 4},
    {false, {.sums = {8, NAN, 0}, .rz = 4, .best = 4, .iteration = 3, .max_iterations = 9},
     CGS_NOT_FINITE, 4, NAN},
    {false, {.sums = {8, 1, 0}, .rz = 4, .best = 4, .iteration = 8, .max_iterations = 9,
             .best_iteration = 8}, CGS_ITERATION_LIMIT, 9, 1},
    {false, {.sums = {8, 5, 0}, .rz = 4, .best = 4, .iteration = 7, .max_iterations = 90,
             .best_iteration = 3, .stagnation_window = 4}, CGS_STAGNATION, 8, 5},
    {false, {.sums = {8, 5, 0}, .rz = 4, .best = 4, .iteration = 6, .max_iterations = 90,
             .best_iteration = 3, .stagnation_window = 4}, CGS_GOING_ON, 7, 5},
    {false, {.sums = {8, 1, -2}, .rz = 4, .best = 4, .max_iterations = 9, .preconditioned = 1},
     CGS_NOT_POSITIVE, 1, -2},
    {false, {.sums = {8, 1, 2}, .rz = 4, .best = 4, .max_iterations = 9, .preconditioned = 1},
     CGS_GOING_ON, 1, 2},
    /* what has stopped stays as it is */
    {true, {.sums = {0, 4, 0}, .rz = 6, .max_iterations = 9, .reason = CGS_STOPPED},
     CGS_STOPPED, 0, 6},
    {false, {.sums = {8, 1, 0}, .rz = 6, .max_iterations = 9, .reason = CGS_STOPPED},
     CGS_STOPPED, 0, 6},
};
/* clang-format on */
enum { TURNS = sizeof turns / sizeof *turns };

static bool alike(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

LOOP_TEST(begin_and_conclude, TURNS)
{
    for (int number = 0; number < CGS_NUMBERS; number++) {
        const struct cgs_space space = bed_space((enum cgs_number)number, 10);
        struct cgs_cg_state from = turns[_i].from, *state = NULL;
        if (from.stagnation_window == 0)
            from.stagnation_window = 100;
        must(space.ops->state_create(&space, &from, &state));
        must((turns[_i].begin ? space.ops->begin : space.ops->conclude)(&space, bed.queue, state));
        const struct cgs_cg_state now = bed_look(&space, state);
        ck_assert_int_eq(now.reason, turns[_i].reason);
        ck_assert_int_eq(now.iteration, turns[_i].iteration);
        ck_assert_msg(alike(now.rz, turns[_i].rz), "rz = %g", now.rz);
        if (now.iteration > from.iteration || (turns[_i].begin && from.reason == CGS_GOING_ON)) {
            struct cgs_cg_record record;
            must(space.ops->records_get(&space, bed.queue, state, now.iteration, 1, &record));
            ck_assert(alike(record.rr, from.sums[CGS_SUM_RR]));
            if (!turns[_i].begin) {
                ck_assert(alike(record.alpha, from.rz / from.sums[CGS_SUM_PQ]));
                ck_assert(alike(record.beta, now.rz / from.rz));
                ck_assert(alike(now.beta, record.beta));
            }
        }
        space.ops->state_free(&space, state);
    }
}

TEST(best_residual)
{
    const struct cgs_space space = bed_space(CGS_F64, 3);
    struct cgs_cg_state *state = NULL;
    const struct cgs_cg_state from = {.sums = {8, 1, 6},
                                      .rz = 4,
                                      .best = 9,
                                      .max_iterations = 3,
                                      .stagnation_window = 9,
                                      .preconditioned = 1};
    must(space.ops->state_create(&space, &from, &state));
    must(space.ops->conclude(&space, bed.queue, state));
    const struct cgs_cg_state now = bed_look(&space, state);
    ck_assert(now.beta == 1.5 && now.rz == 6.0 && now.best == 1.0 && now.best_iteration == 1);
    space.ops->state_free(&space, state);
}

/* ---- fused steps, and steps after the end ---- */

/* x + alpha p, r - alpha q, r'r: alpha = 3/8; then p = r + beta p. */
LOOP_TEST(fused_equals_composed, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_INTEGERS);
    const struct cgs_space_ops *ops = p.space.ops;
    const struct cgs_cg_state from = {
        .sums = {8}, .rz = 3, .best = 1e300, .max_iterations = 5, .stagnation_window = 9};
    struct cgs_cg_state *fused = NULL, *plain = NULL;
    must(ops->state_create(&p.space, &from, &fused));
    must(ops->state_create(&p.space, &from, &plain));
    void *vx[2], *vr[2], *vp[2];
    for (int v = 0; v < 2; v++) {
        vx[v] = bed_vector(&p.space, p.x);
        vr[v] = bed_vector(&p.space, p.y);
        vp[v] = bed_vector(&p.space, p.y);
    }
    if (ops->update)
        must(ops->update(&p.space, bed.queue, fused, p.vy, p.vx, vx[0], vr[0]));
    for (int v = ops->update ? 1 : 0; v < 2; v++) {
        struct cgs_cg_state *state = v ? plain : fused;
        must(ops->axpy(&p.space, bed.queue, state, cgs_scalar(CGS_ALPHA), p.vy, vx[v]));
        must(ops->axpy(&p.space, bed.queue, state, cgs_scalar(CGS_MINUS_ALPHA), p.vx, vr[v]));
        must(ops->dot(&p.space, bed.queue, state, vr[v], vr[v], CGS_SUM_RR));
    }
    for (int v = 0; v < 2;
         v++) { /* multiples of 1/8 below 2^7: exact, and so are the squares' sums */
        check_all(&p, vx[v], x + 0.375 * y, 0.0);
        check_all(&p, vr[v], y - 0.375 * x, 0.0);
    }
    double square = 0.0;
    for (int64_t i = 0; i < p.n; i++)
        square += (p.y[i] - 0.375 * p.x[i]) * (p.y[i] - 0.375 * p.x[i]);
    ck_assert_double_eq(bed_look(&p.space, fused).sums[CGS_SUM_RR], square);
    ck_assert_double_eq(bed_look(&p.space, plain).sums[CGS_SUM_RR], square);
    const double beta = square / 3, eps = pair_eps(&p.space);
    if (ops->direction)
        must(ops->direction(&p.space, bed.queue, fused, vr[0], vp[0]));
    for (int v = ops->direction ? 1 : 0; v < 2; v++) {
        must(ops->xpby(&p.space, bed.queue, v ? plain : fused, vr[v], cgs_scalar(CGS_BETA), vp[v]));
        must(ops->conclude(&p.space, bed.queue, v ? plain : fused));
    }
    for (int v = 0; v < 2; v++) {
        const struct cgs_cg_state now = bed_look(&p.space, v ? plain : fused);
        check_all(&p, vp[v], y - 0.375 * x + beta * y, eps * (8 * 2 + 3 * fabs(beta * y)));
        ck_assert_int_eq(now.iteration, 1);
        ck_assert_int_eq(now.reason, square == 0 ? CGS_CONVERGED : CGS_GOING_ON);
        ck_assert(now.rz == square && now.beta == beta);
        ops->free(&p.space, vx[v]);
        ops->free(&p.space, vr[v]);
        ops->free(&p.space, vp[v]);
    }
    ops->state_free(&p.space, fused);
    ops->state_free(&p.space, plain);
    pair_end(&p);
}

/* p'A p <= 0: x and r stay as they are, and the iteration does not count. */
LOOP_TEST(breakdown_leaves_the_solution, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_INTEGERS);
    const struct cgs_space_ops *ops = p.space.ops;
    const struct cgs_cg_state from = {.sums = {-8}, .rz = 3, .max_iterations = 5};
    struct cgs_cg_state *state = NULL;
    void *vx = bed_vector(&p.space, p.x), *vr = bed_vector(&p.space, p.y);
    must(ops->state_create(&p.space, &from, &state));
    if (ops->update)
        must(ops->update(&p.space, bed.queue, state, p.vy, p.vx, vx, vr));
    must(ops->axpy(&p.space, bed.queue, state, cgs_scalar(CGS_ALPHA), p.vy, vx));
    must(ops->conclude(&p.space, bed.queue, state));
    check_all(&p, vx, x, 0.0);
    check_all(&p, vr, y, 0.0);
    ck_assert_int_eq(bed_look(&p.space, state).iteration, 0);
    ops->free(&p.space, vx);
    ops->free(&p.space, vr);
    ops->state_free(&p.space, state);
    pair_end(&p);
}

LOOP_TEST(nothing_happens_after_the_end, PAIRS)
{
    struct pair p = pair_start(_i, PLAIN_RANDOM);
    const struct cgs_space_ops *ops = p.space.ops;
    struct cgs_cg_state *state = bed_state(&p.space, 3);
    bed_reason(&p.space, state, CGS_CONVERGED);
    void *z = bed_vector(&p.space, p.y);
    struct cgs_queue *queue = bed.queue;
    must(ops->set(&p.space, queue, state, 5.0, z));
    must(ops->copy(&p.space, queue, state, p.vx, z));
    must(ops->axpy(&p.space, queue, state, cgs_constant(2.0), p.vx, z));
    must(ops->xpby(&p.space, queue, state, p.vx, cgs_constant(2.0), z));
    must(ops->multiply(&p.space, queue, state, p.vx, p.vx, z, CGS_SUM_RZ));
    must(ops->dot(&p.space, queue, state, p.vx, z, CGS_SUM_PQ));
    must(ops->begin(&p.space, queue, state));
    must(ops->conclude(&p.space, queue, state));
    if (ops->update)
        must(ops->update(&p.space, queue, state, p.vx, p.vx, z, p.vy));
    if (ops->direction)
        must(ops->direction(&p.space, queue, state, p.vx, z));
    must(ops->wait(queue));
    check_all(&p, z, y, 0.0);
    check_all(&p, p.vy, y, 0.0);
    const struct cgs_cg_state now = bed_look(&p.space, state);
    ck_assert_int_eq(now.reason, CGS_CONVERGED);
    ck_assert_int_eq(now.iteration, 0);
    for (int s = 0; s < CGS_SUMS; s++)
        ck_assert(isnan(now.sums[s]));
    ops->free(&p.space, z);
    ops->state_free(&p.space, state);
    pair_end(&p);
}

int main(void)
{
    return bed_tests("state", 120);
}
