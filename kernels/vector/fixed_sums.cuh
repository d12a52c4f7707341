/* Dots in the order of the CPU's: fixed blocks of the global index (blocks.h), one a block of
 * threads, whose sums are added in the tree of tree.h over all ranks. The same bits for any
 * number of devices, at the cost of passes of their own: no sum is fused with what makes its
 * operands. */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/precision.h"
#include "kernels/vector/blocks.h"
#include "kernels/vector/ranks_cuda.cuh"

namespace
{

/* Blocks of numbers in lines of `length`, `pitch` apart; in natural order one line. */
struct fixed_blocks {
    int64_t n, size, unit, per_unit, length, pitch;
};

__global__ void __launch_bounds__(CGS_THREADS)
    fixed_dot_kernel(const struct fixed_blocks b, const struct cgs_cg_state *state, const real *x,
                     const real *y, double *partials)
{
    const int64_t block = blockIdx.x;
    const int64_t begin = block / b.per_unit * b.unit + block % b.per_unit * b.size;
    const int64_t unit_end = (block / b.per_unit + 1) * b.unit;
    const int64_t end = min(min(begin + b.size, unit_end), b.n);
    double sum = 0.0;
    if (!cgs_cg_going_on(state))
        return;
    for (int64_t i = begin + threadIdx.x; i < end; i += CGS_THREADS) {
        const int64_t at = i / b.length * b.pitch + i % b.length;
        sum += (double)x[at] * (double)y[at];
    }
    sum = cgs_block_sum(sum);
    if (threadIdx.x == 0)
        partials[block] = sum;
}

/* sums[sum] = x'y, complete over all ranks. */
enum cgs_status fixed_dot(const struct cgs_space *space, struct cgs_queue *queue,
                          struct cgs_cg_state *state, const real *x, const real *y,
                          enum cgs_sum sum)
{
    const struct cgs_layout *layout = &space->layout;
    const struct cgs_portion *portion = layout->portion;
    const int64_t all = portion ? portion->whole : space->size;
    const int64_t least = cgs_block_least(all, CGS_VECTOR_BLOCK);
    const struct cgs_blocks blocks =
        layout->plane ? cgs_blocks_of_planes(portion, space->size, layout->plane, least)
                      : cgs_blocks_here(portion, space->size, least);
    const struct fixed_blocks fixed = {blocks.n,
                                       blocks.size,
                                       blocks.unit,
                                       blocks.per_unit,
                                       layout->pitch ? layout->length : blocks.n,
                                       layout->pitch};
    const struct cgs_rank_numbers numbers = {queue->partials, blocks.count,
                                             cgs_blocks_until(&blocks, cgs_portion_first(portion)),
                                             cgs_blocks_until(&blocks, all), portion == NULL};
    CGS_TRY(cgs_launch(queue, "dot", fixed_dot_kernel, blocks.count, fixed, state, x, y,
                       queue->partials));
    return cgs_cuda_add_numbers(queue, state, sum, &numbers);
}

} // namespace
