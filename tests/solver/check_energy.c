/* The energy norm of the algebraic error: the estimate against the truth, and stopping by it. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "fem/load.h"
#include "fem/problem.h"
#include "solver/cg/cg_result.h"
#include "tests/support/solve.h"

/* ---- the estimate of given shares ---- */

enum { SHARES = 60 };

/* d_i = ratio^i as records 1 ... SHARES. */
static void geometric(double ratio, struct cgs_cg_record *records)
{
    for (int i = 0; i <= SHARES; i++)
        records[i] = (struct cgs_cg_record){.energy = pow(ratio, i - 1)};
}

TEST(a_geometric_series_is_summed)
{
    static const double ratios[] = {0.3, 0.7, 0.8};
    struct cgs_cg_record records[SHARES + 1];
    for (int r = 0; r < 3; r++) {
        geometric(ratios[r], records);
        const double rest = pow(ratios[r], SHARES - 1) / (1.0 - ratios[r]);
        const double found = cgs_energy_error2(records, 0, SHARES);
        ck_assert_double_le(found, CGS_ENERGY_MARGIN * rest);
        ck_assert_double_ge(found, 0.99 * CGS_ENERGY_MARGIN * rest);
        /* what came before the start of the run does not count */
        ck_assert_double_eq(cgs_energy_error2(records, SHARES, SHARES), 0.0);
        ck_assert_double_eq(cgs_energy_error2(records, SHARES - 1, SHARES), 0.0);
        records[20].energy = 1e300;
        ck_assert_double_le(cgs_energy_error2(records, 20, SHARES), CGS_ENERGY_MARGIN * rest);
    }
}

TEST(nothing_is_claimed_without_grounds)
{
    static const double unfit[] = {0.0, -1.0, NAN};
    struct cgs_cg_record records[SHARES + 1];
    geometric(0.99, records); /* too slow for what has been seen */
    ck_assert_double_eq(cgs_energy_error2(records, 0, SHARES), 0.0);
    for (int u = 0; u < 3; u++)
        for (int at = SHARES - 1; at <= SHARES; at++) {
            geometric(0.7, records);
            records[at].energy = unfit[u];
            ck_assert_double_eq(cgs_energy_error2(records, 0, SHARES), 0.0);
        }
}

/* ---- CG on the Q1 matrix ---- */

enum { MOST_N = CHECK_SMALL ? 15 : 31, MOST = MOST_N * MOST_N * MOST_N };

/* A right-hand side with its exact solution of the discrete system. */
struct system {
    int64_t rows;
    struct cgs_row_source source;
    double b[MOST], x[MOST];
};
static struct system system_;

static const char *const sides[] = {"smooth", "random", "A random"};
enum { SIDES = 3 };

/* (A x)_i for all rows, by the row source. */
static void multiply(const struct cgs_row_source *source, int64_t rows, const double *x, double *y)
{
    int32_t columns[27], length;
    double values[27];
    for (int64_t i = 0; i < rows; i++) {
        y[i] = 0.0;
        source->lengths(source, i, i + 1, &length);
        source->fill(source, i, i + 1, columns, values);
        for (int k = 0; k < length; k++)
            y[i] += values[k] * x[columns[k]];
    }
}

static struct system *system_start(int64_t n, int side, struct cgs_mesh *mesh)
{
    struct system *s = &system_;
    *mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    s->rows = n * n * n;
    ck_assert_int_eq(cgs_assembler_create(&context, mesh, CGS_GATHER_SHARED, &s->source), CGS_OK);
    for (int64_t i = 0; i < s->rows; i++)
        s->x[i] = cgs_random((uint64_t)i);
    if (side == 0)
        ck_assert_int_eq(
            cgs_problem_load(&context, cgs_problem_find("smooth"), mesh, 0, s->rows, s->b), CGS_OK);
    else if (side == 1)
        memcpy(s->b, s->x, (size_t)s->rows * sizeof *s->b);
    else
        multiply(&s->source, s->rows, s->x, s->b);
    struct solve how = usual();
    how.settings.tolerance = 1e-14;
    const struct cgs_cg_result r = solve(&how, &s->source, s->b, s->x, NULL);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_OK);
    return s;
}

