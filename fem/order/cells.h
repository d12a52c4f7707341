/* Boxes of order p > 1 whose matrix is no star (fem/element/order_cells.h): rows, diagonal and norm
 * of the matrix, load vector and errors of built-in problems that are zero on the boundary. The
 * same functions as those of fem/order/rows.h. */
#pragma once

#include "fem/norms.h"
#include "fem/problem.h"
#include "fem/slab.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Makes a source of the rows, and checks that no cell is inside out. `mesh` is borrowed and must
 * outlive the source. To be released. */
enum cgs_status cgs_order_cells_source(struct cgs_context *context, const struct cgs_mesh *mesh,
                                       struct cgs_row_source *source);
void cgs_order_cells_release(struct cgs_context *context, struct cgs_row_source *source);
void cgs_order_cells_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* Computes b, f at the points of the rule, and the exact solution at the nodes. */
enum cgs_status cgs_order_cells_load(struct cgs_context *context, const struct cgs_problem *problem,
                                     const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                     double *b);
enum cgs_status cgs_order_cells_solution(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh, int64_t first, int64_t last,
                                         double *u);

/* Integrals by p + 3 Gauss points; nodal_l2 is the integral by the rule of the nodes. Without
 * integrals where u is unknown between nodes. slab, x: as cgs_errors_measure. */
enum cgs_status cgs_order_cells_errors(struct cgs_context *context,
                                       const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                       const double *x, struct cgs_errors *errors);

CGS_END_C
