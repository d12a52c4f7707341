/* The stencil of a mesh whose cells are alike. */
#pragma once

#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* Computes the 27-point stencil of a plain mesh (cgs_mesh_plain): number[b] is the entry of two
 * nodes that differ in the directions of the bits of b, 1 for x, 2 for y, 4 for z; bits as in
 * the assembled matrix. Where cells are cubes, numbers of as many directions have equal bits:
 * centre, faces, edges, corner. */
void cgs_mesh_stencil(const struct cgs_mesh *mesh, double number[8]);

CGS_END_C
