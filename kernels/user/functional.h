/* A random linear functional of a product y = A x: w'y = (A'w)'x. With A'w computed once, it costs two dot
 * products to check a product for an x that nobody has seen before, instead of the product itself: an answer
 * that is remembered, skipped or wrong in any row shows.
 *
 * w_i is random, of magnitude 1 to 2. |w'(y - A x)| is at most
 *     sum_i |w_i| ((n_i + 3) eps sum_j |a_ij| |x_j| + (n_i + 1) tiny),
 * the bounds of core/tune/verify.h of all rows, n_i the entries of row i. Rows that are not finite, or may overflow
 * for |x_j| <= 4, have w_i = 0.
 *
 * Source: R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP Congress 1977, for products. */
#ifndef CGS_KERNELS_USER_FUNCTIONAL_H
#define CGS_KERNELS_USER_FUNCTIONAL_H

#include "base/context.h"
#include "matrix/crs.h"
#include "matrix/matrix.h"

struct cgs_functional {
    int64_t rows, columns;
    double *weight;     /* w: rows numbers */
    long double *image; /* A'w: columns numbers */
    double *slope;      /* bound, by |x_j|: columns numbers */
    double slack;       /* bound for x = 0 */
};

/* Bytes of a functional, for each row and each column. */
enum { CGS_FUNCTIONAL_ROW = 8, CGS_FUNCTIONAL_COLUMN = 24 };

/* Chooses w by `seed`. number: the type of A and the vectors. CGS_MEMORY, then *functional is empty. */
enum cgs_status cgs_functional_create(struct cgs_context *context, const struct cgs_crs *crs,
                                      enum cgs_number number, uint64_t seed,
                                      struct cgs_functional *functional);
void cgs_functional_release(struct cgs_context *context, struct cgs_functional *functional);

struct cgs_functional_values {
    double is, should_be, bound;
};

/* Returns true if y may be A x, |x_j| <= 4, or if x is not finite; *values tells both sides. */
bool cgs_functional_agrees(const struct cgs_functional *functional, int threads, const double *x,
                           const double *y, struct cgs_functional_values *values);

#endif
