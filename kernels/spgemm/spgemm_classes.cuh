/* Sorts rows into classes (spgemm_rows.cu), so that a launch has rows of similar length, and makes
 * the prefix sum of their entries:
 *
 *     products_kernel   products of each row -> its class                            (begin)
 *     place_kernel      rows listed by class, nearly in order within each
 *     tiles_kernel      entries of each row -> its class; sums of tiles of rows      (count)
 *     sums_kernel       sums of all tiles before each
 *     scan_kernel       pointers[i] = entries of rows 0 ... i - 1
 *
 * The order within a class varies from run to run; no row's result depends on it.
 */
#pragma once

#include "kernels/spgemm/spgemm_factors.cuh"

namespace {

constexpr int SCAN_ROWS = 4, SCAN_TILE = SCAN_ROWS * CGS_THREADS, SUM_THREADS = 1024;
constexpr unsigned ALL_LANES = 0xffffffffu;

/* Counts of a block: warps add to these, then the block to the tally. */
struct block_tally {
    unsigned long long sum, most;
    unsigned rows_of[CLASSES];
};

/* All threads of the block call. */
__device__ inline void tally_clear(struct block_tally *block)
{
    if (threadIdx.x < CLASSES)
        block->rows_of[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        block->sum = block->most = 0;
    __syncthreads();
}

/* Counts a row of each lane in class `which`, -1: none. All lanes of the warp call. */
__device__ inline void tally_rows(struct block_tally *block, int which)
{
    for (int other = 0; other < CLASSES; other++) {
        const unsigned rows = __popc(__ballot_sync(ALL_LANES, which == other));
        if (rows > 0 && threadIdx.x % 32 == 0)
            atomicAdd(&block->rows_of[other], rows);
    }
}

/* Counts each lane's sum and maximum. All lanes of the warp call. */
__device__ inline void tally_numbers(struct block_tally *block, unsigned long long sum,
                                     unsigned long long most)
{
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
        most = max(most, __shfl_xor_sync(ALL_LANES, most, step));
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&block->sum, sum);
        atomicMax(&block->most, most);
    }
}

__device__ inline void tally_close(const struct block_tally *block, struct tally *tally,
                                   unsigned long long *sum, unsigned long long *most)
{
    __syncthreads();
    if (threadIdx.x < CLASSES && block->rows_of[threadIdx.x] > 0)
        atomicAdd(&tally->rows_of[threadIdx.x], block->rows_of[threadIdx.x]);
    if (threadIdx.x == 0 && block->sum > 0) {
        atomicAdd(sum, block->sum);
        atomicMax(most, block->most);
    }
}

constexpr int LOOKED_AHEAD = 8;

/* Rows of A that groups leave to the whole block: their groups and products. */
template <int GROUPS> struct left_over {
    int count, group[GROUPS];
    unsigned long long products[GROUPS];
};

/* Counts products of row `first_row` + group for each listed group. All threads of the block
 * call. */
template <int GROUPS>
__device__ inline void add_left_over(const struct factors &f, int64_t first_row,
                                     struct left_over<GROUPS> *left)
{
    for (int i = 0; i < left->count; i++) {
        const int64_t row = first_row + left->group[i], end = f.a_pointers[row + 1];
        unsigned long long products = 0;
        for (int64_t e = f.a_pointers[row] + threadIdx.x; e < end;
             e += LOOKED_AHEAD * CGS_THREADS) {
            int32_t k[LOOKED_AHEAD];
#pragma unroll
            for (int j = 0; j < LOOKED_AHEAD; j++)
                k[j] = e + j * CGS_THREADS < end ? f.a_column[e + j * CGS_THREADS] : -1;
#pragma unroll
            for (int j = 0; j < LOOKED_AHEAD; j++)
                if (k[j] >= 0)
                    products += (unsigned long long)(f.b_pointers[k[j] + 1] - f.b_pointers[k[j]]);
        }
        for (int step = 16; step > 0; step /= 2)
            products += __shfl_xor_sync(ALL_LANES, products, step);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&left->products[left->group[i]], products);
    }
    __syncthreads();
}

/* LANES threads a row; the whole block for rows with very many entries. */
template <int LANES>
__global__ void __launch_bounds__(CGS_THREADS)
    products_kernel(const struct factors f, uint8_t *which, struct tally *tally)
{
    constexpr int GROUPS = CGS_THREADS / LANES;
    __shared__ struct block_tally block;
    __shared__ struct left_over<GROUPS> left;
    const int64_t first_row = (int64_t)blockIdx.x * GROUPS;
    const int group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int64_t row = first_row + group;
    const int64_t begin = row < f.rows ? f.a_pointers[row] : 0;
    const int64_t end = row < f.rows ? f.a_pointers[row + 1] : 0;
    const bool many = end - begin > SORTED_LENGTH;
    unsigned long long products = 0;
    if (threadIdx.x == 0)
        left.count = 0;
    tally_clear(&block);
    if (many && lane == 0) {
        left.products[group] = 0;
        left.group[atomicAdd(&left.count, 1)] = group;
    }
    for (int64_t e = many ? end : begin + lane; e < end; e += LANES) {
        const int32_t k = f.a_column[e];
        products += (unsigned long long)(f.b_pointers[k + 1] - f.b_pointers[k]);
    }
    for (int step = LANES / 2; step > 0; step /= 2)
        products += __shfl_xor_sync(ALL_LANES, products, step);
    if (__syncthreads_or(many)) {
        add_left_over(f, first_row, &left);
        products = many ? left.products[group] : products;
    }
    int mine = -1;
    if (row < f.rows && lane == 0) {
        mine = is_sorted(end - begin, (int64_t)products, f.columns)
                   ? SORTED
                   : class_of(min((int64_t)products, f.columns));
        which[row] = (uint8_t)mine;
    }
    tally_rows(&block, mine);
    tally_numbers(&block, lane == 0 ? products : 0, products);
    tally_close(&block, tally, &tally->products, &tally->longest);
}

