/* CG on the Q1 matrix: facts that hold for every kernel, precision and way to launch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "fem/load.h"
#include "fem/problem.h"
#include "kernels/registry.h"
#include "solver/cg/cg_result.h"
#include "tests/support/solve.h"

/* The eigenvector sin(i pi x) sin(j pi y) sin(k pi z) at the nodes. */
static void eigenvector(int n, int i, int j, int k, double *v)
{
    const double h = 1.0 / (n + 1);
    for (int z = 1; z <= n; z++)
        for (int y = 1; y <= n; y++)
            for (int x = 1; x <= n; x++)
                *v++ = sin(i * M_PI * x * h) * sin(j * M_PI * y * h) * sin(k * M_PI * z * h);
}

/* Its eigenvalue (gauss): (2/3) h (4 - ci cj - cj ck - ci ck - ci cj ck), ci = cos(i pi h). */
static double eigenvalue(int n, int i, int j, int k)
{
    const double h = 1.0 / (n + 1);
    const double ci = cos(i * M_PI * h), cj = cos(j * M_PI * h), ck = cos(k * M_PI * h);
    return 2.0 / 3.0 * h * (4.0 - ci * cj - cj * ck - ci * ck - ci * cj * ck);
}

TEST(sums_of_sines_are_solved_exactly)
{
    enum { N = 12 };
    const int modes[3][3] = {{1, 1, 1}, {2, 5, 1}, {7, 3, 11}};
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double v[N * N * N], b[N * N * N], u[N * N * N], x[N * N * N];
    memset(b, 0, sizeof b);
    memset(u, 0, sizeof u);
    for (int m = 0; m < 3; m++) {
        eigenvector(N, modes[m][0], modes[m][1], modes[m][2], v);
        for (int i = 0; i < N * N * N; i++) {
            u[i] += (m + 1) * v[i];
            b[i] += (m + 1) * v[i] * eigenvalue(N, modes[m][0], modes[m][1], modes[m][2]);
        }
    }
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    struct solve how = usual();
    how.settings.tolerance = 1e-13;
    const enum cgs_format formats[] = {CGS_CRS, CGS_SELL};
    for (int f = 0; f < 2; f++) {
        how.format = formats[f];
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
        ck_assert_int_eq(r.iterations, 3); /* three eigenvalues in b */
        for (int i = 0; i < N * N * N; i++)
            ck_assert_double_eq_tol(x[i], u[i], 1e-11);
    }
    cgs_assembler_release(&context, &source);
}

/* Every kernel, plain and graph, jacobi or not: the same iterations (+-1) and solution. */
TEST(every_kernel_and_launch_agrees)
{
    enum { N = CHECK_SMALL ? 8 : 17, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_problem *smooth = cgs_problem_find("smooth");
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS], reference[ROWS];
    int count, tried = 0;
    int64_t iterations = 0;
    const struct cgs_kernel_entry *kernels = cgs_kernels(&count);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_problem_load(&context, smooth, &mesh, 0, ROWS, b), CGS_OK);
    for (int k = 0; k < count; k++) {
        if (kernels[k].device != CHECK_DEVICE)
            continue;
        const struct cgs_kernel *table = kernels[k].tables[CGS_PRECISION_F64];
        if (table->absent || !takes_q1(&kernels[k]))
            continue; /* this build has no more than its name, or not of this matrix */
        const bool graphs = table->capturable && CHECK_DEVICE == CGS_CUDA;
        for (int variant = 0; variant < (graphs ? 4 : 2); variant++) {
            struct solve how = usual();
            how.format = kernels[k].format;
            how.kernel = kernels[k].name;
            how.jacobi = variant % 2;
            how.settings.launch = variant / 2 ? CGS_LAUNCH_GRAPH : CGS_LAUNCH_PLAIN;
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_CONVERGED);
            if (tried++ == 0) {
                iterations = r.iterations;
                memcpy(reference, x, sizeof x);
            }
            ck_assert_int_le(llabs(r.iterations - iterations), 1);
            double most = 0.0, size = 0.0;
            for (int i = 0; i < ROWS; i++) {
                most = fmax(most, fabs(x[i] - reference[i]));
                size = fmax(size, fabs(reference[i]));
            }
            ck_assert_double_le(most, 1e-8 * size);
        }
    }
    ck_assert_int_ge(tried, 4);
    cgs_assembler_release(&context, &source);
}

