/* Rows of C with at most some hundred entries: LANES threads of a warp a row, with a hash table in
 * shared memory.
 *
 *     keys   | 17 | -1 | 5 | -1 | 90 | ...    columns of C; -1: free
 *     sums   | .. |    | . |    | .. |        open addressing, linear probing
 *
 * The entries k of a row of A are processed in sequence; the lanes take the entries of row k of B,
 * whose columns differ: no two lanes add to one slot at a time, and sums have the order of k. A
 * warp continues until its longest row is done, so that its lanes stay together. At the end the
 * table is packed and sorted in place (spgemm_order.cuh).
 */
#pragma once

#include "kernels/spgemm/spgemm_order.cuh"

namespace {

constexpr int HASH_THREADS = 128;

/* A lane's next product: AHEAD rows of B are read at a time, so that their loads are in flight
 * together. */
constexpr int AHEAD = 4;

struct lane_product {
    int32_t column;
    real product;
};

template <bool VALUES>
__device__ inline struct lane_product read_product(const struct factors &f, int64_t at, real a)
{
    return {__ldg(f.b_column + at), VALUES ? a * __ldg(f.b_value + at) : a};
}

/* Calls visit for all products of a row; an item that is not live has none. All lanes of the warp
 * synchronise between two k. */
template <int LANES, bool VALUES, class Visit>
__device__ inline void each_product(const struct factors &f, int64_t row, bool live, Visit visit)
{
    const int lane = threadIdx.x % LANES;
    const int64_t end = live ? f.a_pointers[row + 1] : 0;
    for (int64_t e = live ? f.a_pointers[row] : 0; __any_sync(ALL_LANES, e < end); e += LANES) {
        int64_t begin = 0;
        int length = 0;
        real a = 0;
        if (e + lane < end) {
            const int32_t k = f.a_column[e + lane];
            begin = f.b_pointers[k];
            length = (int)(f.b_pointers[k + 1] - begin);
            if (VALUES)
                a = f.a_value[e + lane];
        }
        for (int t = 0; t < LANES && __any_sync(ALL_LANES, e + t < end); t += AHEAD) {
            int64_t first[AHEAD];
            int n[AHEAD];
            real scale[AHEAD];
            struct lane_product own[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                first[k] = __shfl_sync(ALL_LANES, begin, t + k, LANES);
                n[k] = __shfl_sync(ALL_LANES, length, t + k, LANES);
                scale[k] = VALUES ? __shfl_sync(ALL_LANES, a, t + k, LANES) : a;
                if (lane < n[k])
                    own[k] = read_product<VALUES>(f, first[k] + lane, scale[k]);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (lane < n[k])
                    visit(own[k]);
                for (int at = lane + LANES; at < n[k]; at += LANES)
                    visit(read_product<VALUES>(f, first[k] + at, scale[k]));
                __syncwarp();
            }
        }
    }
}

/* Returns the slot of a column; *fresh: the column is new. The table has a free slot, or the
 * column. */
__device__ inline int find_slot(int32_t *keys, int slots, int32_t column, bool *fresh)
{
    int slot = (int)(((unsigned)column * 0x9e3779b1u) >> 16) & (slots - 1);
    *fresh = false;
    for (;;) {
        int32_t there = *(volatile int32_t *)&keys[slot];
        if (there == -1) {
            there = atomicCAS(&keys[slot], -1, column);
            *fresh = there == -1;
        }
        if (*fresh || there == column)
            return slot;
        slot = (slot + 1) & (slots - 1);
    }
}

/* Four slots at a time: tables are aligned to 16 bytes. */
template <int LANES> __device__ inline void clear_keys(int32_t *keys, int slots)
{
    int4 *four = (int4 *)keys;
    for (int slot = threadIdx.x % LANES; slot < slots / 4; slot += LANES)
        four[slot] = make_int4(-1, -1, -1, -1);
    __syncwarp();
}

template <int LANES>
__global__ void __launch_bounds__(HASH_THREADS)
    hash_count_kernel(const struct factors f, const int32_t *list, int64_t items, int slots,
                      int64_t *counts)
{
    CGS_DYNAMIC_SHARED(int4, hash_memory);
    int32_t *all_keys = (int32_t *)hash_memory;
    const int group = threadIdx.x / LANES;
    const int64_t item = (int64_t)blockIdx.x * (HASH_THREADS / LANES) + group;
    const bool live = item < items;
    const int64_t row = live ? list[item] : 0;
    int32_t *keys = all_keys + group * slots;
    int entries = 0;
    clear_keys<LANES>(keys, slots);
    each_product<LANES, false>(f, row, live, [&](const struct lane_product &p) {
        bool fresh;
        find_slot(keys, slots, p.column, &fresh);
        entries += fresh;
    });
    for (int step = LANES / 2; step > 0; step /= 2)
        entries += __shfl_xor_sync(ALL_LANES, entries, step);
    if (live && threadIdx.x % LANES == 0)
        counts[row] = entries;
}

/* Writes the sorted table of a row to C if column and slot do not fit into 32 bits together. */
template <int LANES>
__device__ inline void write_slots(int32_t *keys, real *sums, int slots, int32_t *column,
                                   real *value)
{
    const int entries = pack<LANES>(keys, slots, [&](int slot, int to, bool here) {
        const int32_t key = keys[slot];
        const real sum = sums[slot];
        __syncwarp();
        if (here) {
            keys[to] = key;
            sums[to] = sum;
        }
    });
    sort_slots<LANES>(keys, sums, entries);
    for (int e = threadIdx.x % LANES; e < entries; e += LANES) {
        column[e] = keys[e];
        value[e] = sums[e];
    }
}

/* The same if they fit; one warp a row, MOST numbers a lane. */
template <int MOST>
__device__ inline void write_numbers(int32_t *keys, const real *sums, int slots, int32_t *column,
                                     real *value)
{
    unsigned *numbers = (unsigned *)keys;
    const int bits = 31 - __clz(slots);
    const int entries = pack<32>(keys, slots, [&](int slot, int to, bool here) {
        const int32_t key = keys[slot];
        __syncwarp();
        if (here)
            numbers[to] = (unsigned)key << bits | (unsigned)slot;
    });
    sort_row<MOST>(numbers, entries);
    for (int e = threadIdx.x % 32; e < entries; e += 32) {
        const unsigned number = numbers[padded(e)];
        column[e] = (int32_t)(number >> bits);
        value[e] = sums[number & (unsigned)(slots - 1)];
    }
}

/* MOST: slots / 32, at most; 0 sorts in shared memory, for any number of slots. */
template <int LANES, int MOST>
__global__ void __launch_bounds__(HASH_THREADS)
    hash_fill_kernel(const struct factors f, const int32_t *list, int64_t items, int slots,
                     const int64_t *pointers, int32_t *column, real *value)
{
    CGS_DYNAMIC_SHARED(int4, hash_memory);
    int32_t *all_keys = (int32_t *)hash_memory;
    const int groups = HASH_THREADS / LANES, group = threadIdx.x / LANES;
    const int64_t item = (int64_t)blockIdx.x * groups + group;
    const bool live = item < items;
    const int64_t row = live ? list[item] : 0;
    int32_t *keys = all_keys + group * slots;
    real *sums = (real *)(all_keys + groups * slots) + group * slots;
    clear_keys<LANES>(keys, slots);
    each_product<LANES, true>(f, row, live, [&](const struct lane_product &p) {
        bool fresh;
        const int slot = find_slot(keys, slots, p.column, &fresh);
        sums[slot] = fresh ? p.product : sums[slot] + p.product;
    });
    const int64_t base = live ? pointers[row] : 0;
    if constexpr (MOST > 0)
        write_numbers<MOST>(keys, sums, slots, column + base, value + base);
    else
        write_slots<LANES>(keys, sums, slots, column + base, value + base);
}

} // namespace
