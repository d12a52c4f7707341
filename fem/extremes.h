/* Least value, most value and mean of a discrete solution, on the box and on the cells of each
 * material. */
#pragma once

#include "base/linkage.h"
#include "fem/problem.h"
#include "fem/slab.h"
#include "fem/user_problem/materials.h"

CGS_BEGIN_C

/* Finds the extremes of u_h over the box, boundary nodes with the values that the problem
 * prescribes. A trilinear function has them at nodes; of order p > 1 they are those of the nodes,
 * although polynomials may go beyond them in between. The mean is the integral over the volume,
 * which is exact: by 2-point Gauss on a deformed mesh, of order p > 1 by the mass matrix (the mesh
 * is then undeformed, not graded, without materials). x, slab: as cgs_errors_measure. materials:
 * their facts get the extremes of their cells, nodes on the border between two materials counting
 * for both; NULL: none. Neither threads nor ranks change a bit. */
enum cgs_status cgs_extremes_find(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                  const double *x, struct cgs_materials *materials,
                                  struct cgs_extremes *extremes);

CGS_END_C