static void system_end(struct system *s)
{
    cgs_assembler_release(&context, &s->source);
}

/* ||x - y||_A */
static double energy_norm(const struct system *s, const double *y)
{
    static double e[MOST], ae[MOST];
    double sum = 0.0;
    for (int64_t i = 0; i < s->rows; i++)
        e[i] = s->x[i] - y[i];
    multiply(&s->source, s->rows, e, ae);
    for (int64_t i = 0; i < s->rows; i++)
        sum += e[i] * ae[i];
    return sqrt(sum);
}

/* Cut off at any iteration, with and without preconditioner, the estimate is neither much below
 * the true error nor far above it. */
TEST(the_estimate_is_near_the_truth)
{
    static const int64_t sizes[] = {15, MOST_N};
    const int count = MOST_N > 15 ? 2 : 1, step = CHECK_SMALL ? 6 : 1;
    static double x[MOST];
    struct cgs_mesh mesh;
    int known = 0;
    for (int size = 0; size < count; size++)
        for (int side = 0; side < SIDES; side++) {
            struct system *s = system_start(sizes[size], side, &mesh);
            const double whole = energy_norm(s, memset(x, 0, sizeof x));
            for (int64_t k = 1; k < 2 * sizes[size]; k += size == 0 ? step : 7) {
                struct solve how = usual();
                how.format = CGS_CRS;
                how.jacobi = k % 2;
                how.settings.max_iterations = k;
                const struct cgs_cg_result r = solve(&how, &s->source, s->b, x, NULL);
                const double truth = energy_norm(s, x);
                if (r.energy_error == 0.0) { /* not known yet */
                    ck_assert_msg(truth > 1e-2 * whole, "%s, k = %lld: no estimate", sides[side],
                                  (long long)k);
                    continue;
                }
                known++;
                ck_assert_msg(r.energy_error >= 0.9 * truth && r.energy_error <= 7.0 * truth,
                              "%s, N = %lld, k = %lld: estimated %g, true %g", sides[side],
                              (long long)sizes[size], (long long)k, r.energy_error, truth);
            }
            system_end(s);
        }
    ck_assert_int_ge(known, CHECK_SMALL ? 8 : 90);
}

/* Afterwards the error of every iteration is known: what the later ones have taken away of it. */
TEST(the_history_of_the_error_is_true)
{
    static double x[MOST], errors[200];
    struct cgs_mesh mesh;
    for (int side = 0; side < 2; side++) {
        struct system *s = system_start(15, side, &mesh);
        struct solve how = usual();
        how.errors = errors;
        how.settings.max_iterations = 199;
        const struct cgs_cg_result all = solve(&how, &s->source, s->b, x, NULL);
        ck_assert_int_gt(all.iterations, 20);
        ck_assert_double_eq(errors[all.iterations], all.energy_error);
        how.errors = NULL;
        for (int64_t k = 0; k < all.iterations - 8; k += CHECK_SMALL ? 11 : 3) {
            how.settings.max_iterations = k;
            solve(&how, &s->source, s->b, x, NULL);
            const double truth = energy_norm(s, x);
            ck_assert_msg(fabs(errors[k] - truth) <= 1e-2 * truth, "%s, k = %lld: %g, true %g",
                          sides[side], (long long)k, errors[k], truth);
        }
        system_end(s);
    }
}

/* A solve that was restarted, or whose end is not known, has no such history. */
TEST(no_history_of_the_error_without_an_end)
{
    double errors[3] = {7.0, 7.0, 7.0};
    const struct cgs_cg_record records[3] = {{.energy = 0.0}, {.energy = 12.0}, {.energy = 3.0}};
    struct cgs_cg_result result = {.iterations = 2, .records = records};
    ck_assert(!cgs_cg_error_history(&result, errors));
    result.energy_error = 1.0;
    result.restarts = 1;
    ck_assert(!cgs_cg_error_history(&result, errors));
    ck_assert_double_eq(errors[0], 7.0);
    result.restarts = 0;
    ck_assert(cgs_cg_error_history(&result, errors));
    ck_assert_double_eq(errors[0], 4.0); /* 1 + 3 + 12 */
    ck_assert_double_eq(errors[1], 2.0);
    ck_assert_double_eq(errors[2], 1.0);
}

