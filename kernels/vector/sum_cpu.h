/* Sums with the same bits for any number of threads: fixed blocks, each summed by one thread in a
 * fixed order, their sums added pairwise in a fixed tree.
 *
 *     x'y = sum over blocks b of ( sum over lanes l of ( sum over k of x[b,k,l] y[b,k,l] ) )
 *
 * The lanes fill a few vector registers, which suits the machine and hides the latency of
 * additions; products and sums are double in every build.
 */
#ifndef CGS_KERNELS_VECTOR_SUM_CPU_H
#define CGS_KERNELS_VECTOR_SUM_CPU_H

#include <stdint.h>

#include "kernels/precision.h"
#include "kernels/queue.h"
#include "kernels/vectorise.h"

/* n numbers in blocks of `size`, a multiple of the smallest one. */
struct cgs_blocks {
    int64_t n, size, count;
};

/* Blocks of `least` numbers, or a power of two times that, to fit the queue's partials. */
static inline struct cgs_blocks cgs_blocks_of(int64_t n, int64_t least)
{
    int64_t size = least;
    while (n / size >= CGS_PARTIALS)
        size *= 2;
    return (struct cgs_blocks){.n = n, .size = size, .count = n / size + (n % size != 0)};
}

static inline int64_t cgs_block_begin(const struct cgs_blocks *blocks, int64_t block)
{
    return block * blocks->size < blocks->n ? block * blocks->size : blocks->n;
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

/* partials[0] + ... + partials[count - 1] as a balanced tree over runs of 16. */
static inline double cgs_pairwise(const double *partials, int64_t count)
{
    if (count <= 16) {
        double sum = 0.0;
        for (int64_t i = 0; i < count; i++)
            sum += partials[i];
        return sum;
    }
    const int64_t half = count / 2;
    return cgs_pairwise(partials, half) + cgs_pairwise(partials + half, count - half);
}

#endif
