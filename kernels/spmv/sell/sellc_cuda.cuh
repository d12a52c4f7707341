/* Compressed SELL in device memory: its arrays and their upload. A piece is compressed into pinned
 * memory and copied while the next one is generated; each piece has its own block on the device, so
 * that the total size need not be known in advance. */
#pragma once

#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/spmv/cached.cuh"
#include "kernels/spmv/sell/sellc_traffic.h"
#include "kernels/spmv/spmv_cuda.cuh"
#include "matrix/sellc/sellc_encode.h"

extern "C" const struct cgs_kernel CGS_NAMED(cgs_cuda_sell_chunk);

namespace
{

/* Fallback kernel for matrices that do not compress. */
const struct cgs_kernel *const plain = &CGS_NAMED(cgs_cuda_sell_chunk);

/* The most frequent pattern, passed as a kernel parameter (sellc_usual.cuh). */
enum { USUAL_MOST = 30 }; /* slots */
struct usual {
    uint32_t pattern;
    int32_t slots;   /* 0: no such pattern */
    int32_t triples; /* all slots are triples: three neighbouring diagonals each, the first an odd
                        one */
    struct {
        int64_t bytes; /* offset in x from the row's own number */
        real v;
    } slot[USUAL_MOST];
};

/* Argument of the kernels. */
struct compressed {
    int64_t rows, units;
    const struct cgs_sellc_chunk *chunks;
    const struct cgs_sellc_slot *slots;
    const uint32_t *masks;
    const value *table;
};

/* A piece's block on the device. */
struct device_block {
    void *memory;
    struct device_block *next;
};

struct sellc {
    struct cgs_queue *queue;
    struct compressed arrays;
    struct usual usual;
    int32_t *permutation; /* NULL if rows are not sorted */
    void *lists[4];       /* chunks, slots, masks, table: the targets of `arrays` */
    struct device_block *blocks;
    int slot; /* of the staging, for the next piece */
    enum hints hints;
    int64_t kept; /* rows whose data are kept in the cache */
    struct cgs_traffic moved;
    void *plain; /* made by sell_chunk if the matrix does not compress; all else is then empty */
};

enum cgs_status sellc_accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    if (matrix->chunk == CGS_WARP)
        return CGS_OK;
    return cgs_fail(context, CGS_USAGE,
                    "chunk %d: on CUDA a chunk of compressed SELL is a warp's: take \1chunk=%d",
                    (int)matrix->chunk, CGS_WARP);
}

void sellc_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_sellc_plan(matrix, CGS_VALUE_NUMBER, CGS_DEVICE_MEMORY, plan);
    if (matrix->sigma > 1)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix permutation", matrix->rows, sizeof(int32_t));
}

/* ---- upload of a piece ---- */

enum cgs_status piece_room(void *self, int64_t bytes, void **write, uint64_t *address)
{
    struct sellc *made = static_cast<struct sellc *>(self);
    struct cgs_queue *queue = made->queue;
    struct device_block *block;
    CGS_TRY(cgs_cuda_staging(queue, bytes));
    CGS_TRY(cgs_cuda_staging_wait(queue, made->slot));
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *block, "SELL kernel", (void **)&block));
    const enum cgs_status status =
        cgs_cuda_alloc(queue, bytes, 1, "matrix, compressed", &block->memory);
    if (status != CGS_OK) {
        cgs_free(queue->context, block);
        return status;
    }
    block->next = made->blocks;
    made->blocks = block;
    *write = cgs_cuda_device(queue)->staging[made->slot];
    *address = (uint64_t)(uintptr_t)block->memory;
    return CGS_OK;
}

enum cgs_status piece_done(void *self, int64_t bytes)
{
    struct sellc *made = static_cast<struct sellc *>(self);
    const struct cgs_cuda_copy copy = {made->blocks->memory,
                                       cgs_cuda_device(made->queue)->staging[made->slot], bytes};
    const int slot = made->slot;
    made->slot = !slot;
    return cgs_cuda_staging_copy(made->queue, slot, &copy, 1, cudaMemcpyHostToDevice);
}

/* ---- the lists ---- */

enum cgs_status send_list(struct cgs_queue *queue, const void *from, int64_t count, int64_t size,
                          const char *what, void **to)
{
    CGS_TRY(cgs_cuda_alloc(queue, count, (size_t)size, what, to));
    return count > 0 ? cgs_cuda_send(queue, *to, from, count * size) : CGS_OK;
}

enum cgs_status send_lists(const struct cgs_sellc *list, const struct cgs_matrix *matrix,
                           struct sellc *made)
{
    struct cgs_queue *queue = made->queue;
    CGS_TRY(send_list(queue, list->chunks, list->units, sizeof *list->chunks, "matrix chunks",
                      &made->lists[0]));
    CGS_TRY(send_list(queue, list->slots, list->slot_count, sizeof *list->slots, "matrix patterns",
                      &made->lists[1]));
    CGS_TRY(send_list(queue, list->masks, list->mask_count, sizeof *list->masks, "matrix patterns",
                      &made->lists[2]));
    CGS_TRY(send_list(queue, list->table, list->table_count, sizeof(value), "table of values",
                      &made->lists[3]));
    if (matrix->permutation)
        CGS_TRY(send_list(queue, matrix->permutation, matrix->rows, sizeof(int32_t),
                          "matrix permutation", (void **)&made->permutation));
    CGS_TRY(cgs_cuda_staging_wait(queue, 0));
    return cgs_cuda_staging_wait(queue, 1);
}

