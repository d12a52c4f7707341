/* The mesh of the box as files have it: points, x fastest, and hexahedra between them, computed a
 * layer at a time. The points are the nodes of the box alone, i_k = 0 ... cells_k; what a mesh with
 * free faces has beyond them (fem/element/element.h) is left out: node 0 of direction k is the
 * mesh's node cgs_grid_first.
 *
 * Cells of order p > 1 have as many points as nodes, but these cut a cell into p equal parts in
 * each direction, as VTK's Lagrange cells expect: fields are sampled there (core/field/even.h).
 * Below, such a cell counts p times as a cell of a direction, except in cgs_grid_hexahedra. */
#pragma once

#include <stdint.h>

#include "fem/element/element.h"

/* VTK's cell types. */
enum { CGS_HEXAHEDRON = 12, CGS_LAGRANGE_HEXAHEDRON = 72 };

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

/* Returns the points of a hexahedron: (p + 1)^3. */
static inline int64_t cgs_grid_hexahedron(const struct cgs_mesh *mesh)
{
    return (int64_t)(mesh->order + 1) * (mesh->order + 1) * (mesh->order + 1);
}

/* Returns the bytes that any of a layer's arrays below takes at most: points or hexahedra. */
int64_t cgs_grid_bytes(const struct cgs_mesh *mesh);

/* Computes where the points of plane iz are (fem/element/element.h): x, y, z of point i at points
 * + 3 i. Within a deformed cell they are where the trilinear map of its corners has them. */
void cgs_grid_points(const struct cgs_mesh *mesh, int threads, int64_t iz, double *points);

/* Computes the points of the hexahedra of layer cz in VTK's order: corners around the lower face,
 * then the upper one; of order p > 1 then those within edges, within faces, within the cell. And
 * the bounds of these hexahedra, one more than there are, in the list of all points of all. */
void cgs_grid_hexahedra(const struct cgs_mesh *mesh, int threads, int64_t cz, int64_t *points);
void cgs_grid_bounds(const struct cgs_mesh *mesh, int64_t cz, int64_t *bounds);
