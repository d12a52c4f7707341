/* A block's way through the products of a hub (spgemm_hubs.cuh) in a window of columns, whose sums
 * are in shared memory, one a column:
 *
 *     looked up    HUB_THREADS entries k at a time: where row k of B is in the window
 *     listed       those that have entries there, in the order of k (a scan)
 *     taken        once the list is long: its products, numbered in the order of k, a run of them a warp
 *
 *     list     k of some row:     3   |  8  | 11  |  ...
 *              products before:   0      2     7
 *     warp 0   products 0 ... 127, warp 1 128 ... 255, ...: all read at once
 *     turns    warp by warp they are added; lanes that meet in a column, one after the other
 *
 * So sums have the order of k, and products that fall on different columns, as nearly all do, go
 * together. Warps whose products are all of one k have one turn.
 */
#ifndef CGS_KERNELS_SPGEMM_HUB_WALK_CUH
#define CGS_KERNELS_SPGEMM_HUB_WALK_CUH

#include "kernels/spgemm/spgemm_windows.cuh"

namespace {

constexpr int HUB_THREADS = 1024, HUB_WARPS = HUB_THREADS / 32;
constexpr int HUB_EACH = 4, HUB_RUN = 32 * HUB_EACH; /* products of a lane, of a warp at a time */
constexpr int HUB_LIST = HUB_THREADS + HUB_THREADS / 2;
constexpr int MOST_WIDE = 1 << 20; /* a list's products stay below 2^31 */
static_assert(HUB_WARPS == 32, "a lane looks at each warp's run");
static_assert((int64_t)HUB_LIST * MOST_WIDE + HUB_THREADS * HUB_EACH <= INT32_MAX, "int before[]");

struct hub_list {
    int64_t first[HUB_LIST];             /* entry of B */
    int32_t entry[HUB_LIST];             /* of the row of A */
    int before[HUB_LIST];                /* products of the list before this item's */
    int low[HUB_WARPS], high[HUB_WARPS]; /* items of each warp's run; -1: it has none */
};

/* A lane's products of its warp's run: numbers lane, lane + 32, ... of it. */
struct hub_run {
    int column[HUB_EACH]; /* from the window's first; below 0: none, another in each lane */
    int turn[HUB_EACH];   /* lanes before this one with the same column */
    real product[HUB_EACH];
};

/* Entries first ... last - 1 of B become those of them that lie in the window. Most rows are short:
 * two loads at once tell that they have none. */
__device__ inline void narrow(const struct factors &f, const struct window &w, int64_t *first,
                              int64_t *last)
{
    if (*first == *last || (w.first == 0 && w.last == f.columns))
        return;
    const int32_t low = f.b_column[*first], high = f.b_column[*last - 1];
    if (high < w.first || low >= w.last) {
        *last = *first;
        return;
    }
    if (low < w.first)
        *first = entry_from(f.b_column, *first + 1, *last, w.first);
    if (high >= w.last)
        *last = entry_from(f.b_column, *first, *last - 1, w.last);
}

/* The item of low ... high to which product p of the list belongs. */
__device__ inline int item_of(const struct hub_list *list, int low, int high, int p)
{
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (list->before[middle] <= p)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Products from ... to - 1 of the list of `items`, and their bits. All lanes of the warp call. */
template <bool VALUES>
__device__ inline void read_run(const struct factors &f, int64_t row_begin, const struct window &w,
                                struct hub_list *list, int items, int from, int to, unsigned *bits,
                                struct hub_run *run)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int64_t at[HUB_EACH];
    real a[HUB_EACH], b[HUB_EACH];
    int low = -1, high = -1;
    if (from < to) {
        low = item_of(list, 0, items - 1, from);
        high = item_of(list, low, min(low + HUB_RUN - 1, items - 1), to - 1);
    }
    if (lane == 0) {
        list->low[warp] = low;
        list->high[warp] = high;
    }
#pragma unroll
    for (int j = 0; j < HUB_EACH; j++) {
        const int p = from + 32 * j + lane;
        at[j] = -1;
        a[j] = b[j] = 0;
        if (p >= to)
            continue;
        const int item = item_of(list, low, high, p);
        at[j] = list->first[item] + (p - list->before[item]);
        if (VALUES)
            a[j] = __ldg(f.a_value + row_begin + list->entry[item]);
    }
#pragma unroll
    for (int j = 0; j < HUB_EACH; j++) {
        run->column[j] = at[j] < 0 ? -1 - lane : (int)(__ldg(f.b_column + at[j]) - w.first);
        if (VALUES && at[j] >= 0)
            b[j] = __ldg(f.b_value + at[j]);
    }
#pragma unroll
    for (int j = 0; j < HUB_EACH; j++) {
        const int column = run->column[j];
        run->product[j] = a[j] * b[j];
        /* most are set already where rows of B are long: a look spares the atomic */
        if (column >= 0 && !(((volatile unsigned *)bits)[column / 32] >> column % 32 & 1))
            atomicOr(&bits[column / 32], 1u << column % 32);
        if (VALUES) {
            const unsigned alike = __match_any_sync(ALL_LANES, column);
            run->turn[j] = __popc(alike & ((1u << lane) - 1));
        }
    }
}

/* This warp's turn, and how many there are. All threads of the block call. */
__device__ inline int turn_of(const struct hub_list *list, int *turns)
{
    __syncthreads();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int low = list->low[lane], high = list->high[lane];
    const int other_low = __shfl_up_sync(ALL_LANES, low, 1);
    const int other_high = __shfl_up_sync(ALL_LANES, high, 1);
    const bool one_k = lane > 0 && low == high && other_low == low && other_high == low;
    const unsigned begins = __ballot_sync(ALL_LANES, low >= 0 && !one_k);
    *turns = __popc(begins);
    return __popc(begins & ((2u << warp) - 1)) - 1;
}

/* All lanes of the warp call. */
__device__ inline void add_run(const struct hub_run &run, real *sums)
{
#pragma unroll
    for (int j = 0; j < HUB_EACH; j++) {
        const int column = run.column[j];
        for (int turn = 0; __any_sync(ALL_LANES, column >= 0 && run.turn[j] >= turn); turn++) {
            if (column >= 0 && run.turn[j] == turn)
                sums[column] += run.product[j];
            __syncwarp();
        }
    }
}

template <bool VALUES>
__device__ inline void take_products(const struct factors &f, int64_t row_begin,
                                     const struct window &w, struct hub_list *list, int items,
                                     int products, unsigned *bits, real *sums)
{
    for (int done = 0; done < products; done += HUB_WARPS * HUB_RUN) {
        const int from = done + (int)threadIdx.x / 32 * HUB_RUN;
        struct hub_run run;
        read_run<VALUES>(f, row_begin, w, list, items, from, min(from + HUB_RUN, products), bits,
                         &run);
        if (VALUES) {
            int turns;
            const int own = turn_of(list, &turns);
            for (int turn = 0; turn < turns; turn++) {
                if (turn == own)
                    add_run(run, sums);
                __syncthreads();
            }
        }
    }
}

/* Sets the bits of the window's entries, and (VALUES) adds their products to sums, a column each. */
template <bool VALUES>
__device__ inline void walk_hub(const struct factors &f, int64_t row, const struct window &w,
                                struct hub_list *list, unsigned *bits, real *sums)
{
    const int64_t begin = f.a_pointers[row], end = f.a_pointers[row + 1];
    int items = 0, products = 0;
    for (int64_t e = begin; e < end; e += HUB_THREADS) {
        const int64_t own = e + threadIdx.x;
        int64_t first = 0, last = 0, all;
        if (own < end) {
            const int32_t k = f.a_column[own];
            first = f.b_pointers[k];
            last = f.b_pointers[k + 1];
            narrow(f, w, &first, &last);
        }
        /* items in the upper half of the number, products in the lower */
        const int64_t before =
            block_scan(first < last ? (INT64_C(1) << 32) + last - first : 0, &all);
        if (first < last) {
            const int item = items + (int)(before >> 32);
            list->first[item] = first;
            list->entry[item] = (int32_t)(own - begin);
            list->before[item] = products + (int)(before & UINT32_MAX);
        }
        items += (int)(all >> 32);
        products += (int)(all & UINT32_MAX);
        if (items <= HUB_LIST - HUB_THREADS && e + HUB_THREADS < end)
            continue;
        __syncthreads();
        take_products<VALUES>(f, begin, w, list, items, products, bits, sums);
        items = products = 0;
    }
    __syncthreads();
}

} // namespace

#endif
