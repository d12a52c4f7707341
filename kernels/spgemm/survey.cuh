/* Number of products of A B on the device (kernels/spgemm.h), of all rows and of the longest, and
 * first entries of both matrices, in one launch and one copy to the host.
 *
 * Traffic: A's columns and pointers once, 16 bytes of B's pointers for each entry of A.
 */
#pragma once

#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/spgemm.h"

namespace
{

struct survey {
    unsigned long long products, longest;
    int64_t first_a, first_b; /* pointers[0] of each */
};

/* One warp a row; integer sums do not depend on the order. */
__global__ void count_products(int64_t rows, const int64_t *a_pointers, const int32_t *a_column,
                               const int64_t *b_pointers, struct survey *found)
{
    __shared__ unsigned long long products, longest;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32);
    const int lane = (int)threadIdx.x % 32;
    unsigned long long all = 0, most = 0;
    if (threadIdx.x == 0) {
        products = longest = 0;
        if (blockIdx.x == 0) {
            found->first_a = a_pointers[0];
            found->first_b = b_pointers[0];
        }
    }
    __syncthreads();
    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < rows; i += warps) {
        unsigned long long row = 0;
        for (int64_t e = a_pointers[i] + lane; e < a_pointers[i + 1]; e += 32)
            row += (unsigned long long)(b_pointers[a_column[e] + 1] - b_pointers[a_column[e]]);
        for (int step = 16; step > 0; step /= 2)
            row += __shfl_xor_sync(0xffffffffu, row, step);
        all += row;
        most = row > most ? row : most;
    }
    if (lane == 0) {
        atomicAdd(&products, all);
        atomicMax(&longest, most);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&found->products, products);
        atomicMax(&found->longest, longest);
    }
}

/* Waits. *scratch is owned by the caller, even after a failure. */
enum cgs_status survey_products(struct cgs_queue *queue, const struct cgs_sparse *a,
                                const struct cgs_sparse *b, struct survey **scratch,
                                struct survey *found)
{
    const int64_t warps = CGS_THREADS / 32, wanted = (a->rows + warps - 1) / warps;
    const int64_t most = 8 * cgs_cuda_device(queue)->properties.multiProcessorCount;
    const cudaStream_t stream = cgs_cuda_stream(queue);
    CGS_TRY(cgs_cuda_pool_alloc(queue, 1, sizeof **scratch, "products of rows", (void **)scratch));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(*scratch, 0, sizeof **scratch, stream));
    CGS_TRY(cgs_launch(queue, "count_products", count_products, wanted < most ? wanted : most,
                       a->rows, a->pointers, a->column, b->pointers, *scratch));
    return cgs_cuda_fetch(queue, found, *scratch, sizeof *found);
}

} // namespace
