/* Error norms against the exact solution of the user's own problem. */
#pragma once

#include "base/linkage.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

/* Computes the error norms over the cells of the box, by 4-point Gauss in each direction, and at
 * the unknowns. x, slab: as cgs_errors_measure. CGS_BUG: the solution is not known. */
enum cgs_status cgs_user_errors(struct cgs_context *context, const struct cgs_user_problem *user,
                                const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                const double *x, struct cgs_errors *errors);

/* Returns the bytes that the error norms take for a time. */
int64_t cgs_user_errors_bytes(const struct cgs_mesh *mesh, int threads);

CGS_END_C
