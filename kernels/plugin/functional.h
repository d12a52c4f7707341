/* Check of a product y = A x by a random linear functional: w'y = (A'w)'x. A'w is computed once;
 * then the check of a product takes two dot products instead of a second product. With a new random
 * x for each product it finds results that are remembered, skipped or wrong in any row.
 *
 * w_i is random, of magnitude 1 to 2. |w'(y - A x)| is at most
 *     sum_i |w_i| ((n_i + 3) eps sum_j |a_ij| |x_j| + (n_i + 1) tiny),
 * the weighted sum of the bounds of core/autotune/verify.h, where row i has n_i entries. w_i = 0
 * for rows that are not finite, or may overflow for |x_j| <= 4.
 *
 * Source: R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP Congress 1977. */
#pragma once

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

/* Chooses w by `seed`. number: the type of A and the vectors. CGS_MEMORY, then *functional is
 * empty. */
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
