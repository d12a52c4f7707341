/* The interpolation between the grids of two boxes (kernels/grid.h) as a matrix P: for products of
 * matrices, where kernels of grids never have it as one. */
#ifndef CGS_KERNELS_GRID_PROLONGATION_H
#define CGS_KERNELS_GRID_PROLONGATION_H

#include "matrix/row_source.h"

/* Unknowns in each direction, fine and coarse; both n^3 and m^3 below 2^31. */
struct cgs_prolongation {
    int64_t n, m;
};

/* Its n^3 rows of m^3 columns: 1, 2, 4 or 8 entries each, none of them zero. *p must stay where it is. */
struct cgs_row_source cgs_prolongation_source(const struct cgs_prolongation *p);

#endif
