/* The end of CG where rounding plays a part: floor, limit, restarts, absurd tolerances. */
#include <math.h>

#include "fem/assembly.h"
#include "fem/load.h"
#include "fem/problem.h"
#include "solver/cg/cg_result.h"
#include "tests/support/solve.h"

/* The smooth problem in single precision, N = 16. */
enum { SMALL_N = 16, SMALL = SMALL_N * SMALL_N * SMALL_N };

static struct cgs_cg_result solve_small(double tolerance, int64_t limit, bool restart,
                                        bool norm_known, double *x, double *b,
                                        struct cgs_row_source *source)
{
    static struct cgs_mesh cube; /* outlives the source */
    cube = cgs_mesh_cube(SMALL_N, CGS_GAUSS, 1.0);
    ck_assert_int_eq(cgs_assembler_create(&context, &cube, CGS_GATHER_SHARED, source), CGS_OK);
    ck_assert_int_eq(cgs_problem_load(&context, cgs_problem_find("smooth"), &cube, 0, SMALL, b),
                     CGS_OK);
    if (!norm_known)
        source->norm = NULL;
    struct solve how = usual();
    how.precision = CGS_PRECISION_F32;
    how.settings.tolerance = tolerance;
    how.settings.max_iterations = limit;
    how.settings.restart = restart;
    const struct cgs_cg_result r = solve(&how, source, b, x, NULL);
    return r;
}

/* c eps (||A|| ||x|| / ||b|| + 1) with c = 8, from the numbers themselves. */
TEST(the_floor_is_what_it_says)
{
    static double x[SMALL], b[SMALL];
    struct cgs_row_source source;
    const struct cgs_cg_result r = solve_small(1e-9, 1000, true, true, x, b, &source);
    double xx = 0.0, bb = 0.0;
    for (int i = 0; i < SMALL; i++) {
        xx += x[i] * x[i];
        bb += b[i] * b[i];
    }
    const double floor = 8.0 * 0x1p-23 * (source.norm(&source) * sqrt(xx / bb) + 1.0);
    ck_assert_double_eq_tol(r.floor, floor, 1e-5 * floor);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    ck_assert_double_le(r.true_relative_residual, r.floor);
    cgs_assembler_release(&context, &source);
}

/* Out of iterations while the residual still falls is no rounding floor, however near it is. */
TEST(the_limit_is_no_floor)
{
    static double x[SMALL], b[SMALL];
    struct cgs_row_source source;
    const struct cgs_cg_result full = solve_small(3e-6, 1000, true, true, x, b, &source);
    ck_assert_int_eq(full.outcome, CGS_OUTCOME_CONVERGED);
    cgs_assembler_release(&context, &source);
    const struct cgs_cg_result cut =
        solve_small(1e-6, full.iterations - 3, true, true, x, b, &source);
    ck_assert_double_le(cut.true_relative_residual, cut.floor);
    ck_assert_int_eq(cut.outcome, CGS_OUTCOME_ITERATION_LIMIT);
    cgs_assembler_release(&context, &source);
}

/* Without a bound of the norm, CG restarts from the true residual as long as that helps. */
TEST(a_gap_is_restarted)
{
    static double x[SMALL], b[SMALL];
    struct cgs_row_source source;
    struct cgs_cg_result r = solve_small(1e-8, 1000, false, false, x, b, &source);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_RESIDUAL_GAP);
    ck_assert_int_eq(r.restarts, 0);
    ck_assert_double_eq(r.floor, 0.0);
    ck_assert(r.gap_iteration == 0 && r.gap_recursive == 0.0 && r.gap_true == 0.0);
    const int64_t first = r.iterations;
    cgs_assembler_release(&context, &source);
    r = solve_small(1e-8, 1000, true, false, x, b, &source);
    ck_assert_int_ge(r.restarts, 1);
    ck_assert_int_eq(r.gap_iteration, first);
    ck_assert_double_le(r.gap_recursive, 1e-8);
    ck_assert_double_gt(r.gap_true, 2e-8);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_NOT_CONVERGED);
    cgs_assembler_release(&context, &source);
}

/* A tolerance that nothing can reach does no harm: no underflow, no growth, the floor is named. */
TEST(absurd_tolerances_end_at_the_floor)
{
    static const enum cgs_precision precisions[] = {CGS_PRECISION_F64, CGS_PRECISION_F32};
    static const double tolerances[] = {1e-30, 1e-160, 1e-300};
    static double x[SMALL], b[SMALL];
    struct cgs_row_source source;
    (void)solve_small(1e-5, 1, false, true, x, b, &source); /* for b and the source */
    for (int p = 0; p < 2; p++) {
        for (int t = 0; t < 3; t++) {
            struct solve how = usual();
            how.precision = precisions[p];
            how.settings.tolerance = tolerances[t];
            how.settings.max_iterations = 20000;
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
            ck_assert_double_le(r.true_relative_residual, r.floor);
            ck_assert_int_lt(r.iterations, 2000);
        }
    }
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("rounding floor");
}
