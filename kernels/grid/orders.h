/* Tables for one direction of the transfers between orders p > q on the same cells
 * (kernels/grid.h): interpolation of a line of order q at the nodes of order p, and its transpose.
 * Nodes at the ends of cells are those of both orders; graded cells have the same tables as equal
 * ones. Plain C, .cu files may include it.
 */
#pragma once

#include "fem/element/lobatto.h"
#include "kernels/grid/line.h"

/* Largest number of fine numbers that a coarse one reaches, and of coarse ones that a fine one is
 * made of: the inner nodes of two cells and the node between them; the nodes of a cell. */
enum { CGS_ORDERS_REACH = 2 * CGS_ORDER_MOST - 1 };

struct cgs_orders {
    struct cgs_line line;
    int fine, coarse; /* p, q */
    /* [i * CGS_NODES_MOST + a]: polynomial a of order q at point i of order p */
    double value[CGS_NODES_MOST * CGS_NODES_MOST];
};

/* Numbers first ... first + count - 1 and their weights; those of a periodic line are meant modulo
 * its length. */
struct cgs_orders_row {
    int64_t first;
    int count;
    double weight[CGS_ORDERS_REACH];
};

static inline void cgs_orders_make(struct cgs_line line, int fine, int coarse,
                                   struct cgs_orders *orders)
{
    struct cgs_lobatto p, q;
    double slope[CGS_NODES_MOST];
    cgs_lobatto_make(fine, &p);
    cgs_lobatto_make(coarse, &q);
    orders->line = line;
    orders->fine = fine;
    orders->coarse = coarse;
    for (int i = 0; i <= fine; i++)
        cgs_lagrange(&q, p.point[i], &orders->value[i * CGS_NODES_MOST], slope);
}

/* Returns the number of a node of a line, where `open` is that of struct cgs_mesh: not 0 ... n - 1
 * for a held node, and n for number 0 of a periodic line. */
CGS_INLINE int64_t cgs_orders_number(int open, int64_t node)
{
    return node - 1 + (open & 1);
}

/* Keeps what is among the n numbers of a line. */
CGS_INLINE void cgs_orders_clip(int open, int64_t n, struct cgs_orders_row *row)
{
    if (cgs_periodic(open))
        return;
    const int below = row->first < 0 ? (int)-row->first : 0;
    const int64_t beyond = row->first + row->count - n;
    row->first += below;
    row->count -= below + (beyond > 0 ? (int)beyond : 0);
    for (int k = 0; k < row->count; k++)
        row->weight[k] = row->weight[k + below];
}

/* Interpolation of fine number i from coarse ones. */
CGS_INLINE void cgs_orders_interpolation(const struct cgs_orders *orders, int64_t i,
                                         struct cgs_orders_row *row)
{
    const int open = orders->line.open, p = orders->fine, q = orders->coarse;
    const int64_t node = i - cgs_orders_number(open, 0);
    const double *value = &orders->value[node % p * CGS_NODES_MOST];
    row->first = cgs_orders_number(open, node / p * q);
    row->count = node % p == 0 ? 1 : q + 1;
    for (int a = 0; a < row->count; a++)
        row->weight[a] = value[a];
    cgs_orders_clip(open, orders->line.m, row);
}

/* Restriction to coarse number j from fine ones. */
CGS_INLINE void cgs_orders_restriction(const struct cgs_orders *orders, int64_t j,
                                       struct cgs_orders_row *row)
{
    const int open = orders->line.open, p = orders->fine, q = orders->coarse;
    const int64_t node = j - cgs_orders_number(open, 0), cell = node / q * p;
    const int a = (int)(node % q), left = a == 0 ? p - 1 : -1; /* inner nodes to the left */
    row->first = cgs_orders_number(open, cell - left);
    row->count = left + p;
    for (int k = 0; k < row->count; k++) {
        const int i = k - left; /* from the cell's low end on */
        row->weight[k] = i < 0 ? orders->value[(p + i) * CGS_NODES_MOST + q]
                               : orders->value[i * CGS_NODES_MOST + a];
    }
    cgs_orders_clip(open, orders->line.n, row);
}