__global__ void __launch_bounds__(CGS_THREADS)
    place_kernel(int64_t rows, const uint8_t *which, struct tally *tally, int32_t *list)
{
    __shared__ unsigned count[CLASSES], base[CLASSES];
    const int64_t row = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    const int mine = row < rows ? which[row] : EMPTY;
    unsigned at = 0;
    if (threadIdx.x < CLASSES)
        count[threadIdx.x] = 0;
    __syncthreads();
    if (mine != EMPTY)
        at = atomicAdd(&count[mine], 1u);
    __syncthreads();
    if (threadIdx.x < CLASSES && threadIdx.x != EMPTY) {
        unsigned first = 0;
        for (int lower = 1; lower < (int)threadIdx.x; lower++)
            first += tally->rows_of[lower];
        base[threadIdx.x] = first + atomicAdd(&tally->placed[threadIdx.x], count[threadIdx.x]);
    }
    __syncthreads();
    if (mine != EMPTY)
        list[base[mine] + at] = (int32_t)row;
}

/* Inclusive sum over the lanes. */
__device__ inline int64_t warp_scan(int64_t mine)
{
    for (int step = 1; step < 32; step *= 2) {
        const int64_t other = __shfl_up_sync(ALL_LANES, mine, step);
        mine += (int)threadIdx.x % 32 >= step ? other : 0;
    }
    return mine;
}

/* Exclusive sum over the threads; *all: the sum over the block. */
__device__ inline int64_t block_scan(int64_t mine, int64_t *all)
{
    __shared__ int64_t warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t up_to = warp_scan(mine);
    __syncthreads(); /* a previous scan may still be read */
    if (lane == 31)
        warps[warp] = up_to;
    __syncthreads();
    const int64_t through = warp_scan(lane < (int)blockDim.x / 32 ? warps[lane] : 0);
    const int64_t before = __shfl_sync(ALL_LANES, through, (warp + 31) % 32);
    *all = __shfl_sync(ALL_LANES, through, 31);
    return (warp > 0 ? before : 0) + up_to - mine;
}

/* counts[i]: entries of row i. sorted: a SORTED row stays so, and does not count as the fullest. */
__global__ void __launch_bounds__(CGS_THREADS)
    tiles_kernel(int64_t rows, const int64_t *counts, bool sorted, uint8_t *which,
                 struct tally *tally, int64_t *sums)
{
    __shared__ struct block_tally block;
    int64_t mine = 0, most = 0, all;
    tally_clear(&block);
    for (int k = 0; k < SCAN_ROWS; k++) {
        const int64_t row = (int64_t)blockIdx.x * SCAN_TILE + k * CGS_THREADS + threadIdx.x;
        const int64_t entries = row < rows ? counts[row] : 0;
        int own = row < rows ? class_of(entries) : -1;
        if (sorted && row < rows && which[row] == SORTED)
            own = SORTED;
        if (row < rows)
            which[row] = (uint8_t)own;
        tally_rows(&block, own);
        mine += entries;
        most = own == SORTED ? most : max(most, entries);
    }
    tally_numbers(&block, (unsigned long long)mine, (unsigned long long)most);
    block_scan(mine, &all);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
    tally_close(&block, tally, &tally->entries, &tally->fullest);
}

/* One block. */
__global__ void __launch_bounds__(SUM_THREADS) sums_kernel(int64_t tiles, int64_t *sums)
{
    int64_t before = 0, all;
    for (int64_t first = 0; first < tiles; first += SUM_THREADS) {
        const int64_t tile = first + threadIdx.x;
        const int64_t at = block_scan(tile < tiles ? sums[tile] : 0, &all);
        if (tile < tiles)
            sums[tile] = before + at;
        before += all;
    }
}

/* counts[i] becomes the sum of counts[0 ... i]: pointers + 1. */
__global__ void __launch_bounds__(CGS_THREADS)
    scan_kernel(int64_t rows, const int64_t *sums, int64_t *counts)
{
    const int64_t first = (int64_t)blockIdx.x * SCAN_TILE + threadIdx.x * SCAN_ROWS;
    int64_t mine[SCAN_ROWS], sum = 0, all;
    for (int k = 0; k < SCAN_ROWS; k++)
        mine[k] = sum += first + k < rows ? counts[first + k] : 0;
    const int64_t before = sums[blockIdx.x] + block_scan(sum, &all);
    for (int k = 0; k < SCAN_ROWS; k++)
        if (first + k < rows)
            counts[first + k] = before + mine[k];
}

} // namespace
