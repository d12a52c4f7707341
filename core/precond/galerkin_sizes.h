/* Galerkin products on the grids of boxes before they exist: entries and products, exactly. */
#pragma once

#include "fem/element/element.h"
#include "kernels/spgemm.h"
#include "matrix/matrix.h"

/* Sizes of the products that lead from grid l to grid l + 1. */
struct cgs_galerkin_sizes {
    struct cgs_spgemm_size ap;            /* A_l P: a, b and entries are those of A_l, P, A_l P */
    struct cgs_spgemm_size coarse;        /* P' (A_l P): entries of A_(l+1) */
    struct cgs_row_statistics statistics; /* of A_(l+1) */
};

/* Sizes for `count` grids, from the finest on, whose columns have 32 bits; A_0 is the box's. Fills
 * sizes[0 ... count - 2]. */
void cgs_galerkin_sizes(int count, const struct cgs_mesh *grid, struct cgs_galerkin_sizes *sizes);
