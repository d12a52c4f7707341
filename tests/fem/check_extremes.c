/* fem/extremes.h: least, most and mean of a solution, against every node and a finer rule in every
 * cell. */
#include "fem/extremes.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "fem/mesh.h"
#include "tests/fem/exact.h"
#include "tests/fem/general.h"

static struct cgs_extremes find(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                                const double *x, int threads)
{
    struct cgs_context context;
    struct cgs_extremes extremes;
    const struct cgs_slab whole = cgs_slab_whole(mesh);
    cgs_context_init(&context);
    context.threads = threads;
    memset(&extremes, 0, sizeof extremes); /* its padding, for comparisons of bits */
    ck_assert_int_eq(cgs_extremes_find(&context, problem, mesh, &whole, x, NULL, &extremes),
                     CGS_OK);
    ck_assert_int_eq(context.host_bytes, 0);
    return extremes;
}

static void look_at(double value, const double point[3], struct cgs_extremes *e)
{
    if (value < e->least) {
        e->least = value;
        memcpy(e->least_at, point, sizeof e->least_at);
    }
    if (value > e->most) {
        e->most = value;
        memcpy(e->most_at, point, sizeof e->most_at);
    }
}

/* The oracle: every corner of every cell, 4-point Gauss. */
static struct cgs_extremes direct(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                                  const double *x)
{
    struct cgs_extremes e = {.least = INFINITY, .most = -INFINITY};
    for (int64_t cell = 0; cell < cells_of(mesh); cell++) {
        int64_t c[3];
        double value[8], corner[24];
        cell_at(mesh, cell, c);
        cgs_mesh_corners(mesh, c[0], c[1], c[2], corner);
        for (int a = 0; a < 8; a++) {
            int64_t i[3];
            double at[3], point[3], gradient[3], f;
            for (int k = 0; k < 3; k++) {
                i[k] = c[k] + (a >> k & 1);
                at[k] = (double)i[k] * mesh->h[k];
            }
            exact(problem, mesh, at, &value[a], gradient, &f); /* on the boundary */
            const int64_t row = row_of_node(mesh, i);
            value[a] = row < 0 ? problem->boundary_values ? value[a] : 0.0 : x[row];
            position(mesh, i, point);
            look_at(value[a], point, &e);
        }
        for (int q = 0; q < 64; q++) {
            double s[3], u = 0.0;
            const double weight = cgs_gauss_point(q, s);
            for (int a = 0; a < 8; a++)
                u += cgs_shape(a, s) * value[a];
            e.mean += weight * cgs_jacobian_determinant(corner, s) * u;
        }
    }
    e.mean /= mesh->size[0] * mesh->size[1] * mesh->size[2];
    return e;
}

static void ck_same(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    double *x = solution(problem, mesh);
    for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++)
        x[i] += cgs_random((uint64_t)i + 7);
    const struct cgs_extremes expected = direct(problem, mesh, x), one = find(problem, mesh, x, 1);
    ck_assert_double_eq_tol(one.least, expected.least, 8 * EPS * fabs(expected.least));
    ck_assert_double_eq_tol(one.most, expected.most, 8 * EPS * fabs(expected.most));
    ck_assert_double_eq_tol(one.mean, expected.mean, 1e-14 * fmax(-one.least, one.most));
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(one.least_at[k], expected.least_at[k], 1e-15 * mesh->size[k]);
        ck_assert_double_eq_tol(one.most_at[k], expected.most_at[k], 1e-15 * mesh->size[k]);
    }
    for (int threads = 2; threads <= 5; threads++) {
        const struct cgs_extremes more = find(problem, mesh, x, threads);
        ck_assert_mem_eq(&more, &one, sizeof one);
    }
    free(x);
}

LOOP_TEST(cubes_deformed_or_not, 2 * MESHES)
{
    const struct cgs_problem problem = named(_i % 2 ? "boundary" : "smooth");
    const struct cgs_mesh mesh = mesh_number(_i / 2, 11, CGS_GAUSS);
    ck_same(&problem, &mesh);
}

