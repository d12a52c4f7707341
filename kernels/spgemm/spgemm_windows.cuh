/* Rows of C with many entries: one block a row, one window of columns after the other.
 *
 *     bits     one a column of the window: 1 if there is an entry
 *     before   for each word of bits: entries in earlier words
 *     sums     one an entry: entry number before[word] + (bits below the column's)
 *
 * First the bits are set, in any order. Then the entries k of the row of A are processed in
 * sequence; the threads take the entries of row k of B, whose columns differ, so that sums have the
 * order of k. Columns come out ascending. Sums are in shared memory, or in the values of C if a
 * window has too many of them.
 */
#pragma once

#include "kernels/spgemm/spgemm_classes.cuh"

namespace {

constexpr int LIST = 128; /* entries of A's row looked up at a time */
constexpr int BITS_AHEAD = 4;

/* Entries of row k of B in the window: first one and number; and a_ik. */
struct window_list {
    int64_t first[LIST];
    int length[LIST];
    real scale[LIST];
};

/* The window's width is a multiple of 32 columns. */
struct window {
    int64_t first, last;
};

/* Index of the first entry begin ... end - 1 of B whose column is >= column; columns ascend. */
__device__ inline int64_t entry_from(const int32_t *columns, int64_t begin, int64_t end,
                                     int64_t column)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (columns[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Looks up entries e, e + 1, ... of A; returns their number (LIST at most). All threads of the
 * block call. */
__device__ inline int look_up(const struct factors &f, int64_t e, int64_t end,
                              const struct window &w, struct window_list *list)
{
    const int count = (int)min((int64_t)LIST, end - e);
    __syncthreads(); /* the previous list may still be read */
    for (int t = threadIdx.x; t < count; t += blockDim.x) {
        const int32_t k = f.a_column[e + t];
        int64_t first = f.b_pointers[k], last = f.b_pointers[k + 1];
        if (w.first > 0)
            first = entry_from(f.b_column, first, last, w.first);
        if (w.last < f.columns)
            last = entry_from(f.b_column, first, last, w.last);
        list->first[t] = first;
        list->length[t] = (int)(last - first);
        list->scale[t] = f.a_value[e + t];
    }
    __syncthreads();
    return count;
}

/* Sets the bits of a window: a warp for each entry of A. */
__device__ inline void set_bits(const struct factors &f, int64_t row, const struct window &w,
                                struct window_list *list, unsigned *bits, int words)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int64_t end = f.a_pointers[row + 1];
    __syncthreads(); /* the previous window may still be read */
    for (int word = threadIdx.x; word < words; word += blockDim.x)
        bits[word] = 0;
    for (int64_t e = f.a_pointers[row]; e < end; e += LIST) {
        const int count = look_up(f, e, end, w, list);
        for (int t = warp; t < count; t += warps)
            for (int at = lane; at < list->length[t]; at += 32 * BITS_AHEAD) {
                int bit[BITS_AHEAD];
#pragma unroll
                for (int k = 0; k < BITS_AHEAD; k++)
                    bit[k] = at + 32 * k < list->length[t]
                                 ? (int)(__ldg(f.b_column + list->first[t] + at + 32 * k) - w.first)
                                 : -1;
#pragma unroll
                for (int k = 0; k < BITS_AHEAD; k++)
                    if (bit[k] >= 0)
                        atomicOr(&bits[bit[k] / 32], 1u << bit[k] % 32);
            }
    }
    __syncthreads();
}

__device__ inline struct window window_at(const struct factors &f, int64_t first, int words)
{
    return {first, min(first + (int64_t)words * 32, f.columns)};
}

/* One block a row of the list; blockDim.x is a multiple of 32. */
__global__ void window_count_kernel(const struct factors f, const int32_t *rows, int words,
                                    int64_t *counts)
{
    CGS_DYNAMIC_SHARED(unsigned, bits);
    __shared__ struct window_list list;
    __shared__ unsigned long long total;
    const int64_t row = rows[blockIdx.x];
    int64_t mine = 0;
    if (threadIdx.x == 0)
        total = 0;
    for (int64_t first = 0; first < f.columns; first += (int64_t)words * 32) {
        set_bits(f, row, window_at(f, first, words), &list, bits, words);
        for (int word = threadIdx.x; word < words; word += blockDim.x)
            mine += __popc(bits[word]);
    }
    for (int step = 16; step > 0; step /= 2)
        mine += __shfl_xor_sync(ALL_LANES, mine, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, (unsigned long long)mine);
    __syncthreads();
    if (threadIdx.x == 0)
        counts[row] = (int64_t)total;
}

/* Computes before[word]; returns the number of entries. Each warp has a part of the words. */
__device__ inline int rank_bits(const unsigned *bits, int *before, int words, int *of_warp)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const int each = (words + warps * 32 - 1) / (warps * 32) * 32, from = warp * each;
    int sum = 0, below = 0, all = 0;
    for (int word = from + lane; word < from + each; word += 32) {
        const int own = word < words ? __popc(bits[word]) : 0;
        int up_to = own;
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(ALL_LANES, up_to, step);
            up_to += lane >= step ? other : 0;
        }
        if (word < words)
            before[word] = sum + up_to - own;
        sum += __shfl_sync(ALL_LANES, up_to, 31);
    }
    if (lane == 0)
        of_warp[warp] = sum;
    __syncthreads();
    for (int other = 0; other < warps; other++) {
        below += other < warp ? of_warp[other] : 0;
        all += of_warp[other];
    }
    for (int word = from + lane; word < min(from + each, words); word += 32)
        before[word] += below;
    __syncthreads();
    return all;
}

