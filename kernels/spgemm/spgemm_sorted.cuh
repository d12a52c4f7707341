/* Rows of C computed by sorting all products by column: rows with so many entries of A, or
 * products, that one block would need milliseconds, and rows spread over very many columns
 * (spgemm_rows.cu). Work is divided by products across rows. Rows are processed in batches limited
 * by memory and by the bits of a key:
 *
 *     number     products before each entry of A of these rows: a prefix sum
 *     expand     each product's value, and its key: row of the batch, column
 *     sort       keys, with the position of each product; stable, so in the order of k
 *     rank       the first of equal keys is an entry of C: its number in the batch, and in its row
 *     add        its products, in the order of k
 *
 *     places     0   1   2   3   4   5   6
 *     keys       0 7 0 9 0 7 1 2 1 0 1 2 1 5
 *     sorted     0 7 0 7 0 9 1 0 1 2 1 2 1 5
 *     places     0   2   1   4   3   5   6
 *     entries    0       1   2   3       4      first[row]: 0, 2
 *
 * Traffic: 24 bytes a product in double (32 with 64-bit keys), two thirds of it read and written by
 * each of the four passes of the sort (8 bits each).
 * Source: S. Dalton, L. Olson, N. Bell, Optimizing sparse matrix-matrix multiplication for the GPU,
 * ACM TOMS 41 (2015) 25.
 */
#pragma once

#include "kernels/spgemm/spgemm_classes.cuh"

