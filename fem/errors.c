/* Error norms on the plain box: nodal ones by a sum over the nodes, integral ones by splitting
 *
 *     u_h - u = e + d,   e = u_h - I u (nodal values x_i - u(x_i)),   d = I u - u (interpolation),
 *     |u_h - u|^2 = |e|^2 + 2 sum_i e_i (phi_i, d) + |d|^2,
 *
 * in the L2 and in the H1 inner product. With a separable u the last two come from 1-D tables
 * (fem/interpolation.c). The first is exact for a trilinear function: on a cell of edges h_k the
 * 1-D mass and stiffness forms of the end values a, b are diagonal in S = a + b and D = b - a,
 *
 *     mass h/4 S^2 + h/12 D^2,   stiffness 1/h D^2,
 *
 * so that after a Haar transform of the 8 corner values in x, y and z, with Q_c the sum over all
 * cells of the squares of those that are differences in c directions,
 *
 *     |e|^2      = sum_c (h/4)^(3-c) (h/12)^c Q_c                  where cells are cubes,
 *     |grad e|^2 = sum_c (c/h) (h/4)^(3-c) (h/12)^(c-1) Q_c.
 *
 * On other cells the first needs only V = h_x h_y h_z for h^3. In the second a square that is a
 * difference in the directions k of a set K, c in number, has the factor
 *     sum_(k in K) 1/h_k prod_(l not in K) h_l/4 prod_(l in K, l != k) h_l/12 = V/16 3^(1-c) sum_(k in K) 1/h_k^2,
 * so that with P_c the sum over these squares, each times sum_(k in K) 1/h_k^2,
 *
 *     |e|^2 = V/64 sum_c 3^-c Q_c,   |grad e|^2 = V/16 sum_c 3^(1-c) P_c.
 *
 * All of it is 4-point Gauss in each cell and direction, which integrates e^2 and |grad e|^2
 * exactly. Cost: about 60 operations a node in one pass over x, which is read twice, the second
 * time from a cache that holds two planes.
 *
 * Deformed meshes and meshes with a coefficient: fem/errors_cells.c.
 *
 * Same bits for any number of threads and ranks: each plane of cells is summed by one thread into
 * its own place, and the planes are added pairwise afterwards.
 */
#include "fem/errors.h"

#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "fem/element/order_cells.h"
#include "fem/element/tables.h"
#include "fem/errors_cells.h"
#include "fem/interpolation.h"
#include "fem/order/cells.h"
#include "fem/order/errors.h"
#include "fem/user_problem/errors.h"

struct sweep {
    const struct cgs_problem *problem;
    const struct cgs_mesh *mesh;
    const struct cgs_slab *slab;
    const double *x; /* from plane slab->lower on */
    struct cgs_interpolation interpolation;
    int64_t stride;   /* distance of lines of nodes */
    bool cubes;       /* cells are cubes: P_c are left out */
    double weight[3]; /* 1/h_k^2 */
};

/* Working lines of one thread, indexed by node in x. */
enum { BELOW, ABOVE, SUM, DIFFERENCE = SUM + 2, LINES = DIFFERENCE + 2 };

/* e on the line of nodes (j, k); zero on the boundary, where u_h = u. */
static void error_line(const struct sweep *sweep, int64_t j, int64_t k, double *restrict e)
{
    const int64_t n = sweep->mesh->n[0], lines = sweep->mesh->n[1];
    if (j == 0 || j == lines + 1 || k == 0 || k == sweep->mesh->n[2] + 1) {
        memset(e, 0, (size_t)(n + 2) * sizeof *e);
        return;
    }
    e[0] = e[n + 1] = 0.0;
    cgs_tables_solution(sweep->problem, sweep->mesh, &sweep->interpolation.tables, CGS_HAT_NODAL, 0,
                        n, j - 1, k - 1, e + 1);
    const double *restrict x = sweep->x + ((k - 1 - sweep->slab->lower) * lines + (j - 1)) * n;
    for (int64_t i = 0; i < n; i++)
        e[i + 1] = x[i] - e[i + 1];
}

/* Largest of max and all |e|, with one maximum a lane: Clang does not vectorise a loop with a
 * single maximum and warns, GCC makes it slow. */
static double largest(int64_t n, const double *restrict e, double max)
{
    enum { LANES = 8 };
    double most[LANES] = {0.0};
    int64_t i = 1;
    for (; i + LANES - 1 <= n; i += LANES) {
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) {
            const double size = fabs(e[i + lane]);
            most[lane] = size > most[lane] ? size : most[lane];
        }
    }
    for (; i <= n; i++)
        max = fabs(e[i]) > max ? fabs(e[i]) : max;
    for (int lane = 0; lane < LANES; lane++)
        max = most[lane] > max ? most[lane] : max;
    return max;
}

