/* Jacobi: M = D^-1, D the diagonal of A: one pointwise product, fused with r'z. */
#pragma once

#include "solver/operator.h"

/* Makes M = D^-1 in op's domain space, D being the diagonal of `source`.
 * CGS_BREAKDOWN: an entry of the diagonal is not positive; the message has its row and value. */
enum cgs_status cgs_jacobi_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                  const struct cgs_row_source *source, struct cgs_operator *jacobi);

/* Makes the same for the matrix of a mesh, computed on the device of op's vectors. */
enum cgs_status cgs_jacobi_compute(struct cgs_queue *queue, const struct cgs_operator *op,
                                   const struct cgs_assembly_ops *box, const struct cgs_mesh *mesh,
                                   struct cgs_operator *jacobi);

/* Returns the vector D^-1 of an operator made by cgs_jacobi_create; owned by the operator. */
const void *cgs_jacobi_inverse(const struct cgs_operator *jacobi);
