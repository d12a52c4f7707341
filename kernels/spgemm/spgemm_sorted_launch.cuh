/* Launches of sorted rows (spgemm_sorted.cuh): numbers, batches, stages. */
#pragma once

#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/spgemm/spgemm_sorted_room.cuh"

namespace
{

constexpr int64_t LONG_ENOUGH = 64; /* rows of B whose sequence keeps a block busy */

/* Returns true if a block a row is as good: the longest row does not delay the others, and rows of
 * B occupy all threads. */
bool windows_do(const struct work *work)
{
    const int64_t each = cgs_cuda_device(work->queue)->properties.multiProcessorCount;
    return work->now.longest > MOST_SORTED ||
           (usual_length(work) >= LONG_ENOUGH &&
            (int64_t)work->now.longest <= work->products / (4 * each));
}

/* ---- numbers of all rows ---- */

/* Entries of A before each listed row, on device and host. */
enum cgs_status number_rows(const struct work *work, struct sorted *s)
{
    const int64_t count = s->count;
    CGS_TRY(cgs_launch(work->queue, "row_lengths_kernel", row_lengths_kernel,
                       blocks(count, CGS_THREADS), work->factors, count, s->rows, s->entries));
    CGS_TRY(cgs_cuda_add_up(work->queue, count + 1, s->entries));
    return cgs_cuda_fetch(work->queue, s->host_entries, s->entries,
                          (count + 1) * (int64_t)sizeof *s->entries);
}

/* Products before each of these entries, and before each row. */
enum cgs_status number_products(const struct work *work, struct sorted *s)
{
    const int64_t count = s->count, entries = s->host_entries[count];
    CGS_TRY(cgs_cuda_pool_alloc(work->queue, entries + 1, sizeof *s->before, SORTED_NAME,
                                (void **)&s->before));
    CGS_TRY(cgs_launch(work->queue, "entry_lengths_kernel", entry_lengths_kernel,
                       blocks(entries, CGS_THREADS), work->factors, count, s->rows, s->entries,
                       s->before));
    CGS_TRY(cgs_cuda_add_up(work->queue, entries + 1, s->before));
    CGS_TRY(cgs_launch(work->queue, "row_products_kernel", row_products_kernel,
                       blocks(count + 1, CGS_THREADS), count, s->entries, s->before, s->products));
    return cgs_cuda_fetch(work->queue, s->host_products, s->products,
                          (count + 1) * (int64_t)sizeof *s->products);
}

/* ---- batches ---- */

/* Batch from listed row `first` on: as many rows as have BATCH products together, and whose numbers
 * fit in a key; at least one. */
struct batch batch_from(const struct work *work, int64_t first)
{
    const struct sorted &s = work->sorted;
    const int column_bits = cgs_key_bits(work->factors.columns);
    const int64_t most = s.narrow ? (int64_t)1 << (32 - column_bits) : s.count;
    int64_t last = first + 1;
    while (last < s.count && last - first < most &&
           s.host_products[last + 1] - s.host_products[first] <= BATCH)
        last++;
    struct batch b;
    b.first_row = first;
    b.rows = last - first;
    b.first_entry = s.host_entries[first];
    b.entries = s.host_entries[last] - b.first_entry;
    b.first_product = s.host_products[first];
    b.products = s.host_products[last] - b.first_product;
    b.column_bits = column_bits;
    return b;
}

/* Allocates the largest batch. */
enum cgs_status make_batches(struct work *work)
{
    struct sorted *s = &work->sorted;
    int64_t rows = 0, products = 0;
    for (int64_t first = 0; first < s->count; s->batches++) {
        const struct batch b = batch_from(work, first);
        rows = b.rows > rows ? b.rows : rows;
        products = b.products > products ? b.products : products;
        first += b.rows;
    }
    const struct batch_room r = batch_room_for(work->factors.columns, rows, products);
    CGS_TRY(cgs_cuda_pool_alloc(work->queue, r.bytes, 1, SORTED_NAME, &s->batch));
    char *memory = (char *)s->batch;
    for (int side = 0; side < 2; side++) {
        s->key[side] = memory + r.key[side];
        s->place[side] = (uint32_t *)(memory + r.place[side]);
    }
    s->value = (real *)(memory + r.value);
    s->tiles = (int64_t *)(memory + r.tiles);
    s->first = (int64_t *)(memory + r.first);
    return CGS_OK;
}

/* Called after begin: `now` is its tally, and the list ends with the sorted rows. */
enum cgs_status sorted_open(struct work *work)
{
    struct sorted *s = &work->sorted;
    const int64_t count = work->now.rows_of[SORTED];
    const struct sorted_room r = sorted_room_for(count);
    if (count == 0 || windows_do(work))
        return CGS_OK;
    CGS_TRY(cgs_cuda_pool_alloc(work->queue, r.bytes, 1, SORTED_NAME, &s->memory));
    CGS_TRY(cgs_alloc(work->queue->context, 2 * (count + 1), sizeof *s->host_entries, SORTED_NAME,
                      (void **)&s->host_entries));
    s->host_products = s->host_entries + count + 1;
    s->count = count;
    s->narrow = has_narrow_keys(work->factors.columns);
    s->rows = (int32_t *)((char *)s->memory + r.rows);
    s->entries = (int64_t *)((char *)s->memory + r.entries);
    s->products = (int64_t *)((char *)s->memory + r.products);
    const int32_t *list = work->list;
    for (int which = 1; which < SORTED; which++)
        list += work->now.rows_of[which];
    CGS_CUDA_TRY(work->queue->context,
                 cudaMemcpyAsync(s->rows, list, (size_t)count * sizeof *list,
                                 cudaMemcpyDeviceToDevice, cgs_cuda_stream(work->queue)));
    CGS_TRY(number_rows(work, s));
    CGS_TRY(number_products(work, s));
    return make_batches(work);
}

void sorted_close(struct work *work)
{
    struct sorted *s = &work->sorted;
    cgs_cuda_pool_free(work->queue, s->batch);
    cgs_cuda_pool_free(work->queue, s->before);
    cgs_cuda_pool_free(work->queue, s->memory);
    cgs_free(work->queue->context, s->host_entries);
}

enum cgs_status order_keys(const struct work *work, uint32_t *const keys[2], int64_t count,
                           int bits, int *side)
{
    return cgs_cuda_order_32(work->queue, keys, work->sorted.place, count, bits, side);
}

enum cgs_status order_keys(const struct work *work, uint64_t *const keys[2], int64_t count,
                           int bits, int *side)
{
    return cgs_cuda_order_64(work->queue, keys, work->sorted.place, count, bits, side);
}

/* Sorts a batch and counts tiles and rows. */
template <class Key> enum cgs_status make_batch(struct work *work, const struct batch *b)
{
    struct sorted *s = &work->sorted;
    Key *const keys[2] = {(Key *)s->key[0], (Key *)s->key[1]};
    const int64_t tiles = blocks(b->products, SCAN_TILE);
    CGS_TRY(cgs_launch(work->queue, "expand_kernel", expand_kernel<Key>,
                       blocks(b->products, EXPAND_RUN * (CGS_THREADS / 32)), work->factors, *b,
                       s->rows, s->entries, s->before, keys[0], s->value));
    CGS_TRY(order_keys(work, keys, b->products, b->column_bits + cgs_key_bits(b->rows), &s->side));
    CGS_TRY(cgs_launch(work->queue, "begins_kernel", begins_kernel<Key>, tiles, b->products,
                       keys[s->side], s->tiles));
    CGS_TRY(cgs_launch_blocks(work->queue, "sums_kernel", sums_kernel, {1, SUM_THREADS}, tiles,
                              s->tiles));
    return cgs_launch(work->queue, "first_kernel", first_kernel<Key>, tiles, *b, keys[s->side],
                      s->tiles, s->first);
}

template <class Key> enum cgs_status count_sorted(struct work *work, int64_t *counts)
{
    const struct sorted &s = work->sorted;
    for (int64_t first = 0; first < s.count;) {
        const struct batch b = batch_from(work, first);
        CGS_TRY(make_batch<Key>(work, &b));
        CGS_TRY(cgs_launch(work->queue, "sorted_counts_kernel", sorted_counts_kernel,
                           blocks(b.rows, CGS_THREADS), b, s.rows, s.first, counts));
        first += b.rows;
    }
    return CGS_OK;
}

/* A single batch is still in memory. */
template <class Key> enum cgs_status fill_sorted(struct work *work, const struct cgs_sparse *c)
{
    const struct sorted &s = work->sorted;
    for (int64_t first = 0; first < s.count;) {
        const struct batch b = batch_from(work, first);
        if (s.batches > 1)
            CGS_TRY(make_batch<Key>(work, &b));
        CGS_TRY(cgs_launch(work->queue, "add_kernel", add_kernel<Key>,
                           blocks(b.products, SCAN_TILE), b, s.rows, (const Key *)s.key[s.side],
                           s.place[s.side], s.value, s.tiles, s.first, c->pointers, c->column,
                           (real *)c->value));
        first += b.rows;
    }
    return CGS_OK;
}

enum cgs_status sorted_count(struct work *work, int64_t *counts)
{
    return work->sorted.narrow ? count_sorted<uint32_t>(work, counts)
                               : count_sorted<uint64_t>(work, counts);
}

enum cgs_status sorted_fill(struct work *work, const struct cgs_sparse *c)
{
    return work->sorted.narrow ? fill_sorted<uint32_t>(work, c) : fill_sorted<uint64_t>(work, c);
}

} // namespace
