/* Error norms on a general mesh: 4-point Gauss in each cell and direction,
 *
 *     |u_h - u|^2 = sum over cells and 64 points of w_q det J_q (u_h - u)^2(x_q),
 *
 * the same for the gradient (grad u_h = J^-T grad_s u_h), and for the energy with kappa of the
 * cell. Eight cells at a time; about 2 us a cell and core, most of it the exact solution at 64
 * points.
 *
 * Same bits for any number of threads: each plane of cells is summed by one thread into a place of
 * its own, and the planes are added pairwise afterwards.
 */
#include "fem/errors_cells.h"

#include <math.h>
#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "fem/exact.h"

enum { PADDING = 16, POINTS = 64 };

/* Sums over one plane of cells and over its upper plane of nodes. */
struct sums {
    double nodal, max, l2, h1, energy;
};

struct sweep {
    const struct cgs_problem *problem;
    struct cgs_cells cells;
    const double *x;
    int64_t stride; /* of a line of nodes */
};

/* 4-point Gauss on [-1, 1], point q of the 4^3. */
static double gauss_point(int q, double s[3])
{
    static const double point[4] = {-0.86113631159405257522, -0.33998104358485626480,
                                    0.33998104358485626480, 0.86113631159405257522};
    static const double weight[4] = {0.34785484513745385737, 0.65214515486254614263,
                                     0.65214515486254614263, 0.34785484513745385737};
    s[0] = point[q & 3];
    s[1] = point[q >> 2 & 3];
    s[2] = point[q >> 4];
    return weight[q & 3] * weight[q >> 2 & 3] * weight[q >> 4];
}

/* u at the nodes of the line (iy, iz) into `exact`, u_h into `mine`: that of the unknowns, and u
 * itself on the boundary. */
static void node_lines(const struct sweep *sweep, int64_t iy, int64_t iz, double *exact,
                       double *mine)
{
    const int64_t n = sweep->cells.mesh->n;
    cgs_exact_line(sweep->problem, &sweep->cells, iy, iz, exact);
    for (int64_t i = 0; i <= n + 1; i++)
        mine[i] = exact[i];
    if (iy < 1 || iy > n || iz < 1 || iz > n)
        return;
    for (int64_t i = 1; i <= n; i++)
        mine[i] = sweep->x[((iz - 1) * n + iy - 1) * n + i - 1];
}

static void add_nodal(int64_t n, const double *exact, const double *mine, struct sums *sums)
{
    for (int64_t i = 1; i <= n; i++) {
        const double error = mine[i] - exact[i];
        sums->nodal += error * error;
        sums->max = fabs(error) > sums->max ? fabs(error) : sums->max;
    }
}

/* What the exact solution gives at one point of eight cells. */
struct exact_lanes {
    cgs_lanes u, gradient[3];
};

/* `position`: of the eight points; over: what u is divided by in each cell. */
static struct exact_lanes exact_at(const struct cgs_problem *problem,
                                   double position[3][CGS_CELL_LANES],
                                   const double over[CGS_CELL_LANES])
{
    struct exact_lanes lanes;
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        const double point[3] = {position[0][i], position[1][i], position[2][i]};
        const struct cgs_exact exact = cgs_exact_at(problem, point);
        lanes.u[i] = exact.u / over[i];
        for (int k = 0; k < 3; k++)
            lanes.gradient[k][i] = exact.gradient[k] / over[i];
    }
    return lanes;
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

/* Sums of eight cells, apart: l2, h1. */
struct lane_sums {
    cgs_lanes l2, h1;
};

static CGS_CLONES void sum_cells(const struct sweep *sweep, int64_t cx, int64_t cy, int64_t cz,
                                 const double *const line[4], double l2[CGS_CELL_LANES],
                                 double h1[CGS_CELL_LANES], double kappa[CGS_CELL_LANES])
{
    const struct cgs_cells *cells = &sweep->cells;
    const struct cgs_mesh *mesh = cells->mesh;
    const bool divided = sweep->problem->over_kappa && mesh->kappa.kind == CGS_KAPPA_JUMP;
    struct lane_sums sums = {{0.0}, {0.0}};
    cgs_lanes corner[24], value[8];
    double over[CGS_CELL_LANES], origin[3][CGS_CELL_LANES], position[3][CGS_CELL_LANES];
    cgs_cells_corners(cells, cx, cy, cz, corner);
    const cgs_lanes coefficient = cgs_cells_kappa(cells, cx, cy, cz);
    CGS_LANES_STORE(kappa, coefficient);
    for (int a = 0; a < 8; a++)
        CGS_LANES_LOAD(value[a], line[a >> 1] + cx + (a & 1));
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        double node[3];
        cgs_cells_node(cells, cx + i, cy, cz, node);
        over[i] = divided ? kappa[i] : 1.0;
        for (int k = 0; k < 3; k++)
            origin[k][i] = node[k];
    }
    for (int q = 0; q < POINTS; q++) {
        double s[3];
        cgs_lanes adjugate[9], slope[3];
        const double weight = gauss_point(q, s);
        for (int k = 0; k < 3; k++) {
            cgs_lanes at;
            CGS_LANES_LOAD(at, origin[k]);
            for (int a = 0; a < 8; a++)
                at += corner[3 * a + k] * cgs_shape(a, s);
            CGS_LANES_STORE(position[k], at);
        }
        const struct exact_lanes exact = exact_at(sweep->problem, position, over);
        const cgs_lanes error = interpolate(value, s, slope) - exact.u;
        const cgs_lanes determinant = cgs_lanes_jacobian_adjugate(corner, s, adjugate);
        sums.l2 += weight * determinant * (error * error);
        for (int k = 0; k < 3; k++) {
            const cgs_lanes g =
                (adjugate[k] * slope[0] + adjugate[3 + k] * slope[1] + adjugate[6 + k] * slope[2]) /
                    determinant -
                exact.gradient[k];
            sums.h1 += weight * determinant * (g * g);
        }
    }
    CGS_LANES_STORE(l2, sums.l2);
    CGS_LANES_STORE(h1, sums.h1);
}