/* A product and the number of its entry. Bits and ranks are constant, so that WINDOW_AHEAD rows of
 * B are read and ranked at a time; only the additions are in sequence. */
constexpr int WINDOW_AHEAD = 8;

struct ranked {
    real product;
    int rank;
};

__device__ inline struct ranked read_ranked(const struct factors &f, const struct window &w,
                                            const unsigned *bits, const int *before, int64_t at,
                                            real a)
{
    const int bit = (int)(__ldg(f.b_column + at) - w.first), word = bit / 32;
    return {a * __ldg(f.b_value + at), before[word] + __popc(bits[word] & ((1u << bit % 32) - 1))};
}

/* Adds the products of the window's columns to sums. */
__device__ inline void add_products(const struct factors &f, int64_t row, const struct window &w,
                                    struct window_list *list, const unsigned *bits,
                                    const int *before, real *sums)
{
    const int64_t end = f.a_pointers[row + 1];
    for (int64_t e = f.a_pointers[row]; e < end; e += LIST) {
        const int count = look_up(f, e, end, w, list);
        for (int t = 0; t < count; t += WINDOW_AHEAD) {
            struct ranked own[WINDOW_AHEAD];
#pragma unroll
            for (int k = 0; k < WINDOW_AHEAD; k++)
                if (t + k < count && (int)threadIdx.x < list->length[t + k])
                    own[k] = read_ranked(f, w, bits, before, list->first[t + k] + threadIdx.x,
                                         list->scale[t + k]);
#pragma unroll
            for (int k = 0; k < WINDOW_AHEAD; k++) {
                const int n = t + k < count ? list->length[t + k] : 0;
                if ((int)threadIdx.x < n)
                    sums[own[k].rank] += own[k].product;
                for (int at = threadIdx.x + blockDim.x; at < n; at += blockDim.x) {
                    const struct ranked more = read_ranked(
                        f, w, bits, before, list->first[t + k] + at, list->scale[t + k]);
                    sums[more.rank] += more.product;
                }
                if (n > 0)
                    __syncthreads();
            }
        }
    }
    __syncthreads();
}

__device__ inline void write_columns(const struct window &w, const unsigned *bits,
                                     const int *before, int words, int32_t *column)
{
    for (int word = threadIdx.x; word < words; word += blockDim.x) {
        int at = before[word];
        for (unsigned left = bits[word]; left; left &= left - 1)
            column[at++] = (int32_t)(w.first + word * 32 + __ffs((int)left) - 1);
    }
}

/* Shared memory: room sums, then bits, then before. */
__global__ void window_fill_kernel(const struct factors f, const int32_t *rows, int words, int room,
                                   const int64_t *pointers, int32_t *column, real *value)
{
    CGS_DYNAMIC_SHARED(double, window_memory);
    __shared__ struct window_list list;
    __shared__ int of_warp[32];
    real *sums = (real *)window_memory;
    unsigned *bits = (unsigned *)(sums + room);
    int *before = (int *)(bits + words);
    const int64_t row = rows[blockIdx.x];
    int64_t base = pointers[row];
    for (int64_t first = 0; first < f.columns; first += (int64_t)words * 32) {
        const struct window w = window_at(f, first, words);
        set_bits(f, row, w, &list, bits, words);
        const int entries = rank_bits(bits, before, words, of_warp);
        real *to = entries <= room ? sums : value + base;
        for (int e = threadIdx.x; e < entries; e += blockDim.x)
            to[e] = 0;
        write_columns(w, bits, before, words, column + base);
        if (entries > room) {
            add_products(f, row, w, &list, bits, before, value + base); /* synchronises first */
        } else {
            add_products(f, row, w, &list, bits, before, sums);
            for (int e = threadIdx.x; e < entries; e += blockDim.x)
                value[base + e] = sums[e];
        }
        base += entries;
    }
}

} // namespace
