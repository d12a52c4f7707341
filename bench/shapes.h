/* Matrices of n rows unlike those of a mesh: generated row by row, reproducible.
 *
 *     arrow   a full first row, the first column, the diagonal
 *     power   lengths 2 u^-0.8, u uniform: P(longer than l) ~ l^-1.25
 *     even    `mean` entries in each row, in random places
 */
#ifndef CGS_BENCH_SHAPES_H
#define CGS_BENCH_SHAPES_H

#include "matrix/crs.h"

/* Makes the matrix of that shape (any other word: power); to be released. CGS_MEMORY, CGS_USAGE. */
enum cgs_status cgs_shape_make(struct cgs_context *context, const char *shape, int64_t n,
                               double mean, struct cgs_crs *crs);

#endif
