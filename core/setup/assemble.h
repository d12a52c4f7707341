/* The box computed by the host's threads, or by the device into its own memory. */
#pragma once

#include "fem/problem.h"
#include "kernels/box.h"
#include "solver/operator.h"

/* The rows of a mesh of any order, as a source to be released, and the memory that it takes
 * (fem/assembly.h, fem/order/rows.h, fem/order/cells.h). The mesh is borrowed. */
enum cgs_status cgs_assemble_rows(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  struct cgs_row_source *source);
void cgs_assemble_rows_release(struct cgs_context *context, struct cgs_row_source *source);
void cgs_assemble_rows_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);

/* M = D^-1 of `op`, whose rows `source` gives (cgs_jacobi_create): by the device where it has
 * `box`, else NULL, and the rows are those of a mesh. */
enum cgs_status cgs_assemble_jacobi(const struct cgs_assembly_ops *box, struct cgs_queue *queue,
                                    const struct cgs_operator *op,
                                    const struct cgs_row_source *source,
                                    struct cgs_operator *jacobi);

/* A problem as the plain data that a device takes. */
struct cgs_box_problem cgs_assemble_problem(const struct cgs_problem *problem,
                                            const struct cgs_mesh *mesh);
