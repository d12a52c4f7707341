/* Error norms on general meshes, by the sum over all points. Internal to fem/; the door is
 * cgs_errors_measure. */
#ifndef CGS_FEM_ERRORS_CELLS_H
#define CGS_FEM_ERRORS_CELLS_H

#include "fem/norms.h"
#include "fem/problem.h"

/* As cgs_errors_measure, of a problem with terms that is known at the nodes at least; any mesh, any
 * coefficient. */
enum cgs_status cgs_errors_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const double *x,
                                 struct cgs_errors *errors);

#endif
