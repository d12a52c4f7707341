/* A step of a smoother (struct cgs_relaxation) on a strip of numbers, for spaces with A x in memory
 * and operators that have just computed A x. */
#pragma once

#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/vectorise.h"

/* y = on_x x + on_y y + c d (b - q): struct cgs_relaxation. */
CGS_PIECE void cgs_relax(int64_t n, real on_x, real on_y, real c, const real *restrict d,
                         const real *restrict b, const real *restrict q, const real *restrict x,
                         real *restrict y)
{
    if (on_y == 0 && !d)
        for (int64_t i = 0; i < n; i++)
            y[i] = on_x * x[i] + c * (b[i] - q[i]);
    else if (on_y == 0)
        for (int64_t i = 0; i < n; i++)
            y[i] = on_x * x[i] + c * d[i] * (b[i] - q[i]);
    else if (!d)
        for (int64_t i = 0; i < n; i++)
            y[i] = on_x * x[i] + on_y * y[i] + c * (b[i] - q[i]);
    else
        for (int64_t i = 0; i < n; i++)
            y[i] = on_x * x[i] + on_y * y[i] + c * d[i] * (b[i] - q[i]);
}
