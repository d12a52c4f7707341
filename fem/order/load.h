/* Load vector of a box of order p > 1, and the exact solution at its nodes. */
#pragma once

#include "fem/problem.h"

CGS_BEGIN_C

/* Computes the load of rows first ... last - 1, times mesh->scale:
 *     b_i = M_ii f_i + sum over FLUX faces int value phi_i
 *           + sum over TRANSFER faces int transfer value phi_i
 *           - sum over nodes j of VALUE faces A_ij value_j,
 * where the integrals are sums over nodes, too. In a problem of the user's own int f phi takes the
 * place of M_ii f_i, by p + 3 Gauss points, within each cell by its own material; and where f
 * follows from the exact solution, which may have kinks between cells,
 *     int f phi = int (kappa grad u . grad phi + c u phi) - int over the boundary kappa du/dn phi.
 * As cgs_problem_load. */
enum cgs_status cgs_order_load(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b);

/* Computes the exact solution of a built-in problem at the nodes of rows first ... last - 1. */
enum cgs_status cgs_order_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u);

/* Returns the bytes that load or errors take for a time. */
int64_t cgs_order_work_bytes(const struct cgs_mesh *mesh);

CGS_END_C
