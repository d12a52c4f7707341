/* A line of cells of order p > 1 with Gauss-Lobatto nodes and the rule of the same points: its mass
 * matrix is diagonal, and the matrix of the box a star,
 *
 *     A = K_x (x) M_y (x) M_z + M_x (x) K_y (x) M_z + M_x (x) M_y (x) K_z + c M_x (x) M_y (x) M_z.
 *
 * Pure inline functions. Cell c has the nodes p c ... p c + p. Unknowns are the nodes that no face
 * holds:
 *
 *     end        node at the end         unknowns of c cells
 *     held       has the value given     p c + 1, less one for each held end
 *     free       is an unknown; a coefficient of transfer adds to its entry of K's diagonal
 *     periodic   node p c is node 0      p c
 *
 * kernels/ may include it.
 */
#pragma once

#include <stdint.h>

#include "fem/element/element.h"
#include "fem/element/lobatto.h"

enum { CGS_ORDER_ROW = 2 * CGS_ORDER_MOST + 1 }; /* most entries of a row of K_d */

struct cgs_order_line {
    int order, open; /* open: free ends, or CGS_PERIODIC, as in struct cgs_mesh */
    int64_t n, cells;
    int64_t first;      /* the node of unknown 0: 0 or 1 */
    double size;        /* of the line */
    double length;      /* of a cell, the mean where cells differ */
    const double *x;    /* coordinates of nodes; borrowed; NULL: equal cells */
    int step;           /* in x from one end of a cell to the next; the order, or a finer grid's */
    double transfer[2]; /* of the low and of the high end */
    double point[CGS_NODES_MOST];
    double mass[CGS_NODES_MOST];                   /* of the nodes of a cell of this length */
    double stiff[CGS_NODES_MOST * CGS_NODES_MOST]; /* its matrix, symmetric to the bit */
};

/* Makes the line of direction k of a mesh of order > 1. */
static inline void cgs_order_line_make(const struct cgs_mesh *mesh, int k,
                                       struct cgs_order_line *line)
{
    const int p = mesh->order;
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(p, &lobatto);
    line->order = p;
    line->open = mesh->open[k];
    line->n = mesh->n[k];
    line->cells = cgs_mesh_cells(mesh, k) / p;
    line->first = !(mesh->open[k] & 1);
    line->size = mesh->size[k];
    line->length = mesh->size[k] / (double)line->cells;
    line->x = mesh->nodes[k];
    line->step = mesh->nodes_order > 0 ? mesh->nodes_order : p;
    line->transfer[0] = mesh->transfer[k][0];
    line->transfer[1] = mesh->transfer[k][1];
    for (int a = 0; a <= p; a++) {
        line->point[a] = lobatto.point[a];
        line->mass[a] = 0.5 * line->length * lobatto.weight[a];
        for (int b = 0; b <= a; b++) {
            double sum = 0.0;
            for (int q = 0; q <= p; q++)
                sum += lobatto.weight[q] * lobatto.slope[q * CGS_NODES_MOST + a] *
                       lobatto.slope[q * CGS_NODES_MOST + b];
            line->stiff[a * CGS_NODES_MOST + b] = line->stiff[b * CGS_NODES_MOST + a] =
                2.0 / line->length * sum;
        }
    }
}

/* Returns x / L of a node 0 ... p cells; not on a coarser grid with graded cells. */
CGS_INLINE double cgs_order_coordinate(const struct cgs_order_line *line, int64_t node)
{
    const int a = (int)(node % line->order);
    if (line->x)
        return line->x[node] / line->size;
    return ((double)(node / line->order) + 0.5 * (1.0 + line->point[a])) / (double)line->cells;
}

/* Returns the length of cell c in units of line->length. */
CGS_INLINE double cgs_order_stretch(const struct cgs_order_line *line, int64_t c)
{
    return line->x ? (line->x[line->step * (c + 1)] - line->x[line->step * c]) / line->length : 1.0;
}

