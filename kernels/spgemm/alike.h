/* Rows of C = A B that are the previous row shifted by one column, as on lattices, where nearly
 * every row has the same stencil. The positions of the products are found once for a run of such
 * rows.
 *
 *     row i - 1 of A    4 5 6         rows 4 5 6 of B     1 4 7    2 5 8    3 6 9
 *     row i             5 6 7         rows 5 6 7          2 5 8    3 6 9    4 7 10
 *     alike             row i of A follows row i - 1, and so does each row k of B that it uses
 */
#pragma once

#include "kernels/sparse.h"

/* Adds the memory of a search to the plan, an upper bound. rows: of A; inner: of B. */
void cgs_alike_plan(struct cgs_plan *plan, int64_t rows, int64_t inner);

/* Makes *alike: one byte a row, 1 if the row of C is a shift of the previous one; released by
 * cgs_free. NULL if most rows are not. CGS_MEMORY. */
enum cgs_status cgs_alike_create(struct cgs_context *context, int threads,
                                 const struct cgs_sparse *a, const struct cgs_sparse *b,
                                 uint8_t **alike);
