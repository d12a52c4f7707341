/* The 27-point stencil line by line, vectorised over the points of a line.
 *
 * Of a line (iy, iz) of n points let A be the line itself, F the sum of the 4 lines that differ in
 * y or z, E that of the 4 which differ in both; lines outside are zero (Dirichlet). Then
 *
 *     v = c0 A + c1 F + c2 E,   u = c1 A + c2 F + c3 E,   y_i = v_i + u_(i-1) + u_(i+1):
 *
 * 14 operations and 9 loads a point, no multiplications by x's neighbours. Three of the nine lines
 * come from the second-level cache, the other six were just used. Sharing sums between planes as
 * well (P0 and P1 of a plane, kept) takes 13 operations and moves more through the caches.
 */
#ifndef CGS_KERNELS_FREE_STENCIL_LINES_H
#define CGS_KERNELS_FREE_STENCIL_LINES_H

#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/vectorise.h"

/* The nine lines around (and at) a line: at[1 + dy + 3 (1 + dz)]. */
struct cgs_nine {
    const real *at[9];
};

/* y = the stencil's line; u: n + 2 numbers of scratch, u[0] and u[n + 1] zero. */
CGS_PIECE void cgs_stencil_line(int64_t n, const real *c, const struct cgs_nine *nine,
                                real *restrict u, real *restrict y)
{
    const real c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    const real *restrict a = nine->at[4];
    const real *restrict f0 = nine->at[1], *restrict f1 = nine->at[3];
    const real *restrict f2 = nine->at[5], *restrict f3 = nine->at[7];
    const real *restrict e0 = nine->at[0], *restrict e1 = nine->at[2];
    const real *restrict e2 = nine->at[6], *restrict e3 = nine->at[8];
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        const real f = (f0[i] + f3[i]) + (f1[i] + f2[i]);
        const real e = (e0[i] + e3[i]) + (e1[i] + e2[i]);
        u[i + 1] = c1 * a[i] + c2 * f + c3 * e;
        y[i] = c0 * a[i] + c1 * f + c2 * e;
    }
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        y[i] += u[i] + u[i + 2];
}

#endif
