/* Hubs: rows of C with so many entries k of A, or products, that one block would be busy with them for
 * milliseconds (windows, spgemm_windows.cuh). Here a window of the row's columns is a block's. It
 * goes through all k (spgemm_hub_walk.cuh), so that sums have their order:
 *
 *     count    bits alone, several windows at once; parts[hub][window]: entries of each
 *     fill     bits and sums of one window; what the windows before have is where its entries begin
 *
 * Traffic: each window reads A's columns of the row, and of B two pointers and mostly two columns
 * for each; B's entries once.
 */
#ifndef CGS_KERNELS_SPGEMM_HUBS_CUH
#define CGS_KERNELS_SPGEMM_HUBS_CUH

#include "kernels/spgemm/spgemm_hub_walk.cuh"

namespace {

/* A block for `each` windows of a hub, or what is left: their entries into parts[hub][window]. */
__global__ void __launch_bounds__(HUB_THREADS)
    hub_count_kernel(const struct factors f, const struct hubs hubs, int each, int64_t *counts)
{
    extern __shared__ double hub_shared[];
    __shared__ struct hub_list list;
    unsigned *bits = (unsigned *)hub_shared;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, words = hubs.width / 32;
    const int tasks = (hubs.windows + each - 1) / each;
    const int64_t hub = blockIdx.x / tasks, row = hubs.rows[hub];
    const int first = (int)(blockIdx.x % tasks) * each, last = min(first + each, hubs.windows);
    const struct window w = {(int64_t)first * hubs.width,
                             min((int64_t)last * hubs.width, f.columns)};
    for (int word = threadIdx.x; word < (last - first) * words; word += HUB_THREADS)
        bits[word] = 0;
    walk_hub<false>(f, row, w, &list, bits, nullptr);
    for (int which = first + warp; which < last; which += HUB_WARPS) {
        int entries = 0;
        for (int word = lane; word < words; word += 32)
            entries += __popc(bits[(which - first) * words + word]);
        for (int step = 16; step > 0; step /= 2)
            entries += __shfl_xor_sync(ALL_LANES, entries, step);
        if (lane == 0) {
            hubs.parts[hub * hubs.windows + which] = entries;
            atomicAdd((unsigned long long *)&counts[row], (unsigned long long)entries);
        }
    }
}

/* A block for a window of a hub. Shared memory: a sum a column, then bits, then what is before each
 * word of these. */
__global__ void __launch_bounds__(HUB_THREADS)
    hub_fill_kernel(const struct factors f, const struct hubs hubs, const int64_t *pointers,
                    int32_t *column, real *value)
{
    extern __shared__ double hub_shared[];
    __shared__ struct hub_list list;
    __shared__ int of_warp[HUB_WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, words = hubs.width / 32;
    real *sums = (real *)hub_shared;
    unsigned *bits = (unsigned *)(sums + hubs.width);
    int *before = (int *)(bits + words);
    const int64_t hub = blockIdx.x / hubs.windows, row = hubs.rows[hub];
    const int which = (int)(blockIdx.x % hubs.windows);
    const struct window w = window_at(f, (int64_t)which * hubs.width, words);
    const int32_t *parts = hubs.parts + hub * hubs.windows;
    int64_t mine = 0, base;
    if (parts[which] == 0)
        return;
    for (int other = threadIdx.x; other < which; other += HUB_THREADS)
        mine += parts[other];
    block_scan(mine, &base);
    base += pointers[row];
    for (int at = threadIdx.x; at < hubs.width; at += HUB_THREADS)
        sums[at] = 0;
    for (int word = threadIdx.x; word < words; word += HUB_THREADS)
        bits[word] = 0;
    walk_hub<true>(f, row, w, &list, bits, sums);
    rank_bits(bits, before, words, of_warp);
    for (int word = warp; word < words; word += HUB_WARPS)
        if (bits[word] >> lane & 1) {
            const int64_t to = base + before[word] + __popc(bits[word] & ((1u << lane) - 1));
            column[to] = (int32_t)(w.first + word * 32 + lane);
            value[to] = sums[word * 32 + lane];
        }
}

} // namespace

#endif
