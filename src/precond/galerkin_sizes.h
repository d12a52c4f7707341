/* Galerkin products on the grids of boxes before they exist: entries and products, exactly. */
#ifndef CGS_SRC_PRECOND_GALERKIN_SIZES_H
#define CGS_SRC_PRECOND_GALERKIN_SIZES_H

#include "kernels/spgemm.h"
#include "matrix/matrix.h"

/* Sizes of the products that lead from grid l to grid l + 1. */
struct cgs_galerkin_sizes {
    struct cgs_spgemm_size ap;            /* A_l P: a, b and entries are those of A_l, P, A_l P */
    struct cgs_spgemm_size coarse;        /* P' (A_l P): entries of A_(l+1) */
    struct cgs_row_statistics statistics; /* of A_(l+1) */
};

/* Sizes for `count` grids of n[0] ... n[count - 1] unknowns in each direction, n[0] at most
 * CGS_ASSEMBLER_MAX_N; A_0 is the box's. Fills sizes[0 ... count - 2]. */
void cgs_galerkin_sizes(int count, const int64_t *n, struct cgs_galerkin_sizes *sizes);

#endif
