/* Error norms on a general mesh: 4-point Gauss in each cell and direction,
 *
 *     |u_h - u|^2 = sum over cells and 64 points of w_q det J_q (u_h - u)^2(x_q),
 *
 * the same for the gradient (grad u_h = J^-T grad_s u_h), and for the energy with kappa of the
 * cell. Eight cells at a time. The exact solution at the 64 points comes from polynomials
 * (polynomials.h) if cells are small enough for these to be exact to rounding, else from its
 * formula: about 1 us a cell and core.
 *
 * Same bits for any number of threads and ranks: each plane of cells is summed by one thread into
 * its own place, and the planes are added pairwise afterwards.
 */
#include "fem/errors_cells.h"

#include <math.h>
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "fem/element/polynomials.h"
#include "fem/exact.h"

enum { PADDING = 16, POINTS = 64 };

struct sweep {
    const struct cgs_problem *problem;
    struct cgs_cells cells;
    const struct cgs_slab *slab;
    const double *x; /* from plane slab->lower on */
    int64_t stride; /* distance of lines of nodes */
    double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV];
};

/* Writes u at the nodes of the line (iy, iz) to `exact` and u_h to `mine`: the unknowns, and u on
 * the boundary. */
static void node_lines(const struct sweep *sweep, int64_t iy, int64_t iz, double *exact,
                       double *mine)
{
    const int64_t *size = sweep->cells.mesh->n, n = size[0];
    cgs_exact_line(sweep->problem, &sweep->cells, iy, iz, exact);
    for (int64_t i = 0; i <= n + 1; i++)
        mine[i] = exact[i];
    if (iy < 1 || iy > size[1] || iz < 1 || iz > size[2])
        return;
    for (int64_t i = 1; i <= n; i++)
        mine[i] = sweep->x[((iz - 1 - sweep->slab->lower) * size[1] + iy - 1) * n + i - 1];
}

static void add_nodal(int64_t n, const double *exact, const double *mine,
                      struct cgs_point_sums *sums)
{
    for (int64_t i = 1; i <= n; i++) {
        const double error = mine[i] - exact[i];
        sums->nodal += error * error;
        sums->max = fabs(error) > sums->max ? fabs(error) : sums->max;
    }
}

/* u (the sum of the terms) and its gradient at one point x of eight cells, from its formula. */
CGS_PIECE cgs_lanes exact_at(const struct cgs_problem *problem, const double over[3],
                             const cgs_lanes position[3], cgs_lanes gradient[3])
{
    cgs_lanes u;
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        const double point[3] = {position[0][i] * over[0], position[1][i] * over[1],
                                 position[2][i] * over[2]};
        const struct cgs_exact exact = cgs_exact_at(problem, over, point);
        u[i] = exact.u;
        for (int k = 0; k < 3; k++)
            gradient[k][i] = exact.gradient[k];
    }
    return u;
}

/* u_h and its gradient in s at one point, from the values at the corners. */
CGS_PIECE cgs_lanes interpolate(const cgs_lanes *corner_value, const double *s, cgs_lanes slope[3])
{
    cgs_lanes value = corner_value[0] * cgs_shape(0, s);
    for (int a = 0; a < 8; a++) {
        double g[3];
        cgs_shape_gradient(a, s, g);
        if (a > 0)
            value += corner_value[a] * cgs_shape(a, s);
        for (int k = 0; k < 3; k++)
            slope[k] = a == 0 ? corner_value[a] * g[k] : slope[k] + corner_value[a] * g[k];
    }
    return value;
}

/* Data of eight cells for the sums over their points. */
struct batch {
    cgs_lanes corner[24], value[8], kappa, share; /* share: factor of the terms */
    double origin[3][CGS_CELL_LANES];             /* x of the lower corner */
};

