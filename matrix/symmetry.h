/* Checks of a matrix for CG, entry by entry: symmetry, and a positive diagonal. */
#pragma once

#include <stdbool.h>

#include "matrix/row_source.h"

/* Checks that a_ij = a_ji to the bit for all i, j (missing entries are zeros), then, if
 * `positive_diagonal`, that a_ii > 0 for all i. In parallel; generates every row once, and some
 * more to locate a failure.
 * symmetric: false for a matrix that is not symmetric to the bit, which is then no failure, and
 * whose diagonal is not looked at. NULL: such a matrix is refused. The source's lengths must be
 * valid (cgs_matrix_create checks them). Where ranks have a part of the rows each (source->whole),
 * all call it at once, and it speaks of the whole matrix.
 * CGS_BREAKDOWN: the message names the first pair of entries that differ (least i, then least j >
 * i, for any number of threads) with its values, or the first bad diagonal entry, counted from 1,
 * or its row if that holds no nonzero; or says that the matrix is not square. CGS_MEMORY. */
enum cgs_status cgs_matrix_check_symmetry(struct cgs_context *context,
                                          const struct cgs_row_source *source,
                                          bool positive_diagonal, bool *symmetric);

/* Fails with the message for the entries in row i, column j and in row j, column i, counted from 0.
 * Where ranks have a part of the rows each, all call it at once. CGS_BREAKDOWN, CGS_MEMORY. */
enum cgs_status cgs_matrix_refuse_pair(struct cgs_context *context,
                                       const struct cgs_row_source *source, int64_t i, int64_t j);
