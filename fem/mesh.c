/* Checks that no cell of a deformed mesh is inverted.
 *
 * Only a cube of cubes (cgs_mesh_cubic) is deformed; t = x/L and its h = 1/(n + 1) below. All nodes
 * move along (1, 1, 1), so that det J = (h/2)^3 (1 + A m) with a number m of the point: linear in
 * A. Its minimum, 1 + A m_min, shows by how much A is too large.
 *
 * For most A the cells need not be visited. At a corner the slopes of the trilinear map are the
 * differences of S_i = sin(pi x_i) along the edges there, so that with s_k = S in direction k, c_k
 * its difference quotient, |c_k| <= pi (|cos(pi x_k)| + pi h/2),
 *
 *     |m| <= |c_x s_y s_z| + |s_x c_y s_z| + |s_x s_y c_z| <= pi (2/sqrt(3) + 3 pi h/2).
 *
 * For angles t_k = pi/2 - pi x_k in [0, pi/2] the sum without h is sum_k sin t_k prod_l cos t_l =
 * sin 3u + prod_k sin t_k with u their mean, at most sin 3u + sin^3 u = 3 sin u - 3 sin^3 u, since
 * log sin is concave, and that is at most 2/sqrt(3), at sin^2 u = 1/3.
 */
#include "fem/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "fem/element/cells.h"
#include "fem/element/lobatto.h"
#include "fem/grading.h"

/* Smallest determinant found, in units of the plain cell's, and its position. */
struct worst {
    double determinant;
    int64_t cell[3];
};

/* Minima over the 8 corners of cells cx ... cx + 7 of a line, one a cell. */
static CGS_CLONES void least_of_corners(const struct cgs_cells *cells, int64_t cx, int64_t cy,
                                        int64_t cz, double least[CGS_CELL_LANES])
{
    cgs_lanes corner[24];
    cgs_cells_corners(cells, cx, cy, cz, corner);
    for (int a = 0; a < 8; a++) {
        double s[3], determinant[CGS_CELL_LANES];
        for (int k = 0; k < 3; k++)
            s[k] = cgs_node_side(a, k);
        const cgs_lanes lanes = cgs_lanes_jacobian_determinant(corner, s);
        CGS_LANES_STORE(determinant, lanes);
        for (int i = 0; i < CGS_CELL_LANES; i++)
            least[i] = a == 0 || determinant[i] < least[i] ? determinant[i] : least[i];
    }
}

static void look_at_plane(const struct cgs_cells *cells, int64_t cz, struct worst *worst)
{
    const int64_t *n = cells->mesh->n;
    double least[CGS_CELL_LANES];
    for (int64_t cy = 0; cy <= n[1]; cy++)
        for (int64_t cx = 0; cx <= n[0]; cx++) {
            if (cx % CGS_CELL_LANES == 0)
                least_of_corners(cells, cx, cy, cz, least);
            if (least[cx % CGS_CELL_LANES] < worst->determinant)
                *worst = (struct worst){least[cx % CGS_CELL_LANES], {cx, cy, cz}};
        }
}

/* Returns true if a comes first: of equal ones the first, for any number of threads. */
static bool before(const struct worst *a, const struct worst *b)
{
    if (a->determinant != b->determinant)
        return a->determinant < b->determinant;
    for (int k = 2; k >= 0; k--)
        if (a->cell[k] != b->cell[k])
            return a->cell[k] < b->cell[k];
    return false;
}

/* Upper bound of |m|. */
static double steepest(const struct cgs_mesh *mesh)
{
    const double pi = 3.14159265358979323846;
    return pi * (2.0 / sqrt(3.0) + 1.5 * pi * (mesh->h[0] / mesh->size[0]));
}

