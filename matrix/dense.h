/* Small matrices as dense ones on the host: what the coarsest grid of a hierarchy is solved by. */
#ifndef CGS_MATRIX_DENSE_H
#define CGS_MATRIX_DENSE_H

#include "matrix/row_source.h"

CGS_BEGIN_C

/* inverse = A^-1, rows x rows numbers row by row, of a symmetric positive definite source; symmetric
 * to the bit, the same for any number of threads. Of order rows^3 multiply-adds.
 * CGS_BREAKDOWN: not positive definite, says the row. CGS_MEMORY. CGS_FILE: as cgs_matrix_fill. */
enum cgs_status cgs_dense_inverse(struct cgs_context *context, const struct cgs_row_source *source,
                                  double *inverse);

CGS_END_C

#endif
