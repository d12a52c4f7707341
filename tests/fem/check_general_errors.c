/* Error norms on general meshes against the plain sum over points. */
#include "base/random.h"
#include "fem/errors_cells.h"
#include "tests/fem/general.h"
#include "tests/fem/textbook.h"

/* Every cell, every point, every shape function; u is divided by kappa where `over`. */
static struct cgs_errors direct_errors(const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const double *x, bool over)
{
    static const double point[4] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                                    0.86113631159405258};
    static const double weight[4] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                     0.34785484513745386};
    struct cgs_errors errors = {.integral = true};
    for (int64_t cell = 0; cell < cells_of(mesh); cell++) {
        int64_t c[3];
        double corner[24], value[8];
        cell_at(mesh, cell, c);
        for (int a = 0; a < 8; a++) {
            double gradient[3], f, u;
            int64_t i[3];
            for (int k = 0; k < 3; k++)
                i[k] = c[k] + (a >> k & 1);
            position(mesh, i, corner + 3 * a);
            exact(problem, mesh, corner + 3 * a, &u, gradient, &f);
            const struct cgs_cell_wave none = {{0}, {0}, {0}};
            const double divisor =
                over ? cgs_cell_kappa(mesh, c[0], c[1], c[2], &none) : 1.0; /* of a jump */
            value[a] = u / divisor;
            const int64_t row = row_of_node(mesh, i);
            if (row < 0)
                continue;
            value[a] = x[row];
            if (a == 7) { /* each node once */
                errors.nodal_l2 +=
                    cgs_mesh_cell(mesh) * (value[a] - u / divisor) * (value[a] - u / divisor);
                errors.max = fmax(errors.max, fabs(value[a] - u / divisor));
            }
        }
        const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, c[0], c[1], c[2]);
        const double kappa = cgs_cell_kappa(mesh, c[0], c[1], c[2], &wave);
        for (int q = 0; q < 64; q++) {
            const double s[3] = {point[q % 4], point[q / 4 % 4], point[q / 16]};
            double at[3] = {0.0}, slope[3] = {0.0}, adjugate[9], gradient[3], u, f, mine = 0.0;
            double h1 = 0.0;
            for (int a = 0; a < 8; a++) {
                double g[3];
                cgs_shape_gradient(a, s, g);
                mine += value[a] * cgs_shape(a, s);
                for (int k = 0; k < 3; k++) {
                    at[k] += corner[3 * a + k] * cgs_shape(a, s);
                    slope[k] += value[a] * g[k];
                }
            }
            const double determinant = cgs_jacobian_adjugate(corner, s, adjugate);
            exact(problem, mesh, at, &u, gradient, &f);
            const double divisor = over ? kappa : 1.0;
            for (int k = 0; k < 3; k++) {
                double g = -gradient[k] / divisor;
                for (int l = 0; l < 3; l++)
                    g += adjugate[3 * l + k] * slope[l] / determinant;
                h1 += g * g;
            }
            const double w = weight[q % 4] * weight[q / 4 % 4] * weight[q / 16] * determinant;
            errors.l2 += w * (mine - u / divisor) * (mine - u / divisor);
            errors.h1 += w * h1;
            errors.energy += w * kappa * h1;
        }
    }
    errors.nodal_l2 = sqrt(errors.nodal_l2);
    errors.l2 = sqrt(errors.l2);
    errors.h1 = sqrt(errors.h1);
    errors.energy = sqrt(errors.energy);
    return errors;
}

static void ck_same_errors(const struct cgs_errors *a, const struct cgs_errors *b)
{
    ck_assert(a->integral && b->integral);
    ck_assert_double_eq_tol(a->nodal_l2, b->nodal_l2, 1e-11 * b->nodal_l2 + 4e-15);
    ck_assert_double_eq_tol(a->max, b->max, 1e-11 * b->max + 4e-15);
    ck_assert_double_eq_tol(a->l2, b->l2, 1e-11 * b->l2);
    ck_assert_double_eq_tol(a->h1, b->h1, 1e-11 * b->h1);
    ck_assert_double_eq_tol(a->energy, b->energy, 1e-11 * b->energy);
}

