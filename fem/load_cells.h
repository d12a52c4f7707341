/* Load vector and nodal values of a general mesh. */
#pragma once

#include "fem/problem.h"

/* b = M f - (boundary columns of A) g for rows first ... last - 1, times mesh->scale: M and A
 * summed cell by cell, f the source term at the nodes, g the solution at the boundary nodes (0 if
 * the problem has no boundary values). Any mesh, any coefficient. */
enum cgs_status cgs_load_cells(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b);

/* Nodal values of the exact solution of rows first ... last - 1 on any mesh. */
enum cgs_status cgs_solution_cells(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u);
