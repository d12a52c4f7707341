/* Temporary device memory in stream order: a pool of the queue's own, which keeps freed blocks
 * until it is trimmed (after set-up), it is closed, or cgs_cuda_alloc runs short. (cudaMalloc and
 * cudaFree of large blocks take 0.1 ms and more each, and wait for the device.)
 *
 *     free by the driver's count    spare blocks of the pool
 *     |<----------------- available ---------------->|<-- in use --
 */
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"

void cgs_cuda_pool_close(struct cgs_cuda_device *device)
{
    if (device->pool)
        cudaMemPoolDestroy(device->pool);
}

static enum cgs_status open_pool(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    cudaMemPoolProps properties = {};
    uint64_t keep = UINT64_MAX;
    cudaMemPool_t pool;
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device->index;
    CGS_CUDA_TRY(queue->context, cudaMemPoolCreate(&pool, &properties));
    device->pool = pool;
    CGS_CUDA_TRY(queue->context,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    return CGS_OK;
}

/* Sets *has if the device has pools; opens the queue's pool. */
static enum cgs_status has_pool(struct cgs_queue *queue, bool *has)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    *has = device->properties.memoryPoolsSupported != 0;
    return *has && !device->pool ? open_pool(queue) : CGS_OK;
}

/* Updates the minimum of free memory. The driver is asked only if memory outside the pool may have
 * changed: that costs more than the allocation. */
static enum cgs_status note_least(struct cgs_queue *queue)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    int64_t available = 0;
    if (!device->unpooled_known)
        return cgs_cuda_available(queue, &available);
    available = device->unpooled - cgs_cuda_pool_bytes(device, cudaMemPoolAttrUsedMemCurrent);
    if (available < device->free_least)
        device->free_least = available;
    return CGS_OK;
}

enum cgs_status cgs_cuda_pool_alloc(struct cgs_queue *queue, int64_t count, size_t size,
                                    const char *what, void **out)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    const int64_t bytes = cgs_bytes(count > 0 ? count : 1, (int64_t)size);
    void *block = NULL;
    bool pooled;
    CGS_TRY(has_pool(queue, &pooled));
    if (!pooled)
        return cgs_cuda_alloc(queue, count, size, what, out);
    if (cgs_starves(queue->context, CGS_DEVICE_MEMORY))
        return cgs_cuda_refuse(queue, what, bytes);
    cudaError_t error =
        cudaMallocFromPoolAsync(&block, (size_t)bytes, device->pool, device->stream);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        cgs_cuda_pool_trim(queue); /* spare memory may be fragmented */
        error = cudaMallocFromPoolAsync(&block, (size_t)bytes, device->pool, device->stream);
    }
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return cgs_cuda_refuse(queue, what, bytes);
    }
    CGS_CUDA_TRY(queue->context, error);
    const enum cgs_status status = note_least(queue);
    if (status != CGS_OK) {
        cudaFreeAsync(block, device->stream);
        return status;
    }
    *out = block;
    return CGS_OK;
}

void cgs_cuda_pool_free(struct cgs_queue *queue, void *block)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (!block)
        return;
    if (device->pool)
        cudaFreeAsync(block, device->stream);
    else
        cgs_cuda_free(queue, block);
}

/* cudaFree takes both kinds; blocks of a pool must not be in use any more. */
void cgs_cuda_any_free(struct cgs_queue *queue, void *block)
{
    struct cgs_cuda_device *device = cgs_cuda_device(queue);
    if (!block)
        return;
    const int64_t used = cgs_cuda_pool_bytes(device, cudaMemPoolAttrUsedMemCurrent);
    cudaStreamSynchronize(device->stream);
    cudaFree(block);
    if (used == cgs_cuda_pool_bytes(device, cudaMemPoolAttrUsedMemCurrent))
        device->unpooled_known = false; /* not from the pool */
}
