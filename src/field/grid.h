/* The mesh of the box as VTK's files have it: nodes, x fastest, and hexahedra between them, computed a layer
 * at a time. */
#ifndef CGS_SRC_FIELD_GRID_H
#define CGS_SRC_FIELD_GRID_H

#include <stdint.h>

#include "fem/element.h"

enum { CGS_HEXAHEDRON = 12 /* VTK's cell type */, CGS_HEXAHEDRON_NODES = 8 };

/* Returns the bytes that any of a layer's arrays below takes at most: those of the cells. */
int64_t cgs_grid_bytes(int64_t n);

/* Computes where the (n + 2)^2 nodes of plane iz are (fem/element.h): x, y, z of node i at
 * points + stride * i. */
void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t stride,
                     double *points);

/* Computes the nodes of the (n + 1)^2 cells above plane iz, around a hexahedron's lower face, then its upper
 * one; and the (n + 1)^2 + 1 bounds of these cells in the list of all nodes of all cells. */
void cgs_grid_cells(int64_t n, int threads, int64_t iz, int64_t *nodes);
void cgs_grid_bounds(int64_t n, int64_t iz, int64_t *bounds);

#endif
