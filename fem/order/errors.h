/* Error norms of a solution of order p > 1. */
#pragma once

#include "fem/norms.h"
#include "fem/problem.h"
#include "fem/slab.h"

CGS_BEGIN_C

/* Computes the error norms of x, the slab's unknowns: integrals by p + 3 Gauss points in each cell
 * and direction; nodal_l2 is sqrt(sum_i M_ii e_i^2). In parallel, the same bits for any number of
 * threads and ranks. */
enum cgs_status cgs_order_errors(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_errors *errors);

CGS_END_C