/* The first iteration at which the estimate is small enough ends it, however it is launched. */
TEST(the_stop_is_exact)
{
    static const int checks[] = {1, 3, 32};
    static double x[MOST];
    struct cgs_mesh mesh;
    struct system *s = system_start(MOST_N, 0, &mesh);
    const double tolerances[] = {0.09, 1e-3, 1e-6};
    for (int t = 0; t < 3; t++) {
        int64_t first = -1;
        for (int variant = 0; variant < (CHECK_DEVICE == CGS_CUDA ? 6 : 3); variant++) {
            struct solve how = usual();
            how.settings.energy_tolerance = tolerances[t];
            how.settings.check_every = checks[variant % 3];
            how.settings.launch = variant < 3 ? CGS_LAUNCH_PLAIN : CGS_LAUNCH_GRAPH;
            const struct cgs_cg_result r = solve(&how, &s->source, s->b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_DISCRETIZATION);
            ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_OK);
            ck_assert(r.energy_error > 0.0 && r.energy_error <= tolerances[t]);
            ck_assert_double_le(energy_norm(s, x), tolerances[t]);
            ck_assert_int_eq(r.restarts, 0);
            if (first < 0)
                first = r.iterations;
            ck_assert_int_eq(r.iterations, first);
        }
        struct solve before = usual();
        for (int64_t k = first - 4; k < first; k++) {
            before.settings.max_iterations = k;
            const struct cgs_cg_result r = solve(&before, &s->source, s->b, x, NULL);
            ck_assert(r.energy_error == 0.0 || r.energy_error > tolerances[t]);
        }
    }
    system_end(s);
}

/* Whichever of the two comes first. */
TEST(the_residual_may_come_first)
{
    static double x[MOST];
    struct cgs_mesh mesh;
    struct system *s = system_start(15, 1, &mesh);
    struct solve how = usual();
    const struct cgs_cg_result plain = solve(&how, &s->source, s->b, x, NULL);
    how.settings.energy_tolerance = 1e-3 * plain.energy_error;
    const struct cgs_cg_result r = solve(&how, &s->source, s->b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, plain.iterations);
    ck_assert_double_eq(r.energy_error, plain.energy_error);
    how.settings.energy_tolerance = 2.0 * energy_norm(s, memset(x, 0, sizeof x));
    ck_assert_int_eq(solve(&how, &s->source, s->b, x, NULL).outcome, CGS_OUTCOME_DISCRETIZATION);
    system_end(s);
}

/* Single precision beyond its floor: the recursion goes on shrinking, the error does not. */
TEST(a_parted_recursion_knows_no_error)
{
    static double x[MOST];
    struct cgs_mesh mesh;
    struct system *s = system_start(15, 0, &mesh);
    struct solve how = usual();
    how.precision = CGS_PRECISION_F32;
    how.settings.restart = false;
    how.settings.tolerance = 1e-12;
    how.settings.energy_tolerance = 1e-10;
    const struct cgs_cg_result r = solve(&how, &s->source, s->b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    ck_assert_double_eq(r.energy_error, 0.0);
    s->source.norm = NULL; /* no floor is known: a gap, and restarts */
    how.settings.restart = true;
    const struct cgs_cg_result again = solve(&how, &s->source, s->b, x, NULL);
    ck_assert_int_eq(again.outcome, CGS_OUTCOME_RESIDUAL_GAP);
    ck_assert_int_ge(again.restarts, 1);
    ck_assert_int_eq(again.gap_iteration, r.iterations);
    ck_assert_double_gt(again.gap_true, 2.0 * again.gap_recursive);
    system_end(s);
}

int main(void)
{
    return solve_tests("energy norm");
}