static void compare(const struct cgs_problem *problem, const struct cgs_mesh *mesh, bool over)
{
    for (int noise = CHECK_SMALL; noise < 2; noise++) {
        double *x = solution(problem, mesh);
        for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++)
            x[i] += 1e-3 * noise * cgs_random((uint64_t)i);
        const struct cgs_errors found = measure(problem, mesh, x, 1);
        const struct cgs_errors direct = direct_errors(problem, mesh, x, over);
        ck_same_errors(&found, &direct);
        const struct cgs_errors more = measure(problem, mesh, x, 3);
        ck_assert(more.nodal_l2 == found.nodal_l2 && more.max == found.max && more.l2 == found.l2 &&
                  more.h1 == found.h1 && more.energy == found.energy);
        if (noise == 0) /* the nodal values of u themselves */
            ck_assert_double_lt(found.max, 1e-14);
        free(x);
    }
}

LOOP_TEST(norms_are_the_sums_over_all_points, CHECK_SMALL ? 3 : 4)
{
    static const int64_t sizes[] = {1, 5, 8, 25}; /* the last by polynomials */
    const struct {
        struct cgs_problem problem;
        struct cgs_mesh mesh;
        bool over;
    } cases[] = {
        {named("smooth"), general(sizes[_i], CGS_GAUSS, 0.1, CGS_KAPPA_ONE, 1.0), false},
        {TWO_TERMS, general(sizes[_i], CGS_BLENDED, -0.1, CGS_KAPPA_SMOOTH, 1.0), false},
        {named("boundary"), general(sizes[_i], CGS_GAUSS, 0.0, CGS_KAPPA_SMOOTH, 1.0), false},
        {named("octants"), general(sizes[_i] | 1, CGS_GAUSS, 0.0, CGS_KAPPA_JUMP, 9.0), true},
    };
    for (int c = 0; c < 4; c++)
        compare(&cases[c].problem, &cases[c].mesh, cases[c].over);
}

LOOP_TEST(norms_on_boxes, BOXES + 1)
{
    static const int64_t fine[3] = {24, 31, 27}; /* by polynomials */
    static const double size[3] = {1.0, 2.0, 0.5};
    for (int kind = CGS_KAPPA_SMOOTH; kind <= CGS_KAPPA_JUMP; kind++) {
        const struct cgs_problem problems[] = {named("smooth"), TWO_TERMS, named("octants")};
        struct cgs_mesh mesh = box_number(_i % BOXES, CGS_GAUSS, (enum cgs_kappa_kind)kind, 9.0);
        if (_i == BOXES)
            cgs_mesh_resize(&mesh, fine);
        for (int k = 0; k < 3 && _i == BOXES; k++) {
            mesh.size[k] = size[k];
            mesh.h[k] = size[k] / (double)(fine[k] + 1);
        }
        for (int p = 0; p < 3; p++)
            if (cgs_problem_known(&problems[p], &mesh) == CGS_KNOWN_EVERYWHERE)
                compare(&problems[p], &mesh, kind == CGS_KAPPA_JUMP);
    }
}

LOOP_TEST(both_ways_to_the_norms_agree, 2)
{
    const struct cgs_mesh mesh = _i == 0 ? general(13, CGS_GAUSS, 0.0, CGS_KAPPA_ONE, 1.0)
                                         : box_number(0, CGS_GAUSS, CGS_KAPPA_ONE, 1.0);
    double *x = solution(&TWO_TERMS, &mesh);
    struct cgs_context context;
    struct cgs_errors cells;
    const struct cgs_slab whole = cgs_slab_whole(&mesh);
    for (int i = 0; i < cgs_mesh_rows(&mesh); i++)
        x[i] += 1e-2 * cgs_random((uint64_t)i);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_errors_cells(&context, &TWO_TERMS, &mesh, &whole, x, &cells), CGS_OK);
    const struct cgs_errors tables = measure(&TWO_TERMS, &mesh, x, 2);
    ck_same_errors(&tables, &cells);
    x[100] = NAN;
    ck_assert_int_eq(cgs_errors_cells(&context, &TWO_TERMS, &mesh, &whole, x, &cells), CGS_OK);
    ck_assert(isnan(cells.nodal_l2) && isnan(cells.max) && isnan(cells.l2) && isnan(cells.h1) &&
              isnan(cells.energy));
    free(x);
}

int main(void)
{
    return run_tests("errors on general meshes", 300, NULL, NULL);
}
