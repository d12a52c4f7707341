/* The pause of CG: called between two iterations, once or after each of them, in every launch mode,
 * and CG does not notice unless a vector was changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/assembly.h"
#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "tests/support/solve.h"

enum { N = 7, ROWS = N * N * N };

static const enum cgs_launch launches[] = {
    CGS_LAUNCH_PLAIN,
#ifdef CGS_TEST_CUDA
    CGS_LAUNCH_GRAPH,
#endif
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

/* A pause: what it does, and what it saw. */
struct visitor {
    int64_t at;      /* the component that is changed */
    double solution; /* written there into x; NaN: nothing is */
    bool spoil;      /* NaN into the residual */
    enum cgs_status answer;
    int calls;
    double x[ROWS], r[ROWS];
};

static enum cgs_status visit(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    struct visitor *visitor = user;
    const struct cgs_space *space = cgs_cg_space(cg);
    const struct cgs_space_ops *ops = space->ops;
    const double nan = NAN;
    visitor->calls++;
    ck_assert_int_eq(ops->get(space, cgs_cg_solution(cg), 0, ROWS, visitor->x), CGS_OK);
    ck_assert_int_eq(ops->get(space, cgs_cg_residual(cg), 0, ROWS, visitor->r), CGS_OK);
    if (isfinite(visitor->solution))
        ck_assert_int_eq(ops->put(space, &visitor->solution, visitor->at, 1, cgs_cg_solution(cg)),
                         CGS_OK);
    if (visitor->spoil)
        ck_assert_int_eq(ops->put(space, &nan, visitor->at, 1, cgs_cg_residual(cg)), CGS_OK);
    return visitor->answer;
}

static struct cgs_mesh mesh;
static struct cgs_row_source source;
static double b[ROWS];

static void set_up(void)
{
    mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = 1.0 + i % 5;
}

static struct solve with_pause(enum cgs_launch launch, struct visitor *visitor, int64_t at)
{
    struct solve how = usual();
    how.settings.launch = launch;
    how.settings.pause = visit;
    how.settings.pause_at = at;
    how.settings.pause_user = visitor;
    visitor->solution = visitor->solution == 0.0 ? NAN : visitor->solution;
    visitor->calls = 0;
    return how;
}

/* Nothing changed: every bit of the solve is as without a pause; and the pause saw the x that a
 * solve limited to as many iterations ends with. */
TEST(cg_does_not_notice)
{
    static double x[ROWS], again[ROWS], limited[ROWS], history[1001], second[1001];
    static struct visitor visitor;
    set_up();
    for (int i = 0; i < 2 * LAUNCHES; i++) {
        struct solve how = usual();
        how.settings.launch = launches[i / 2];
        how.jacobi = i % 2;
        const struct cgs_cg_result r = solve(&how, &source, b, x, history);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        for (int64_t at = 0; at < r.iterations; at += at < 3 ? 1 : 5) {
            how = with_pause(launches[i / 2], &visitor, at);
            how.jacobi = i % 2;
            const struct cgs_cg_result s = solve(&how, &source, b, again, second);
            ck_assert_int_eq(visitor.calls, 1);
            ck_assert_int_eq(s.outcome, r.outcome);
            ck_assert_int_eq(s.iterations, r.iterations);
            ck_assert_int_eq(s.restarts, 0);
            ck_assert_mem_eq(history, second, (size_t)(r.iterations + 1) * sizeof *history);
            ck_assert_mem_eq(x, again, sizeof x);
            how.settings.pause = NULL;
            how.settings.max_iterations = at;
            ck_assert_int_eq(solve(&how, &source, b, limited, NULL).iterations, at);
            ck_assert_mem_eq(limited, visitor.x, sizeof limited);
        }
    }
    cgs_assembler_release(&context, &source);
}

/* ---- after each iteration ---- */

enum { MOST = 80 };

/* The solutions of all iterations, and where to stop. */
struct follower {
    int64_t seen, stop_at; /* stop_at 0: nowhere */
    double x[MOST][ROWS];
    double residual[MOST];
};

