/* Error norms on general meshes, by the sum over all points. Internal to fem/; called by
 * cgs_errors_measure. */
#pragma once

#include "fem/norms.h"
#include "fem/problem.h"
#include "fem/slab.h"

/* Same as cgs_errors_measure, for a problem with terms that is known at least at the nodes; any
 * mesh, any coefficient. */
enum cgs_status cgs_errors_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_errors *errors);

/* Returns the norms of sums over all points of any mesh. */
struct cgs_errors cgs_errors_of_points(const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh,
                                       const struct cgs_point_sums *sums);
