/* CG in mixed precision: the true residual of double, nearly as soon, without restarts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fem/assembly.h"
#include "fem/load.h"
#include "fem/problem.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"
#include "tests/support/solve.h"

enum { MOST_N = 31, MOST = MOST_N * MOST_N * MOST_N, LIMIT = 5000 };

static double b[MOST], x[MOST], y[MOST], history[LIMIT + 1];

/* The smooth problem on the cube of n^3 unknowns; its load is in b. */
static struct cgs_row_source cube(int64_t n, struct cgs_kappa kappa)
{
    static struct cgs_mesh mesh;
    struct cgs_row_source source;
    mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    mesh.kappa = kappa;
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, cgs_gather_of(&mesh), &source), CGS_OK);
    const struct cgs_problem *smooth = cgs_problem_find("smooth");
    ck_assert_int_eq(cgs_problem_load(&context, smooth, &mesh, 0, n * n * n, b), CGS_OK);
    return source;
}

static struct solve in_mixed(double tolerance)
{
    struct solve how = usual();
    how.precision = CGS_PRECISION_MIXED;
    how.settings.tolerance = tolerance;
    how.settings.max_iterations = LIMIT;
    return how;
}

/* Solves in double and in mixed precision and holds one against the other. */
static void compare(struct solve how, const struct cgs_row_source *source, double most)
{
    const struct cgs_cg_result mixed = solve(&how, source, b, x, history);
    how.precision = CGS_PRECISION_F64;
    const struct cgs_cg_result plain = solve(&how, source, b, y, NULL);
    printf("tol %.0e: double %lld iterations, true %.2e; mixed %lld, true %.2e, %d updates\n",
           how.settings.tolerance, (long long)plain.iterations, plain.true_relative_residual,
           (long long)mixed.iterations, mixed.true_relative_residual, mixed.updates);
    ck_assert_int_eq(plain.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(plain.updates, 0);
    ck_assert_int_eq(mixed.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_double_le(mixed.true_relative_residual, 2.0 * how.settings.tolerance);
    ck_assert_double_le((double)mixed.iterations, most * (double)plain.iterations);
    ck_assert_int_eq(mixed.restarts, 0);
    ck_assert_int_ge(mixed.updates, 3);
    ck_assert_int_lt(mixed.updates, mixed.iterations / 4);
    ck_assert_double_eq(history[0], 1.0);
    ck_assert_double_eq(history[mixed.iterations], mixed.relative_residual);
    ck_assert_double_eq_tol(mixed.condition_estimate, plain.condition_estimate,
                            0.02 * plain.condition_estimate);
    ck_assert_double_gt(mixed.energy_error, 0.0);
    ck_assert_double_eq_tol(mixed.floor, plain.floor, 1e-6 * plain.floor);
}

TEST(the_true_residual_is_that_of_double)
{
    static const enum cgs_format formats[] = {CGS_CRS, CGS_SELL};
    static const double tolerances[] = {1e-10, 1e-12};
    for (int n = 15; n <= (CHECK_SMALL ? 15 : 31); n += 16) {
        struct cgs_row_source source = cube(n, (struct cgs_kappa){.kind = CGS_KAPPA_ONE});
        for (int i = 0; i < 4; i++) {
            struct solve how = in_mixed(tolerances[i / 2]);
            how.format = formats[i % 2];
            how.jacobi = i % 3 == 0;
            compare(how, &source, 1.2);
        }
        cgs_assembler_release(&context, &source);
    }
}

TEST(a_jump_of_kappa)
{
    const struct cgs_kappa jump = {.kind = CGS_KAPPA_JUMP, .ratio = 1000.0};
    struct cgs_row_source source = cube(15, jump);
    for (int jacobi = 0; jacobi < 2; jacobi++) {
        struct solve how = in_mixed(1e-10);
        how.jacobi = jacobi;
        compare(how, &source, 1.25);
    }
    cgs_assembler_release(&context, &source);
}

/* The 1-D Laplacian between random D, of a condition number of about 1e6, and a random b. Rounding
 * delays CG on it in double, too: 200 iterations would do in exact arithmetic. */
TEST(an_ill_conditioned_matrix)
{
    enum { N = 200 };
    static double a[N * N];
    double d[N];
    uint64_t random = 1;
    for (int i = 0; i < N; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        d[i] = pow(10.0, -1.0 * (double)(random >> 11) * 0x1p-53);
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        b[i] = d[i] * ((double)(random >> 11) * 0x1p-52 - 1.0);
    }
    memset(a, 0, sizeof a);
    for (int i = 0; i < N; i++) {
        a[i * N + i] = 2.0 * d[i] * d[i];
        if (i > 0)
            a[i * N + i - 1] = a[(i - 1) * N + i] = -d[i] * d[i - 1];
    }
    const struct dense dense = {N, a};
    const struct cgs_row_source source = dense_source(&dense);
    compare(in_mixed(1e-10), &source, 3.0);
}

/* The same bits, however often the host looks and however the iterations are launched. */
TEST(looks_change_nothing)
{
    static double other[LIMIT + 1];
    static const int every[] = {1, 7, 32};
    struct cgs_row_source source = cube(15, (struct cgs_kappa){.kind = CGS_KAPPA_ONE});
    const struct solve how = in_mixed(1e-10);
    const struct cgs_cg_result first = solve(&how, &source, b, x, history);
    for (int i = 0; i < 6; i++) {
        struct solve again = how;
        again.settings.check_every = every[i % 3];
        if (CHECK_DEVICE == CGS_CUDA && i >= 3)
            again.settings.launch = CGS_LAUNCH_GRAPH;
        const struct cgs_cg_result r = solve(&again, &source, b, y, other);
        ck_assert_int_eq(r.iterations, first.iterations);
        ck_assert_int_eq(r.updates, first.updates);
        ck_assert_mem_eq(other, history, (size_t)(r.iterations + 1) * sizeof *history);
        ck_assert_mem_eq(x, y, sizeof(double[15 * 15 * 15]));
    }
    cgs_assembler_release(&context, &source);
}

/* Mixed precision can't reach what double can't: the floor is named, and its best was found. */
TEST(the_floor_is_that_of_double)
{
    struct cgs_row_source source = cube(15, (struct cgs_kappa){.kind = CGS_KAPPA_ONE});
    struct solve how = in_mixed(1e-16);
    const struct cgs_cg_result mixed = solve(&how, &source, b, x, NULL);
    how.settings.tolerance = 1e-300;
    const struct cgs_cg_result absurd = solve(&how, &source, b, x, NULL);
    how = in_mixed(1e-16);
    how.precision = CGS_PRECISION_F64;
    const struct cgs_cg_result plain = solve(&how, &source, b, x, NULL);
    printf("floor %.2e: double %.2e after %lld, mixed %.2e after %lld, %.2e after %lld\n",
           plain.floor, plain.true_relative_residual, (long long)plain.iterations,
           mixed.true_relative_residual, (long long)mixed.iterations, absurd.true_relative_residual,
           (long long)absurd.iterations);
    ck_assert_int_eq(plain.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    ck_assert_int_eq(mixed.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    ck_assert_int_eq(absurd.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    ck_assert_double_le(mixed.true_relative_residual, 2.0 * plain.true_relative_residual);
    ck_assert_double_le(absurd.true_relative_residual, 2.0 * plain.true_relative_residual);
    ck_assert_int_lt(absurd.iterations, 4 * plain.iterations);
    cgs_assembler_release(&context, &source);
}

/* Condition number 1e12: singular for single precision. No x is called a solution that is none. */
TEST(what_single_precision_cannot_hold_is_said)
{
    static const double a[] = {1.0, 1.0 - 1e-12, 1.0 - 1e-12, 1.0};
    static const struct dense dense = {2, a};
    const struct cgs_row_source source = dense_source(&dense);
    b[0] = 1.0;
    b[1] = -1.0;
    const struct solve how = in_mixed(1e-10);
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    printf("%s after %lld\n", cgs_outcome_name(r.outcome), (long long)r.iterations);
    ck_assert_int_ne(cgs_outcome_status(r.outcome), CGS_OK);
    ck_assert_double_gt(r.true_relative_residual, 1e-3);
}

/* A wrong number in x: the next true residual sees it, and CG restarts from there. */
static enum cgs_status spoil(void *user, struct cgs_cg *cg, struct cgs_cg_pause *now)
{
    (void)now;
    const double wrong = 100.0;
    const struct cgs_space *space = cgs_cg_space(cg);
    *(int *)user += 1;
    return space->ops->put(space, &wrong, 1000, 1, cgs_cg_solution(cg));
}

TEST(a_wrong_solution_is_mended)
{
    int calls = 0;
    struct cgs_row_source source = cube(15, (struct cgs_kappa){.kind = CGS_KAPPA_ONE});
    struct solve how = in_mixed(1e-10);
    how.settings.pause = spoil;
    how.settings.pause_at = 20;
    how.settings.pause_user = &calls;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.restarts, 1);
    ck_assert_int_gt(r.gap_iteration, 20);
    ck_assert_double_gt(r.gap_true, 2.0 * r.gap_recursive);
    cgs_assembler_release(&context, &source);
}

TEST(nothing_to_solve_and_far_too_little)
{
    static const double a[] = {2.0, -1.0, -1.0, 2.0};
    static const struct dense dense = {2, a};
    const struct cgs_row_source source = dense_source(&dense);
    const struct solve how = in_mixed(1e-10);
    b[0] = b[1] = 0.0;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 0);
    ck_assert(x[0] == 0.0 && x[1] == 0.0);
}

int main(void)
{
    return solve_tests("mixed");
}