CGS_PIECE void look_at_cells(const struct sweep *sweep, int64_t cx, int64_t cy, int64_t cz,
                             const double *const line[4], struct batch *batch)
{
    const struct cgs_cells *cells = &sweep->cells;
    const bool divided = sweep->problem->over_kappa && cells->mesh->kappa.kind == CGS_KAPPA_JUMP;
    cgs_cells_corners(cells, cx, cy, cz, batch->corner);
    batch->kappa = cgs_cells_kappa(cells, 0, cx, cy, cz);
    for (int a = 0; a < 8; a++)
        CGS_LANES_LOAD(batch->value[a], line[a >> 1] + cx + (a & 1));
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        double node[3];
        cgs_cells_node(cells, cx + i, cy, cz, node);
        batch->share[i] = divided ? 1.0 / batch->kappa[i] : 1.0;
        for (int k = 0; k < 3; k++)
            batch->origin[k][i] = cells->mesh->size[k] * node[k];
    }
}

/* Squared errors of cells cx ... cx + 7, one sum a cell, and their kappa. */
static CGS_CLONES void sum_cells(const struct sweep *sweep, int64_t cx, int64_t cy, int64_t cz,
                                 const double *const line[4], double l2[CGS_CELL_LANES],
                                 double h1[CGS_CELL_LANES], double kappa[CGS_CELL_LANES])
{
    const int64_t *n = sweep->cells.mesh->n;
    const double *over = sweep->cells.over;
    const bool direct =
        n[0] < CGS_POLYNOMIALS_FROM || n[1] < CGS_POLYNOMIALS_FROM || n[2] < CGS_POLYNOMIALS_FROM;
    struct cgs_polynomials polynomials;
    struct batch batch;
    cgs_lanes sum_l2 = {0.0}, sum_h1 = {0.0};
    look_at_cells(sweep, cx, cy, cz, line, &batch);
    if (!direct)
        cgs_polynomials_fit(sweep->problem, over, sweep->cosine, batch.corner, batch.origin,
                            &polynomials);
    for (int q = 0; q < POINTS; q++) {
        double s[3];
        cgs_lanes adjugate[9], slope[3], point[3], gradient[3];
        const double weight = cgs_gauss_point(q, s);
        for (int k = 0; k < 3; k++) {
            CGS_LANES_LOAD(point[k], batch.origin[k]);
            for (int a = 0; a < 8; a++)
                point[k] += batch.corner[3 * a + k] * cgs_shape(a, s);
        }
        const cgs_lanes u = direct ? exact_at(sweep->problem, over, point, gradient)
                                   : cgs_polynomials_at(&polynomials, point, gradient);
        const cgs_lanes error = interpolate(batch.value, s, slope) - u * batch.share;
        const cgs_lanes determinant = cgs_lanes_jacobian_adjugate(batch.corner, s, adjugate);
        const cgs_lanes measure = weight * determinant, inverse = 1.0 / determinant;
        sum_l2 += measure * (error * error);
        for (int k = 0; k < 3; k++) {
            const cgs_lanes g =
                (adjugate[k] * slope[0] + adjugate[3 + k] * slope[1] + adjugate[6 + k] * slope[2]) *
                    inverse -
                gradient[k] * batch.share;
            sum_h1 += measure * (g * g);
        }
    }
    CGS_LANES_STORE(l2, sum_l2);
    CGS_LANES_STORE(h1, sum_h1);
    CGS_LANES_STORE(kappa, batch.kappa);
}

/* The line of cells (cy, cz) between these four lines of nodes: [bit y + 2 bit z]. */
static void sum_line(const struct sweep *sweep, int64_t cy, int64_t cz, const double *const line[4],
                     struct cgs_point_sums *sums)
{
    const int64_t n = sweep->cells.mesh->n[0];
    for (int64_t cx = 0; cx <= n; cx += CGS_CELL_LANES) {
        double l2[CGS_CELL_LANES], h1[CGS_CELL_LANES], kappa[CGS_CELL_LANES];
        sum_cells(sweep, cx, cy, cz, line, l2, h1, kappa);
        for (int i = 0; i < CGS_CELL_LANES && cx + i <= n; i++) {
            sums->l2 += l2[i];
            sums->h1 += h1[i];
            sums->energy += kappa[i] * h1[i];
        }
    }
}