namespace
{

/* Rows of the list, and their products, sorted at once. */
struct batch {
    int64_t first_row, rows;
    int64_t first_entry, entries; /* of A, numbered through all rows */
    int64_t first_product, products;
    int column_bits; /* lowest bits of a key; the row's number in the batch is above them */
};

/* Index of the last of numbers[low ... high] (ascending) that is <= wanted; numbers[low] is. */
__device__ inline int64_t last_up_to(const int64_t *numbers, int64_t low, int64_t high,
                                     int64_t wanted)
{
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (numbers[middle] <= wanted)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

__device__ inline int64_t thread_index()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* numbers[i + 1]: entries of A in listed row i; numbers[0] = 0. */
__global__ void __launch_bounds__(CGS_THREADS)
    row_lengths_kernel(const struct factors f, int64_t count, const int32_t *rows, int64_t *numbers)
{
    const int64_t i = thread_index();
    if (i == 0)
        numbers[0] = 0;
    if (i < count)
        numbers[i + 1] = f.a_pointers[rows[i] + 1] - f.a_pointers[rows[i]];
}

/* numbers[t + 1]: products of the t-th entry of A in listed rows; numbers[0] = 0. */
__global__ void __launch_bounds__(CGS_THREADS)
    entry_lengths_kernel(const struct factors f, int64_t count, const int32_t *rows,
                         const int64_t *entries, int64_t *numbers)
{
    const int64_t t = thread_index();
    if (t == 0)
        numbers[0] = 0;
    if (t >= entries[count])
        return;
    const int64_t i = last_up_to(entries, 0, count - 1, t);
    const int32_t k = f.a_column[f.a_pointers[rows[i]] + t - entries[i]];
    numbers[t + 1] = f.b_pointers[k + 1] - f.b_pointers[k];
}

/* products[i]: products before listed row i, i = 0 ... count. */
__global__ void __launch_bounds__(CGS_THREADS)
    row_products_kernel(int64_t count, const int64_t *entries, const int64_t *before,
                        int64_t *products)
{
    const int64_t i = thread_index();
    if (i <= count)
        products[i] = before[entries[i]];
}

constexpr int EXPAND_EACH = 8, EXPAND_RUN = 32 * EXPAND_EACH; /* products of a lane, of a warp */

/* Expands a run of products a warp, located once. entries, before: the numbers above. */
template <class Key>
__global__ void __launch_bounds__(CGS_THREADS)
    expand_kernel(const struct factors f, const struct batch b, const int32_t *rows,
                  const int64_t *entries, const int64_t *before, Key *key, real *value)
{
    const int lane = threadIdx.x % 32;
    const int64_t from = b.first_product + thread_index() / 32 * EXPAND_RUN;
    const int64_t end = b.first_product + b.products;
    const int64_t to = min(from + EXPAND_RUN, end);
    const int64_t last_entry = b.first_entry + b.entries - 1;
    const int64_t last_row = b.first_row + b.rows - 1;
    if (from >= to)
        return;
    const int64_t last = last_up_to(before, b.first_entry, last_entry, to - 1);
    int64_t t = last_up_to(before, b.first_entry, last, from);
    const int64_t last_i = last_up_to(entries, b.first_row, last_row, last);
    int64_t i = last_up_to(entries, b.first_row, last_i, t);
    for (int64_t p = from + lane; p < to; p += 32) {
        t = last_up_to(before, t, last, p);
        i = last_up_to(entries, i, last_i, t);
        const int64_t e = f.a_pointers[rows[i]] + t - entries[i];
        const int64_t at = f.b_pointers[f.a_column[e]] + p - before[t];
        const Key row = (Key)(i - b.first_row);
        key[p - b.first_product] = row << b.column_bits | (Key)__ldg(f.b_column + at);
        value[p - b.first_product] = f.a_value[e] * __ldg(f.b_value + at);
    }
}

template <class Key> __device__ inline bool begins_entry(const Key *key, int64_t s)
{
    return s == 0 || key[s] != key[s - 1];
}

/* tiles[b]: number of entries that begin in tile b of SCAN_TILE sorted products. */
template <class Key>
__global__ void __launch_bounds__(CGS_THREADS)
    begins_kernel(int64_t products, const Key *key, int64_t *tiles)
{
    int64_t mine = 0, all;
    for (int k = 0; k < SCAN_ROWS; k++) {
        const int64_t s = (int64_t)blockIdx.x * SCAN_TILE + k * CGS_THREADS + threadIdx.x;
        mine += s < products && begins_entry(key, s);
    }
    block_scan(mine, &all);
    if (threadIdx.x == 0)
        tiles[blockIdx.x] = all;
}

/* first[i]: entries of the batch before row i, i = 0 ... rows. tiles: entries before each tile. */
template <class Key>
__global__ void __launch_bounds__(CGS_THREADS)
    first_kernel(const struct batch b, const Key *key, const int64_t *tiles, int64_t *first)
{
    int64_t before = tiles[blockIdx.x], all;
    for (int k = 0; k < SCAN_ROWS; k++) {
        const int64_t s = (int64_t)blockIdx.x * SCAN_TILE + k * CGS_THREADS + threadIdx.x;
        const bool begins = s < b.products && begins_entry(key, s);
        const int64_t rank = before + block_scan(begins, &all);
        before += all;
        if (begins && (s == 0 || key[s] >> b.column_bits != key[s - 1] >> b.column_bits))
            first[key[s] >> b.column_bits] = rank;
        if (s == b.products - 1)
            first[b.rows] = rank + begins;
    }
}

__global__ void __launch_bounds__(CGS_THREADS)
    sorted_counts_kernel(const struct batch b, const int32_t *rows, const int64_t *first,
                         int64_t *counts)
{
    const int64_t i = thread_index();
    if (i < b.rows)
        counts[rows[b.first_row + i]] = first[i + 1] - first[i];
}

constexpr int ADD_AHEAD = 8;

/* Sum of products s, s + 1, ... with the key of s, in that order. Most keys occur once. */
template <class Key>
__device__ inline real sum_of_equal(int64_t products, const Key *key, const uint32_t *place,
                                    const real *value, int64_t s)
{
    const Key own = key[s];
    real sum = value[place[s]];
    int64_t at = s + 1;
    while (at < products && key[at] == own) {
        real more[ADD_AHEAD];
        int count = 0;
#pragma unroll
        for (int k = 0; k < ADD_AHEAD; k++)
            if (at + k < products && key[at + k] == own) {
                more[k] = value[place[at + k]];
                count = k + 1;
            }
#pragma unroll
        for (int k = 0; k < ADD_AHEAD; k++)
            if (k < count)
                sum += more[k];
        at += ADD_AHEAD;
    }
    return sum;
}

/* tiles: entries before each tile. */
template <class Key>
__global__ void __launch_bounds__(CGS_THREADS)
    add_kernel(const struct batch b, const int32_t *rows, const Key *key, const uint32_t *place,
               const real *product, const int64_t *tiles, const int64_t *first,
               const int64_t *pointers, int32_t *column, real *value)
{
    int64_t before = tiles[blockIdx.x], all;
    for (int k = 0; k < SCAN_ROWS; k++) {
        const int64_t s = (int64_t)blockIdx.x * SCAN_TILE + k * CGS_THREADS + threadIdx.x;
        const bool begins = s < b.products && begins_entry(key, s);
        const int64_t rank = before + block_scan(begins, &all);
        before += all;
        if (!begins)
            continue;
        const int64_t i = (int64_t)(key[s] >> b.column_bits);
        const int64_t to = pointers[rows[b.first_row + i]] + rank - first[i];
        column[to] = (int32_t)(key[s] & (((Key)1 << b.column_bits) - 1));
        value[to] = sum_of_equal(b.products, key, place, product, s);
    }
}

} // namespace
