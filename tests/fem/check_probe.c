/* fem/probe.h: solutions at points, against functions that trilinear ones have exactly, and their
 * definition on deformed cells. */
#include "fem/probe.h"

#include <math.h>

#include "base/random.h"
#include "fem/element/order_line.h"
#include "fem/mesh.h"
#include "tests/fem/exact.h"
#include "tests/fem/general.h"

static void measure(const struct cgs_problem *problem, const struct cgs_mesh *mesh, const double *x,
                    int64_t count, struct cgs_probe *probes)
{
    struct cgs_context context;
    const struct cgs_slab whole = cgs_slab_whole(mesh);
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_probe_measure(&context, problem, mesh, &whole, x, count, probes), CGS_OK);
    ck_assert_int_eq(context.host_bytes, 0);
}

/* Sets u at the corners of a cell, and their places. */
static void corners(const struct cgs_problem *problem, const struct cgs_mesh *mesh, const double *x,
                    const int64_t c[3], double value[8], double place[8][3])
{
    for (int a = 0; a < 8; a++) {
        int64_t i[3];
        double at[3], gradient[3], f;
        for (int k = 0; k < 3; k++) {
            i[k] = c[k] + (a >> k & 1);
            at[k] = (double)i[k] * mesh->h[k];
        }
        exact(problem, mesh, at, &value[a], gradient, &f); /* on the boundary */
        const int64_t row = row_of_node(mesh, i);
        if (row >= 0)
            value[a] = x[row];
        position(mesh, i, place[a]);
    }
}

/* In each cell a point given by reference coordinates: its place by the trilinear map, u there by
 * the same functions, its derivative along an edge of the reference cell by the chain rule. */
static void ck_cells(const struct cgs_mesh *mesh)
{
    const struct cgs_problem problem = named("boundary");
    double *x = solution(&problem, mesh);
    for (int64_t i = 0; i < cgs_mesh_rows(mesh); i++)
        x[i] += cgs_random((uint64_t)i);
    for (int64_t cell = 0; cell < cells_of(mesh); cell++) {
        int64_t c[3];
        double value[8], place[8][3], s[3], slope[3] = {0.0}, along[3][3] = {{0.0}}, u = 0.0;
        struct cgs_probe probe = {.at = {0.0, 0.0, 0.0}};
        cell_at(mesh, cell, c);
        corners(&problem, mesh, x, c, value, place);
        for (int k = 0; k < 3; k++)
            s[k] = 0.95 * cgs_random((uint64_t)(3 * cell + k));
        for (int a = 0; a < 8; a++) {
            double g[3];
            cgs_shape_gradient(a, s, g);
            u += cgs_shape(a, s) * value[a];
            for (int k = 0; k < 3; k++) {
                probe.at[k] += cgs_shape(a, s) * place[a][k];
                slope[k] += g[k] * value[a];
                for (int l = 0; l < 3; l++)
                    along[k][l] += g[k] * place[a][l];
            }
        }
        measure(&problem, mesh, x, 1, &probe);
        ck_assert_double_eq_tol(probe.value, u, 1e-12);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(probe.gradient[0] * along[k][0] +
                                        probe.gradient[1] * along[k][1] +
                                        probe.gradient[2] * along[k][2],
                                    slope[k], 1e-11);
    }
    free(x);
}

LOOP_TEST(cells_of_cubes, MESHES)
{
    const struct cgs_mesh mesh = mesh_number(_i, 7, CGS_GAUSS);
    ck_cells(&mesh);
}

LOOP_TEST(cells_of_boxes, BOXES)
{
    const struct cgs_mesh mesh = box_number(_i, CGS_GAUSS, CGS_KAPPA_ONE, 1.0);
    ck_cells(&mesh);
}

/* Probes at nodes, also at corners and on faces of the box, have u of the node; a gradient between
 * cells is that of the cell after. */
LOOP_TEST(nodes, 2)
{
    const struct cgs_problem problem = named("boundary");
    const struct cgs_mesh mesh = general(6, CGS_GAUSS, _i ? 0.1 : 0.0, CGS_KAPPA_ONE, 1.0);
    double *x = solution(&problem, &mesh);
    for (int64_t cell = 0; cell < cells_of(&mesh); cell++) {
        int64_t c[3];
        double value[8], place[8][3];
        struct cgs_probe probes[8];
        cell_at(&mesh, cell, c);
        corners(&problem, &mesh, x, c, value, place);
        for (int a = 0; a < 8; a++)
            for (int k = 0; k < 3; k++)
                probes[a].at[k] = place[a][k];
        measure(&problem, &mesh, x, 8, probes);
        for (int a = 0; a < 8; a++)
            ck_assert_double_eq_tol(probes[a].value, value[a], 1e-13);
        if (_i == 0)
            ck_assert_double_eq_tol(probes[0].gradient[0], (value[1] - value[0]) / mesh.h[0],
                                    1e-12);
    }
    free(x);
}

