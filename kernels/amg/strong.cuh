/* Strong entries of a matrix, and rows of S, on CUDA (kernels/amg.h). */
#pragma once

#include "kernels/amg/rows.cuh"
#include "kernels/amg/rules.h"

namespace
{

struct entries {
    const int32_t *column;
    const double *number, *roots;
    double theta;

    __device__ bool strong(int64_t row, int64_t e) const
    {
        return cgs_amg_strong(number[e], theta, roots[row], roots[column[e]]);
    }
    /* ITSELF: include the diagonal entry. */
    template <bool ITSELF> __device__ bool kept(int64_t row, int64_t e) const
    {
        return column[e] == row ? ITSELF : strong(row, e);
    }
};

/* Factor of a row of S; adds weak entries in column order, as on the CPU. */
template <int T> __device__ double factor_of(const group<T> &g, const entries &a, double omega)
{
    double diagonal = 0.0, weak = 0.0, largest = 0.0;
    for (int64_t first = g.begin; first < g.end; first += T) {
        const int64_t e = first + g.lane;
        double mine = 0.0;
        if (e < g.end && a.column[e] == g.row)
            diagonal = a.number[e];
        else if (e < g.end && a.strong(g.row, e))
            largest = fmax(largest, fabs(a.number[e]));
        else if (e < g.end)
            mine = a.number[e];
        for (unsigned left = group_votes(g, mine != 0.0); left != 0; left &= left - 1)
            weak += __shfl_sync(g.mask, mine, __ffs((int)left) - 1, T);
    }
    for (int step = T / 2; step > 0; step /= 2) { /* one lane has the diagonal, the others 0 */
        diagonal = fmax(diagonal, __shfl_xor_sync(g.mask, diagonal, step));
        largest = fmax(largest, __shfl_xor_sync(g.mask, largest, step));
    }
    return -(omega / cgs_amg_filtered(diagonal, weak, largest));
}

} // namespace
