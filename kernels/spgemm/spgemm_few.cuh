/* Counts rows of C with many products and few entries, which a table of the largest size holds: a
 * warp a row. Rows of R (A P) have ten to a hundred products an entry. Bits of columns and sorted
 * products are left to rows that have more entries.
 */
#pragma once

#include "kernels/spgemm/spgemm_hash.cuh"

namespace
{

constexpr int FEW_SLOTS = LEAST_SLOTS << (TABLES - 1), FEW_WARPS = HASH_THREADS / 32;
constexpr int64_t FEW_PRODUCTS = 1 << 16; /* more would keep a warp busy for long */

/* Products of a row; all lanes of the warp call. */
__device__ inline int64_t products_of(const struct factors &f, int64_t begin, int64_t end)
{
    int64_t products = 0;
    for (int64_t e = begin + threadIdx.x % 32; e < end; e += 32) {
        const int32_t k = f.a_column[e];
        products += f.b_pointers[k + 1] - f.b_pointers[k];
    }
    for (int step = 16; step > 0; step /= 2)
        products += __shfl_xor_sync(ALL_LANES, products, step);
    return products;
}

/* Writes the entries of listed rows that a table holds to `counts`, and takes them out of their
 * class. */
__global__ void __launch_bounds__(HASH_THREADS)
    few_kernel(const struct factors f, const int32_t *list, int64_t items, uint8_t *which,
               struct tally *tally, int64_t *counts)
{
    __shared__ int4 tables[FEW_WARPS][FEW_SLOTS / 4];
    __shared__ int found[FEW_WARPS];
    const int warp = threadIdx.x / 32;
    const int64_t item = (int64_t)blockIdx.x * FEW_WARPS + warp;
    const int64_t row = item < items ? list[item] : 0;
    const int64_t begin = f.a_pointers[row], end = f.a_pointers[row + 1];
    const bool live =
        item < items && end - begin <= SORTED_LENGTH && products_of(f, begin, end) <= FEW_PRODUCTS;
    int32_t *keys = (int32_t *)tables[warp];
    volatile int *entries = &found[warp];
    clear_keys<32>(keys, FEW_SLOTS);
    if (threadIdx.x % 32 == 0)
        *entries = 0;
    __syncwarp();
    each_product<32, false>(f, row, live, [&](const struct lane_product &p) {
        bool fresh = false;
        if (*entries <= LEAST_SORTED) /* at most one more a lane then */
            find_slot(keys, FEW_SLOTS, p.column, &fresh);
        if (fresh)
            atomicAdd(&found[warp], 1);
    });
    __syncwarp();
    if (live && threadIdx.x % 32 == 0 && *entries <= LEAST_SORTED) {
        counts[row] = *entries;
        atomicAdd(&tally->rows_of[which[row]], ~0u); /* one less */
        which[row] = EMPTY;
    }
}

} // namespace
