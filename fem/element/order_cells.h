/* Cells of order p > 1 on any mesh of the box: deformed, with a coefficient, by the rule of the
 * nodes or by Gauss's of p + 2 points.
 *
 * The map of a cell is trilinear. All nodes of a deformed mesh move along (1, 1, 1), by L A w with
 * w = w_x w_y w_z, w_k linear in a cell (cgs_mesh_wave), so that with half the length of a cell,
 * a = h/2, and gamma_l = (L A / a) dw/ds_l
 *
 *     J_kl = a (delta_kl + gamma_l),   det J = a^3 (1 + sigma),   sigma = sum_l gamma_l,
 *
 * and by Sherman and Morrison's formula the integral of kappa grad u . grad v over a cell is the
 * sum over the points of weight kappa times slopes'(a G) slopes, slopes in s, with
 *
 *     G_kl = (1 + sigma) delta_kl - gamma_k - gamma_l + |gamma|^2 / (1 + sigma).
 *
 * On the undeformed box, whose cells need not be cubes, a G is diag(a_x a_y a_z / a_k^2).
 *
 * The mass matrix is the sum over the points of weight det J u v.
 *
 * kappa: CGS_KAPPA_SMOOTH at the point, CGS_KAPPA_JUMP a number of a cell, by its octant, as of
 * order 1 (cgs_cell_kappa), CGS_KAPPA_CELLS numbers of a cell or its points (cgs_order_kappa), with
 * which the box is undeformed, its cells of any lengths. Pure inline functions. kernels/ may
 * include it.
 */
#pragma once

#include "fem/element/element.h"
#include "fem/element/lobatto.h"

/* Returns true if the matrix is the star of fem/element/order_line.h. */
CGS_INLINE int cgs_order_star(const struct cgs_mesh *mesh)
{
    return cgs_mesh_plain(mesh) && !mesh->gauss;
}

/* Returns the mesh of order 1 that has the same cells, 0 ... n_k in direction k, without free
 * faces; nodes stay those of `mesh`. */
CGS_INLINE struct cgs_mesh cgs_order_mesh_of_cells(const struct cgs_mesh *mesh)
{
    struct cgs_mesh cells = *mesh;
    int64_t n[3];
    for (int k = 0; k < 3; k++) {
        n[k] = cgs_mesh_cells(mesh, k) / mesh->order - 1;
        cells.open[k] = 0;
    }
    cells.order = 1;
    cells.nodes_order = mesh->nodes_order > 0 ? mesh->nodes_order : mesh->order;
    cgs_mesh_resize(&cells, n);
    for (int k = 0; k < 3; k++)
        cells.nodes[k] = mesh->nodes[k];
    return cells;
}

/* Returns the length of cell c of direction k of cgs_order_mesh_of_cells. */
CGS_INLINE double cgs_order_cell_length(const struct cgs_mesh *cells, int k, int64_t c)
{
    const double *x = cells->nodes[k];
    return x ? x[cells->nodes_order * (c + 1)] - x[cells->nodes_order * c] : cells->h[k];
}

/* Returns kappa.cells of a cell of cgs_order_mesh_of_cells in direction k, at point q of the
 * rule. */
CGS_INLINE double cgs_order_kappa(const struct cgs_mesh *cells, int k, const int64_t at[3], int q)
{
    const int64_t count[3] = {cells->n[0] + 1, cells->n[1] + 1, cells->n[2] + 1};
    return cells->kappa
        .cells[cgs_order_kappa_place(&cells->kappa, count, k, at[0], at[1], at[2], q)];
}

/* Computes the rule of the mesh: of its p + 1 nodes, or of p + 2 Gauss points. */
static inline void cgs_order_rule(const struct cgs_mesh *mesh, struct cgs_basis *basis)
{
    if (mesh->gauss)
        cgs_basis_gauss(mesh->order, mesh->order + 2, basis);
    else
        cgs_basis_lobatto(mesh->order, basis);
}

/* The wave and its half step, w_k = wave[0] + s_k wave[1] in the cell, in each direction; kappa
 * where it is a number of the cell. */
struct cgs_order_cell {
    int64_t at[3];
    double wave[3][2], kappa;
    double half[3]; /* half of its lengths */
};

/* `cells`: cgs_order_mesh_of_cells. */
CGS_INLINE void cgs_order_cell_make(const struct cgs_mesh *cells, int64_t cx, int64_t cy,
                                    int64_t cz, struct cgs_order_cell *cell)
{
    const int64_t at[3] = {cx, cy, cz};
    for (int k = 0; k < 3; k++) {
        double value = 0.0, step = 0.0;
        if (cells->deform != 0.0)
            cgs_mesh_wave(cells, k, at[k], &value, &step);
        cell->at[k] = at[k];
        cell->half[k] = 0.5 * cgs_order_cell_length(cells, k, at[k]);
        cell->wave[k][0] = value + 0.5 * step;
        cell->wave[k][1] = 0.5 * step;
    }
    cell->kappa =
        cells->kappa.kind == CGS_KAPPA_JUMP ? cgs_cell_kappa(cells, cx, cy, cz, NULL) : 1.0;
}

/* A point s of a cell. */
struct cgs_order_point {
    double t[3]; /* x / L, of equal cells */
    double det;  /* det J */
    double kappa;
    double gamma[3], sigma;
    double half[3]; /* a */
};

CGS_INLINE void cgs_order_point_make(const struct cgs_mesh *cells,
                                     const struct cgs_order_cell *cell, const double s[3],
                                     struct cgs_order_point *point)
{
    double w[3], move = cells->deform;
    for (int k = 0; k < 3; k++) {
        w[k] = cell->wave[k][0] + s[k] * cell->wave[k][1];
        move *= w[k];
        point->half[k] = cell->half[k];
    }
    point->sigma = 0.0;
    for (int k = 0; k < 3; k++) {
        const double over = cells->deform * cells->size[k] / point->half[k];
        point->t[k] = ((double)cell->at[k] + 0.5 * (1.0 + s[k])) * cells->step[k] + move;
        point->gamma[k] = over * cell->wave[k][1] * w[(k + 1) % 3] * w[(k + 2) % 3];
        point->sigma += point->gamma[k];
    }
    point->det = point->half[0] * point->half[1] * point->half[2] * (1.0 + point->sigma);
    point->kappa = cells->kappa.kind == CGS_KAPPA_SMOOTH
                       ? 1.0 + point->t[0] + 2.0 * point->t[1] * point->t[2]
                       : cell->kappa;
}

/* Returns entry (k, l) of a G, without kappa. */
CGS_INLINE double cgs_order_metric(const struct cgs_order_point *point, int k, int l)
{
    const double *g = point->gamma, *a = point->half, whole = 1.0 + point->sigma;
    const double squares = (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / whole;
    const double scale = a[0] * a[1] * a[2] / (a[k] * a[l]);
    return scale * ((k == l ? whole : 0.0) - g[k] - g[l] + squares);
}

/* Replaces slopes in s by the gradient in x. */
CGS_INLINE void cgs_order_gradient(const struct cgs_order_point *point, double slope[3])
{
    const double sum = (slope[0] + slope[1] + slope[2]) / (1.0 + point->sigma);
    for (int k = 0; k < 3; k++) /* grad_x = J^-T grad_s */
        slope[k] = (slope[k] - point->gamma[k] * sum) / point->half[k];
}
