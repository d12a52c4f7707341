/* A laid-out matrix, held against the definition in matrix/matrix.h. */
#pragma once

#include "tests/support/support.h"

/* Returns the row in each of the `rows` places: windows of sigma rows sorted by the C library, by
 * descending length, then by row. To be freed. */
int32_t *layout_order(int64_t rows, int64_t sigma, const int32_t *lengths);

/* Units first ... last - 1 into fresh arrays, which begin poisoned; to be freed. */
void layout_draw(const struct cgs_matrix *matrix, int64_t first, int64_t last,
                 enum cgs_number number, int32_t **columns, void **values);

/* The whole matrix, in double precision, is this: units + 1 pointers, as many entries as they say.
 */
void layout_is(const struct cgs_matrix *matrix, const int64_t *pointers, const int32_t *columns,
               const double *values);

/* Order of the rows, pointers, entries, padding and counts of the whole matrix. */
void layout_check(const struct plain *plain, const struct cgs_matrix *matrix,
                  enum cgs_number number);
