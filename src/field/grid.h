/* The mesh of the box as VTK's files have it: nodes, x fastest, and hexahedra between them, computed a layer
 * at a time. */
#ifndef CGS_SRC_FIELD_GRID_H
#define CGS_SRC_FIELD_GRID_H

#include <stdint.h>

#include "fem/element.h"

enum { CGS_HEXAHEDRON = 12 /* VTK's cell type */, CGS_HEXAHEDRON_NODES = 8 };

/* Returns the number of nodes of a plane in z, (n_x + 2)(n_y + 2), and of the box; those of the boundary are
 * among them. */
static inline int64_t cgs_grid_plane_nodes(const struct cgs_mesh *mesh)
{
    return (mesh->n[0] + 2) * (mesh->n[1] + 2);
}

static inline int64_t cgs_grid_nodes(const struct cgs_mesh *mesh)
{
    return cgs_grid_plane_nodes(mesh) * (mesh->n[2] + 2);
}

/* Returns the number of cells between two planes, (n_x + 1)(n_y + 1), and of the box. */
static inline int64_t cgs_grid_layer_cells(const struct cgs_mesh *mesh)
{
    return (mesh->n[0] + 1) * (mesh->n[1] + 1);
}

static inline int64_t cgs_grid_box_cells(const struct cgs_mesh *mesh)
{
    return cgs_grid_layer_cells(mesh) * (mesh->n[2] + 1);
}

/* Returns the bytes that any of a layer's arrays below takes at most: those of the cells. */
int64_t cgs_grid_bytes(const struct cgs_mesh *mesh);

/* Computes where the nodes of plane iz are (fem/element.h): x, y, z of node i at points + stride * i. */
void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t stride,
                     double *points);

/* Computes the nodes of the cells above plane iz, around a hexahedron's lower face, then its upper one; and the
 * bounds of these cells, one more than there are cells, in the list of all nodes of all cells. */
void cgs_grid_cells(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t *nodes);
void cgs_grid_bounds(const struct cgs_mesh *mesh, int64_t iz, int64_t *bounds);

#endif
