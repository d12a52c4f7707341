/* The mesh of the box as VTK's files have it: nodes, x fastest, and hexahedra between them,
 * computed a layer at a time. The nodes are those of the box alone, i_k = 0 ... cells_k; what a
 * mesh with free faces has beyond them (fem/element/element.h) is left out: node 0 of direction
 * k is the mesh's node cgs_grid_first. */
#pragma once

#include <stdint.h>

#include "fem/element/element.h"

enum { CGS_HEXAHEDRON = 12 /* VTK's cell type */, CGS_HEXAHEDRON_NODES = 8 };

/* Returns the mesh's number of the box's first node in direction k: 1 after a void layer, else
 * 0. */
static inline int64_t cgs_grid_first(const struct cgs_mesh *mesh, int k)
{
    return mesh->open[k] & 1;
}

/* Returns the number of nodes in direction k: cells_k + 1, n_k + 2 without free faces. */
static inline int64_t cgs_grid_line_nodes(const struct cgs_mesh *mesh, int k)
{
    return cgs_mesh_cells(mesh, k) + 1;
}

/* Returns the number of nodes of a plane in z, and of the box; those of the boundary are among
 * them. */
static inline int64_t cgs_grid_plane_nodes(const struct cgs_mesh *mesh)
{
    return cgs_grid_line_nodes(mesh, 0) * cgs_grid_line_nodes(mesh, 1);
}

static inline int64_t cgs_grid_nodes(const struct cgs_mesh *mesh)
{
    return cgs_grid_plane_nodes(mesh) * cgs_grid_line_nodes(mesh, 2);
}

/* Returns the number of cells between two planes, and of the box. */
static inline int64_t cgs_grid_layer_cells(const struct cgs_mesh *mesh)
{
    return cgs_mesh_cells(mesh, 0) * cgs_mesh_cells(mesh, 1);
}

static inline int64_t cgs_grid_box_cells(const struct cgs_mesh *mesh)
{
    return cgs_grid_layer_cells(mesh) * cgs_mesh_cells(mesh, 2);
}

/* Returns the bytes that any of a layer's arrays below takes at most: those of the cells. */
int64_t cgs_grid_bytes(const struct cgs_mesh *mesh);

/* Computes where the nodes of plane iz are (fem/element/element.h): x, y, z of node i at points
 * + 3 i. */
void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, double *points);

/* Computes the nodes of the cells above plane iz, around a hexahedron's lower face, then its
 * upper one; and the bounds of these cells, one more than there are cells, in the list of all
 * nodes of all cells. */
void cgs_grid_cells(const struct cgs_mesh *mesh, int threads, int64_t iz, int64_t *nodes);
void cgs_grid_bounds(const struct cgs_mesh *mesh, int64_t iz, int64_t *bounds);
