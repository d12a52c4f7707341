/* Device memory, pinned staging, and the single upload of a matrix, whose entries are sent or
 * computed on the device (assemble_cuda.cu).
 *
 * A large matrix is never in host memory as a whole: while one pinned buffer is copied, the other
 * is filled from the row source in the device's layout. Filling counts as assembly, waiting for the
 * link as transfer. The link's busy time is counted separately (context->link_*), so that its speed
 * is known although both overlap.
 */
#include "kernels/device/cuda_open.cuh"
#include "kernels/device/lines_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pages.h"
#include "kernels/device/wait_cuda.cuh"
#include "matrix/fill.h"
#include "matrix/names.h"

int64_t cgs_cuda_pool_bytes(const struct cgs_cuda_device *device, cudaMemPoolAttr which)
{
    uint64_t bytes = 0;
    if (device->pool && cudaMemPoolGetAttribute(device->pool, which, &bytes) != cudaSuccess)
        cudaGetLastError();
    return (int64_t)bytes;
}

enum cgs_status cgs_cuda_available(struct cgs_queue *queue, int64_t *available)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    size_t now, all;
    CGS_CUDA_TRY(queue->context, cudaMemGetInfo(&now, &all));
    device->unpooled =
        (int64_t)now + cgs_cuda_pool_bytes(device, cudaMemPoolAttrReservedMemCurrent);
    device->unpooled_known = true;
    *available = device->unpooled - cgs_cuda_pool_bytes(device, cudaMemPoolAttrUsedMemCurrent);
    if (*available < device->free_least)
        device->free_least = *available;
    return CGS_OK;
}

enum cgs_status cgs_cuda_refuse(struct cgs_queue *queue, const char *what, int64_t bytes)
{
    int64_t available = 0;
    CGS_TRY(cgs_cuda_available(queue, &available));
    return cgs_fail(queue->context, CGS_MEMORY,
                    "%s: %.3f GB of device memory could not be allocated (%.3f GB are free)", what,
                    1e-9 * (double)bytes, 1e-9 * (double)available);
}

void cgs_cuda_pool_trim(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (!device->pool)
        return;
    cudaStreamSynchronize(device->stream); /* a fault shows at the next call again */
    cudaMemPoolTrimTo(device->pool, 0);
}

enum cgs_status cgs_cuda_alloc(struct cgs_queue *queue, int64_t count, size_t size,
                               const char *what, void **out)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    const int64_t bytes = cgs_bytes(count > 0 ? count : 1, (int64_t)size);
    int64_t available;
    void *block = NULL;

    if (cgs_starves(queue->context, CGS_DEVICE_MEMORY))
        return cgs_cuda_refuse(queue, what, bytes);
    cudaError_t error = cudaMalloc(&block, (size_t)bytes);
    if (error == cudaErrorMemoryAllocation && device->pool) {
        cudaGetLastError();
        cgs_cuda_pool_trim(queue);
        error = cudaMalloc(&block, (size_t)bytes);
    }
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return cgs_cuda_refuse(queue, what, bytes);
    }
    CGS_CUDA_TRY(queue->context, error);
    const enum cgs_status status = cgs_cuda_available(queue, &available);
    if (status != CGS_OK) {
        cudaFree(block);
        return status;
    }
    *out = block;
    return CGS_OK;
}

void cgs_cuda_free(struct cgs_queue *queue, void *block)
{
    if (!block)
        return;
    cgs_cuda_device(queue)->unpooled_known = false;
    cudaFree(block);
}

enum cgs_status cgs_cuda_send(struct cgs_queue *queue, void *to, const void *from, int64_t bytes)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyHostToDevice, stream));
    return cgs_cuda_wait(queue);
}

/* Allocates pages and registers them: cudaHostAlloc would touch them one by one, in one thread. */
static enum cgs_status pin(struct cgs_queue *queue, int64_t bytes, void **staging)
{
    void *pages = cgs_pages_take(queue->context->threads, bytes);
    if (!pages)
        return cgs_fail(queue->context, CGS_MEMORY,
                        "pinned staging: %.3f GB of memory could not be allocated",
                        1e-9 * (double)bytes);
    const cudaError_t error = cudaHostRegister(pages, (size_t)bytes, cudaHostRegisterDefault);
    if (error != cudaSuccess) {
        cudaGetLastError();
        cgs_pages_free(pages);
        return cgs_cuda_fail(queue->context, __FILE__, __LINE__, "cudaHostRegister", error);
    }
    *staging = pages;
    return CGS_OK;
}

void cgs_cuda_unpin(void *staging)
{
    if (staging)
        cudaHostUnregister(staging);
    cgs_pages_free(staging);
}

enum cgs_status cgs_cuda_staging(struct cgs_queue *queue, int64_t bytes)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (bytes < CGS_STAGING_BYTES)
        bytes = CGS_STAGING_BYTES;
    if (bytes <= device->staging_bytes)
        return CGS_OK;
    device->staging_bytes = 0; /* until both exist */
    for (int slot = 0; slot < CGS_SLOTS; slot++) {
        CGS_TRY(cgs_cuda_staging_wait(queue, slot));
        cgs_cuda_unpin(device->staging[slot]);
        device->staging[slot] = NULL;
        CGS_TRY(pin(queue, bytes, &device->staging[slot]));
    }
    device->staging_bytes = bytes;
    return CGS_OK;
}

