/* Dense inverses of small matrices on the host, for the coarsest grid of a hierarchy. */
#ifndef CGS_MATRIX_DENSE_H
#define CGS_MATRIX_DENSE_H

#include "base/plan.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

/* Computes inverse = A^-1, rows x rows numbers row by row, of a symmetric positive definite source:
 * symmetric to the bit, the same for any number of threads. Takes of the order of rows^3
 * multiply-adds. singular: constants solve A x = 0, and it is the pseudo-inverse: the numbers of x add up to 0, and
 * A x is b without its mean. (That of A plus its trace in the first entry of the diagonal, without means.)
 * CGS_BREAKDOWN: not positive definite; the message has the row. CGS_MEMORY. CGS_FILE: as
 * cgs_matrix_fill. */
enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  bool singular, double *inverse);

/* Adds the inverse of n rows and CHOLMOD's memory, an upper bound, to the plan: the factor, and for
 * each thread a block of columns of b and two of x. */
void cgs_dense_plan(struct cgs_plan *plan, int64_t n, int threads);

/* Memory that the first inverse of a process needs in addition and does not release: pages of
 * CHOLMOD's code and data, its own blocks, the stacks of its callers. */
int64_t cgs_dense_library_bytes(void);

CGS_END_C

#endif
