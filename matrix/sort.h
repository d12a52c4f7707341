/* Sorting rows by length, for SELL with sigma > 1: private to matrix/. */
#ifndef CGS_MATRIX_SORT_H
#define CGS_MATRIX_SORT_H

#include <stdint.h>

#include "matrix/matrix.h"

/* Writes the permutation (allocated) of a matrix with known statistics: every window of sigma
 * places has its rows by descending length, stably sorted. lengths[row]: of all rows, within 0 ...
 * columns. In parallel, the same for any number of threads; CGS_MEMORY. */
enum cgs_status cgs_sort_rows(struct cgs_context *context, const int32_t *lengths,
                              const struct cgs_matrix *matrix);

#endif