static void add_nodal(int64_t n, const double *restrict e, struct cgs_error_sums *sums)
{
    double squares = 0.0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 1; i <= n; i++)
        squares += e[i] * e[i];
    sums->nodal += squares;
    sums->max = largest(n, e, sums->max);
}

static void add_cross(const struct sweep *sweep, int64_t j, int64_t k, const double *restrict e,
                      struct cgs_error_sums *sums)
{
    const struct cgs_tables *tables = &sweep->interpolation.tables;
    for (int term = 0; term < sweep->problem->terms; term++) {
        const struct cgs_line_weights w = cgs_interpolation_line(tables, term, j, k);
        const double *restrict exact = cgs_table(tables, term, 0, CGS_HAT_EXACT);
        const double *restrict error = cgs_table(tables, term, 0, CGS_HAT_ERROR);
        const double *restrict exact_d = cgs_table(tables, term, 0, CGS_HAT_EXACT_D);
        const double *restrict error_d = cgs_table(tables, term, 0, CGS_HAT_ERROR_D);
        double l2 = 0.0, h1 = 0.0;
#pragma omp simd reduction(+ : l2, h1)
        for (int64_t i = 1; i <= sweep->mesh->n[0]; i++) {
            l2 += e[i] * (w.l2[0] * error[i] + w.l2[1] * exact[i]);
            h1 += e[i] * (w.h1[0] * error[i] + w.h1[1] * exact[i] + w.h1[2] * error_d[i] +
                          w.h1[3] * exact_d[i]);
        }
        sums->cross_l2 += l2;
        sums->cross_h1 += h1;
    }
}

/* One line of cells between node lines 0 and 1; s = sum, d = difference in z. */
static void add_cells(int64_t n, const double *restrict s0, const double *restrict s1,
                      const double *restrict d0, const double *restrict d1,
                      struct cgs_error_sums *sums)
{
    double q0 = 0.0, q1 = 0.0, q2 = 0.0, q3 = 0.0;
#pragma omp simd reduction(+ : q0, q1, q2, q3)
    for (int64_t i = 0; i <= n; i++) {
        double q[4] = {q0, q1, q2, q3};
        cgs_haar_add(s0 + i, s1 + i, d0 + i, d1 + i, q);
        q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
    }
    sums->haar[0] += q0;
    sums->haar[1] += q1;
    sums->haar[2] += q2;
    sums->haar[3] += q3;
}

/* The same line, P_c. */
static void add_slopes(int64_t n, const double *restrict s0, const double *restrict s1,
                       const double *restrict d0, const double *restrict d1, const double *weight,
                       struct cgs_error_sums *sums)
{
    const double w[3] = {weight[0], weight[1], weight[2]};
    double p0 = 0.0, p1 = 0.0, p2 = 0.0;
#pragma omp simd reduction(+ : p0, p1, p2)
    for (int64_t i = 0; i <= n; i++) {
        double p[3] = {p0, p1, p2};
        cgs_haar_add_slopes(s0 + i, s1 + i, d0 + i, d1 + i, w, p);
        p0 = p[0], p1 = p[1], p2 = p[2];
    }
    sums->slope[0] += p0;
    sums->slope[1] += p1;
    sums->slope[2] += p2;
}

/* The plane of cells between node planes k and k + 1; `lines` are this thread's LINES lines. */
static struct cgs_error_sums sum_plane(const struct sweep *sweep, int64_t k, double *lines)
{
    const int64_t n = sweep->mesh->n[0], rows = sweep->mesh->n[1], planes = sweep->mesh->n[2];
    const bool integral = sweep->problem->terms > 0;
    double *restrict below = lines + BELOW * sweep->stride;
    double *restrict above = lines + ABOVE * sweep->stride;
    struct cgs_error_sums sums = {.nodal = 0.0};
    for (int64_t j = 0; j <= rows + 1; j++) {
        error_line(sweep, j, k + 1, above);
        if (j >= 1 && j <= rows && k < planes) {
            add_nodal(n, above, &sums);
            add_cross(sweep, j, k + 1, above, &sums);
        }
        if (!integral)
            continue;
        error_line(sweep, j, k, below);
        double *restrict sum = lines + (SUM + (j & 1)) * sweep->stride;
        double *restrict difference = lines + (DIFFERENCE + (j & 1)) * sweep->stride;
        for (int64_t i = 0; i <= n + 1; i++) {
            sum[i] = above[i] + below[i];
            difference[i] = above[i] - below[i];
        }
        if (j == 0)
            continue;
        const double *sum_before = lines + (SUM + (1 - (j & 1))) * sweep->stride;
        const double *difference_before = lines + (DIFFERENCE + (1 - (j & 1))) * sweep->stride;
        add_cells(n, sum_before, sum, difference_before, difference, &sums);
        if (!sweep->cubes)
            add_slopes(n, sum_before, sum, difference_before, difference, sweep->weight, &sums);
    }
    return sums;
}

