/* Matrices of n rows that are unlike those of a mesh: made row by row, the same in every run.
 *
 *     arrow   a full first row, the first column, the diagonal
 *     power   lengths 2 u^-0.8, u uniform: P(longer than l) ~ l^-1.25
 *     even    `mean` entries in each row, in random places
 */
#ifndef CGS_BENCH_SHAPES_H
#define CGS_BENCH_SHAPES_H

#include "matrix/crs.h"

/* By the name of its shape (any other word: power); to be released. CGS_MEMORY, CGS_USAGE. */
enum cgs_status cgs_shape_make(struct cgs_context *context, const char *shape, int64_t n,
                               double mean, struct cgs_crs *crs);

#endif
