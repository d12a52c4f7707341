/* Small matrices as dense ones on the host: what the coarsest grid of a hierarchy is solved by. */
#ifndef CGS_MATRIX_DENSE_H
#define CGS_MATRIX_DENSE_H

#include "base/plan.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

/* inverse = A^-1, rows x rows numbers row by row, of a symmetric positive definite source; symmetric
 * to the bit, the same for any number of threads. Of order rows^3 multiply-adds.
 * CGS_BREAKDOWN: not positive definite, says the row. CGS_MEMORY. CGS_FILE: as cgs_matrix_fill. */
enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  double *inverse);

/* The inverse of n rows, and what CHOLMOD takes for it at most: the factor, and for each thread a block
 * of columns of b and x, the latter twice. */
void cgs_dense_plan(struct cgs_plan *plan, int64_t n, int threads);

/* What the first inverse of a process takes besides, and does not give back: pages of CHOLMOD's code and
 * data, its own blocks, the stack of those who call it. */
int64_t cgs_dense_library_bytes(void);

CGS_END_C

#endif
