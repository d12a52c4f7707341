/* Sums over a grid in a fixed order, without float atomics: the same bits in every run.
 *
 * Each block writes one partial sum; a ticket identifies the last block, which adds them. Up to
 * ONE_LEVEL blocks use one level; beyond that, every GROUP consecutive blocks have a ticket: the
 * last block of a group adds the group, the last of all adds the groups. The order of additions
 * depends on the grid alone. Tickets return to 0.
 */
#pragma once

#include <bit>

#include <nv/target>

#include "kernels/device/cuda.cuh"

enum {
    CGS_WARP = 32,
    CGS_GROUP = CGS_THREADS,
    CGS_ONE_LEVEL = 8 * CGS_THREADS,
    CGS_MOST_BLOCKS = 1 << 20,
    CGS_GROUPS = CGS_MOST_BLOCKS / CGS_GROUP,
    CGS_SCRATCH = CGS_MOST_BLOCKS + CGS_GROUPS, /* partial sums of blocks, then of groups */
    CGS_EPOCH = 1 + CGS_GROUPS,                 /* after the tickets: counts grid-wide meetings */
    CGS_TICKETS
};

/* The sum over the block, valid in thread 0. All its threads must call: THREADS, whole warps. */
template <int THREADS = CGS_THREADS> __device__ inline double cgs_block_sum(double x)
{
    constexpr int WARPS = THREADS / CGS_WARP;
    __shared__ double warps[WARPS];
    for (int step = CGS_WARP / 2; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffffu, x, step);
    __syncthreads(); /* a previous sum may still be read */
    if (threadIdx.x % CGS_WARP == 0)
        warps[threadIdx.x / CGS_WARP] = x;
    __syncthreads();
    if (threadIdx.x < CGS_WARP) {
        x = threadIdx.x < WARPS ? warps[threadIdx.x] : 0.0;
        for (int step = (int)std::bit_ceil((unsigned)WARPS) / 2; step > 0; step /= 2)
            x += __shfl_down_sync(0xffffffffu, x, step);
    }
    return x;
}

/* Acquire-release fence: this thread's earlier writes become visible to the device before its later
 * accesses, and vice versa. (__threadfence() is sequentially consistent and slower.) */
__device__ inline void cgs_fence()
{
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_70,
                      (asm volatile("fence.acq_rel.gpu;" ::
                                        : "memory");),
                      (__threadfence();))
}

/* True in the whole block if it is the last of `count` to take this ticket, which it resets to 0.
 * Earlier writes of the other blocks are then visible. */
__device__ inline bool cgs_last_block(unsigned *ticket, unsigned count)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        cgs_fence();
        last = atomicAdd(ticket, 1u) == count - 1;
        if (last) {
            *ticket = 0;
            cgs_fence();
        }
    }
    __syncthreads();
    return last;
}

/* Adds partials[0 ... count - 1], a fixed share for each thread; valid in thread 0. */
template <int THREADS = CGS_THREADS>
__device__ inline double cgs_sum_partials(const double *partials, unsigned count)
{
    double x = 0.0;
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        x += __ldcg(&partials[i]);
    return cgs_block_sum<THREADS>(x);
}

/* Adds `mine` over all threads of a 1-D grid of at most CGS_MOST_BLOCKS blocks. True in one thread
 * of the grid, which then has the total: it alone may write the state. */
template <int THREADS = CGS_THREADS>
__device__ inline bool cgs_grid_sum(double mine, double *partials, unsigned *tickets, double *total)
{
    const double block = cgs_block_sum<THREADS>(mine);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = block;
    if (gridDim.x <= CGS_ONE_LEVEL) {
        if (!cgs_last_block(&tickets[0], gridDim.x))
            return false;
        *total = cgs_sum_partials<THREADS>(partials, gridDim.x);
        return threadIdx.x == 0;
    }
    const unsigned group = blockIdx.x / CGS_GROUP;
    const unsigned groups = (gridDim.x + CGS_GROUP - 1) / CGS_GROUP;
    const unsigned first = group * CGS_GROUP;
    const unsigned members = min((unsigned)CGS_GROUP, gridDim.x - first);
    if (!cgs_last_block(&tickets[1 + group], members))
        return false;
    const double sum = cgs_sum_partials<THREADS>(partials + first, members);
    if (threadIdx.x == 0)
        partials[CGS_MOST_BLOCKS + group] = sum;
    if (!cgs_last_block(&tickets[0], groups))
        return false;
    *total = cgs_sum_partials<THREADS>(partials + CGS_MOST_BLOCKS, groups);
    return threadIdx.x == 0;
}

/* True in one thread of the grid once every block has called. All have read the state by then, and
 * that thread may change it. No fence: other writes of the blocks need not be visible. */
__device__ inline bool cgs_grid_last(unsigned *tickets)
{
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&tickets[0], 1u) != gridDim.x - 1)
        return false;
    tickets[0] = 0;
    return true;
}