static void add_planes(struct cgs_error_sums *into, const struct cgs_error_sums *other)
{
    into->nodal += other->nodal;
    into->max = other->max > into->max ? other->max : into->max;
    into->cross_l2 += other->cross_l2;
    into->cross_h1 += other->cross_h1;
    for (int c = 0; c < 4; c++)
        into->haar[c] += other->haar[c];
    for (int c = 0; c < 3; c++)
        into->slope[c] += other->slope[c];
}

/* All planes, added pairwise into planes[0]. */
static enum cgs_status sum_planes(struct cgs_context *context, const struct sweep *sweep,
                                  double *lines, struct cgs_error_sums *planes)
{
    enum { NUMBERS = sizeof *planes / sizeof(double) };
    const int64_t count = sweep->mesh->n[2] + 1;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t k = sweep->slab->first; k < sweep->slab->last; k++)
        planes[k] = sum_plane(sweep, k, lines + omp_get_thread_num() * LINES * sweep->stride);
    CGS_TRY(cgs_slab_complete(context, sweep->slab, NUMBERS, planes));
    for (int64_t width = 1; width < count; width *= 2)
        for (int64_t k = 0; k + width < count; k += 2 * width)
            add_planes(&planes[k], &planes[k + width]);
    return CGS_OK;
}

struct cgs_errors cgs_errors_of_sums(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                                     const struct cgs_interpolation *interpolation,
                                     const struct cgs_error_sums *total)
{
    const double *q = total->haar, *p = total->slope;
    double l2_e, h1_e;
    if (cgs_mesh_cubic(mesh)) {
        const double h = mesh->h[0], s = h / 4.0, d = h / 12.0;
        l2_e = s * s * s * q[0] + s * s * d * q[1] + s * d * d * q[2] + d * d * d * q[3];
        h1_e = (s * s * q[1] + 2.0 * s * d * q[2] + 3.0 * d * d * q[3]) / h;
    } else {
        const double volume = cgs_mesh_cell(mesh);
        l2_e = volume / 64.0 * (q[0] + q[1] / 3.0 + q[2] / 9.0 + q[3] / 27.0);
        h1_e = volume / 16.0 * (p[0] + p[1] / 3.0 + p[2] / 9.0);
    }
    const double l2 = l2_e + 2.0 * total->cross_l2 + interpolation->l2_squared;
    const double h1 = h1_e + 2.0 * total->cross_h1 + interpolation->h1_squared;
    const bool integral = problem->terms > 0;
    return (struct cgs_errors){
        .nodal_l2 = sqrt(cgs_mesh_cell(mesh) * total->nodal),
        /* Comparisons skip NaN; the sum does not. */
        .max = isnan(total->nodal) ? total->nodal : total->max,
        /* Rounding may make a square negative if u_h is u itself. */
        .l2 = integral ? sqrt(l2 < 0.0 ? 0.0 : l2) : 0.0,
        .h1 = integral ? sqrt(h1 < 0.0 ? 0.0 : h1) : 0.0,
        .energy = integral ? sqrt(h1 < 0.0 ? 0.0 : h1) : 0.0,
        .integral = integral,
    };
}

enum cgs_status cgs_errors_measure(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                   const double *x, struct cgs_errors *errors)
{
    struct sweep sweep = {.problem = problem,
                          .mesh = mesh,
                          .slab = slab,
                          .x = x,
                          .stride = (mesh->n[0] + 2 + 7) / 8 * 8,
                          .cubes = cgs_mesh_cubic(mesh)};
    void *lines = NULL, *planes = NULL;
    for (int k = 0; k < 3; k++)
        sweep.weight[k] = 1.0 / (mesh->h[k] * mesh->h[k]);
    if (mesh->order > 1)
        return (cgs_order_star(mesh) || problem->user ? cgs_order_errors : cgs_order_cells_errors)(
            context, problem, mesh, slab, x, errors);
    if (problem->user)
        return cgs_user_errors(context, problem->user, mesh, slab, x, errors);
    if (problem->terms > 0 && !cgs_mesh_plain(mesh))
        return cgs_errors_cells(context, problem, mesh, slab, x, errors);
    enum cgs_status status = cgs_interpolation_create(context, problem, mesh, &sweep.interpolation);
    const bool created = status == CGS_OK;
    if (status == CGS_OK)
        status = cgs_alloc(context, context->threads * LINES * sweep.stride, sizeof(double),
                           "lines of the error norms", &lines);
    if (status == CGS_OK)
        status = cgs_alloc(context, mesh->n[2] + 1, sizeof(struct cgs_error_sums),
                           "sums of the error norms", &planes);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK)
        status = sum_planes(context, &sweep, lines, planes);
    if (status == CGS_OK)
        *errors = cgs_errors_of_sums(problem, mesh, &sweep.interpolation, planes);
    cgs_free(context, planes);
    cgs_free(context, lines);
    if (created)
        cgs_interpolation_release(context, &sweep.interpolation);
    return status;
}
