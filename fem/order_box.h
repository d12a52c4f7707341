/* The plain box of order p > 1 (fem/element/order_line.h): its matrix by rows, load vector and
 * errors of built-in problems that are zero on the boundary. */
#pragma once

#include "fem/norms.h"
#include "fem/problem.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Makes a source of the rows of `mesh` (borrowed, must outlive the source). To be released. */
enum cgs_status cgs_order_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                 struct cgs_row_source *source);
void cgs_order_release(struct cgs_context *context, struct cgs_row_source *source);
void cgs_order_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Returns the statistics of the row lengths without generating rows, of a star or not; rounded[0]
 * is the number of entries. */
struct cgs_row_statistics cgs_order_statistics(const struct cgs_mesh *mesh);

/* Computes b = M f and the exact solution at the nodes of rows first ... last - 1 of a problem with
 * terms, as cgs_problem_load and cgs_problem_solution. */
enum cgs_status cgs_order_load(struct cgs_context *context, const struct cgs_problem *problem,
                               const struct cgs_mesh *mesh, int64_t first, int64_t last, double *b);
enum cgs_status cgs_order_solution(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                   double *u);

/* Computes the error norms of x, all unknowns: integrals by p + 3 Gauss points in each cell and
 * direction; nodal_l2 is sqrt(sum_i M_ii e_i^2). In parallel, the same bits for any number of
 * threads. */
enum cgs_status cgs_order_errors(struct cgs_context *context, const struct cgs_problem *problem,
                                 const struct cgs_mesh *mesh, const double *x,
                                 struct cgs_errors *errors);

CGS_END_C