/* The plane of cells cz; `memory`: the thread's five lines, four of u_h and one of u. */
static struct cgs_point_sums sum_plane(const struct sweep *sweep, int64_t cz, double *memory)
{
    const int64_t *n = sweep->cells.mesh->n, stride = sweep->stride;
    double *mine[2][2], *exact = memory + 4 * stride; /* [iy & 1][upper plane] */
    struct cgs_point_sums sums = {0};
    for (int i = 0; i < 4; i++)
        mine[i & 1][i >> 1] = memory + i * stride;
    for (int64_t iy = 0; iy <= n[1] + 1; iy++) {
        node_lines(sweep, iy, cz, exact, mine[iy & 1][0]);
        node_lines(sweep, iy, cz + 1, exact, mine[iy & 1][1]);
        if (iy >= 1 && iy <= n[1] && cz < n[2])
            add_nodal(n[0], exact, mine[iy & 1][1], &sums);
        if (iy == 0)
            continue;
        const double *const line[4] = {mine[1 - (iy & 1)][0], mine[iy & 1][0],
                                       mine[1 - (iy & 1)][1], mine[iy & 1][1]};
        sum_line(sweep, iy - 1, cz, line, &sums);
    }
    return sums;
}

/* All planes, added pairwise into planes[0]. */
static enum cgs_status sum_planes(struct cgs_context *context, const struct sweep *sweep,
                                  double *lines, struct cgs_point_sums *planes)
{
    enum { NUMBERS = sizeof *planes / sizeof(double) };
    const int64_t count = sweep->cells.mesh->n[2] + 1;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t k = sweep->slab->first; k < sweep->slab->last; k++)
        planes[k] = sum_plane(sweep, k, lines + omp_get_thread_num() * 5 * sweep->stride);
    CGS_TRY(cgs_slab_complete(context, sweep->slab, NUMBERS, planes));
    for (int64_t width = 1; width < count; width *= 2)
        for (int64_t k = 0; k + width < count; k += 2 * width)
            cgs_point_sums_add(&planes[k], &planes[k + width]);
    return CGS_OK;
}

struct cgs_errors cgs_errors_of_points(const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh,
                                       const struct cgs_point_sums *sums)
{
    struct cgs_errors errors = {
        .nodal_l2 = sqrt(cgs_mesh_cell(mesh) * sums->nodal),
        /* Comparisons skip NaN; the sum does not. */
        .max = isnan(sums->nodal) ? sums->nodal : sums->max,
        .integral = cgs_problem_known(problem, mesh) == CGS_KNOWN_EVERYWHERE,
    };
    if (errors.integral) {
        errors.l2 = sqrt(sums->l2);
        errors.h1 = sqrt(sums->h1);
        errors.energy = sqrt(sums->energy);
    }
    return errors;
}

enum cgs_status cgs_errors_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_errors *errors)
{
    struct sweep sweep = {
        .problem = problem, .slab = slab, .x = x, .stride = mesh->n[0] + 2 + PADDING};
    const int64_t numbers = context->threads * 5 * sweep.stride;
    double *lines = NULL;
    struct cgs_point_sums *planes = NULL;
    cgs_polynomials_cosines(sweep.cosine);
    enum cgs_status status = cgs_cells_create(context, mesh, &sweep.cells);
    const bool created = status == CGS_OK;
    if (status == CGS_OK)
        status =
            cgs_alloc(context, numbers, sizeof *lines, "lines of the error norms", (void **)&lines);
    if (status == CGS_OK)
        status = cgs_alloc(context, mesh->n[2] + 1, sizeof *planes, "sums of the error norms",
                           (void **)&planes);
    status = cgs_slab_agree(context, slab, status);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < numbers; i++)
            lines[i] = 0.0; /* read past the mesh by batches of eight cells */
        status = sum_planes(context, &sweep, lines, planes);
    }
    if (status == CGS_OK)
        *errors = cgs_errors_of_points(problem, mesh, planes);
    cgs_free(context, planes);
    cgs_free(context, lines);
    if (created)
        cgs_cells_release(context, &sweep.cells);
    return status;
}
