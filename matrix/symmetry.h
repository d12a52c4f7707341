/* What CG needs of a matrix, found out entry by entry before it is too late: symmetry, and a
 * positive diagonal. */
#ifndef CGS_MATRIX_SYMMETRY_H
#define CGS_MATRIX_SYMMETRY_H

#include <stdbool.h>

#include "matrix/row_source.h"

/* Whether a_ij = a_ji to the bit for all i, j, where an entry that is not there is a zero; then,
 * where `positive_diagonal` asks for it, whether a_ii > 0 for all i. In parallel; draws every row
 * once, or a few times more to find out where a matrix fails. The source's lengths must be valid
 * (cgs_matrix_create finds out).
 * CGS_BREAKDOWN: it does not hold. The message names the first pair of entries that differ (least
 * i, then least j > i, whatever the threads) with its values, or the first entry of the diagonal,
 * counted from 1; or says that the matrix is not square. CGS_MEMORY. */
enum cgs_status cgs_matrix_check_symmetry(struct cgs_context *context,
                                          const struct cgs_row_source *source,
                                          bool positive_diagonal);

#endif
