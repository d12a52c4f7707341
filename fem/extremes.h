/* Least value, most value and mean of a discrete solution, on the box and on the cells of each
 * material. */
#pragma once

#include "base/linkage.h"
#include "fem/problem.h"
#include "fem/slab.h"
#include "fem/user_problem/materials.h"

CGS_BEGIN_C

/* Finds the extremes of u_h over the box. A trilinear function has them at nodes; those of the
 * boundary count with the values that the problem prescribes. The mean is the integral over the
 * volume, on a deformed mesh by 2-point Gauss, which is exact. x, slab: as cgs_errors_measure.
 * materials: their facts get the extremes of their cells, nodes on the border between two materials
 * counting for both; NULL: none. Neither threads nor ranks change a bit. */
enum cgs_status cgs_extremes_find(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                  const double *x, struct cgs_materials *materials,
                                  struct cgs_extremes *extremes);

CGS_END_C
