/* Parts of load vectors: tables for the plain box, general meshes cell by cell. Called by
 * cgs_problem_load; a device uses the tables. */
#pragma once

#include "fem/element/tables.h"
#include "fem/problem.h"

/* Makes the tables enum cgs_mass of a problem with terms on the plain box, for a device that
 * computes b; without boundary values. To be released. */
enum cgs_status cgs_load_tables(struct cgs_context *context, const struct cgs_problem *problem,
                                const struct cgs_mesh *mesh, struct cgs_tables *tables);

/* Computes the load vector b = M f of rows first ... last - 1, times mesh->scale: M is the mass
 * matrix of the mesh's quadrature rule, applied to the nodal values of f, boundary nodes included,
 * minus the contribution of u's boundary values to A u. f = -div(kappa grad u) for continuous
 * kappa; for a jump -Laplace of the terms. In parallel on context->threads threads. b holds last -
 * first numbers. Not for product_rhs problems (CGS_BUG). */
enum cgs_status cgs_problem_load(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                 double *b);

/* Computes the exact solution at the nodes of rows first ... last - 1, likewise. */
enum cgs_status cgs_problem_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                     const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                     double *u);

/* Writes u at the boundary nodes of node plane iz = 0 ... n_z + 1 into `plane`, its (n_x +
 * 2)(n_y + 2) nodes, x fastest; leaves the other nodes unchanged. Zero if the problem has no
 * boundary values. */
void cgs_problem_boundary(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                          int64_t iz, double *plane);

/* Writes u_h at all nodes of that plane: the unknowns of x, which begins with plane `lower` of
 * unknowns, and the boundary values. */
void cgs_problem_nodes(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                       int64_t lower, const double *x, int64_t iz, double *plane);
