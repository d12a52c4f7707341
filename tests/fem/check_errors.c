/* fem/errors.h: error norms against the direct sum over 4^3 Gauss points a cell, the orders of
 * convergence, and the published figures, from a textbook CG on the assembled rows. */
#include <math.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "fem/consistency.h"
#include "fem/errors.h"
#include "tests/fem/exact.h"
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"

/* The oracle: every cell, every point, every shape function. */
static struct cgs_errors direct_errors(const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const double *x)
{
    static const double inner = 0.33998104358485626, outer = 0.86113631159405258;
    static const double w_inner = 0.65214515486254614, w_outer = 0.34785484513745386;
    const double point[4] = {-outer, -inner, inner, outer};
    const double weight[4] = {w_outer, w_inner, w_inner, w_outer};
    struct cgs_errors errors = {.integral = true};
    for (int64_t cell = 0; cell < cells_of(mesh); cell++) {
        int64_t c[3];
        double value[8];
        cell_at(mesh, cell, c);
        for (int a = 0; a < 8; a++) {
            int64_t i[3];
            double at[3], gradient[3], f, u;
            for (int k = 0; k < 3; k++) {
                i[k] = c[k] + (a >> k & 1);
                at[k] = (double)i[k] * mesh->h[k];
            }
            exact(problem, mesh, at, &u, gradient, &f);
            value[a] = u; /* Dirichlet values */
            const int64_t row = row_of_node(mesh, i);
            if (row < 0)
                continue;
            value[a] = x[row];
            if (a == 0) { /* each node once */
                errors.nodal_l2 += cgs_mesh_cell(mesh) * (value[a] - u) * (value[a] - u);
                errors.max = fmax(errors.max, fabs(value[a] - u));
            }
        }
        for (int q = 0; q < 64; q++) {
            const int p[3] = {q % 4, q / 4 % 4, q / 16};
            double s[3], at[3], u, gradient[3], f, h1 = 0.0;
            for (int k = 0; k < 3; k++) {
                s[k] = point[p[k]];
                at[k] = ((double)c[k] + 0.5 * (1 + s[k])) * mesh->h[k];
            }
            exact(problem, mesh, at, &u, gradient, &f);
            for (int a = 0; a < 8; a++) {
                double g[3];
                cgs_shape_gradient(a, s, g);
                u -= value[a] * cgs_shape(a, s);
                for (int k = 0; k < 3; k++)
                    gradient[k] -= value[a] * g[k] * 2 / mesh->h[k];
            }
            for (int k = 0; k < 3; k++)
                h1 += gradient[k] * gradient[k];
            const double w = weight[p[0]] * weight[p[1]] * weight[p[2]] * cgs_mesh_cell(mesh) / 8;
            errors.l2 += w * u * u;
            errors.h1 += w * h1;
        }
    }
    errors.nodal_l2 = sqrt(errors.nodal_l2);
    errors.l2 = sqrt(errors.l2);
    errors.h1 = sqrt(errors.h1);
    return errors;
}

/* u_h = u at the nodes, u plus noise of different sizes, and zero. */
LOOP_TEST(norms_are_the_sums_over_all_points, 9 + 3 * BOXES)
{
    static const double noise[] = {0.0, 1e-4, 1e-2, 1.0};
    const struct cgs_problem problem = _i % 3 == 0   ? named("smooth")
                                       : _i % 3 == 1 ? TWO_TERMS
                                                     : named("sine");
    static const int64_t sizes[] = {1, 5, 7};
    const struct cgs_mesh mesh = _i < 9 ? cgs_mesh_cube(sizes[_i / 3], CGS_BLENDED, 1.0)
                                        : box_number(_i / 3 - 3, CGS_BLENDED, CGS_KAPPA_ONE, 1.0);
    const int64_t rows = cgs_mesh_rows(&mesh);
    for (int v = 0; v < 5; v++) {
        double *x = solution(&problem, &mesh);
        for (int64_t i = 0; i < rows; i++)
            x[i] = v == 4 ? 0.0 : x[i] + noise[v] * cgs_random((uint64_t)i + 100);
        const struct cgs_errors fast = measure(&problem, &mesh, x, 2);
        const struct cgs_errors direct = direct_errors(&problem, &mesh, x);
        ck_assert(fast.integral);
        ck_assert_double_eq_tol(fast.nodal_l2, direct.nodal_l2, 1e-10 * direct.nodal_l2 + 1e-15);
        ck_assert_double_eq_tol(fast.max, direct.max, 1e-10 * direct.max + 1e-15);
        ck_assert_double_eq_tol(fast.l2, direct.l2, 1e-11 * direct.l2);
        ck_assert_double_eq_tol(fast.h1, direct.h1, 1e-11 * direct.h1);
        free(x);
    }
}

