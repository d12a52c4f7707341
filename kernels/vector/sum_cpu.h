/* Sums with the same bits for any number of threads and ranks: fixed blocks of the global index,
 * each summed by one thread in a fixed order, their sums added pairwise in a fixed tree (tree.h).
 *
 *     x'y = sum over blocks b of ( sum over lanes l of ( sum over k of x[b,k,l] y[b,k,l] ) )
 *
 * The lanes fill a few vector registers, which suits the machine and hides the latency of
 * additions; products and sums are double in every build.
 */
#pragma once

#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/vector/blocks.h"
#include "kernels/vector/tree.h"
#include "kernels/vectorise.h"

static inline int64_t cgs_block_begin(const struct cgs_blocks *blocks, int64_t block)
{
    const int64_t begin =
        block / blocks->per_unit * blocks->unit + block % blocks->per_unit * blocks->size;
    return begin < blocks->n ? begin : blocks->n;
}

enum { CGS_LANES = 32 };

/* Sum of the lanes in a fixed order. */
CGS_PIECE double cgs_lanes_sum(double *lanes)
{
    for (int width = CGS_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++)
            lanes[l] += lanes[l + width];
    return lanes[0];
}

CGS_PIECE double cgs_lanes_dot(int64_t n, const real *restrict x, const real *restrict y)
{
    double lanes[CGS_LANES] = {0.0};
    int64_t i = 0;
    for (; i + CGS_LANES <= n; i += CGS_LANES)
#pragma omp simd
        for (int l = 0; l < CGS_LANES; l++)
            lanes[l] += (double)x[i + l] * (double)y[i + l];
    for (int l = 0; i + l < n; l++)
        lanes[l] += (double)x[i + l] * (double)y[i + l];
    return cgs_lanes_sum(lanes);
}