/* Returns the cell before node p c, or -1 at a low end. */
CGS_INLINE int64_t cgs_order_before(const struct cgs_order_line *line, int64_t c)
{
    return c > 0 ? c - 1 : cgs_periodic(line->open) ? line->cells - 1 : -1;
}

/* Returns the number among the unknowns of a column of cgs_order_row, which may lie a period
 * outside. */
CGS_INLINE int64_t cgs_order_wrapped(const struct cgs_order_line *line, int64_t column)
{
    return column < 0 ? column + line->n : column >= line->n ? column - line->n : column;
}

/* Returns the unknown at a node, or -1 of a held one. */
CGS_INLINE int64_t cgs_order_unknown(const struct cgs_order_line *line, int64_t node)
{
    if (cgs_periodic(line->open))
        return node % line->n;
    return node - line->first < line->n ? node - line->first : -1;
}

/* Returns the entry of M of an unknown. */
CGS_INLINE double cgs_order_mass(const struct cgs_order_line *line, int64_t i)
{
    const int p = line->order, a = (int)((i + line->first) % p);
    const int64_t c = (i + line->first) / p, before = cgs_order_before(line, c);
    if (a > 0)
        return line->mass[a] * cgs_order_stretch(line, c);
    return (before >= 0 ? line->mass[p] * cgs_order_stretch(line, before) : 0.0) +
           (c < line->cells ? line->mass[0] * cgs_order_stretch(line, c) : 0.0);
}

/* A row of K_d: `count` entries from column `first` on; with a period columns may be -p ... n + p
 * (cgs_order_wrapped). */
struct cgs_order_row {
    int64_t first;
    int count;
    double entry[CGS_ORDER_ROW];
};

CGS_INLINE void cgs_order_row_of(const struct cgs_order_line *line, int64_t i,
                                 struct cgs_order_row *row)
{
    const int p = line->order, a = (int)((i + line->first) % p);
    const int64_t node = i + line->first, c = node / p;
    const int64_t before = a == 0 ? cgs_order_before(line, c) : -1;
    const int64_t low = before >= 0 ? node - p : node - a,
                  high = c < line->cells ? node - a + p : node;
    const double over = c < line->cells ? 1.0 / cgs_order_stretch(line, c) : 0.0;
    const double over_before = before >= 0 ? 1.0 / cgs_order_stretch(line, before) : 0.0;
    row->first = 0;
    row->count = 0;
    for (int64_t other = low; other <= high; other++) {
        double entry = 0.0;
        if (!cgs_periodic(line->open) && (other < line->first || other >= line->first + line->n))
            continue;
        if (other >= node - a && c < line->cells)
            entry += over * line->stiff[a * CGS_NODES_MOST + (other - (node - a))];
        if (before >= 0 && other <= node)
            entry += over_before * line->stiff[p * CGS_NODES_MOST + (other - (node - p))];
        if (other == node && node == 0)
            entry += line->transfer[0];
        if (other == node && node == p * line->cells)
            entry += line->transfer[1];
        if (row->count == 0)
            row->first = other - line->first;
        row->entry[row->count++] = entry;
    }
}

/* Returns the entry of K of unknown i and the node at the low (side = 0) or high end. */
CGS_INLINE double cgs_order_coupling(const struct cgs_order_line *line, int side, int64_t i)
{
    const int p = line->order;
    const int64_t c = side ? line->cells - 1 : 0, a = i + line->first - p * c;
    const double over = 1.0 / cgs_order_stretch(line, c);
    return a < 0 || a > p ? 0.0 : over * line->stiff[a * CGS_NODES_MOST + (side ? p : 0)];
}

/* The cells that unknown i of a line lies in, the node that it is in each, and its mass there. */
struct cgs_order_beside {
    int count, node[2];
    int64_t cell[2];
    double mass[2];
};