enum cgs_status cgs_cuda_staging_wait(struct cgs_queue *queue, int slot)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    float milliseconds = 0.0f;
    if (!device->in_flight[slot])
        return CGS_OK;
    device->in_flight[slot] = false;
    CGS_CUDA_TRY(queue->context, cudaEventSynchronize(device->copy_done[slot]));
    CGS_CUDA_TRY(queue->context, cudaEventElapsedTime(&milliseconds, device->copy_begun[slot],
                                                      device->copy_done[slot]));
    queue->context->link_seconds += 1e-3 * milliseconds;
    return CGS_OK;
}

enum cgs_status cgs_cuda_staging_copy(struct cgs_queue *queue, int slot,
                                      const struct cgs_cuda_copy *copies, int count,
                                      enum cudaMemcpyKind kind)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    struct cgs_context *context = queue->context;
    CGS_CUDA_TRY(context, cudaEventRecord(device->copy_begun[slot], device->copies));
    for (int i = 0; i < count; i++) {
        const struct cgs_cuda_copy *c = &copies[i];
        const int64_t lines = c->lines > 1 ? c->lines : 1;
        if (lines == 1)
            CGS_CUDA_TRY(context,
                         cudaMemcpyAsync(c->to, c->from, (size_t)c->bytes, kind, device->copies));
        else
            CGS_CUDA_TRY(context, cudaMemcpy2DAsync(c->to, (size_t)c->to_pitch, c->from,
                                                    (size_t)c->from_pitch, (size_t)c->bytes,
                                                    (size_t)lines, kind, device->copies));
        context->link_bytes += c->bytes * lines;
    }
    CGS_CUDA_TRY(context, cudaEventRecord(device->copy_done[slot], device->copies));
    device->in_flight[slot] = true;
    return CGS_OK;
}

/* Host memory that SELL needs in addition to CRS: code of its kernels in the runtime, and the
 * threads' row buffers, which the C library keeps (1.1 to 1.8 MB measured, 16 threads, driver
 * 580.159). */
enum { SELL_HOST_BYTES = 5 << 18 };

/* Allocated entries: whole pieces of 16 bytes, which kernels may read. */
static int64_t room_for(const struct cgs_matrix *matrix)
{
    return (matrix->stored + 3) / 4 * 4;
}

/* True if the layout is that of the rows that a caller has in the memory of the device. */
static bool is_there(const struct cgs_matrix *matrix)
{
    return matrix->source && matrix->source->there && matrix->format == CGS_CRS && !matrix->padded;
}

void cgs_cuda_matrix_plan(const struct cgs_matrix *matrix, enum cgs_number number,
                          struct cgs_plan *plan)
{
    const int64_t room = room_for(matrix);
    const bool there = is_there(matrix);
    if (!there || number != CGS_F64)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix values", room, cgs_number_bytes(number));
    if (there)
        return;
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix columns", room, sizeof(int32_t));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix pointers", matrix->units + 1, sizeof(int64_t));
    if (matrix->format == CGS_SELL)
        cgs_plan_add(plan, CGS_HOST, "CUDA runtime: SELL, row buffers", 1, SELL_HOST_BYTES);
    if (matrix->sigma > 1)
        cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix permutation", matrix->rows, sizeof(int32_t));
}

void cgs_cuda_matrix_free(struct cgs_queue *queue, struct cgs_cuda_matrix *matrix)
{
    if (!matrix->lent) {
        cgs_cuda_free(queue, matrix->pointers);
        cgs_cuda_free(queue, matrix->columns);
    }
    if (!matrix->lent_values)
        cgs_cuda_free(queue, matrix->values);
    cgs_cuda_free(queue, matrix->permutation);
}