LOOP_TEST(boxes, BOXES)
{
    const struct cgs_problem problem = named("boundary");
    const struct cgs_mesh mesh = box_number(_i, CGS_BLENDED, CGS_KAPPA_ONE, 1.0);
    ck_same(&problem, &mesh);
}

/* Faces with values, fluxes, transfers and periodic ones: nodes beyond free faces hold nothing,
 * those of a face that holds u the value that is given. u is linear where it is not held, or
 * depends on z alone where x is periodic. */
LOOP_TEST(faces_of_all_kinds, 3)
{
    struct cgs_context context;
    struct cgs_user_problem user;
    struct cgs_mesh mesh;
    cgs_context_init(&context);
    user_with_faces(&context, _i == 2 ? "2-4*z" : "1+2*x-3*y+4*z", _i, &user, &mesh);
    const struct cgs_problem problem = {.user = &user};
    const int64_t held = context.host_bytes;
    double *x = solution(&problem, &mesh);
    const struct cgs_slab whole = cgs_slab_whole(&mesh);
    struct cgs_extremes e;
    ck_assert_int_eq(cgs_extremes_find(&context, &problem, &mesh, &whole, x, NULL, &e), CGS_OK);
    ck_assert_int_eq(context.host_bytes, held);
    const struct cgs_extremes expected =
        _i == 2 ? (struct cgs_extremes){.least_at[2] = 0.5, .most = 2.0, .mean = 1.0}
                : (struct cgs_extremes){.least = -5.0,
                                        .least_at[1] = 2.0,
                                        .most = 5.0,
                                        .most_at = {1.0, 0.0, 0.5},
                                        .mean = 0.0};
    ck_assert_double_eq_tol(e.least, expected.least, 1e-14);
    ck_assert_double_eq_tol(e.most, expected.most, 1e-14);
    ck_assert_double_eq_tol(e.mean, expected.mean, 1e-14);
    for (int k = 0; k < 3; k++) {
        ck_assert(e.least_at[k] == expected.least_at[k]);
        ck_assert(e.most_at[k] == expected.most_at[k]);
    }
    free(x);
    cgs_user_release(&context, &user);
}

/* Order p: least and most of all nodes, the mean of a polynomial of degree p, which is exact. */
LOOP_TEST(orders, 7)
{
    const int p = 2 + _i;
    const struct cgs_problem problem = named("smooth");
    const int64_t n[3] = {3 * p - 1, p - 1, 2 * p - 1};
    const double size[3] = {1.0, 0.5, 2.0};
    struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    struct cgs_extremes expected = {.mean = 1.0};
    double *x = malloc(sizeof *x * (size_t)cgs_mesh_rows(&mesh));
    mesh.order = p;
    for (int64_t row = 0; row < cgs_mesh_rows(&mesh); row++) {
        const int64_t i[3] = {row % n[0] + 1, row / n[0] % n[1] + 1, row / (n[0] * n[1]) + 1};
        double at[3];
        cgs_mesh_node(&mesh, i, at);
        x[row] = 1.0;
        for (int k = 0; k < 3; k++) {
            const double t = at[k] / size[k];
            x[row] *= t * (1.0 - t) * (1.0 - 1.5 * pow(t, p - 2));
        }
        look_at(x[row], at, &expected);
    }
    for (int k = 0; k < 3; k++)
        expected.mean *= 1.0 / 6.0 - 1.5 / (p * (p + 1.0));
    const struct cgs_extremes one = find(&problem, &mesh, x, 1), more = find(&problem, &mesh, x, 3);
    ck_assert_double_eq(one.least, expected.least);
    ck_assert_double_eq(one.most, expected.most);
    ck_assert_double_eq_tol(one.mean, expected.mean, 1e-16);
    if (one.least < 0.0)
        ck_assert_mem_eq(one.least_at, expected.least_at, sizeof one.least_at);
    if (one.most > 0.0)
        ck_assert_mem_eq(one.most_at, expected.most_at, sizeof one.most_at);
    ck_assert_mem_eq(&more, &one, sizeof one);
    free(x);
}

int main(void)
{
    return run_tests("extremes", 60, NULL, NULL);
}
