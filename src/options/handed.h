/* What a caller of libcgsolve hands over beside options: a matrix by its rows, vectors, who watches.
 * The program has none of it (options->handed is NULL). */
#ifndef CGS_SRC_OPTIONS_HANDED_H
#define CGS_SRC_OPTIONS_HANDED_H

#include <stdbool.h>
#include <stdint.h>

struct cgs_crs; /* matrix/crs.h */

struct cgs_handed {
    const struct cgs_crs *crs; /* borrowed arrays; NULL: the matrix that the options name */
    /* Of one solve; natural order, rows numbers each, borrowed. */
    const double *rhs;   /* NULL: the right-hand side that the options name */
    const double *start; /* NULL: by --guess; may be `solution` */
    double *solution;    /* set where there is an outcome worth it; NULL: not wanted */
    bool measure;        /* time bandwidths, products and kernels, as the program does */
    /* Called at each look of CG; false asks it to stop. NULL: nobody watches. */
    bool (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
};

#endif
