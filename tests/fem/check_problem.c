/* fem/problem.h: the factors' derivatives, solutions, start vectors, and load vectors against brute
 * force. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "base/random.h"
#include "fem/load.h"
#include "tests/fem/exact.h"

TEST(derivatives_are_derivatives)
{
    int count;
    const struct cgs_problem *all = cgs_problems(&count);
    for (int p = 0; p < count; p++)
        for (int t = 0; t < all[p].terms; t++)
            for (int k = 0; k < 3; k++)
                for (double at = 0.05; at < 1.0; at += 0.09) {
                    const double step = 1e-5;
                    double before[3], here[3], after[3];
                    cgs_factor_at(all[p].factor[t][k], at - step, before);
                    cgs_factor_at(all[p].factor[t][k], at, here);
                    cgs_factor_at(all[p].factor[t][k], at + step, after);
                    for (int d = 0; d < 2; d++)
                        ck_assert_double_eq_tol((after[d] - before[d]) / (2 * step), here[d + 1],
                                                1e-6);
                }
}

TEST(problems_by_name)
{
    ck_assert_ptr_null(cgs_problem_find("smoot"));
    ck_assert_ptr_null(cgs_problem_find(""));
    int count;
    ck_assert_str_eq(cgs_problems(&count)->name, "smooth"); /* the default comes first */
    ck_assert_int_eq(count, 7);
    const struct cgs_problem random = named("random"), course = named("course");
    ck_assert(random.product_rhs && random.terms == 0 && course.product_rhs && course.course);
    const struct cgs_mesh mesh = cgs_mesh_cube(3, CGS_GAUSS, 1.0);
    double *u = solution(&random, &mesh);
    for (int i = 0; i < 27; i++)
        ck_assert(u[i] == cgs_random((uint64_t)i));
    free(u);
    const struct cgs_problem smooth = named("smooth");
    u = solution(&smooth, &mesh);
    for (int i = 0; i < 27; i++) {
        const double x = (i % 3 + 1) / 4.0, y = (i / 3 % 3 + 1) / 4.0, z = (i / 9 + 1) / 4.0;
        const double value =
            x * (1 - x) * exp(x) * y * (1 - y) * exp(2 * y) * z * (1 - z) * exp(3 * z);
        ck_assert_double_eq_tol(u[i], value, 8 * DBL_EPSILON);
    }
    free(u);
    double start[5] = {9, 9, 9, 9, 9};
    cgs_problem_guess(&course, 0, 5, start);
    ck_assert(start[0] == 1.0 && start[1] == 0.8 && start[2] == 0.0 && start[4] == 0.0);
    cgs_problem_guess(&course, 1, 3, start);
    ck_assert(start[0] == 0.8 && start[1] == 0.0);
    cgs_problem_guess(&smooth, 0, 5, start);
    for (int i = 0; i < 5; i++)
        ck_assert(start[i] == 0.0);
}

/* b_i = sum over cells and the rule's points of phi_i (I f), I f from all nodes of the cell. */
LOOP_TEST(load_is_mass_times_f, 4)
{
    enum { N = 4 };
    const enum cgs_quadrature rule = _i & 1;
    const struct cgs_problem problem = _i < 2 ? named("smooth") : TWO_TERMS;
    const struct cgs_mesh mesh = cgs_mesh_cube(N, rule, 2.5);
    double direct[N * N * N] = {0.0}, b[N * N * N], largest = 0.0;
    for (int cell = 0; cell < 125; cell++) {
        const int c[3] = {cell % 5, cell / 5 % 5, cell / 25};
        double f[8];
        for (int a = 0; a < 8; a++) {
            double at[3], u, gradient[3];
            for (int k = 0; k < 3; k++)
                at[k] = (c[k] + (a >> k & 1)) * mesh.h[0];
            exact(&problem, &mesh, at, &u, gradient, &f[a]);
        }
        for (int q = 0; q < 8; q++) {
            double s[3], value = 0.0;
            for (int k = 0; k < 3; k++)
                s[k] = cgs_node_side(q, k) * cgs_rule_point(rule);
            for (int a = 0; a < 8; a++)
                value += cgs_shape(a, s) * f[a];
            for (int a = 0; a < 8; a++) {
                const int i[3] = {c[0] + (a & 1) - 1, c[1] + (a >> 1 & 1) - 1, c[2] + (a >> 2) - 1};
                if (i[0] >= 0 && i[0] < N && i[1] >= 0 && i[1] < N && i[2] >= 0 && i[2] < N)
                    direct[(i[2] * N + i[1]) * N + i[0]] +=
                        mesh.scale * pow(mesh.h[0] / 2, 3) * cgs_shape(a, s) * value;
            }
        }
    }
    struct cgs_context context;
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_problem_load(&context, &problem, &mesh, 0, N * N * N, b), CGS_OK);
    for (int i = 0; i < N * N * N; i++)
        largest = fmax(largest, fabs(direct[i]));
    for (int i = 0; i < N * N * N; i++)
        ck_assert_double_eq_tol(b[i], direct[i], 64 * DBL_EPSILON * largest);
}

