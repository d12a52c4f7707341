/* CG with one reduction an iteration (solver/cg/cg_merged.c) against standard CG: iterations,
 * solution and attainable accuracy; composed steps; breakdown, NaN, limits and pauses; what it
 * refuses. On ranks: check_ranks.c. */
#include <math.h>
#include <string.h>

#include "solver/cg/cg_create.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_traffic.h"
#include "solver/jacobi.h"
#include "solver/smoother.h"
#include "tests/solver/composed.h"

static struct solve usual_single(void)
{
    struct solve how = usual();
    how.settings.method = CGS_CG_SINGLE_REDUCTION;
    return how;
}

/* |b - A x| in row i is at most its share of a backward error: `factor` eps (|A||x| + |b|). */
static void check_rows(const double *b, const double *x, double factor)
{
    int32_t lengths[1], columns[27];
    double values[27];
    for (int64_t i = 0; i < ROWS; i++) {
        double rest = b[i], scale = fabs(b[i]);
        source.lengths(&source, i, i + 1, lengths);
        source.fill(&source, i, i + 1, columns, values);
        for (int k = 0; k < lengths[0]; k++) {
            rest -= values[k] * x[columns[k]];
            scale += fabs(values[k] * x[columns[k]]);
        }
        ck_assert_double_le(fabs(rest), factor * 0x1p-52 * scale);
    }
}

/* Takes as many iterations as standard CG, and finds x right in each row, in all formats. */
TEST(every_format)
{
    static const enum cgs_format all[] = {CGS_CRS, CGS_SELL, CGS_SELLC};
    static double x[ROWS];
    make();
    for (int i = 0; i < 12; i++) {
        struct solve how = usual();
        how.format = all[i % 3];
        how.jacobi = i / 3 % 2;
        how.precision = i / 6 ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
        how.settings.tolerance = i / 6 ? 1e-5 : 1e-14;
        const struct cgs_cg_result standard = solve(&how, &source, rhs, x, NULL);
        how.settings.method = CGS_CG_SINGLE_REDUCTION;
        const struct cgs_cg_result r = solve(&how, &source, rhs, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_le(llabs(r.iterations - standard.iterations), 2);
        ck_assert_int_eq(r.restarts, 0);
        check_rows(rhs, x, i / 6 ? 1e-4 / 0x1p-52 : 200.0);
    }
    unmake();
}

/* Steps composed of single operations do the same within rounding, and move what they list. */
TEST(composed)
{
    static double x[2][ROWS];
    struct cgs_operator jacobi, polynomial;
    struct cgs_cg_settings each = settings;
    struct bare bare;
    double high;
    make();
    make_bare(&bare);
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    ck_assert_int_eq(cgs_eigenvalue_bound(queue, &plain, &jacobi, 6, 1.1, &high), CGS_OK);
    ck_assert_int_eq(
        cgs_chebyshev_create(queue, &plain, &jacobi, 3, 0.05 * high, high, &polynomial), CGS_OK);
    const struct cgs_operator *preconditioners[] = {NULL, &jacobi, &polynomial};
    each.method = CGS_CG_SINGLE_REDUCTION;
    for (int i = 0; i < 3; i++) {
        const struct cgs_operator *m = preconditioners[i];
        const struct cgs_cg_result fused = solve_as(&plain, m, &each, x[0]);
        const struct cgs_cg_result apart = solve_as(&bare.op, m, &each, x[1]);
        const struct cgs_cg_result standard = solve_by(&plain, m, x[1]);
        ck_assert_int_le(llabs(fused.iterations - apart.iterations), 1);
        ck_assert_int_le(llabs(fused.iterations - standard.iterations), 1);
        ck_assert_double_eq_tol(fused.lambda_max, standard.lambda_max, 1e-3 * standard.lambda_max);
        same_solution(x[0], x[1]);
    }
    cgs_operator_release(&polynomial);
    cgs_operator_release(&jacobi);
    unmake();
}

static void check_moves(const struct cgs_operator *op, const struct cgs_operator *m, double read,
                        double written)
{
    const struct cgs_moves moves =
        cgs_cg_iteration(op, m, CGS_CG_SINGLE_REDUCTION, CGS_LAUNCH_PLAIN).moves;
    ck_assert_double_eq(moves.read, read);
    ck_assert_double_eq(moves.written, written);
    ck_assert_double_eq(moves.products, 1.0);
}

/* The comments of cg_merged.c in numbers. */
TEST(traffic)
{
    struct cgs_operator jacobi;
    struct bare bare;
    make();
    make_bare(&bare);
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    check_moves(&plain, NULL, 9, 5);
    check_moves(&plain, &jacobi, 11, 6);
    check_moves(&bare.op, NULL, 12, 5);
    const struct cgs_moves moves = cgs_cg_renewal_moves(&plain, &jacobi);
    ck_assert_double_eq(moves.products, 3); /* of x, z, p */
    for (int preconditioned = 0; preconditioned <= 1; preconditioned++) {
        struct cgs_plan plans[2] = {0};
        for (int method = CGS_CG_STANDARD; method <= CGS_CG_SINGLE_REDUCTION; method++)
            cgs_cg_plan(&plans[method], CGS_HOST, 8 * ROWS, 0, preconditioned,
                        (enum cgs_cg_method)method, 0, false, 10);
        ck_assert_int_eq(plans[1].total[CGS_HOST] - plans[0].total[CGS_HOST], 8 * ROWS);
    }
    cgs_operator_release(&jacobi);
    unmake();
}

/* A badly conditioned matrix, to the end of what double can do: standard CG's true residual, or
 * less. */
TEST(attainable)
{
    enum { MANY = 200 };
    static double a[MANY * MANY], b[MANY], x[MANY];
    for (int i = 0; i < MANY; i++) { /* -u'' with a coefficient that jumps by 1e6 */
        const double left = i < MANY / 2 ? 1.0 : 1e6, right = i + 1 < MANY / 2 ? 1.0 : 1e6;
        a[i * MANY + i] = left + right;
        if (i > 0)
            a[i * MANY + i - 1] = a[(i - 1) * MANY + i] = -left;
        b[i] = cgs_random((uint64_t)i);
    }
    const struct dense d = {MANY, a};
    const struct cgs_row_source dense = dense_source(&d);
    struct solve how = usual();
    how.jacobi = true;
    how.settings.tolerance = 1e-15;
    how.settings.max_iterations = 20 * MANY;
    const struct cgs_cg_result standard = solve(&how, &dense, b, x, NULL);
    how.settings.method = CGS_CG_SINGLE_REDUCTION;
    const struct cgs_cg_result r = solve(&how, &dense, b, x, NULL);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_OK);
    ck_assert_int_ge(r.updates, 1);
    ck_assert_double_le(r.true_relative_residual,
                        fmax(2e-15, 2.0 * standard.true_relative_residual));
}

