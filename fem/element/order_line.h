/* A line of cells of order p > 1 with Gauss-Lobatto nodes and the rule of the same points: its mass
 * matrix is diagonal, and the matrix of the box a star,
 *
 *     A = K_x (x) M_y (x) M_z + M_x (x) K_y (x) M_z + M_x (x) M_y (x) K_z.
 *
 * Pure inline functions. Cell c has the nodes p c ... p c + p; unknown i is node i + 1. kernels/
 * may include it.
 */
#pragma once

#include <stdint.h>

#include "fem/element/element.h"
#include "fem/element/lobatto.h"

enum { CGS_ORDER_ROW = 2 * CGS_ORDER_MOST + 1 }; /* most entries of a row of K_d */

struct cgs_order_line {
    int order;
    int64_t n, cells;
    double length; /* of a cell */
    double point[CGS_NODES_MOST];
    double mass[CGS_NODES_MOST];                   /* of the nodes of a cell */
    double stiff[CGS_NODES_MOST * CGS_NODES_MOST]; /* matrix of a cell, symmetric to the bit */
};

/* The line of direction k of a mesh of order > 1. */
CGS_INLINE void cgs_order_line_make(const struct cgs_mesh *mesh, int k, struct cgs_order_line *line)
{
    const int p = mesh->order;
    struct cgs_lobatto lobatto;
    cgs_lobatto_make(p, &lobatto);
    line->order = p;
    line->n = mesh->n[k];
    line->cells = (mesh->n[k] + 1) / p;
    line->length = mesh->size[k] / (double)line->cells;
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

/* Returns x / L of a node 0 ... p cells. */
CGS_INLINE double cgs_order_coordinate(const struct cgs_order_line *line, int64_t node)
{
    const int a = (int)(node % line->order);
    return ((double)(node / line->order) + 0.5 * (1.0 + line->point[a])) / (double)line->cells;
}

/* Returns the entry of M of an unknown. */
CGS_INLINE double cgs_order_mass(const struct cgs_order_line *line, int64_t i)
{
    const int a = (int)((i + 1) % line->order);
    return a == 0 ? line->mass[0] + line->mass[line->order] : line->mass[a];
}

/* A row of K_d: `count` entries from column `first` on. */
struct cgs_order_row {
    int64_t first;
    int count;
    double entry[CGS_ORDER_ROW];
};

CGS_INLINE void cgs_order_row_of(const struct cgs_order_line *line, int64_t i,
                                 struct cgs_order_row *row)
{
    const int p = line->order, a = (int)((i + 1) % p);
    const int64_t node = i + 1, low = a == 0 ? node - p : node - a, high = node - a + p;
    row->first = low < 1 ? 0 : low - 1;
    row->count = 0;
    for (int64_t other = low; other <= high; other++) {
        double entry = 0.0;
        if (other < 1 || other > line->n)
            continue;
        if (other >= node - a)
            entry += line->stiff[a * CGS_NODES_MOST + (other - (node - a))];
        if (a == 0 && other <= node)
            entry += line->stiff[p * CGS_NODES_MOST + (other - (node - p))];
        row->entry[row->count++] = entry;
    }
}
