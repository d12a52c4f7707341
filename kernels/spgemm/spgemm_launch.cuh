/* Launches of the CUDA product (spgemm_rows.cu): threads a row, and shared memory. */
#pragma once

#include "kernels/spgemm/spgemm_hash.cuh"
#include "kernels/spgemm/spgemm_sorted_launch.cuh"
#include "kernels/spgemm/spgemm_windows.cuh"

namespace
{

/* Threads that share a row: so many that nearly all rows of B are read at once, and few enough rows
 * a block that its tables leave room for other blocks. */
int lanes_of(const struct work *work, int64_t row_bytes)
{
    const int64_t usual = usual_length(work);
    int lanes = 4;
    while (lanes < 32 && (2 * lanes < 3 * usual || HASH_THREADS / lanes * row_bytes > 24 << 10))
        lanes *= 2;
    return lanes;
}

constexpr int FEW = 8, MANY = 32; /* numbers that a lane sorts; see hash_fill_kernel */
constexpr int ALONE = 64;         /* slots from which a row gets a warp, which sorts in registers */

/* Returns true if column and slot fit in 32 bits together, which sorting in registers requires. */
bool numbers_fit(const struct work *work, int slots)
{
    return work->factors.columns * slots <= UINT_MAX;
}

template <int LANES>
enum cgs_status hash_count(const struct work *work, const int32_t *list, int64_t items, int slots,
                           int64_t *counts)
{
    const int groups = HASH_THREADS / LANES;
    const int64_t shared = groups * slots * (int64_t)sizeof(int32_t);
    return cgs_launch_blocks(work->queue, "hash_count_kernel", hash_count_kernel<LANES>,
                             {blocks(items, groups), HASH_THREADS, shared}, work->factors, list,
                             items, slots, counts);
}

template <int LANES, int MOST>
enum cgs_status hash_fill_most(const struct work *work, const int32_t *list, int64_t items,
                               int slots, const struct cgs_sparse *c)
{
    const int groups = HASH_THREADS / LANES;
    const int64_t shared = groups * slots * (int64_t)(sizeof(int32_t) + sizeof(real));
    return cgs_launch_blocks(work->queue, "hash_fill_kernel", hash_fill_kernel<LANES, MOST>,
                             {blocks(items, groups), HASH_THREADS, shared}, work->factors, list,
                             items, slots, c->pointers, c->column, (real *)c->value);
}

template <int LANES>
enum cgs_status hash_fill(const struct work *work, const int32_t *list, int64_t items, int slots,
                          const struct cgs_sparse *c)
{
    if constexpr (LANES == 32) {
        if (numbers_fit(work, slots) && slots <= 32 * FEW)
            return hash_fill_most<LANES, FEW>(work, list, items, slots, c);
        if (numbers_fit(work, slots))
            return hash_fill_most<LANES, MANY>(work, list, items, slots, c);
    }
    return hash_fill_most<LANES, 0>(work, list, items, slots, c);
}

/* Counts the rows of a class, or fills them (if c is given). */
template <int LANES>
enum cgs_status hash_launch(const struct work *work, const int32_t *list, int64_t items, int slots,
                            int64_t *counts, const struct cgs_sparse *c)
{
    return c ? hash_fill<LANES>(work, list, items, slots, c)
             : hash_count<LANES>(work, list, items, slots, counts);
}

enum cgs_status hash_rows(const struct work *work, int which, const int32_t *list, int64_t items,
                          int64_t *counts, const struct cgs_sparse *c)
{
    const int slots = slots_of(which);
    const int64_t slot = (int64_t)(c ? sizeof(int32_t) + sizeof(real) : sizeof(int32_t));
    const bool alone = c && slots >= ALONE && numbers_fit(work, slots);
    switch (alone ? 32 : lanes_of(work, slots * slot)) {
    case 4:
        return hash_launch<4>(work, list, items, slots, counts, c);
    case 8:
        return hash_launch<8>(work, list, items, slots, counts, c);
    case 16:
        return hash_launch<16>(work, list, items, slots, counts, c);
    default:
        return hash_launch<32>(work, list, items, slots, counts, c);
    }
}

/* Shared memory available to a block, apart from the window kernels' static arrays. */
int64_t block_memory(const struct work *work)
{
    const cudaDeviceProp &p = cgs_cuda_device(work->queue)->properties;
    return (int64_t)p.sharedMemPerBlockOptin - (int64_t)sizeof(struct window_list) - 1024;
}

/* Threads of a block in window_fill: a quarter more than the entries of a row of B in a window of
 * `share` of the columns, and so many that the blocks of a multiprocessor have 768 together. */
int threads_of(const struct work *work, double share, int64_t shared)
{
    const cudaDeviceProp &p = cgs_cuda_device(work->queue)->properties;
    const double usual = 1.25 * share * (double)usual_length(work);
    const double part = 768.0 * (double)shared / (double)p.sharedMemPerMultiprocessor;
    const int64_t warps = (int64_t)((usual > part ? usual : part) / 32.0) + 1;
    return 32 * (int)(warps < 2 ? 2 : warps > 16 ? 16 : warps);
}

enum cgs_status window_count(const struct work *work, const int32_t *list, int64_t items,
                             int64_t *counts)
{
    const int64_t most = block_memory(work) / 2 / (int64_t)sizeof(unsigned);
    const int64_t wanted = blocks(work->factors.columns, 32);
    const int64_t words = wanted < most ? wanted : most;
    const size_t shared = (size_t)words * sizeof(unsigned);
    CGS_CUDA_TRY(work->queue->context,
                 cudaFuncSetAttribute(window_count_kernel,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    return cgs_launch_blocks(work->queue, "window_count_kernel", window_count_kernel,
                             {items, 256, (int64_t)shared}, work->factors, list, (int)words,
                             counts);
}

/* Widest window in which the fullest row's entries, if evenly spread, fit next to the bits; halved
 * until they do. */
void window_size(const struct work *work, int64_t *words, int64_t *room)
{
    const int64_t fullest = (int64_t)work->now.fullest, columns = work->factors.columns;
    for (*words = blocks(columns, 32);; *words = blocks(*words, 2)) {
        const double share = 32.0 * (double)*words / (double)columns;
        *room = (int64_t)(1.125 * share * (double)fullest) + 64;
        *room = *room < 32 * *words ? *room : 32 * *words;
        *room = *room < fullest ? *room : fullest;
        if (*words * 8 + *room * (int64_t)sizeof(real) <= block_memory(work))
            return;
    }
}

enum cgs_status window_fill(const struct work *work, const int32_t *list, int64_t items,
                            const struct cgs_sparse *c)
{
    int64_t words, room;
    window_size(work, &words, &room);
    const size_t shared = (size_t)room * sizeof(real) + (size_t)words * 8;
    CGS_CUDA_TRY(work->queue->context,
                 cudaFuncSetAttribute(window_fill_kernel,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    const double share = 32.0 * (double)words / (double)work->factors.columns;
    const int threads = threads_of(work, share < 1.0 ? share : 1.0, (int64_t)shared);
    return cgs_launch_blocks(work->queue, "window_fill_kernel", window_fill_kernel,
                             {items, threads, (int64_t)shared}, work->factors, list, (int)words,
                             (int)room, c->pointers, c->column, (real *)c->value);
}

/* Counts all rows by class, or fills them (if c is given). SORTED rows are LONG if a block a row
 * does as well. */
enum cgs_status launch_classes(struct work *work, int64_t *counts, const struct cgs_sparse *c)
{
    const int32_t *list = work->list;
    for (int which = 1; which < SORTED; which++) {
        int64_t items = work->now.rows_of[which];
        if (which == LONG && work->sorted.count == 0)
            items += work->now.rows_of[SORTED];
        if (items > 0 && which == LONG)
            CGS_TRY(c ? window_fill(work, list, items, c)
                      : window_count(work, list, items, counts));
        else if (items > 0)
            CGS_TRY(hash_rows(work, which, list, items, counts, c));
        list += items;
    }
    return c ? sorted_fill(work, c) : sorted_count(work, counts);
}

} // namespace
