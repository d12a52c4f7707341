/* The 27-point stencil on the CPU, a strip of a line at a time, vectorised over its points.
 *
 * For a line (iy, iz) of points let A be the line itself, Y and Z the sums of the 2 lines that
 * differ in y and in z, E that of the 4 which differ in both; lines outside are zero (Dirichlet).
 * With the numbers c by the bits of the directions (cgs_mesh_stencil)
 *
 *     v = c0 A + c2 Y + c4 Z + c6 E,   u = c1 A + c3 Y + c5 Z + c7 E,
 *     (A x)_i = v_i + u_(i-1) + u_(i+1):
 *
 * 15 operations and 9 loads a point; 14 with F = Y + Z where cells are cubes. Three of the nine
 * lines come from the second-level cache, the other six were just used. Keeping sums of whole
 * planes for the next two planes would take fewer operations and move more through the caches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/vectorise.h"

enum { CGS_STRIP = 512 }; /* points of a strip: its sums stay in the first-level cache */

/* Lines around line (y, z) of x, planes low ... high - 1 of n[1] lines of n[0] numbers, itself
 * included: at[1 + dy + 3 (1 + dz)]; `zero` (n[0] zeros) outside the box. */
struct cgs_nine {
    const real *at[9];
};

CGS_PIECE struct cgs_nine cgs_nine_lines(const int64_t *n, int64_t low, int64_t high, const real *x,
                                         const real *zero, int64_t y, int64_t z)
{
    struct cgs_nine nine;
    for (int k = 0; k < 9; k++) {
        const int64_t ky = y + k % 3 - 1, kz = z + k / 3 - 1;
        const bool inside = ky >= 0 && ky < n[1] && kz >= low && kz < high;
        nine.at[k] = inside ? x + (kz * n[1] + ky) * n[0] : zero;
    }
    return nine;
}

/* out[0 ... count - 1] = the stencil at `count` <= CGS_STRIP points from `first` on in a line of
 * n. cubic: known to the compiler. */
CGS_PIECE void cgs_stencil_strip(int64_t n, bool cubic, const real *c, const struct cgs_nine *nine,
                                 int64_t first, int64_t count, real *restrict out)
{
    real u[CGS_STRIP + 2]; /* u[i + 1] is that of point i */
    const real c0 = c[0], c1 = c[1], c2 = c[cubic ? 1 : 2], c3 = c[3];
    const real c4 = c[4], c5 = c[5], c6 = c[cubic ? 3 : 6], c7 = c[7];
    const real *restrict a = nine->at[4] + first;
    const real *restrict z0 = nine->at[1] + first, *restrict y0 = nine->at[3] + first;
    const real *restrict y1 = nine->at[5] + first, *restrict z1 = nine->at[7] + first;
    const real *restrict e0 = nine->at[0] + first, *restrict e1 = nine->at[2] + first;
    const real *restrict e2 = nine->at[6] + first, *restrict e3 = nine->at[8] + first;
    if (cubic) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            const real f = (z0[i] + z1[i]) + (y0[i] + y1[i]);
            const real e = (e0[i] + e3[i]) + (e1[i] + e2[i]);
            u[i + 1] = c1 * a[i] + c3 * f + c7 * e;
            out[i] = c0 * a[i] + c2 * f + c6 * e;
        }
    } else {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            const real y = y0[i] + y1[i], z = z0[i] + z1[i];
            const real e = (e0[i] + e3[i]) + (e1[i] + e2[i]);
            u[i + 1] = c1 * a[i] + c3 * y + c5 * z + c7 * e;
            out[i] = c0 * a[i] + c2 * y + c4 * z + c6 * e;
        }
    }
    for (int side = 0; side < 2; side++) { /* the neighbours of the strip */
        const int64_t i = side ? count : -1;
        u[i + 1] = 0;
        if (first + i >= 0 && first + i < n) {
            const real y = y0[i] + y1[i], z = z0[i] + z1[i];
            const real e = (e0[i] + e3[i]) + (e1[i] + e2[i]);
            u[i + 1] =
                cubic ? c1 * a[i] + c3 * (z + y) + c7 * e : c1 * a[i] + c3 * y + c5 * z + c7 * e;
        }
    }
#pragma omp simd
    for (int64_t i = 0; i < count; i++)
        out[i] += u[i] + u[i + 2];
}
