/* Rows of C = A B that look like the one before, a column further: those of lattices, where the same
 * stencil stands in nearly every row. Of a run of such rows the places of the products are found once.
 *
 *     row i - 1 of A    4 5 6         rows 4 5 6 of B     1 4 7    2 5 8    3 6 9
 *     row i             5 6 7         rows 5 6 7          2 5 8    3 6 9    4 7 10
 *     alike             row i of A follows row i - 1, and each row k of B that it meets row k - 1
 */
#ifndef CGS_KERNELS_SPGEMM_ALIKE_H
#define CGS_KERNELS_SPGEMM_ALIKE_H

#include "kernels/sparse.h"

/* What a search holds, at most: rows of A, rows of B. */
void cgs_alike_plan(struct cgs_plan *plan, int64_t rows, int64_t inner);

/* *alike: a byte a row of A, 1 for a row of C that is like the one before, for cgs_free; NULL where most
 * are not. CGS_MEMORY. */
enum cgs_status cgs_alike_create(struct cgs_context *context, int threads,
                                 const struct cgs_sparse *a, const struct cgs_sparse *b,
                                 uint8_t **alike);

#endif