/* The line of cells (cy, cz) between these four lines of nodes: [bit y + 2 bit z]. */
static void sum_line(const struct sweep *sweep, int64_t cy, int64_t cz, const double *const line[4],
                     struct sums *sums)
{
    const int64_t n = sweep->cells.mesh->n;
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
static struct sums sum_plane(const struct sweep *sweep, int64_t cz, double *memory)
{
    const int64_t n = sweep->cells.mesh->n, stride = sweep->stride;
    double *mine[2][2], *exact = memory + 4 * stride; /* [iy & 1][upper plane] */
    struct sums sums = {0};
    for (int i = 0; i < 4; i++)
        mine[i & 1][i >> 1] = memory + i * stride;
    for (int64_t iy = 0; iy <= n + 1; iy++) {
        node_lines(sweep, iy, cz, exact, mine[iy & 1][0]);
        node_lines(sweep, iy, cz + 1, exact, mine[iy & 1][1]);
        if (iy >= 1 && iy <= n && cz < n)
            add_nodal(n, exact, mine[iy & 1][1], &sums);
        if (iy == 0)
            continue;
        const double *const line[4] = {mine[1 - (iy & 1)][0], mine[iy & 1][0],
                                       mine[1 - (iy & 1)][1], mine[iy & 1][1]};
        sum_line(sweep, iy - 1, cz, line, &sums);
    }
    return sums;
}

static void add_sums(struct sums *into, const struct sums *other)
{
    into->nodal += other->nodal;
    into->max = other->max > into->max ? other->max : into->max;
    into->l2 += other->l2;
    into->h1 += other->h1;
    into->energy += other->energy;
}

static struct cgs_errors sum_planes(const struct cgs_context *context, const struct sweep *sweep,
                                    double *lines, struct sums *planes)
{
    const int64_t count = sweep->cells.mesh->n + 1;
    const double h = sweep->cells.mesh->h;
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t k = 0; k < count; k++)
        planes[k] = sum_plane(sweep, k, lines + omp_get_thread_num() * 5 * sweep->stride);
    for (int64_t width = 1; width < count; width *= 2)
        for (int64_t k = 0; k + width < count; k += 2 * width)
            add_sums(&planes[k], &planes[k + width]);
    return (struct cgs_errors){
        .nodal_l2 = sqrt(h * h * h * planes[0].nodal),
        /* A comparison passes over NaN; the sum does not. */
        .max = isnan(planes[0].nodal) ? planes[0].nodal : planes[0].max,
        .l2 = sqrt(planes[0].l2),
        .h1 = sqrt(planes[0].h1),
        .energy = sqrt(planes[0].energy),
        .integral = true,
    };
}

enum cgs_status cgs_errors_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const double *x,
                                 struct cgs_errors *errors)
{
    struct sweep sweep = {.problem = problem, .x = x, .stride = mesh->n + 2 + PADDING};
    const int64_t numbers = context->threads * 5 * sweep.stride;
    double *lines = NULL;
    struct sums *planes = NULL;
    CGS_TRY(cgs_cells_create(context, mesh, &sweep.cells));
    enum cgs_status status =
        cgs_alloc(context, numbers, sizeof *lines, "lines of the error norms", (void **)&lines);
    if (status == CGS_OK)
        status = cgs_alloc(context, mesh->n + 1, sizeof *planes, "sums of the error norms",
                           (void **)&planes);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < numbers; i++)
            lines[i] = 0.0; /* what eight cells may read past the mesh */
        *errors = sum_planes(context, &sweep, lines, planes);
    }
    cgs_free(context, planes);
    cgs_free(context, lines);
    cgs_cells_release(context, &sweep.cells);
    return status;
}