/* Largest end such that units first ... end - 1 have at most `most` entries; at least one unit. */
static int64_t piece_end(const struct cgs_matrix *matrix, int64_t first, int64_t most)
{
    int64_t low = first + 1, high = matrix->units;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (matrix->pointers[middle] - matrix->pointers[first] <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t largest_unit(const struct cgs_matrix *matrix)
{
    int64_t largest = 1;
    for (int64_t unit = 0; unit < matrix->units; unit++) {
        const int64_t entries = matrix->pointers[unit + 1] - matrix->pointers[unit];
        if (entries > largest)
            largest = entries;
    }
    return largest;
}

/* Fills one pinned buffer with units first ... last - 1 and starts its copy. */
static enum cgs_status send_piece(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, int64_t first, int64_t last, int slot,
                                  const struct cgs_cuda_matrix *out)
{
    const int64_t size = cgs_number_bytes(number), offset = matrix->pointers[first];
    const int64_t entries = matrix->pointers[last] - offset;
    char *values = (char *)cgs_cuda_device(queue)->staging[slot];
    int32_t *columns = (int32_t *)(values + entries * size);

    CGS_TRY(cgs_cuda_staging_wait(queue, slot));
    CGS_TRY(cgs_matrix_fill(queue->context, matrix, first, last, number, columns, values));
    const struct cgs_cuda_copy copies[] = {
        {(char *)out->values + offset * size, values, entries * size},
        {out->columns + offset, columns, entries * (int64_t)sizeof(int32_t)},
    };
    return cgs_cuda_staging_copy(queue, slot, copies, 2, cudaMemcpyHostToDevice);
}

static enum cgs_status send_entries(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                    enum cgs_number number, const struct cgs_cuda_matrix *out)
{
    const int64_t entry = cgs_number_bytes(number) + (int64_t)sizeof(int32_t);
    int slot = 0;

    CGS_TRY(cgs_cuda_staging(queue, largest_unit(matrix) * entry));
    const int64_t most = cgs_cuda_device(queue)->staging_bytes / entry;
    for (int64_t first = 0; first < matrix->units;) {
        const int64_t last = piece_end(matrix, first, most);
        CGS_TRY(send_piece(queue, matrix, number, first, last, slot, out));
        slot = !slot;
        first = last;
    }
    CGS_TRY(cgs_cuda_staging_wait(queue, 0));
    return cgs_cuda_staging_wait(queue, 1);
}

/* Sends pointers and permutation from pageable memory: they are small compared with the entries,
 * except the row pointers of CRS, which the device computes with the entries. */
static enum cgs_status send_layout(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                   const struct cgs_cuda_matrix *out)
{
    if (!matrix->on_device || matrix->format != CGS_CRS || matrix->padded)
        CGS_TRY(cgs_cuda_send(queue, out->pointers, matrix->pointers,
                              (matrix->units + 1) * (int64_t)sizeof(int64_t)));
    if (matrix->permutation)
        CGS_TRY(cgs_cuda_send(queue, out->permutation, matrix->permutation,
                              matrix->rows * (int64_t)sizeof(int32_t)));
    return CGS_OK;
}

static enum cgs_status send_all(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                enum cgs_number number, const struct cgs_cuda_matrix *out)
{
    bool there = false;
    if (matrix->on_device) {
        CGS_TRY(send_layout(queue, matrix, out));
        CGS_TRY(cgs_cuda_assemble(queue, matrix, number, out, &there));
    }
    if (there)
        return CGS_OK;
    CGS_TRY(send_entries(queue, matrix, number, out));
    return matrix->on_device ? CGS_OK : send_layout(queue, matrix, out);
}

/* Takes a caller's rows as they are; values in single precision are converted. */
static enum cgs_status take_there(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                  enum cgs_number number, struct cgs_cuda_matrix *out)
{
    const struct cgs_device_rows *there = matrix->source->there;
    struct cgs_cuda_matrix made = {};
    made.pointers = const_cast<int64_t *>(there->pointers);
    made.columns = const_cast<int32_t *>(there->column);
    made.values = const_cast<double *>(there->value);
    made.lent = true;
    made.lent_values = number == CGS_F64;
    if (number == CGS_F64) {
        *out = made;
        return CGS_OK;
    }
    CGS_TRY(cgs_cuda_alloc(queue, room_for(matrix), (size_t)cgs_number_bytes(number),
                           "matrix values", &made.values));
    const struct cgs_cuda_lines lines = {made.values, number,           0, there->value, CGS_F64,
                                         0,           matrix->nonzeros, 1};
    const enum cgs_status status = cgs_cuda_copy_lines(queue, &lines);
    if (status != CGS_OK) {
        cgs_cuda_matrix_free(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}

enum cgs_status cgs_cuda_matrix_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                       enum cgs_number number, struct cgs_cuda_matrix *out)
{
    if (is_there(matrix))
        return take_there(queue, matrix, number, out);
    struct cgs_stopwatch *watch = &queue->context->watch;
    struct cgs_cuda_matrix made = {};
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const int64_t room = room_for(matrix);
    enum cgs_status status = cgs_cuda_alloc(queue, room, (size_t)cgs_number_bytes(number),
                                            "matrix values", &made.values);
    if (status == CGS_OK)
        status =
            cgs_cuda_alloc(queue, room, sizeof(int32_t), "matrix columns", (void **)&made.columns);
    if (status == CGS_OK)
        status = cgs_cuda_alloc(queue, matrix->units + 1, sizeof(int64_t), "matrix pointers",
                                (void **)&made.pointers);
    if (status == CGS_OK && matrix->permutation)
        status = cgs_cuda_alloc(queue, matrix->rows, sizeof(int32_t), "matrix permutation",
                                (void **)&made.permutation);
    if (status == CGS_OK)
        status = send_all(queue, matrix, number, &made);
    cgs_stopwatch_enter(watch, outer);
    if (status != CGS_OK) {
        cudaDeviceSynchronize(); /* copies may still read the staging and write these */
        cgs_cuda_matrix_free(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}
