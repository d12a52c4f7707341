/* CG with a preconditioner that is not the same in every iteration (CGS_FLEXIBLE,
 * kernels/cg_state.h): against a textbook's formula; composed, paused, restarted. What is told of
 * its steps is in check_observer.c.
 *
 * The preconditioner is two diagonals by turns, that of an iteration known by how often it was
 * applied: so iterations are looked at one by one, and none is queued past a pause.
 */
#include <fenv.h>
#include <math.h>

#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/cg/cg_traffic.h"
#include "solver/cg/lanczos.h"
#include "solver/jacobi.h"
#include "tests/solver/composed.h"

struct turning {
    struct cgs_operator one[2];
    struct cgs_steps steps;
    int applications;
};

/* Entries of both diagonals, which differ from row to row, and from each other by up to 6. */
static double divisor(int which, int64_t i)
{
    return which == 0 ? 1.0 + (double)(i % 3) : 6.0 - (double)(i % 4);
}

static enum cgs_status diagonal_of(struct cgs_context *c, const struct cgs_row_source *from,
                                   int64_t first, int64_t last, double *diagonal)
{
    (void)c;
    for (int64_t i = first; i < last; i++)
        diagonal[i - first] = divisor(*(const int *)from->self, i);
    return CGS_OK;
}

static enum cgs_status take_turns(const void *self, struct cgs_queue *on,
                                  struct cgs_cg_state *state, const void *x, void *y,
                                  enum cgs_sum sum)
{
    struct turning *turning = (struct turning *)self;
    const struct cgs_operator *one = &turning->one[turning->applications++ % 2];
    return one->steps->apply_dot(one->self, on, state, x, y, sum);
}

static struct cgs_operator make_turning(struct turning *turning)
{
    for (int which = 0; which < 2; which++) {
        const struct cgs_row_source diagonal = {
            .rows = ROWS, .columns = ROWS, .self = &which, .diagonal = diagonal_of};
        ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &diagonal, &turning->one[which]), CGS_OK);
    }
    turning->steps = (struct cgs_steps){.apply_dot = take_turns};
    struct cgs_operator op = turning->one[0];
    op.self = turning;
    op.steps = &turning->steps;
    op.flexible = true;
    op.capturable = false;
    return op;
}

static void release_turning(struct turning *turning)
{
    cgs_operator_release(&turning->one[0]);
    cgs_operator_release(&turning->one[1]);
}

static struct cgs_cg_settings one_by_one(void)
{
    struct cgs_cg_settings each = settings;
    each.check_every = 1;
    each.tolerance = 1e-12;
    each.restart = true;
    return each;
}

static struct cgs_cg_result solve_turning(const struct cgs_operator *op, struct turning *turning,
                                          const struct cgs_operator *m,
                                          const struct cgs_cg_settings *how, double *x)
{
    turning->applications = 0;
    return solve_as(op, m, how, x);
}

/* ---- against the formula ---- */

enum { FIRST = 12 };

