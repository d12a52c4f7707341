/* CG on small systems whose outcome is known: solved, refused, or given up for the right reason. */
#include <math.h>
#include <string.h>

#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_result.h"
#include "solver/jacobi.h"
#include "tests/support/solve.h"

TEST(one_by_one)
{
    const double a = 4.0, b = 3.0;
    const struct dense d = {1, &a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x = NAN;
    const struct cgs_cg_result r = solve(&how, &source, &b, &x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert_double_eq(x, 0.75);
    ck_assert_double_eq_tol(r.lambda_max, 4.0, 1e-5);
}

TEST(diagonal_takes_as_many_steps_as_eigenvalues)
{
    double a[49] = {0}, b[7], x[7];
    for (int i = 0; i < 7; i++) {
        a[8 * i] = 1 + i % 3; /* eigenvalues 1, 2, 3 */
        b[i] = 1 + i;
    }
    const struct dense d = {7, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.settings.tolerance = 1e-13;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 3);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq_tol(x[i], b[i] / a[8 * i], 1e-12);
    ck_assert_double_eq_tol(r.lambda_min, 1.0, 1e-4);
    ck_assert_double_eq_tol(r.lambda_max, 3.0, 1e-4);
    ck_assert_double_eq_tol(r.condition_estimate, 3.0, 1e-3);
}

TEST(jacobi_solves_a_diagonal_in_one_step)
{
    double a[25] = {0}, b[5], x[5];
    for (int i = 0; i < 5; i++) {
        a[6 * i] = pow(10.0, i);
        b[i] = i - 2;
    }
    const struct dense d = {5, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.jacobi = true;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(x[i] * a[6 * i], b[i], 1e-12);
}

TEST(jacobi_refuses_a_diagonal_that_is_not_positive)
{
    const double a[4] = {1, 0.5, 0.5, -2};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op, jacobi;
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_CRS, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_CRS, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[0],
                                         CGS_PRECISION_F64, &matrix, &op),
                     CGS_OK);
    ck_assert_int_eq(cgs_jacobi_create(queue, &op, &source, &jacobi), CGS_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(context.message, "row 2"));
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
}

TEST(zero_right_hand_side_is_solved_by_zero)
{
    const double a[4] = {2, 1, 1, 2}, b[2] = {0, 0};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2] = {NAN, NAN};
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_eq(r.iterations, 0);
    ck_assert_double_eq(x[0], 0.0);
    ck_assert_double_eq(x[1], 0.0);
    ck_assert_double_eq(r.true_relative_residual, 0.0);
}

TEST(indefinite_is_named_with_its_iteration)
{
    /* p0 = b = (1, 1): p'Ap = 1 > 0; the second direction meets the negative eigenvalue. */
    const double a[4] = {2, 0, 0, -1}, b[2] = {1, 1};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2];
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_POSITIVE);
    ck_assert_int_eq(r.iterations, 1);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_BREAKDOWN);
    ck_assert(isfinite(x[0]) && isfinite(x[1]));
    const double negative[1] = {-3};
    const struct dense one = {1, negative};
    const struct cgs_row_source worse = dense_source(&one);
    ck_assert_int_eq(solve(&how, &worse, b, x, NULL).outcome, CGS_OUTCOME_NOT_POSITIVE);
}

TEST(singular_consistent_is_solved)
{
    /* The graph Laplacian of a path of 5: kernel (1, ..., 1); b with sum 0. */
    double a[25] = {0}, x[5], ax;
    const double b[5] = {1, 2, -4, 3, -2};
    for (int i = 0; i < 4; i++) {
        a[6 * i] += 1;
        a[6 * i + 6] += 1;
        a[5 * i + i + 1] = a[5 * (i + 1) + i] = -1;
    }
    const struct dense d = {5, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
    ck_assert_int_le(r.iterations, 4);
    for (int i = 0; i < 5; i++) {
        ax = 0;
        for (int j = 0; j < 5; j++)
            ax += a[5 * i + j] * x[j];
        ck_assert_double_eq_tol(ax, b[i], 1e-9);
    }
}

TEST(nan_is_named_and_nothing_claimed)
{
    const double a[4] = {2, 1, 1, 2}, b[2] = {1, NAN};
    const struct dense d = {2, a};
    const struct cgs_row_source source = dense_source(&d);
    const struct solve how = usual();
    double x[2];
    struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
    const double inf[4] = {2, 1, 1, INFINITY}, ones[2] = {1, 1};
    const struct dense e = {2, inf};
    const struct cgs_row_source bad = dense_source(&e);
    r = solve(&how, &bad, ones, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_NOT_FINITE);
    ck_assert_int_eq(r.iterations, 0);
}

TEST(stagnation_is_seen)
{
    /* The residual norm of this indefinite-like, badly scaled system rises before it falls: with
     * a window of 1 CG gives up there. */
    double a[36] = {0}, b[6], x[6];
    for (int i = 0; i < 6; i++) {
        a[7 * i] = pow(1e3, i);
        b[i] = pow(10.0, -i);
        for (int j = 0; j < i; j++)
            a[6 * i + j] = a[6 * j + i] = 0.4 * sqrt(a[7 * i] * a[7 * j]);
    }
    const struct dense d = {6, a};
    const struct cgs_row_source source = dense_source(&d);
    struct solve how = usual();
    how.settings.stagnation_window = 1;
    how.settings.tolerance = 1e-14;
    double history[1001];
    const struct cgs_cg_result r = solve(&how, &source, b, x, history);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_STAGNATION);
    ck_assert_int_ge(r.iterations, 2);
    double best = INFINITY;
    for (int64_t k = 0; k <= r.iterations - 2; k++)
        best = fmin(best, history[k]);
    ck_assert_double_ge(history[r.iterations], best);
    ck_assert_double_ge(history[r.iterations - 1], best);
}

TEST(graph_where_there_is_none_is_a_usage_error)
{
    const double a = 1.0;
    const struct dense d = {1, &a};
    const struct cgs_row_source source = dense_source(&d);
    const struct cgs_kernel_entry *entry;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *cg = NULL;
    const struct cgs_cg_settings settings = {
        .tolerance = 1e-10, .max_iterations = 1, .launch = CGS_LAUNCH_GRAPH};
    ck_assert_int_eq(cgs_matrix_create(&context, &source, CGS_CRS, 1, 1, &matrix), CGS_OK);
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, CGS_CRS, &entry), CGS_OK);
    ck_assert_int_eq(cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[0],
                                         CGS_PRECISION_F64, &matrix, &op),
                     CGS_OK);
    op.capturable = false;
    ck_assert_int_eq(cgs_cg_create(queue, &op, NULL, &settings, &cg), CGS_USAGE);
    ck_assert_ptr_null(cg);
    ck_assert_ptr_nonnull(strstr(context.message, "plain"));
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
}

int main(void)
{
    return solve_tests("CG");
}