/* One unknown; b = 0; x that is right at the start; a limit; a diagonal with three eigenvalues. */
TEST(small_systems)
{
    const double one[1] = {4.0}, b[7] = {1, 2, 3, 4, 5, 6, 7}, zero[7] = {0};
    double a[49] = {0}, x[7];
    for (int i = 0; i < 7; i++)
        a[8 * i] = 1 + i % 3;
    const struct dense d1 = {1, one}, d7 = {7, a};
    const struct cgs_row_source single = dense_source(&d1), seven = dense_source(&d7);
    struct solve how = usual_single();
    struct cgs_cg_result r = solve(&how, &single, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert_double_eq(x[0], 0.25);
    r = solve(&how, &seven, zero, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 0);
    r = solve(&how, &seven, b, x, NULL);
    ck_assert_int_eq(r.iterations, 3);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq_tol(x[i], b[i] / a[8 * i], 1e-10);
    ck_assert_double_eq_tol(r.condition_estimate, 3.0, 1e-3);
    how.settings.max_iterations = 2;
    r = solve(&how, &seven, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_ITERATION_LIMIT);
    ck_assert_int_eq(r.iterations, 2);
    how.settings.max_iterations = 0;
    r = solve(&how, &seven, b, x, NULL);
    ck_assert_int_eq(r.iterations, 0);
    how.jacobi = true;
    how.settings.max_iterations = 10;
    ck_assert_int_eq(solve(&how, &seven, b, x, NULL).iterations, 1);
}

/* Holds outcomes like check_cg.c's of standard CG: the same after the same iteration. */
TEST(breakdowns)
{
    const double indefinite[4] = {2, 0, 0, -1}, negative[1] = {-3};
    const double endless[4] = {2, 1, 1, INFINITY}, good[4] = {2, 1, 1, 2};
    const double ones[2] = {1, 1}, spoilt[2] = {1, NAN};
    const struct dense dense[] = {{2, indefinite}, {1, negative}, {2, endless}, {2, good}};
    struct cgs_row_source sources[4];
    double x[2];
    for (int i = 0; i < 4; i++)
        sources[i] = dense_source(&dense[i]);
    const struct solve how = usual_single();
    struct cgs_cg_result r = solve(&how, &sources[0], ones, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_POSITIVE);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert(isfinite(x[0]) && isfinite(x[1]));
    ck_assert_int_eq(solve(&how, &sources[1], ones, x, NULL).outcome, CGS_OUTCOME_NOT_POSITIVE);
    r = solve(&how, &sources[2], ones, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
    r = solve(&how, &sources[3], spoilt, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
}

/* An indefinite matrix of many rows: it finds the negative eigenvalue, in about as many
 * iterations. */
TEST(indefinite_with_many_rows)
{
    enum { MANY = 60 };
    static double a[MANY * MANY], b[MANY], x[MANY];
    for (int i = 0; i < MANY; i++) {
        a[i * MANY + i] = 2.0 - 0.05;
        if (i > 0)
            a[i * MANY + i - 1] = a[(i - 1) * MANY + i] = -1.0;
        b[i] = cgs_random((uint64_t)i);
    }
    const struct dense d = {MANY, a};
    const struct cgs_row_source dense = dense_source(&d);
    struct solve how = usual();
    const struct cgs_cg_result standard = solve(&how, &dense, b, x, NULL);
    ck_assert_int_eq(standard.outcome, CGS_OUTCOME_NOT_POSITIVE);
    how.settings.method = CGS_CG_SINGLE_REDUCTION;
    const struct cgs_cg_result r = solve(&how, &dense, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_POSITIVE);
    ck_assert_int_le(llabs(r.iterations - standard.iterations), 1);
}

/* Number that the pause writes into the residual; Inf: none. */
static double spoil;

static enum cgs_status visit(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    const struct cgs_space *space = cgs_cg_residual_space(cg);
    (void)user;
    return isinf(spoil) ? CGS_OK : space->ops->put(space, &spoil, 11, 1, cgs_cg_residual(cg));
}

/* A pause changes no bit; a NaN in the residual is found; a wrong number there is mended. */
TEST(pauses)
{
    static double x[ROWS], again[ROWS], history[1001], second[1001];
    make();
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        struct solve how = usual_single();
        how.settings.tolerance = 1e-12;
        how.jacobi = jacobi;
        const struct cgs_cg_result r = solve(&how, &source, rhs, x, history);
        how.settings.pause = visit;
        for (int at = 0; at < 8; at += 1 + at) {
            how.settings.pause_at = at;
            spoil = INFINITY;
            const struct cgs_cg_result same = solve(&how, &source, rhs, again, second);
            ck_assert_int_eq(same.iterations, r.iterations);
            ck_assert_mem_eq(history, second, (size_t)(r.iterations + 1) * sizeof *history);
            ck_assert_mem_eq(x, again, sizeof x);
        }
        spoil = NAN;
        ck_assert_int_eq(solve(&how, &source, rhs, again, NULL).outcome, CGS_OUTCOME_NOT_FINITE);
        spoil = 0.5;
        const struct cgs_cg_result mended = solve(&how, &source, rhs, again, NULL);
        ck_assert_int_eq(mended.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_ge(mended.restarts + mended.updates, 1);
        same_solution(x, again);
    }
    unmake();
}

/* A preconditioner that says that it varies: its sum q'z gives the same beta. */
TEST(flexible)
{
    static double x[2][ROWS];
    struct cgs_operator jacobi;
    struct cgs_cg_settings each = settings;
    make();
    ck_assert_int_eq(cgs_jacobi_create(queue, &plain, &source, &jacobi), CGS_OK);
    const struct cgs_cg_result standard = solve_by(&plain, &jacobi, x[0]);
    jacobi.flexible = true;
    each.method = CGS_CG_SINGLE_REDUCTION;
    const struct cgs_cg_result r = solve_as(&plain, &jacobi, &each, x[1]);
    ck_assert_int_le(llabs(r.iterations - standard.iterations), 1);
    same_solution(x[0], x[1]);
    cgs_operator_release(&jacobi);
    unmake();
}

/* Mixed precision, and a space that lacks the step. */
TEST(refusals)
{
    struct cgs_cg *cg = NULL;
    make();
    struct cgs_operator inner = plain;
    struct bare bare;
    make_bare(&bare);
    bare.ops.foresee = NULL;
    struct cgs_cg_settings each = settings;
    each.method = CGS_CG_SINGLE_REDUCTION;
    ck_assert_int_eq(cgs_cg_create(queue, &bare.op, NULL, &each, &cg), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(context.message, "on the CPU alone"));
    context.status = CGS_OK;
    each.inner = &inner;
    ck_assert_int_eq(cgs_cg_create(queue, &plain, NULL, &each, &cg), CGS_USAGE);
    ck_assert_ptr_nonnull(strstr(context.message, "no mixed precision"));
    context.status = CGS_OK;
    ck_assert_ptr_null(cg);
    unmake();
}

int main(void)
{
    return solve_tests("CG of one reduction");
}
