/* The interpolation between two grids (kernels/grid.h) as an explicit matrix P, for matrix
 * products; grid kernels never assemble it. */
#pragma once

#include "matrix/row_source.h"

/* Unknowns in x, y, z, fine and coarse; fewer than 2^31 in all. open: free faces, as in struct
 * cgs_mesh. */
struct cgs_prolongation {
    int64_t n[3], m[3];
    int open[3];
};

/* Rows of P, a row a fine unknown, a column a coarse one, with 1, 2, 4 or 8 nonzero entries. *p
 * must outlive the source. */
struct cgs_row_source cgs_prolongation_source(const struct cgs_prolongation *p);