/* Same bits for any number of threads and any cut of the rows, for load and solution. */
LOOP_TEST(load_does_not_depend_on_threads_or_ranges, 2)
{
    enum { N = 21, ROWS = N * N * N };
    const struct cgs_problem problem = _i == 0 ? TWO_TERMS : named("smooth");
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_BLENDED, 1.0);
    double *whole = malloc(4 * ROWS * sizeof *whole), *part = whole + 2 * ROWS;
    struct cgs_context context;
    cgs_context_init(&context);
    context.threads = 1;
    ck_assert_int_eq(cgs_problem_load(&context, &problem, &mesh, 0, ROWS, whole), CGS_OK);
    ck_assert_int_eq(cgs_problem_solution(&context, &problem, &mesh, 0, ROWS, whole + ROWS),
                     CGS_OK);
    static const int pieces[] = {1, 7, 20, 441, 500, ROWS};
    for (int p = 0; p < 6; p++) {
        context.threads = 1 + p % 3;
        memset(part, 0xff, 2 * ROWS * sizeof *part);
        for (int first = 0; first < ROWS; first += pieces[p]) {
            const int last = first + pieces[p] < ROWS ? first + pieces[p] : ROWS;
            ck_assert_int_eq(cgs_problem_load(&context, &problem, &mesh, first, last, part + first),
                             CGS_OK);
            ck_assert_int_eq(
                cgs_problem_solution(&context, &problem, &mesh, first, last, part + ROWS + first),
                CGS_OK);
        }
        ck_assert_mem_eq(whole, part, 2 * ROWS * sizeof *part);
    }
    ck_assert_int_eq(context.host_bytes, 0);
    free(whole);
}

/* Solutions on a box are those of the unit cube in t = x / L; boundary values, too. */
TEST(solutions_are_stretched_with_the_box)
{
    static const int64_t n[3] = {5, 9, 3};
    static const double size[3] = {1.0, 2.0, 0.5};
    const struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    int count;
    const struct cgs_problem *all = cgs_problems(&count);
    for (int p = 0; p < count && all[p].terms > 0; p++) {
        double *u = solution(&all[p], &mesh);
        for (int64_t z = 0; z <= n[2] + 1; z++) {
            double plane[7 * 11];
            cgs_problem_boundary(&all[p], &mesh, z, plane);
            for (int64_t y = 0; y <= n[1] + 1; y++)
                for (int64_t x = 0; x <= n[0] + 1; x++) {
                    const double at[3] = {(double)x * mesh.h[0], (double)y * mesh.h[1],
                                          (double)z * mesh.h[2]};
                    const bool inside =
                        x > 0 && x <= n[0] && y > 0 && y <= n[1] && z > 0 && z <= n[2];
                    const double found = inside ? u[((z - 1) * n[1] + y - 1) * n[0] + x - 1]
                                                : plane[y * (n[0] + 2) + x];
                    double right, gradient[3], f;
                    exact(&all[p], &mesh, at, &right, gradient, &f);
                    ck_assert_double_eq_tol(found, right, 1e-14);
                }
        }
        free(u);
    }
    const struct cgs_problem random = named("random");
    double *u = solution(&random, &mesh);
    for (int i = 0; i < 5 * 9 * 3; i++)
        ck_assert(u[i] == cgs_random((uint64_t)i));
    free(u);
}

/* The expression of a solution has its values, in t = x / L. */
TEST(solutions_are_written_as_expressions)
{
    static const char *const t[3] = {"x", "(y/2)", "(z/0.5)"}, *const names[3] = {"x", "y", "z"};
    static const int64_t n[3] = {5, 9, 3};
    static const double size[3] = {1.0, 2.0, 0.5}, at[3] = {0.3, 1.7, 0.1};
    const struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    const struct cgs_expression_grid point = {
        .count = {1, 1, 1},
        .variable = {&at[0], &at[1], &at[2]},
        .direction = {CGS_FIXED, CGS_FIXED, CGS_FIXED},
    };
    struct cgs_context context;
    int count;
    const struct cgs_problem *all = cgs_problems(&count);
    cgs_context_init(&context);
    for (int p = 0; p <= count; p++) {
        const struct cgs_problem *problem = p < count ? &all[p] : &TWO_TERMS;
        struct cgs_expression *expression;
        char text[512];
        double right, gradient[3], f, value;
        cgs_problem_write(problem, t, text, sizeof text);
        ck_assert_int_eq(problem->terms > 0, text[0] != '\0');
        if (problem->terms == 0)
            continue;
        ck_assert_int_eq(cgs_expression_create(&context, "test", text, names, 3, NULL, &expression),
                         CGS_OK);
        ck_assert_int_eq(cgs_expression_evaluate(expression, &point, &value), 1);
        exact(problem, &mesh, at, &right, gradient, &f);
        ck_assert_double_eq_tol(value, right, 1e-14 * (1.0 + fabs(right)));
        cgs_expression_release(expression);
    }
}

TEST(problems_with_a_product_have_no_load)
{
    struct cgs_context context;
    double b[1];
    cgs_context_init(&context);
    const struct cgs_mesh mesh = cgs_mesh_cube(1, CGS_GAUSS, 1.0);
    const struct cgs_problem random = named("random");
    ck_assert_int_eq(cgs_problem_load(&context, &random, &mesh, 0, 1, b), CGS_BUG);
}

int main(void)
{
    return run_tests("problem", 60, NULL, NULL);
}
