/* Load vector of a problem of the user's own: a plane of cells at a time. */
#pragma once

#include "base/linkage.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

/* Computes the load of rows first ... last - 1, times mesh->scale:
 *     b_i = int f phi_i + sum over FLUX faces int value phi_i + sum over TRANSFER faces int transfer value phi_i
 *           - sum over nodes j of VALUE faces A_ij value_j.
 * A given f by 2-point Gauss, and by a finer rule in cells in which it jumps; constants of cells
 * exactly; values of faces by their nodal values and the rule's mass matrix of the face. What
 * follows from `exact` in the weak form,
 *     int f phi = int kappa grad u . grad phi - int over the boundary kappa du/dn phi,
 * by 3-point Gauss, kappa being its expression at the points, or the cell's number where there is
 * none.
 * If constants solve the homogeneous problem, b is not changed to have the sum 0. */
enum cgs_status cgs_user_load(struct cgs_context *context, const struct cgs_user_problem *user,
                              const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b);

/* Returns the bytes that the load takes for a time, beside b. */
int64_t cgs_user_load_bytes(const struct cgs_user_problem *user, const struct cgs_mesh *mesh,
                            int threads);

CGS_END_C
