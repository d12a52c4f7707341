/* The interpolation between two cube grids (kernels/grid.h) as an explicit matrix P, for matrix
 * products; grid kernels never assemble it. */
#ifndef CGS_KERNELS_GRID_PROLONGATION_H
#define CGS_KERNELS_GRID_PROLONGATION_H

#include "matrix/row_source.h"

/* Unknowns per direction, fine and coarse; n^3 and m^3 below 2^31. */
struct cgs_prolongation {
    int64_t n, m;
};

/* Rows of P: n^3 rows of m^3 columns with 1, 2, 4 or 8 nonzero entries. *p must outlive the
 * source. */
struct cgs_row_source cgs_prolongation_source(const struct cgs_prolongation *p);

#endif
