/* Device memory, pinned staging, and copies between arrays of a caller and ours. */
#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pages.h"
#include "kernels/device/wait_cuda.cuh"

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

enum cgs_status cgs_cuda_fetch(struct cgs_queue *queue, void *to, const void *from, int64_t bytes)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToHost, stream));
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

/* ---- memory of a caller ---- */

namespace
{

template <class To, class From>
__global__ void lines_kernel(int64_t numbers, int64_t lines, const From *from, int64_t from_pitch,
                             To *to, int64_t to_pitch)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < numbers * lines;
         i += (int64_t)gridDim.x * blockDim.x) {
        const int64_t line = i / numbers, at = i % numbers;
        to[line * to_pitch + at] = (To)from[line * from_pitch + at];
    }
}

template <class To, class From>
enum cgs_status copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *l)
{
    return cgs_launch(queue, "numbers of the caller", lines_kernel<To, From>,
                      cgs_blocks_for(queue, l->numbers * l->lines), l->numbers, l->lines,
                      (const From *)l->from, l->from_pitch, (To *)l->to, l->to_pitch);
}

} // namespace

enum cgs_status cgs_cuda_copy_lines(struct cgs_queue *queue, const struct cgs_cuda_lines *lines)
{
    if (lines->numbers == 0 || lines->lines == 0)
        return CGS_OK;
    if (lines->from_number == CGS_F64)
        return lines->to_number == CGS_F64 ? copy_lines<double, double>(queue, lines)
                                           : copy_lines<float, double>(queue, lines);
    return lines->to_number == CGS_F64 ? copy_lines<double, float>(queue, lines)
                                       : copy_lines<float, float>(queue, lines);
}
