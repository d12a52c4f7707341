/* C = A B on CUDA, a row of C at a time (kernels/spgemm.h), for f64 and f32.
 *
 *     begin    products of each row; rows listed by table size                 (spgemm_classes.cuh)
 *     count    entries of each row: tables in shared memory (spgemm_hash.cuh), also of rows with
 *              many products for each entry (spgemm_few.cuh); for other long rows bits of columns
 *              (spgemm_windows.cuh), for very long or sparse ones all products sorted
 *              (spgemm_sorted.cuh); prefix sum; rows listed by entries
 *     fill     columns and values the same way; columns ascend
 *
 * The host waits twice, for the sizes of the classes (three times with long rows, five with sorted
 * ones). Apart from A, B and C a product holds 5 bytes a row: tables and bits are in shared memory,
 * and longer rows are summed in C itself. Sorted rows hold 8 bytes an entry of A, and 32 a product
 * of a batch.
 */
#include "kernels/spgemm.h"

#include "base/memory.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/spgemm/spgemm_few.cuh"
#include "kernels/spgemm/spgemm_launch.cuh"

namespace
{

/* Device memory of a product: offsets in one block. */
struct room {
    int64_t tally, sums, list, which, bytes;
};

struct room room_for(int64_t rows)
{
    struct room r;
    r.tally = 0;
    r.sums = r.tally + up(sizeof(struct tally));
    r.list = r.sums + up(blocks(rows, SCAN_TILE) * (int64_t)sizeof(int64_t));
    r.which = r.list + up(rows * (int64_t)sizeof(int32_t));
    r.bytes = r.which + up(rows);
    return r;
}

void plan(const struct cgs_spgemm_size *size, int, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "product: rows by class", room_for(size->rows).bytes, 1);
    sorted_plan(size, plan);
}

enum cgs_status accepts(struct cgs_queue *queue, const struct cgs_spgemm_size *size)
{
    if (size->rows >= INT32_MAX)
        return cgs_fail(queue->context, CGS_USAGE,
                        "spgemm_rows on the device takes fewer than 2^31 - 1 rows, this product "
                        "has %lld; use \1backend=cpu",
                        (long long)size->rows);
    return CGS_OK;
}

void release(void *self)
{
    struct work *work = (struct work *)self;
    if (!work)
        return;
    struct cgs_context *context = work->queue->context;
    sorted_close(work);
    cgs_cuda_pool_free(work->queue, work->memory);
    cgs_free(context, work);
}

/* ---- totals of all rows ---- */

enum cgs_status tally_fetch(struct work *work)
{
    return cgs_cuda_fetch(work->queue, &work->now, work->tally, sizeof work->now);
}

enum cgs_status tally_reset(struct work *work)
{
    CGS_CUDA_TRY(work->queue->context, cudaMemsetAsync(work->tally, 0, sizeof *work->tally,
                                                       cgs_cuda_stream(work->queue)));
    return CGS_OK;
}

enum cgs_status place_rows(struct work *work)
{
    const int64_t rows = work->factors.rows;
    return cgs_launch(work->queue, "place_kernel", place_kernel, blocks(rows, CGS_THREADS), rows,
                      work->which, work->tally, work->list);
}

/* ---- begin ---- */

enum cgs_status count_products(struct work *work)
{
    const struct factors &f = work->factors;
    const int lanes = f.rows > 0 && work->a / f.rows < 8 ? 4 : 32;
    CGS_TRY(tally_reset(work));
    if (f.rows == 0)
        return CGS_OK;
    CGS_TRY(cgs_launch(work->queue, "products_kernel",
                       lanes == 4 ? products_kernel<4> : products_kernel<32>,
                       blocks(f.rows, CGS_THREADS / lanes), f, work->which, work->tally));
    CGS_TRY(place_rows(work));
    return tally_fetch(work);
}

enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                      const struct cgs_sparse *b, void **out, struct cgs_spgemm_size *size)
{
    const struct room r = room_for(a->rows);
    struct work *work;
    CGS_TRY(accepts(queue, size));
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *work, "product of matrices", (void **)&work));
    *work = {};
    work->queue = queue;
    work->a = a->nonzeros;
    work->factors = {a->pointers,
                     b->pointers,
                     a->column,
                     b->column,
                     (const real *)a->value,
                     (const real *)b->value,
                     a->rows,
                     b->columns};
    enum cgs_status status =
        cgs_cuda_pool_alloc(queue, r.bytes, 1, "product: rows by class", &work->memory);
    if (status == CGS_OK) {
        char *memory = (char *)work->memory;
        work->tally = (struct tally *)(memory + r.tally);
        work->sums = (int64_t *)(memory + r.sums);
        work->list = (int32_t *)(memory + r.list);
        work->which = (uint8_t *)(memory + r.which);
        status = count_products(work);
    }
    if (status != CGS_OK) {
        release(work);
        return status;
    }
    size->products = work->products = (int64_t)work->now.products;
    size->longest = (int64_t)work->now.longest;
    const int64_t all = cgs_bytes(a->rows, b->columns);
    size->entries = size->products < all ? size->products : all;
    *out = work;
    return CGS_OK;
}

/* ---- count, fill ---- */

enum cgs_status sum_up(struct work *work, int64_t *counts)
{
    const int64_t rows = work->factors.rows, tiles = blocks(rows, SCAN_TILE);
    CGS_TRY(tally_reset(work));
    CGS_TRY(cgs_launch(work->queue, "tiles_kernel", tiles_kernel, tiles, rows, counts,
                       work->sorted.count > 0, work->which, work->tally, work->sums));
    CGS_TRY(cgs_launch_blocks(work->queue, "sums_kernel", sums_kernel, {1, SUM_THREADS}, tiles,
                              work->sums));
    CGS_TRY(cgs_launch(work->queue, "scan_kernel", scan_kernel, tiles, rows, work->sums, counts));
    CGS_TRY(place_rows(work));
    return tally_fetch(work);
}

/* Counts those of the long and sorted rows that have few entries, and lists the others again. */
enum cgs_status count_few(struct work *work, int64_t *counts)
{
    const unsigned *rows_of = work->now.rows_of;
    const int64_t items = (int64_t)rows_of[LONG] + rows_of[SORTED];
    const int32_t *list = work->list;
    if (items == 0)
        return CGS_OK;
    for (int which = 1; which < LONG; which++)
        list += rows_of[which];
    CGS_TRY(cgs_launch_blocks(work->queue, "few_kernel", few_kernel,
                              {blocks(items, FEW_WARPS), HASH_THREADS}, work->factors, list, items,
                              work->which, work->tally, counts));
    CGS_CUDA_TRY(work->queue->context,
                 cudaMemsetAsync(work->tally->placed, 0, sizeof work->tally->placed,
                                 cgs_cuda_stream(work->queue)));
    CGS_TRY(place_rows(work));
    return tally_fetch(work);
}

enum cgs_status count(void *self, int64_t *pointers, int64_t *entries)
{
    struct work *work = (struct work *)self;
    const int64_t rows = work->factors.rows;
    CGS_CUDA_TRY(work->queue->context,
                 cudaMemsetAsync(pointers, 0, (size_t)(rows + 1) * sizeof *pointers,
                                 cgs_cuda_stream(work->queue)));
    if (rows == 0)
        return *entries = 0, CGS_OK;
    CGS_TRY(count_few(work, pointers + 1));
    CGS_TRY(sorted_open(work));
    CGS_TRY(launch_classes(work, pointers + 1, nullptr));
    CGS_TRY(sum_up(work, pointers + 1));
    *entries = (int64_t)work->now.entries;
    return CGS_OK;
}

enum cgs_status fill(void *self, struct cgs_sparse *c)
{
    struct work *work = (struct work *)self;
    return launch_classes(work, nullptr, c);
}

} // namespace

CGS_TABLE(struct cgs_spgemm_kernel, cgs_cuda_spgemm_rows) = {
    .reproducible = true,
    .accepts = accepts,
    .plan = plan,
    .begin = begin,
    .count = count,
    .fill = fill,
    .release = release,
};