static enum cgs_status follow(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    struct follower *follower = user;
    const struct cgs_space *space = cgs_cg_space(cg);
    const int64_t k = now->progress.iteration;
    ck_assert_int_eq(k, ++follower->seen);
    ck_assert_int_lt(k, MOST);
    ck_assert_int_eq(space->ops->get(space, now->x, 0, ROWS, follower->x[k]), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        follower->x[k][i] = ldexp(follower->x[k][i], now->scale);
    follower->residual[k] = now->progress.relative_residual;
    now->stop = k == follower->stop_at;
    return CGS_OK;
}

static const struct {
    bool jacobi;
    enum cgs_cg_method method;
    enum cgs_precision precision;
    double scale; /* of b */
    double tolerance;
} followed[] = {
    {false, CGS_CG_STANDARD, CGS_PRECISION_F64, 1.0, 1e-10},
    {true, CGS_CG_STANDARD, CGS_PRECISION_F64, 0x1p-400, 1e-10},
#ifndef CGS_TEST_CUDA
    {false, CGS_CG_SINGLE_REDUCTION, CGS_PRECISION_F64, 1.0, 1e-13},
    {true, CGS_CG_SINGLE_REDUCTION, CGS_PRECISION_F64, 1.0, 1e-10},
#endif
    {false, CGS_CG_STANDARD, CGS_PRECISION_MIXED, 1.0, 1e-12},
    {true, CGS_CG_STANDARD, CGS_PRECISION_MIXED, 0x1p200, 1e-12},
    {true, CGS_CG_STANDARD, CGS_PRECISION_F32, 1.0, 1e-5},
};

/* Each x is that of a solve limited to as many iterations, in mixed precision with the correction
 * that is not added yet; and CG does not notice. */
LOOP_TEST(all_solutions_are_shown, sizeof followed / sizeof *followed)
{
    static double x[ROWS], again[ROWS], history[1001], second[1001];
    static struct follower follower;
    set_up();
    for (int i = 0; i < ROWS; i++)
        b[i] *= followed[_i].scale;
    for (int l = 0; l < LAUNCHES; l++) {
        struct solve how = usual();
        how.settings.launch = launches[l];
        how.settings.tolerance = followed[_i].tolerance;
        how.settings.method = followed[_i].method;
        how.precision = followed[_i].precision;
        how.jacobi = followed[_i].jacobi;
        const struct cgs_cg_result r = solve(&how, &source, b, x, history);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        follower.seen = follower.stop_at = 0;
        how.settings.pause = follow;
        how.settings.pause_at = how.settings.pause_every = 1;
        how.settings.pause_user = &follower;
        const struct cgs_cg_result s = solve(&how, &source, b, again, second);
        ck_assert_int_eq(s.iterations, r.iterations);
        ck_assert_int_eq(s.updates, r.updates);
        ck_assert_int_eq(follower.seen, r.iterations);
        ck_assert_mem_eq(history, second, (size_t)(r.iterations + 1) * sizeof *history);
        ck_assert_mem_eq(x, again, sizeof x);
        ck_assert_mem_eq(x, follower.x[r.iterations], sizeof x);
        for (int64_t k = 1; k < r.iterations; k += 3) {
            ck_assert_double_eq(follower.residual[k], history[k]);
            how.settings.pause = NULL;
            how.settings.max_iterations = k;
            ck_assert_int_eq(solve(&how, &source, b, again, NULL).iterations, k);
            ck_assert_mem_eq(again, follower.x[k], sizeof again);
        }
        how.settings.pause = follow;
        how.settings.max_iterations = 1000;
        follower.seen = 0;
        follower.stop_at = 5;
        const struct cgs_cg_result stopped = solve(&how, &source, b, again, NULL);
        ck_assert_int_eq(stopped.outcome, CGS_OUTCOME_INTERRUPTED);
        ck_assert_int_eq(stopped.iterations, 5);
        ck_assert_mem_eq(again, follower.x[5], sizeof again);
    }
    cgs_assembler_release(&context, &source);
}

/* The residual that it sees is the recursion's: its norm is the history's. */
TEST(the_residual_is_that_of_the_iteration)
{
    static double x[ROWS], history[1001];
    static struct visitor visitor;
    set_up();
    const struct solve how = with_pause(CGS_LAUNCH_PLAIN, &visitor, 6);
    solve(&how, &source, b, x, history);
    double rr = 0.0, bb = 0.0;
    for (int i = 0; i < ROWS; i++) {
        rr += visitor.r[i] * visitor.r[i];
        bb += b[i] * b[i];
    }
    ck_assert_double_eq_tol(sqrt(rr / bb), history[6], 1e-12 * history[6]);
    cgs_assembler_release(&context, &source);
}

TEST(no_pause_where_cg_ends_before)
{
    static double x[ROWS];
    static struct visitor visitor;
    set_up();
    for (int i = 0; i < LAUNCHES; i++) {
        struct solve how = with_pause(launches[i], &visitor, 500);
        ck_assert_int_eq(solve(&how, &source, b, x, NULL).outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(visitor.calls, 0);

        how = with_pause(launches[i], &visitor, 8);
        how.settings.max_iterations = 7;
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_ITERATION_LIMIT);
        ck_assert_int_eq(r.iterations, 7);
        ck_assert_int_eq(visitor.calls, 0);

        how.settings.max_iterations = 8; /* a pause, and nothing after it */
        const struct cgs_cg_result s = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(s.outcome, CGS_OUTCOME_ITERATION_LIMIT);
        ck_assert_int_eq(s.iterations, 8);
        ck_assert_int_eq(visitor.calls, 1);
    }
    cgs_assembler_release(&context, &source);
}

/* The recursion does not see a wrong x, the true residual does, and a restart mends it. */
TEST(a_wrong_solution_is_restarted_or_named)
{
    static double x[ROWS];
    static struct visitor visitor = {.at = ROWS / 2, .solution = 100.0};
    set_up();
    for (int i = 0; i < LAUNCHES; i++) {
        struct solve how = with_pause(launches[i], &visitor, 5);
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_ge(r.restarts, 1);
        ck_assert_int_eq(visitor.calls, 1);

        how = with_pause(launches[i], &visitor, 5);
        how.settings.restart = false;
        ck_assert_int_eq(solve(&how, &source, b, x, NULL).outcome, CGS_OUTCOME_RESIDUAL_GAP);
    }
    cgs_assembler_release(&context, &source);
}

TEST(a_nan_in_the_residual_ends_the_next_iteration)
{
    static double x[ROWS], history[1001];
    static struct visitor visitor = {.at = ROWS - 1, .spoil = true};
    set_up();
    for (int i = 0; i < LAUNCHES; i++) {
        const struct solve how = with_pause(launches[i], &visitor, 4);
        const struct cgs_cg_result r = solve(&how, &source, b, x, history);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
        /* counted where only r'r shows it, not where p'A p does */
        ck_assert_int_eq(r.iterations, isfinite(history[r.iterations]) ? 4 : 5);
    }
    cgs_assembler_release(&context, &source);
}

/* The solve ends with the caller's answer. */
TEST(a_pause_may_fail)
{
    static struct visitor visitor = {.answer = CGS_FILE};
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *cg;
    struct cgs_cg_result result = {.iterations = -7};
    set_up();
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_CRS, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_CRS, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[0],
                                         CGS_PRECISION_F64, &matrix, &op),
                     CGS_OK);
    const struct solve how = with_pause(CGS_LAUNCH_PLAIN, &visitor, 2);
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &how.settings, &cg), CGS_OK);
    ck_assert_int_eq(op.domain.ops->put(&op.domain, b, 0, ROWS, cgs_cg_rhs(cg)), CGS_OK);
    ck_assert_int_eq(cgs_cg_solve(cg, &result), CGS_FILE);
    ck_assert_int_eq(result.iterations, -7);
    ck_assert_int_eq(visitor.calls, 1);
    cgs_cg_release(cg);
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("pause");
}
