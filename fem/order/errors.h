/* Error norms of a solution of order p > 1. */
#pragma once

#include "fem/norms.h"
#include "fem/problem.h"

CGS_BEGIN_C

/* Computes the error norms of x, all unknowns: integrals by p + 3 Gauss points in each cell and
 * direction; nodal_l2 is sqrt(sum_i M_ii e_i^2). In parallel, the same bits for any number of
 * threads. */
enum cgs_status cgs_order_errors(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const double *x,
                                 struct cgs_errors *errors);

CGS_END_C