/* |sin sin sin| = sqrt(1/8), its gradient sqrt(3/8) pi; at the nodes exactly the same sum. */
TEST(zero_has_the_norm_of_the_solution)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(40, CGS_GAUSS, 1.0);
    const struct cgs_problem problem = named("sine");
    double *x = calloc(64000, sizeof *x);
    const struct cgs_errors errors = measure(&problem, &mesh, x, 1);
    ck_assert_double_eq_tol(errors.nodal_l2, sqrt(1.0 / 8.0), 1e-14);
    ck_assert_double_eq_tol(errors.l2, sqrt(1.0 / 8.0), 1e-14);
    ck_assert_double_eq_tol(errors.h1, sqrt(3.0 / 8.0) * M_PI, 1e-13);
    ck_assert_double_eq_tol(errors.max, pow(sin(M_PI * 20 / 41), 3), 1e-14);
    free(x);
}

LOOP_TEST(threads_do_not_change_bits, 6)
{
    static const int64_t flat[3] = {35, 41, 17};
    const struct cgs_mesh mesh = _i < 3 ? cgs_mesh_cube(29, CGS_GAUSS, 1.0)
                                        : cgs_mesh_box(flat, BOX_SIZE[0], CGS_GAUSS, 1.0);
    const struct cgs_problem problem = _i % 3 == 0   ? named("smooth")
                                       : _i % 3 == 1 ? TWO_TERMS
                                                     : named("random");
    double *x = solution(&problem, &mesh);
    for (int i = 0; i < cgs_mesh_rows(&mesh); i++)
        x[i] += 1e-3 * cgs_random((uint64_t)i + 5);
    const struct cgs_errors one = measure(&problem, &mesh, x, 1);
    ck_assert(one.integral == (_i % 3 < 2));
    ck_assert_double_gt(one.nodal_l2, 5e-4);
    for (int threads = 2; threads <= 5; threads++) {
        const struct cgs_errors more = measure(&problem, &mesh, x, threads);
        ck_assert(more.nodal_l2 == one.nodal_l2 && more.max == one.max && more.l2 == one.l2 &&
                  more.h1 == one.h1);
    }
    /* One bad number shows in every norm. */
    x[12345] = NAN;
    const struct cgs_errors bad = measure(&problem, &mesh, x, 2);
    ck_assert(isnan(bad.nodal_l2) && isnan(bad.max));
    ck_assert(!bad.integral || (isnan(bad.l2) && isnan(bad.h1)));
    x[12345] = -INFINITY;
    ck_assert(isinf(measure(&problem, &mesh, x, 2).max));
    free(x);
}

static struct cgs_errors solve(const char *name, int n, enum cgs_quadrature rule, double tolerance)
{
    const struct cgs_problem problem = named(name);
    const struct cgs_mesh mesh = cgs_mesh_cube(n, rule, 1.0);
    return textbook_errors(&problem, &mesh, tolerance);
}

TEST(published_errors)
{
    struct cgs_errors errors = solve("smooth", 31, CGS_GAUSS, 1e-10);
    ck_digits(errors.nodal_l2, 4.7085907e-04, 1e-6);
    ck_digits(errors.l2, 8.6671707e-04, 1e-6);
    ck_digits(errors.max, 1.4898002e-03, 1e-6);
    ck_digits(errors.h1, 9.1408507e-02, 1e-6);
    errors = solve("sine", 15, CGS_GAUSS, 1e-12);
    ck_digits(errors.nodal_l2, 1.1336899e-03, 1e-6);
    errors = solve("sine", 15, CGS_BLENDED, 1e-12);
    ck_digits(errors.nodal_l2, 2.1929470e-06, 1e-6);
    if (CHECK_SMALL)
        return;
    errors = solve("smooth", 63, CGS_BLENDED, 1e-12);
    ck_digits(errors.nodal_l2, 2.4804e-08, 1e-4);
    ck_digits(errors.l2, 2.7263202e-04, 1e-6);
    ck_digits(errors.h1, 4.5719157e-02, 1e-6);
}

/* The nodal error falls by 4 (Gauss) or 16 (blended) when h halves; H1 by 2, L2 by 4 for both. */
LOOP_TEST(orders_of_convergence, 2)
{
    const enum cgs_quadrature rule = _i;
    const struct cgs_errors coarse = solve("smooth", 15, rule, 1e-12);
    const struct cgs_errors fine = solve("smooth", 31, rule, 1e-12);
    const double order = rule == CGS_GAUSS ? 2.0 : 4.0;
    ck_assert_double_eq_tol(log2(coarse.nodal_l2 / fine.nodal_l2), order, 0.1);
    ck_assert_double_eq_tol(log2(coarse.max / fine.max), order, 0.1);
    ck_assert_double_eq_tol(log2(coarse.l2 / fine.l2), 2.0, 0.1);
    ck_assert_double_eq_tol(log2(coarse.h1 / fine.h1), 1.0, 0.1);
}

/* The same on a box, all cells halved; a blended rule is of fourth order at the nodes of cubes
 * alone. */
