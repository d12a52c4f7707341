/* The 27-point stencil on the CPU, a strip of a line at a time, vectorised over its points.
 *
 * For a line (iy, iz) of n points let A be the line itself, F the sum of the 4 lines that differ in
 * y or z, E that of the 4 which differ in both; lines outside are zero (Dirichlet). Then
 *
 *     v = c0 A + c1 F + c2 E,   u = c1 A + c2 F + c3 E,   (A x)_i = v_i + u_(i-1) + u_(i+1):
 *
 * 14 operations and 9 loads a point. Three of the nine lines come from the second-level cache, the
 * other six were just used. Keeping sums of whole planes for the next two planes would take 13
 * operations and move more through the caches.
 */
#ifndef CGS_KERNELS_MATRIX_FREE_STENCIL_LINES_H
#define CGS_KERNELS_MATRIX_FREE_STENCIL_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/vectorise.h"

enum { CGS_STRIP = 512 }; /* points of a strip: its sums stay in the first-level cache */

/* Lines around line (y, z) of x, planes low ... high - 1 of n^2 numbers, itself included:
 * at[1 + dy + 3 (1 + dz)]; `zero` (n zeros) outside the cube. */
struct cgs_nine {
    const real *at[9];
};

CGS_PIECE struct cgs_nine cgs_nine_lines(int64_t n, int64_t low, int64_t high, const real *x,
                                         const real *zero, int64_t y, int64_t z)
{
    struct cgs_nine nine;
    for (int k = 0; k < 9; k++) {
        const int64_t ky = y + k % 3 - 1, kz = z + k / 3 - 1;
        const bool inside = ky >= 0 && ky < n && kz >= low && kz < high;
        nine.at[k] = inside ? x + (kz * n + ky) * n : zero;
    }
    return nine;
}

/* out[0 ... count - 1] = the stencil at `count` <= CGS_STRIP points from `first` on in a line of
 * n. */
CGS_PIECE void cgs_stencil_strip(int64_t n, const real *c, const struct cgs_nine *nine,
                                 int64_t first, int64_t count, real *restrict out)
{
    const real c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    const real *restrict a = nine->at[4] + first;
    const real *restrict f0 = nine->at[1] + first, *restrict f1 = nine->at[3] + first;
    const real *restrict f2 = nine->at[5] + first, *restrict f3 = nine->at[7] + first;
    const real *restrict e0 = nine->at[0] + first, *restrict e1 = nine->at[2] + first;
    const real *restrict e2 = nine->at[6] + first, *restrict e3 = nine->at[8] + first;
    real u[CGS_STRIP + 2]; /* u[i + 1] is that of point i */
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        const real f = (f0[i] + f3[i]) + (f1[i] + f2[i]);
        const real e = (e0[i] + e3[i]) + (e1[i] + e2[i]);
        u[i + 1] = c1 * a[i] + c2 * f + c3 * e;
        out[i] = c0 * a[i] + c1 * f + c2 * e;
    }
    for (int side = 0; side < 2; side++) { /* the neighbours of the strip */
        const int64_t i = side ? count : -1;
        u[i + 1] = 0;
        if (first + i >= 0 && first + i < n)
            u[i + 1] = c1 * a[i] + c2 * ((f0[i] + f3[i]) + (f1[i] + f2[i])) +
                       c3 * ((e0[i] + e3[i]) + (e1[i] + e2[i]));
    }
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        out[i] += u[i] + u[i + 2];
}

#endif