/* A function that trilinear ones have, between faces of all kinds. */
LOOP_TEST(faces_of_all_kinds, 3)
{
    struct cgs_context context;
    struct cgs_user_problem user;
    struct cgs_mesh mesh;
    cgs_context_init(&context);
    user_with_faces(&context, _i == 2 ? "2-4*z+y*z" : "1+2*x-3*y+4*z+x*y*z", _i, &user, &mesh);
    const struct cgs_problem problem = {.user = &user};
    double *x = solution(&problem, &mesh);
    struct cgs_probe probes[64];
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 3; k++)
            probes[i].at[k] =
                mesh.size[k] *
                (i < 8 ? (i >> k & 1) : 0.5 + 0.5 * cgs_random((uint64_t)(3 * i + k)));
    measure(&problem, &mesh, x, 64, probes);
    for (int i = 0; i < 64; i++) {
        const double *p = probes[i].at, *g = probes[i].gradient;
        const double u = _i == 2 ? 2 - 4 * p[2] + p[1] * p[2]
                                 : 1 + 2 * p[0] - 3 * p[1] + 4 * p[2] + p[0] * p[1] * p[2];
        ck_assert_double_eq_tol(probes[i].value, u, 1e-13);
        ck_assert_double_eq_tol(g[0], _i == 2 ? 0 : 2 + p[1] * p[2], 1e-12);
        ck_assert_double_eq_tol(g[1], _i == 2 ? p[2] : -3 + p[0] * p[2], 1e-12);
        ck_assert_double_eq_tol(g[2], _i == 2 ? -4 + p[1] : 4 + p[0] * p[1], 1e-12);
    }
    free(x);
    cgs_user_release(&context, &user);
}

/* A polynomial of degree p in each direction that is 0 at both ends: value and derivative. */
static void polynomial(int p, double t, double g[2])
{
    const double bubble = t * (1.0 - t), rest = 1.0 - 1.5 * pow(t, p - 2);
    g[0] = bubble * rest;
    g[1] = (1.0 - 2.0 * t) * rest - bubble * (p > 2 ? 1.5 * (p - 2) * pow(t, p - 3) : 0.0);
}

/* The product of three of these at a point, and its gradient. */
static double product(const struct cgs_mesh *mesh, const double at[3], double gradient[3])
{
    double g[3][2];
    for (int k = 0; k < 3; k++)
        polynomial(mesh->order, at[k] / mesh->size[k], g[k]);
    for (int k = 0; k < 3; k++)
        gradient[k] = g[k][1] * g[(k + 1) % 3][0] * g[(k + 2) % 3][0] / mesh->size[k];
    return g[0][0] * g[1][0] * g[2][0];
}

/* Cells of order p have polynomials of degree p exactly: at random points, at nodes, between
 * cells, at corners of the box. */
LOOP_TEST(orders, CGS_ORDER_MOST - 1)
{
    const int p = 2 + _i;
    const struct cgs_problem problem = named("smooth");
    const int64_t n[3] = {3 * p - 1, p - 1, 2 * p - 1};
    const double size[3] = {1.0, 0.5, 2.0};
    struct cgs_mesh mesh = cgs_mesh_box(n, size, CGS_GAUSS, 1.0);
    struct cgs_order_line line[3];
    struct cgs_probe probes[48];
    double *x = malloc(sizeof *x * (size_t)cgs_mesh_rows(&mesh)), exact[3];
    mesh.order = p;
    for (int k = 0; k < 3; k++)
        cgs_order_line_make(&mesh, k, &line[k]);
    for (int64_t row = 0; row < cgs_mesh_rows(&mesh); row++) {
        const int64_t i[3] = {row % n[0] + 1, row / n[0] % n[1] + 1, row / (n[0] * n[1]) + 1};
        double at[3], node[3];
        cgs_mesh_node(&mesh, i, node);
        for (int k = 0; k < 3; k++) {
            at[k] = size[k] * cgs_order_coordinate(&line[k], i[k]);
            ck_assert_double_eq_tol(node[k], at[k], 1e-15);
        }
        x[row] = product(&mesh, at, exact);
    }
    for (int i = 0; i < 48; i++)
        for (int k = 0; k < 3; k++) {
            const int64_t node =
                (int64_t)(0.5 * (1.0 + cgs_random((uint64_t)(7 * i + k))) * (double)(n[k] + 2));
            probes[i].at[k] = i < 8    ? size[k] * (i >> k & 1)
                              : i < 16 ? size[k] * cgs_order_coordinate(&line[k], node)
                              : i < 20 ? size[k] * (double)(node / p) / (double)line[k].cells
                                       : size[k] * (0.5 + 0.5 * cgs_random((uint64_t)(3 * i + k)));
        }
    measure(&problem, &mesh, x, 48, probes);
    for (int i = 0; i < 48; i++) {
        ck_assert_double_eq_tol(probes[i].value, product(&mesh, probes[i].at, exact), 1e-14);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(probes[i].gradient[k], exact[k], 1e-12);
    }
    free(x);
}

int main(void)
{
    return run_tests("probe", 60, NULL, NULL);
}