LOOP_TEST(orders_of_convergence_on_a_box, 4)
{
    static const int64_t n[2][3] = {{15, 23, 11}, {31, 47, 23}};
    static const double size[3] = {1.0, 2.0, 0.5};
    const struct cgs_problem problem = named(_i & 1 ? "smooth" : "boundary");
    struct cgs_errors errors[2];
    for (int fine = 0; fine < 2; fine++) {
        struct cgs_mesh mesh = cgs_mesh_box(n[fine], size, CGS_GAUSS, 1.0);
        mesh.kappa.kind = _i & 2 ? CGS_KAPPA_SMOOTH : CGS_KAPPA_ONE;
        errors[fine] = textbook_errors(&problem, &mesh, 1e-11);
    }
    ck_assert_double_eq_tol(log2(errors[0].nodal_l2 / errors[1].nodal_l2), 2.0, 0.1);
    ck_assert_double_eq_tol(log2(errors[0].l2 / errors[1].l2), 2.0, 0.1);
    ck_assert_double_eq_tol(log2(errors[0].h1 / errors[1].h1), 1.0, 0.1);
}

/* Cells that are cubes, in a box that is none: the blended rule keeps its fourth order. */
TEST(fourth_order_on_a_box_of_cubes)
{
    static const int64_t n[2][3] = {{15, 31, 7}, {31, 63, 15}};
    static const double size[3] = {1.0, 2.0, 0.5};
    const struct cgs_problem problem = named("sine");
    double errors[2];
    for (int fine = 0; fine < 2; fine++) {
        const struct cgs_mesh mesh = cgs_mesh_box(n[fine], size, CGS_BLENDED, 1.0);
        errors[fine] = textbook_errors(&problem, &mesh, 1e-12).nodal_l2;
    }
    ck_assert_double_eq_tol(log2(errors[0] / errors[1]), 4.0, 0.1);
}

/* The consistency error of `course` on a box in closed form: u is an eigenvector of A / (hx hy
 * hz). */
LOOP_TEST(consistency_error_on_a_box, BOXES)
{
    const struct cgs_problem course = named("course");
    struct cgs_mesh mesh = box_number(_i, CGS_GAUSS, CGS_KAPPA_ONE, 1.0);
    double weight[2], stiffness[3], mass[3], expected = 0.0, error;
    mesh.scale = 1.0 / cgs_mesh_cell(&mesh);
    cgs_mass_weights(CGS_GAUSS, weight);
    for (int k = 0; k < 3; k++) {
        const double c = cos(M_PI / (double)(mesh.n[k] + 1));
        stiffness[k] = (2 - 2 * c) / (mesh.h[k] * mesh.h[k]);
        mass[k] = weight[0] + 2 * weight[1] * c;
        expected += M_PI * M_PI / (mesh.size[k] * mesh.size[k]);
    }
    ck_assert_double_eq_tol(cgs_course_eigenvalue(&mesh), expected, 1e-14 * expected);
    const double lambda = stiffness[0] * mass[1] * mass[2] + mass[0] * stiffness[1] * mass[2] +
                          mass[0] * mass[1] * stiffness[2];
    const double volume = mesh.size[0] * mesh.size[1] * mesh.size[2];
    struct rows a = textbook_matrix(&mesh);
    double *u = solution(&course, &mesh), *au = malloc((size_t)a.count * sizeof *au);
    rows_multiply(&a, u, au);
    struct cgs_context context;
    cgs_context_init(&context);
    const struct cgs_slab whole = cgs_slab_whole(&mesh);
    ck_assert_int_eq(cgs_errors_consistency(&context, &course, &mesh, &whole, au, &error), CGS_OK);
    ck_digits(error, fabs(expected - lambda) * sqrt(volume / 8.0), 1e-8);
    rows_free(&a);
    free(u);
    free(au);
}

/* Figures of the course's own logs, and their closed form: u is an eigenvector of A / h^3. */
LOOP_TEST(consistency_error_of_the_course, 3)
{
    static const struct {
        int n;
        double published;
    } logged[] = {{32, 0.0394569}, {64, 0.0101842}, {128, 0.00258662}};
    const struct cgs_problem course = named("course");
    const int n = logged[_i].n;
    const double cubed = (n + 1.0) * (n + 1.0) * (n + 1.0), c = cos(M_PI / (n + 1));
    const double lambda = (n + 1.0) * (n + 1.0) * (8.0 / 3 - 2 * c * c - 2.0 / 3 * c * c * c);
    const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, cubed);
    struct rows a = textbook_matrix(&mesh);
    double *u = solution(&course, &mesh), *au = malloc((size_t)a.count * sizeof *au);
    rows_multiply(&a, u, au);
    struct cgs_context context;
    cgs_context_init(&context);
    context.threads = 1;
    const struct cgs_slab whole = cgs_slab_whole(&mesh);
    double error, again;
    ck_assert_int_eq(cgs_errors_consistency(&context, &course, &mesh, &whole, au, &error), CGS_OK);
    context.threads = 3;
    ck_assert_int_eq(cgs_errors_consistency(&context, &course, &mesh, &whole, au, &again), CGS_OK);
    ck_assert(again == error);
    ck_assert_int_eq(context.host_bytes, 0);
    ck_digits(error, logged[_i].published, 5e-6);
    ck_digits(error, fabs(3 * M_PI * M_PI - lambda) / sqrt(8.0), 1e-8);
    rows_free(&a);
    free(u);
    free(au);
}

int main(void)
{
    return run_tests("errors", 300, NULL, NULL);
}
