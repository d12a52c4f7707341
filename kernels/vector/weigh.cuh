/* The right-hand side that eigenvalues are estimated with (kernels/space.h: least, weigh), without
 * a number on the host. Its bits are those of the host. */
#pragma once

#include "base/random.h"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/sum.cuh"
#include "kernels/space.h"

namespace
{

typedef unsigned long long word;

/* *least: the bits of the least positive number, which are ordered as these numbers are. */
__global__ void __launch_bounds__(CGS_THREADS)
    least_kernel(int64_t count, const real *__restrict__ x, word *least)
{
    word mine = ~0ull;
    for (int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * CGS_THREADS) {
        const word bits = (word)__double_as_longlong((double)x[i]);
        mine = x[i] > 0 && bits < mine ? bits : mine;
    }
    for (int step = CGS_WARP / 2; step > 0; step /= 2) {
        const word other = __shfl_down_sync(~0u, mine, step);
        mine = other < mine ? other : mine;
    }
    if (threadIdx.x % CGS_WARP == 0)
        atomicMin(least, mine);
}

enum cgs_status least(const struct cgs_space *space, const void *x, double *found)
{
    struct cgs_queue *queue = space->queue;
    cudaStream_t stream = cgs_cuda_stream(queue);
    auto *there = reinterpret_cast<word *>(queue->partials);
    word bits = 0;
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(there, 0xff, sizeof *there, stream));
    CGS_TRY(cgs_launch(queue, "least number", least_kernel, cgs_blocks_for(queue, space->extent),
                       space->extent, static_cast<const real *>(x), there));
    CGS_TRY(cgs_cuda_fetch(queue, &bits, there, sizeof bits));
    *found = bits == ~0ull ? INFINITY : __builtin_bit_cast(double, bits);
    return CGS_OK;
}

/* length, pitch: of lines; pitch 0: one line. */
__global__ void __launch_bounds__(CGS_THREADS)
    weigh_kernel(int64_t count, int64_t length, int64_t pitch, int64_t first, double scale,
                 const real *__restrict__ inverse, real *__restrict__ b)
{
    for (int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * CGS_THREADS) {
        const int64_t at = pitch == 0 ? i : i / length * pitch + i % length;
        const double d = (double)inverse[at];
        b[at] = (real)((d > 0.0 ? scale / sqrt(d) : 0.0) * cgs_random((uint64_t)(first + i)));
    }
}

enum cgs_status weigh(const struct cgs_space *space, const void *inverse, double scale,
                      int64_t first, void *b)
{
    const struct cgs_layout *layout = &space->layout;
    return cgs_launch(space->queue, "weighed random numbers", weigh_kernel,
                      cgs_blocks_for(space->queue, space->size), space->size, layout->length,
                      layout->pitch, first, scale, static_cast<const real *>(inverse),
                      static_cast<real *>(b));
}

} // namespace
