/* The mesh as a whole: is every cell the right way out. */
#ifndef CGS_FEM_MESH_H
#define CGS_FEM_MESH_H

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element.h"

CGS_BEGIN_C

/* Looks at the Jacobian in the 8 corners of each cell (between them it is larger than the least of
 * these, here where all nodes move along one direction); in parallel.
 * CGS_USAGE: a cell is turned inside out: names the worst one, and the deformation that fits. */
enum cgs_status cgs_mesh_check(struct cgs_context *context, const struct cgs_mesh *mesh);

CGS_END_C

#endif