enum cgs_status cgs_mesh_check(struct cgs_context *context, const struct cgs_mesh *mesh)
{
    const double plain = cgs_mesh_cell(mesh) / 8.0;
    struct worst worst = {.determinant = HUGE_VAL};
    struct cgs_cells cells;
    if (fabs(mesh->deform) * steepest(mesh) < 0.999)
        return CGS_OK;
    CGS_TRY(cgs_cells_create(context, mesh, &cells));
#pragma omp parallel num_threads(context->threads)
    {
        struct worst own = {.determinant = HUGE_VAL};
#pragma omp for schedule(static)
        for (int64_t cz = 0; cz <= mesh->n[2]; cz++)
            look_at_plane(&cells, cz, &own);
#pragma omp critical
        if (before(&own, &worst))
            worst = own;
    }
    cgs_cells_release(context, &cells);
    const double least = worst.determinant / plain;
    if (least > 0.0)
        return CGS_OK;
    /* Root of 1 + A m, rounded towards zero to three digits, so that it can be typed. */
    const double fits = trunc(1e3 * mesh->deform / (1.0 - least)) / 1e3;
    return cgs_fail(context, CGS_USAGE,
                    "\1deform=%g turns cell (%" PRId64 ", %" PRId64 ", %" PRId64
                    ") of 0 ... %" PRId64 " inside out: its Jacobian's determinant is %.3g of the "
                    "plain cell's at a corner; %s%.3f keeps all cells right",
                    mesh->deform, worst.cell[0], worst.cell[1], worst.cell[2], mesh->n[0], least,
                    mesh->deform > 0.0 ? "less than " : "more than ", fits);
}

void cgs_mesh_wrap_plane(const struct cgs_mesh *mesh, double *plane)
{
    const int64_t *n = mesh->n, line = n[0] + 2;
    for (int64_t iy = 0; iy <= n[1] + 1 && cgs_periodic(mesh->open[0]); iy++) {
        plane[iy * line] = plane[iy * line + n[0]];
        plane[iy * line + n[0] + 1] = plane[iy * line + 1];
    }
    if (!cgs_periodic(mesh->open[1]))
        return;
    memcpy(plane, plane + n[1] * line, (size_t)line * sizeof *plane);
    memcpy(plane + (n[1] + 1) * line, plane + line, (size_t)line * sizeof *plane);
}

struct cgs_mesh cgs_mesh_of_order(const struct cgs_mesh *mesh, int order)
{
    struct cgs_mesh made = *mesh;
    int64_t n[3];
    for (int k = 0; k < 3; k++) {
        const int64_t steps = cgs_mesh_cells(mesh, k); /* between nodes */
        n[k] = steps / mesh->order * order + mesh->n[k] - steps;
    }
    made.order = order;
    made.nodes_order = mesh->nodes_order > 0 ? mesh->nodes_order : mesh->order;
    cgs_mesh_resize(&made, n);
    made.grading = mesh->grading;
    memcpy(made.nodes, mesh->nodes, sizeof made.nodes);
    return made;
}

void cgs_mesh_place(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                    double point[3])
{
    double move = mesh->deform, part[3];
    for (int k = 0; k < 3; k++) {
        double value = 1.0, step = 0.0;
        part[k] = 0.5 * (1.0 + s[k]);
        if (mesh->deform != 0.0)
            cgs_mesh_wave(mesh, k, cell[k], &value, &step);
        move *= part[k] > 0.0 ? value + part[k] * step : value;
    }
    for (int k = 0; k < 3; k++) {
        const int64_t c = cell[k];
        double at = mesh->grading ? cgs_grading_node(mesh, k, c) : cgs_mesh_coordinate(mesh, k, c);
        if (part[k] > 0.0)
            at += part[k] * (mesh->grading ? cgs_grading_node(mesh, k, c + 1) - at : mesh->step[k]);
        point[k] = mesh->grading ? at : mesh->size[k] * (at + move);
    }
}

