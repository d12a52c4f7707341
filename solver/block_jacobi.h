/* Jacobi by blocks: M = D^-1, D the diagonal blocks of A, of `block` consecutive rows each. */
#pragma once

#include "solver/operator.h"

enum { CGS_JACOBI_BLOCK_MOST = 6 };

/* Returns the forecast of the matrix D^-1 by rows: a block of numbers in each. */
struct cgs_matrix cgs_block_jacobi_expected(int64_t rows, int block);

/* Makes M in op's domain space as the operator of `kernel`, of CRS and of the backend. block: at
 * most CGS_JACOBI_BLOCK_MOST; divides the rows of `source`, which is a whole matrix.
 * CGS_BREAKDOWN: a block is not positive definite; the message has its rows. CGS_MEMORY. */
enum cgs_status cgs_block_jacobi_create(struct cgs_queue *queue, const struct cgs_backend *backend,
                                        const struct cgs_kernel *kernel,
                                        const struct cgs_operator *op,
                                        const struct cgs_row_source *source, int block,
                                        struct cgs_operator *jacobi);
