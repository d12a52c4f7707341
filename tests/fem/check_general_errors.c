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
    const int64_t n = mesh->n, cells = (n + 1) * (n + 1) * (n + 1);
    struct cgs_errors errors = {.integral = true};
    for (int64_t cell = 0; cell < cells; cell++) {
        const int64_t c[3] = {cell % (n + 1), cell / (n + 1) % (n + 1), cell / ((n + 1) * (n + 1))};
        double corner[24], value[8];
        for (int a = 0; a < 8; a++) {
            double move = mesh->deform, gradient[3], f, u;
            int64_t i[3];
            for (int k = 0; k < 3; k++) {
                i[k] = c[k] + (a >> k & 1);
                move *= sin(M_PI * (double)i[k] * mesh->h);
            }
            for (int k = 0; k < 3; k++)
                corner[3 * a + k] = (double)i[k] * mesh->h + move;
            exact(problem, corner + 3 * a, &u, gradient, &f);
            const struct cgs_cell_wave none = {{0}, {0}, {0}};
            const double divisor =
                over ? cgs_cell_kappa(mesh, c[0], c[1], c[2], &none) : 1.0; /* of a jump */
            value[a] = u / divisor;
            if (i[0] < 1 || i[0] > n || i[1] < 1 || i[1] > n || i[2] < 1 || i[2] > n)
                continue;
            value[a] = x[((i[2] - 1) * n + i[1] - 1) * n + i[0] - 1];
            if (a == 7) { /* each node once */
                errors.nodal_l2 +=
                    pow(mesh->h, 3) * (value[a] - u / divisor) * (value[a] - u / divisor);
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
            exact(problem, at, &u, gradient, &f);
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

START_TEST(norms_are_the_sums_over_all_points)
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
        for (int noise = 0; noise < 2; noise++) {
            const struct cgs_mesh *mesh = &cases[c].mesh;
            double *x = solution(&cases[c].problem, mesh);
            for (int64_t i = 0; i < mesh->n * mesh->n * mesh->n; i++)
                x[i] += 1e-3 * noise * cgs_random((uint64_t)i);
            const struct cgs_errors found = measure(&cases[c].problem, mesh, x, 1);
            const struct cgs_errors direct =
                direct_errors(&cases[c].problem, mesh, x, cases[c].over);
            ck_same_errors(&found, &direct);
            const struct cgs_errors more = measure(&cases[c].problem, mesh, x, 3);
            ck_assert(more.nodal_l2 == found.nodal_l2 && more.max == found.max &&
                      more.l2 == found.l2 && more.h1 == found.h1 && more.energy == found.energy);
            if (noise == 0) /* the nodal values of u themselves */
                ck_assert_double_lt(found.max, 1e-14);
            free(x);
        }
}
END_TEST

START_TEST(both_ways_to_the_norms_agree)
{
    const struct cgs_mesh mesh = general(13, CGS_GAUSS, 0.0, CGS_KAPPA_ONE, 1.0);
    double *x = solution(&TWO_TERMS, &mesh);
    struct cgs_context context;
    struct cgs_errors cells;
    const struct cgs_slab whole = cgs_slab_whole(13);
    for (int i = 0; i < 13 * 13 * 13; i++)
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("errors on general meshes");
    TCase *tcase = tcase_create("errors on general meshes");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, norms_are_the_sums_over_all_points, 0, 4);
    tcase_add_test(tcase, both_ways_to_the_norms_agree);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
