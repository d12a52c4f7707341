/* Balance of a discrete solution. */
#pragma once

#include "base/linkage.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

/* Computes the balance of x. The flux through a FLUX face is its load; through a TRANSFER face
 * int transfer (u - value) as in the matrix; through a VALUE face the consistent flux load - A x
 * at its nodes, where A and the load are those of all nodes; at nodes of several VALUE faces
 * divided by the gradient of x (fem/user_problem/balance.c). Of second order, all of them, where u
 * and kappa are smooth. Not times mesh->scale. x, slab: as cgs_errors_measure. */
enum cgs_status cgs_user_balance(struct cgs_context *context, const struct cgs_user_problem *user,
                                 const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                 const double *x, struct cgs_balance *balance);

/* Returns the bytes that the balance takes for a time. */
int64_t cgs_user_balance_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                               int threads);

CGS_END_C
