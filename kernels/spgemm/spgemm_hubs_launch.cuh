/* Launches of hubs (spgemm_hubs.cuh): how wide a window is, and what memory they take. */
#ifndef CGS_KERNELS_SPGEMM_HUBS_LAUNCH_CUH
#define CGS_KERNELS_SPGEMM_HUBS_LAUNCH_CUH

#include "kernels/spgemm.h"
#include "kernels/spgemm/spgemm_hubs.cuh"

namespace {

constexpr const char *HUBS_NAME = "product: windows of long rows";
constexpr int64_t LEAST_WIDE = 512;        /* columns: narrower windows only look up more often */
constexpr int64_t ALWAYS_WIDE = 4096;      /* 64 KB of shared memory, any device's, hold more */
constexpr int64_t WINDOWS_WANTED = 1024;   /* at most, where sums have room in fewer */
constexpr int64_t COUNT_MEMORY = 80 << 10; /* of a block's bits: two such a multiprocessor */
constexpr int64_t LONG_ENOUGH = 64;        /* rows of B, one after the other, busy a block */

/* What hubs of a product of that size take at most, in int32_t: rows and parts. A plan knows nothing
 * of the device. */
int64_t hubs_most(const struct cgs_spgemm_size *size)
{
    const int64_t most = size->a / (HUB_LENGTH + 1) + size->products / (HUB_WIDE + 1);
    const int64_t count = most < size->rows ? most : size->rows;
    if (size->longest <= HUB_LEAST || count == 0)
        return 0;
    return count * (2 + blocks(size->columns, ALWAYS_WIDE)) + WINDOWS_WANTED;
}

int64_t hub_memory(const struct work *work)
{
    const cudaDeviceProp &p = cgs_cuda_device(work->queue)->properties;
    return (int64_t)p.sharedMemPerBlockOptin - (int64_t)sizeof(struct hub_list) - 1024;
}

int64_t multiprocessors(const struct work *work)
{
    return cgs_cuda_device(work->queue)->properties.multiProcessorCount;
}

/* As wide as sums have room for; where hubs are few narrower, so that each multiprocessor has one.
 * All windows look up the whole row: the fewer, the better. */
void hub_windows(const struct work *work, int64_t count, struct hubs *hubs)
{
    const int64_t columns = work->factors.columns;
    const int64_t room = hub_memory(work) / (int64_t)(32 * sizeof(real) + 8) * 32;
    const int64_t widest = room < MOST_WIDE ? room : MOST_WIDE;
    const int64_t most = blocks(columns, LEAST_WIDE), each = multiprocessors(work);
    int64_t windows = blocks(each < WINDOWS_WANTED ? each : WINDOWS_WANTED, count);
    if (windows > most)
        windows = most;
    if (windows < blocks(columns, widest))
        windows = blocks(columns, widest);
    hubs->width = (int)(blocks(blocks(columns, windows), 32) * 32);
    hubs->windows = (int)blocks(columns, hubs->width);
}

/* Whether a block a row does as well: the longest row does not keep the others waiting, and rows of
 * B busy all threads. */
bool long_does(const struct work *work)
{
    const int64_t share = work->products / (4 * multiprocessors(work));
    return usual_length(work) >= LONG_ENOUGH && (int64_t)work->now.longest <= share;
}

/* After begin: `now` is its tally, and the list has the hubs last. */
enum cgs_status hubs_open(struct work *work)
{
    const int64_t count = work->now.rows_of[HUB];
    struct hubs made = {};
    if (count == 0 || long_does(work))
        return CGS_OK;
    hub_windows(work, count, &made);
    if (count * made.windows > INT32_MAX)
        return CGS_OK;
    CGS_TRY(cgs_cuda_pool_alloc(work->queue, count * (1 + made.windows), sizeof *made.rows,
                                HUBS_NAME, (void **)&made.rows));
    made.parts = made.rows + count;
    made.count = count;
    work->hubs = made;
    const int32_t *list = work->list;
    for (int which = 1; which < HUB; which++)
        list += work->now.rows_of[which];
    CGS_CUDA_TRY(work->queue->context,
                 cudaMemcpyAsync(made.rows, list, (size_t)count * sizeof *list,
                                 cudaMemcpyDeviceToDevice, cgs_cuda_stream(work->queue)));
    return CGS_OK;
}

enum cgs_status hubs_count(const struct work *work, int64_t *counts)
{
    const struct hubs &hubs = work->hubs;
    const int64_t most = hub_memory(work) < COUNT_MEMORY ? hub_memory(work) : COUNT_MEMORY;
    const int64_t room = (most < MOST_WIDE / 8 ? most : MOST_WIDE / 8) / (hubs.width / 8);
    const int64_t wanted = blocks(hubs.windows, blocks(2 * multiprocessors(work), hubs.count));
    const int64_t each = wanted < room ? wanted : room;
    const size_t shared = (size_t)(each * hubs.width / 8);
    CGS_CUDA_TRY(work->queue->context,
                 cudaFuncSetAttribute(hub_count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared));
    hub_count_kernel<<<(unsigned)(hubs.count * blocks(hubs.windows, each)), HUB_THREADS, shared,
                       cgs_cuda_stream(work->queue)>>>(work->factors, hubs, (int)each, counts);
    CGS_CUDA_LAUNCHED(work->queue, "hub_count_kernel");
    return CGS_OK;
}

enum cgs_status hubs_fill(const struct work *work, const struct cgs_sparse *c)
{
    const struct hubs &hubs = work->hubs;
    const size_t shared = (size_t)hubs.width * sizeof(real) + (size_t)hubs.width / 32 * 8;
    CGS_CUDA_TRY(work->queue->context,
                 cudaFuncSetAttribute(hub_fill_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared));
    hub_fill_kernel<<<(unsigned)(hubs.count * hubs.windows), HUB_THREADS, shared,
                      cgs_cuda_stream(work->queue)>>>(work->factors, hubs, c->pointers, c->column,
                                                      (real *)c->value);
    CGS_CUDA_LAUNCHED(work->queue, "hub_fill_kernel");
    return CGS_OK;
}

} // namespace

#endif
