/* How well each row of A x = b is met, apart from the norm over all of them. */
#ifndef CGS_MATRIX_WORST_ROW_H
#define CGS_MATRIX_WORST_ROW_H

#include "matrix/row_source.h"

/* Rows of A x = b whose residual was held against the terms that it is the rest of:
 *
 *     ratio_i = |b_i - sum_j a_ij x_j| / (|b_i| + sum_j |a_ij x_j| + a_ii least)
 *
 * With least = 0 the largest ratio is the componentwise backward error: the smallest relative
 * change of the entries of A and b that makes x exact. Source: W. Oettli, W. Prager, Numer. Math. 6
 * (1964) 405. ratio_i is 0 where the residual is, and at most 1. */
struct cgs_worst_row {
    double ratio;  /* the largest */
    int64_t row;   /* its i, the lowest of equals; -1: all ratios are 0 */
    int64_t count; /* rows whose ratio is above `aim`, */
    double size;   /* and the largest denominator of these */
    double most;   /* largest |b_i| + sum_j |a_ij x_j| */
    double rr;     /* sum of |b - A x|_i^2 */
};

/* Adds rows first ... last - 1 of a source to *worst, which begins with row = -1 and zeros else;
 * the same bits, but for rr, whatever the number of threads. Every row is generated, in parallel:
 * no product of a kernel is needed. x: by the source's columns, also negative ones
 * (matrix/ranks/portion.h); b[i - first]; both float where `single`, else double.
 * CGS_MEMORY. CGS_USAGE: the source cannot generate rows. */
enum cgs_status cgs_matrix_worst_row(struct cgs_context *context,
                                     const struct cgs_row_source *source, int64_t first,
                                     int64_t last, bool single, const void *x, const void *b,
                                     double least, double aim, struct cgs_worst_row *worst);

#endif
