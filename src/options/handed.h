/* Data of a caller of libcgsolve apart from options: a matrix by rows, vectors, a callback. In the
 * program options->handed is NULL. */
#ifndef CGS_SRC_OPTIONS_HANDED_H
#define CGS_SRC_OPTIONS_HANDED_H

#include <stdbool.h>
#include <stdint.h>

struct cgs_crs; /* matrix/crs.h */

struct cgs_handed {
    const struct cgs_crs *crs; /* borrowed; NULL: the matrix of the options */
    /* Vectors of one solve, borrowed: a number per row, in natural order. */
    const double *rhs;   /* NULL: the right-hand side of the options */
    const double *start; /* NULL: start vector of --guess; may be `solution` */
    double *solution;    /* set unless CG breaks down; NULL: none */
    bool measure;        /* measure bandwidths, products and kernels, as the program does */
    /* Called whenever CG checks the residual; returns false to stop it. NULL: none. */
    bool (*watch)(void *user, int64_t iteration, double relative_residual);
    void *user;
};

#endif