CGS_INLINE struct cgs_order_beside cgs_order_beside(const struct cgs_order_line *line, int64_t i)
{
    const int p = line->order, a = (int)((i + line->first) % p);
    const int64_t c = (i + line->first) / p;
    struct cgs_order_beside beside;
    beside.count = 0;
    for (int next = 0; next < 2; next++) {
        const int64_t cell = next ? c : a == 0 ? cgs_order_before(line, c) : -1;
        if (cell < 0 || cell >= line->cells)
            continue;
        beside.cell[beside.count] = cell;
        beside.node[beside.count] = next ? a : p;
        beside.mass[beside.count++] = line->mass[next ? a : p] * cgs_order_stretch(line, cell);
    }
    return beside;
}

/* Returns the integral of c and the node's polynomial at unknown `at`, by the rule of nodes. */
CGS_INLINE double cgs_order_reaction(const struct cgs_mesh *mesh,
                                     const struct cgs_order_line line[3], const int64_t at[3])
{
    const int64_t cells[3] = {line[0].cells, line[1].cells, line[2].cells};
    const int nodes = mesh->kappa.nodes;
    double sum = 0.0;
    if (!(mesh->kappa.varying & CGS_VARYING_REACTION))
        return mesh->reaction * cgs_order_mass(&line[0], at[0]) * cgs_order_mass(&line[1], at[1]) *
               cgs_order_mass(&line[2], at[2]);
    const struct cgs_order_beside x = cgs_order_beside(&line[0], at[0]),
                                  y = cgs_order_beside(&line[1], at[1]),
                                  z = cgs_order_beside(&line[2], at[2]);
    for (int c = 0; c < z.count; c++)
        for (int b = 0; b < y.count; b++)
            for (int a = 0; a < x.count; a++)
                sum += z.mass[c] * y.mass[b] * x.mass[a] *
                       mesh->kappa.cells[cgs_order_reaction_place(
                           &mesh->kappa, cells, x.cell[a], y.cell[b], z.cell[c],
                           (z.node[c] * nodes + y.node[b]) * nodes + x.node[a])];
    return sum;
}

/* Returns the integral of the transfer coefficient and the node's polynomial over face (k, side) at
 * an unknown on it, by the rule of nodes. */
CGS_INLINE double cgs_order_transfer(const struct cgs_mesh *mesh,
                                     const struct cgs_order_line line[3], int k, int side,
                                     const int64_t at[3])
{
    const int64_t cells[3] = {line[0].cells, line[1].cells, line[2].cells};
    const int l = k == 0 ? 1 : 0, m = k == 2 ? 1 : 2, f = 2 * k + side;
    double sum = 0.0;
    if (!(mesh->kappa.varying >> f & 1))
        return line[k].transfer[side] *
               (cgs_order_mass(&line[l], at[l]) * cgs_order_mass(&line[m], at[m]));
    const struct cgs_order_beside x = cgs_order_beside(&line[l], at[l]),
                                  y = cgs_order_beside(&line[m], at[m]);
    for (int b = 0; b < y.count; b++)
        for (int a = 0; a < x.count; a++)
            sum += y.mass[b] * x.mass[a] *
                   mesh->kappa
                       .cells[cgs_order_transfer_place(&mesh->kappa, cells, f, x.cell[a], y.cell[b],
                                                       y.node[b] * mesh->kappa.nodes + x.node[a])];
    return sum;
}

/* Returns what the reaction and the transfer through free faces add to the diagonal of the matrix
 * at unknown `at`, without its scale. */
CGS_INLINE double cgs_order_lumped(const struct cgs_mesh *mesh, const struct cgs_order_line line[3],
                                   const int64_t at[3])
{
    double sum = cgs_order_reaction(mesh, line, at);
    for (int k = 0; k < 3; k++) {
        const int64_t node = at[k] + line[k].first;
        if (node == 0)
            sum += cgs_order_transfer(mesh, line, k, 0, at);
        if (node == line[k].order * line[k].cells)
            sum += cgs_order_transfer(mesh, line, k, 1, at);
    }
    return sum;
}
