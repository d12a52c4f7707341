/* Check of the mesh: no cell may be inverted. Nodes of periodic directions. */
#ifndef CGS_FEM_MESH_H
#define CGS_FEM_MESH_H

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* Checks the Jacobian in the 8 corners of each cell (elsewhere in the cell it is larger than their
 * minimum, since all nodes move in one direction); in parallel.
 * CGS_USAGE: a cell is inverted; the message has the worst one, and a deformation that is
 * possible. */
enum cgs_status cgs_mesh_check(struct cgs_context *context, const struct cgs_mesh *mesh);

/* Fills the nodes 0 and n + 1 of periodic directions in a plane of (n_x + 2)(n_y + 2) nodes, x
 * fastest, from those that they are (struct cgs_mesh). */
void cgs_mesh_wrap_plane(const struct cgs_mesh *mesh, double *plane);

CGS_END_C

#endif
