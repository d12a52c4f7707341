/* The box problem in small, for judges that solve it themselves: the 27-point stencil on n^3
 * unknowns. */
#pragma once

#include "core/autotune/calls.h"

/* y = A x, A = h times the stencil of trilinear elements with Gauss's rule, h = 1 / (n + 1);
 * vectors have n^3 numbers, the first index runs fastest. */
void cgs_box_product(int64_t n, const double *x, double *y);

/* The matrix D A D, and `more` rows and columns without entries behind it. D is diagonal, from 1
 * to `spread`: the larger it is, the further the recursive residual of CG drifts away from the
 * true one. CGS_MEMORY. */
enum cgs_status cgs_box_rows(struct cgs_context *context, int64_t n, double spread, int64_t more,
                             struct cgs_crs *crs);

double cgs_box_dot(int64_t count, const double *x, const double *y);