void cgs_mesh_node(const struct cgs_mesh *mesh, const int64_t i[3], double point[3])
{
    const struct cgs_mesh cells = cgs_mesh_of_order(mesh, 1);
    struct cgs_lobatto lobatto;
    int64_t cell[3];
    double s[3] = {-1.0, -1.0, -1.0};
    if (mesh->order > 1)
        cgs_lobatto_make(mesh->order, &lobatto);
    for (int k = 0; k < 3; k++) {
        const int64_t first = mesh->open[k] & 1;
        cell[k] = first + (i[k] - first) / mesh->order;
        if (mesh->order > 1)
            s[k] = lobatto.point[(i[k] - first) % mesh->order];
    }
    cgs_mesh_place(&cells, cell, s, point);
}

/* Returns kappa in the middle of a cell of order p > 1: the mean of the points beside it. */
static double middle_kappa(const struct cgs_mesh *mesh, int k, const int64_t cell[3])
{
    const int m = mesh->kappa.points, beside[2] = {(m - 1) / 2, m / 2};
    int64_t at[3], cells[3];
    double sum = 0.0;
    for (int d = 0; d < 3; d++) {
        at[d] = cell[d] - (mesh->open[d] & 1);
        cells[d] = cgs_mesh_cells(mesh, d) / mesh->order;
    }
    for (int i = 0; i < 8; i++) {
        const int q = (beside[i >> 2] * m + beside[i >> 1 & 1]) * m + beside[i & 1];
        sum += mesh->kappa
                   .cells[cgs_order_kappa_place(&mesh->kappa, cells, k, at[0], at[1], at[2], q)];
    }
    return 0.125 * sum;
}

double cgs_mesh_kappa(const struct cgs_mesh *mesh, int k, const int64_t cell[3])
{
    if (mesh->kappa.points > 0)
        return middle_kappa(mesh, k, cell);
    const struct cgs_cell_wave wave = cgs_mesh_cell_wave(mesh, cell[0], cell[1], cell[2]);
    return cgs_cell_kappa_along(mesh, k, cell[0], cell[1], cell[2], &wave) /
           cgs_grading_along(mesh, k, cell);
}

void cgs_mesh_gradient(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                       double gradient[3])
{
    const double g[3] = {gradient[0], gradient[1], gradient[2]};
    double corner[24], adjugate[9];
    cgs_mesh_corners(mesh, cell[0], cell[1], cell[2], corner);
    const double determinant = cgs_jacobian_adjugate(corner, s, adjugate);
    for (int k = 0; k < 3; k++)
        gradient[k] = (adjugate[k] * g[0] + adjugate[3 + k] * g[1] + adjugate[6 + k] * g[2]) /
                      (determinant * cgs_grading_stretch(mesh, k, cell[k]));
}

void cgs_mesh_flux(const struct cgs_mesh *mesh, const int64_t cell[3], const double s[3],
                   double flux[3])
{
    cgs_mesh_gradient(mesh, cell, s, flux);
    for (int k = 0; k < 3; k++)
        flux[k] *= -cgs_mesh_kappa(mesh, k, cell);
}

void cgs_mesh_undeform(const struct cgs_mesh *mesh, double point[3])
{
    enum { HALVINGS = 52 };
    const double pi = 3.14159265358979323846;
    double low = fmax(point[0], fmax(point[1], point[2])) - 1.0;
    double high = fmin(point[0], fmin(point[1], point[2]));
    for (int i = 0; i < HALVINGS && mesh->deform != 0.0; i++) {
        const double d = 0.5 * (low + high);
        const double s =
            sin(pi * (point[0] - d)) * sin(pi * (point[1] - d)) * sin(pi * (point[2] - d));
        if (d < mesh->deform * s)
            low = d;
        else
            high = d;
    }
    for (int k = 0; k < 3 && mesh->deform != 0.0; k++)
        point[k] -= 0.5 * (low + high);
    for (int k = 0; k < 3; k++)
        point[k] = cgs_grading_undo(mesh, k, point[k]);
}