static double dot(const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < ROWS; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x after FIRST iterations with beta = z'(r - old r) / old z'old r (Golub & Ye 1999, (2.3)). */
static void textbook(double *x)
{
    static double r[ROWS], change[ROWS], z[ROWS], p[ROWS], q[ROWS];
    struct rows a = rows_gather(&source, 64);
    for (int i = 0; i < ROWS; i++) {
        x[i] = 0.0;
        r[i] = rhs[i];
        p[i] = z[i] = r[i] / divisor(0, i);
    }
    for (int k = 0; k < FIRST; k++) {
        rows_multiply(&a, p, q);
        const double rz = dot(r, z), alpha = rz / dot(p, q);
        for (int i = 0; i < ROWS; i++) {
            change[i] = -alpha * q[i];
            x[i] += alpha * p[i];
            r[i] += change[i];
            z[i] = r[i] / divisor((k + 1) % 2, i);
        }
        const double beta = dot(z, change) / rz;
        for (int i = 0; i < ROWS; i++)
            p[i] = z[i] + beta * p[i];
    }
    rows_free(&a);
}

/* x after FIRST iterations of ours. */
static void first_iterations(const struct cgs_operator *m, double *x)
{
    const struct cgs_space *space = &plain.domain;
    struct cgs_cg_settings few = one_by_one();
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    few.max_iterations = FIRST;
    ck_assert_int_eq(cgs_cg_create(queue, &plain, m, &few, &cg), CGS_OK);
    ck_assert_int_eq(space->ops->put(space, rhs, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_OK);
    ck_assert_int_eq(result.iterations, FIRST);
    ck_assert_int_eq(space->ops->get(space, cgs_cg_solution(cg), 0, ROWS, x), CGS_OK);
    cgs_cg_release(cg);
}

static double farthest(const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < ROWS; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

TEST(beta_is_that_of_the_textbook)
{
    static double x[ROWS], right[ROWS];
    static struct turning turning;
    make();
    struct cgs_operator m = make_turning(&turning);
    textbook(right);
    turning.applications = 0;
    first_iterations(&m, x);
    double size = 0.0;
    for (int i = 0; i < ROWS; i++)
        size = fmax(size, fabs(right[i]));
    ck_assert_double_le(farthest(x, right), 100 * FIRST * 0x1p-52 * size);
    m.flexible = false; /* and beta is not what it would be of a constant one */
    turning.applications = 0;
    first_iterations(&m, x);
    ck_assert_double_ge(farthest(x, right), 1e-3 * size);
    release_turning(&turning);
    unmake();
}

/* A constant preconditioner has the same beta in both forms, except for rounding. */
TEST(a_constant_preconditioner_converges_as_ever)
{
    static double x[2][ROWS];
    struct cgs_operator jacobi;
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    const struct cgs_cg_result right = solve_by(&plain, &jacobi, x[0]);
    jacobi.flexible = true;
    const struct cgs_cg_result got = solve_by(&plain, &jacobi, x[1]);
    ck_assert_int_le(llabs(got.iterations - right.iterations), 1);
    same_solution(x[0], x[1]);
    cgs_operator_release(&jacobi);
    unmake();
}

/* ---- its steps ---- */

static enum cgs_status never(const void *self, struct cgs_queue *on, struct cgs_cg_state *state,
                             struct cgs_cg_vectors *vectors)
{
    (void)self, (void)on, (void)state, (void)vectors;
    return cgs_fail(&context, CGS_BUG, "a step without q");
}

/* Steps of an operator that do without q are left alone. */
TEST(steps_without_q_are_not_used)
{
    static double x[2][ROWS];
    static struct turning turning;
    make();
    const struct cgs_operator m = make_turning(&turning);
    const struct cgs_cg_settings each = one_by_one();
    struct cgs_steps steps = *plain.steps;
    struct cgs_operator op = plain;
    op.steps = &steps;
    steps.direction_apply_dot = steps.update = steps.update_conclude = steps.finish = never;
    const struct cgs_cg_result right = solve_turning(&plain, &turning, &m, &each, x[0]);
    const struct cgs_cg_result got = solve_turning(&op, &turning, &m, &each, x[1]);
    ck_assert_int_eq(got.iterations, right.iterations);
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    release_turning(&turning);
    unmake();
}

TEST(composed_steps_equal_fused_ones)
{
    static const char *const names[CGS_CG_STEPS] = {"product",  "dot_pq",    "update_x",
                                                    "update_r", "dot_rr",    "precondition",
                                                    "dot_qz",   "direction", "conclude"};
    static double x[2][ROWS];
    static struct turning turning;
    struct cgs_cg_step list[CGS_CG_STEPS];
    make();
    const struct cgs_operator m = make_turning(&turning);
    const struct cgs_cg_settings each = one_by_one();
    struct bare bare;
    make_bare(&bare);
    ck_assert_int_eq(cgs_cg_steps(&bare.op, &m, CGS_CG_STANDARD, list), CGS_CG_STEPS);
    for (int i = 0; i < CGS_CG_STEPS; i++)
        ck_assert_str_eq(list[i].name, names[i]);
    const struct cgs_cg_result fused = solve_turning(&plain, &turning, &m, &each, x[0]);
    const struct cgs_cg_result composed = solve_turning(&bare.op, &turning, &m, &each, x[1]);
    ck_assert_int_eq(fused.iterations, composed.iterations);
    same_solution(x[0], x[1]);
    /* 17 as of any preconditioner (check_cg_composed.c), 2 for q'z */
    ck_assert_double_eq(vectors_moved(&bare.op, &m), 19);
    release_turning(&turning);
    unmake();
}

/* ---- paused and restarted ---- */

static int pauses;

static enum cgs_status look_on(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    (void)user, (void)cg;
    pauses++;
    return CGS_OK;
}

static enum cgs_status spoil(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    const struct cgs_space *space = cgs_cg_space(cg);
    const double wrong = 100.0;
    (void)user;
    pauses++;
    return space->ops->put(space, &wrong, ROWS / 2, 1, cgs_cg_solution(cg));
}

TEST(a_pause_changes_no_bit)
{
    static double x[2][ROWS];
    static struct turning turning;
    make();
    const struct cgs_operator m = make_turning(&turning);
    struct cgs_cg_settings each = one_by_one();
    const struct cgs_cg_result right = solve_turning(&plain, &turning, &m, &each, x[0]);
    ck_assert_int_gt(right.iterations, 10);
    each.pause = look_on;
    /* From 1: a pause before the first iteration is seen by one that does nothing, and counts. */
    for (each.pause_at = 1; each.pause_at < right.iterations; each.pause_at += 3) {
        pauses = 0;
        const struct cgs_cg_result got = solve_turning(&plain, &turning, &m, &each, x[1]);
        ck_assert_int_eq(pauses, 1);
        ck_assert_int_eq(got.iterations, right.iterations);
        ck_assert_int_eq(got.restarts, 0);
        ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    }
    release_turning(&turning);
    unmake();
}

TEST(a_restart_mends_x)
{
    static double x[2][ROWS];
    static struct turning turning;
    make();
    const struct cgs_operator m = make_turning(&turning);
    struct cgs_cg_settings each = one_by_one();
    const struct cgs_cg_result right = solve_turning(&plain, &turning, &m, &each, x[0]);
    ck_assert_int_eq(right.restarts, 0);
    each.pause = spoil;
    each.pause_at = 5;
    pauses = 0;
    const struct cgs_cg_result got = solve_turning(&plain, &turning, &m, &each, x[1]);
    ck_assert_int_eq(pauses, 1);
    ck_assert_int_ge(got.restarts, 1);
    ck_assert_int_gt(got.iterations, right.iterations);
    same_solution(x[0], x[1]);
    release_turning(&turning);
    unmake();
}

/* A negative beta, which a flexible preconditioner may have, and numbers whose squares leave the
 * range of double: a caller that traps floating-point exceptions sees none. */
TEST(estimates_raise_no_exception)
{
    static const double scales[] = {1.0, 1e-200, 1e200, 1e-290, 1e290};
    for (int s = 0; s < 5; s++) {
        struct cgs_cg_record records[9] = {{0}};
        double low, high, growth;
        for (int j = 1; j < 9; j++) {
            records[j].alpha = (1.0 + 0.1 * j) / scales[s];
            records[j].beta = j == 3 ? -0.02 : 0.3;
        }
        feclearexcept(FE_ALL_EXCEPT);
        cgs_lanczos_extremes(records, 8, &low, &high);
        const double least = cgs_lanczos_least_quotient(records, 8, &growth);
        ck_assert_int_eq(fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW), 0);
        ck_assert(low > 0.01 * scales[s] && low < high && high < 10.0 * scales[s]);
        ck_assert(least > 0.0 && least < scales[s]);
    }
}

int main(void)
{
    return solve_tests("flexible CG");
}