TEST(single_precision_never_claims_too_much)
{
    enum { N = CHECK_SMALL ? 12 : 40, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    const struct cgs_problem *smooth = cgs_problem_find("smooth");
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS], row_values[27];
    static int32_t row_columns[27];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    ck_assert_int_eq(cgs_problem_load(&context, smooth, &mesh, 0, ROWS, b), CGS_OK);
    struct solve how = usual();
    how.precision = CGS_PRECISION_F32;
    const double tolerances[] = {1e-3, 1e-5, 1e-8};
    for (int t = 0; t < 3; t++) {
        how.settings.tolerance = tolerances[t];
        const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
        double rr = 0.0, bb = 0.0;
        for (int i = 0; i < ROWS; i++) {
            int32_t length;
            double residual = b[i];
            source.lengths(&source, i, i + 1, &length);
            source.fill(&source, i, i + 1, row_columns, row_values);
            for (int k = 0; k < length; k++)
                residual -= row_values[k] * x[row_columns[k]];
            rr += residual * residual;
            bb += b[i] * b[i];
        }
        const double relative = sqrt(rr / bb);
        /* The reported residual is the true one, up to the rounding of the report's own product. */
        ck_assert_double_le(fabs(relative - r.true_relative_residual), r.floor);
        if (r.outcome == CGS_OUTCOME_CONVERGED)
            ck_assert_double_le(relative, 2 * tolerances[t] + r.floor);
        else
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
        if (tolerances[t] == 1e-8)
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ROUNDING_FLOOR);
    }
    cgs_assembler_release(&context, &source);
}

/* Residuals that never get small: progress is shown, and false stops. */
static bool stop_at_ten(void *user, const struct cgs_progress *progress)
{
    int *looks = user;
    *looks += 1;
    return progress->iteration < 10;
}

TEST(a_caller_can_stop)
{
    enum { N = CHECK_SMALL ? 9 : 20, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS];
    int looks = 0;
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    struct solve how = usual();
    how.settings.progress = stop_at_ten;
    how.settings.user = &looks;
    how.settings.check_every = 2;
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    ck_assert_int_eq(r.outcome, CGS_OUTCOME_INTERRUPTED);
    ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_INTERRUPTED);
    ck_assert_int_ge(looks, 5);
    ck_assert_int_ge(r.iterations, 10);
    ck_assert_int_le(r.iterations, 16);
    cgs_assembler_release(&context, &source);
}

TEST(iteration_limit_is_exact)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(9, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[729], x[729];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < 729; i++)
        b[i] = cgs_random((uint64_t)i);
    struct solve how = usual();
    const int checks[] = {1, 3, 8};
    for (int limit = 0; limit <= 7; limit++) {
        for (int c = 0; c < 3; c++) {
            how.settings.max_iterations = limit;
            how.settings.check_every = checks[c];
            const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
            ck_assert_int_eq(r.outcome, CGS_OUTCOME_ITERATION_LIMIT);
            ck_assert_int_eq(r.iterations, limit);
            ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_NOT_CONVERGED);
        }
    }
    cgs_assembler_release(&context, &source);
}

TEST(eigenvalue_estimates_lie_inside)
{
    enum { N = CHECK_SMALL ? 9 : 14, ROWS = N * N * N };
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS], x[ROWS];
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    const struct solve how = usual();
    const struct cgs_cg_result r = solve(&how, &source, b, x, NULL);
    double low = INFINITY, high = 0.0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++) {
                low = fmin(low, eigenvalue(N, i, j, k));
                high = fmax(high, eigenvalue(N, i, j, k));
            }
    ck_assert_double_ge(r.lambda_min, low * (1 - 1e-5));
    ck_assert_double_le(r.lambda_max, high * (1 + 1e-5));
    ck_assert_double_le(r.lambda_min, low * 1.01);
    ck_assert_double_ge(r.lambda_max, high * 0.99);
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("CG on Q1");
}