void sellc_empty(struct sellc *sellc)
{
    struct cgs_context *context = sellc->queue->context;
    for (struct device_block *block = sellc->blocks, *next; block; block = next) {
        next = block->next;
        cgs_cuda_free(sellc->queue, block->memory);
        cgs_free(context, block);
    }
    for (void *list : sellc->lists)
        cgs_cuda_free(sellc->queue, list);
    cgs_cuda_free(sellc->queue, sellc->permutation);
}

void sellc_release(void *self)
{
    struct sellc *sellc = static_cast<struct sellc *>(self);
    sellc_empty(sellc);
    if (sellc->plain)
        plain->steps.release(sellc->plain);
    cgs_free(sellc->queue->context, sellc);
}

/* ---- the usual pattern ---- */

bool may_be_usual(struct cgs_sellc_chunk chunk)
{
    return cgs_sellc_way_of(chunk) == CGS_SELLC_DIAGONALS &&
           cgs_sellc_coding_of(chunk) == CGS_SELLC_SAME && cgs_sellc_diagonals(chunk) <= USUAL_MOST;
}

void keep_usual(const struct cgs_sellc_slot *from, uint32_t pattern, int slots, struct usual *usual)
{
    *usual = {};
    usual->pattern = pattern;
    usual->slots = slots;
    usual->triples = slots % 3 == 0;
    for (int s = 0; s < slots; s++) {
        const int64_t offset = from[s].offset;
        usual->slot[s].bytes = offset * (int64_t)sizeof(real);
        usual->slot[s].v =
            (real)(sizeof(value) == sizeof(double) ? from[s].value.f64 : from[s].value.f32);
        if (s % 3 == 0 ? offset % 2 == 0 : offset != from[s - 1].offset + 1)
            usual->triples = 0;
    }
}

/* Finds the most frequent pattern. */
enum cgs_status find_usual(struct cgs_context *context, const struct cgs_sellc *list,
                           struct usual *usual)
{
    int64_t *chunks, most = 0;
    *usual = {};
    CGS_TRY(
        cgs_alloc(context, list->slot_count + 1, sizeof *chunks, "SELL kernel", (void **)&chunks));
    for (int64_t i = 0; i <= list->slot_count; i++)
        chunks[i] = 0;
    for (int64_t k = 0; k < list->units; k++) {
        const struct cgs_sellc_chunk chunk = list->chunks[k];
        if (!may_be_usual(chunk) || ++chunks[chunk.pattern] <= most)
            continue;
        most = chunks[chunk.pattern];
        usual->pattern = chunk.pattern;
        usual->slots = cgs_sellc_diagonals(chunk);
    }
    cgs_free(context, chunks);
    if (most > 0)
        keep_usual(list->slots + usual->pattern, usual->pattern, usual->slots, usual);
    return CGS_OK;
}

enum cgs_status sellc_make(const struct cgs_matrix *matrix, struct sellc *made, bool *gains)
{
    struct cgs_context *context = made->queue->context;
    const struct cgs_sellc_sink sink = {made, piece_room, piece_done};
    struct cgs_sellc list;
    CGS_TRY(cgs_sellc_encode(context, matrix, CGS_VALUE_NUMBER, &sink, &list));
    const enum cgs_phase outer = cgs_stopwatch_enter(&context->watch, CGS_PHASE_TRANSFER);
    enum cgs_status status = send_lists(&list, matrix, made);
    if (status == CGS_OK)
        status = find_usual(context, &list, &made->usual);
    cgs_stopwatch_enter(&context->watch, outer);
    made->arrays = {matrix->rows,
                    matrix->units,
                    static_cast<const struct cgs_sellc_chunk *>(made->lists[0]),
                    static_cast<const struct cgs_sellc_slot *>(made->lists[1]),
                    static_cast<const uint32_t *>(made->lists[2]),
                    static_cast<const value *>(made->lists[3])};
    made->moved = cgs_sellc_moved(&list, matrix);
    const int64_t entry = matrix->stored > 0 ? list.data_bytes / matrix->stored : 0;
    made->hints = choose_hints(made->queue, matrix, entry, &made->kept);
    *gains = cgs_sellc_gains(&list, matrix);
    cgs_sellc_release(context, &list);
    return status;
}

enum cgs_status sellc_make_plain(const struct cgs_matrix *matrix, struct sellc *made)
{
    struct cgs_queue *queue = made->queue;
    sellc_empty(made);
    *made = {};
    made->queue = queue;
    made->moved = plain->traffic(matrix);
    return plain->prepare(queue, matrix, &made->plain);
}

enum cgs_status sellc_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix, void **self)
{
    struct sellc *made;
    bool gains = true;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "SELL kernel", (void **)&made));
    *made = {};
    made->queue = queue;
    enum cgs_status status = sellc_make(matrix, made, &gains);
    if (status == CGS_OK && !gains)
        status = sellc_make_plain(matrix, made);
    if (status != CGS_OK) {
        cudaDeviceSynchronize(); /* copies may still read the staging and write these */
        sellc_release(made);
        return status;
    }
    *self = made;
    return CGS_OK;
}

struct cgs_traffic sellc_moved(const void *self)
{
    return static_cast<const struct sellc *>(self)->moved;
}

} // namespace
