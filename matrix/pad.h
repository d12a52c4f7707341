/* CRS with padded rows: beginning of each row if lengths are rounded up to multiples of 2^power. */
#pragma once

#include "base/linkage.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* CRS with every row padded to a multiple of 2^power entries (1 <= power < CGS_ROUNDINGS), so that
 * each begins at such a multiple; empty rows stay empty. Padding is as in SELL.
 *
 *     power = 1 of the matrix above: pointers 0 2 4 6 10
 *     columns  1 2 | 0 3 | 2 2 | 0 2 3 0
 *     values   3 1 | 4 7 | 6 0 | 9 5 3 0
 *
 * cgs_matrix_padded is the forecast, also of a forecast: final counts, pointers NULL.
 * cgs_matrix_pad lays it out in parallel: the source is borrowed from `crs`, pointers are owned.
 * CGS_USAGE: a row's padded length exceeds 32 bits. CGS_MEMORY. */
struct cgs_matrix cgs_matrix_padded(const struct cgs_matrix *crs, int power);
enum cgs_status cgs_matrix_pad(struct cgs_context *context, const struct cgs_matrix *crs, int power,
                               struct cgs_matrix *padded);

CGS_END_C
