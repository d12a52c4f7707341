/* Sorting on the device (kernels/sparse/order.cuh). */
#include <cub/device/device_radix_sort.cuh>

#include "kernels/sparse/order.cuh"

static __global__ void __launch_bounds__(CGS_THREADS) number_kernel(int64_t count, int64_t *numbers)
{
    const int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (i < count)
        numbers[i] = i;
}

static int bits_of(int64_t below)
{
    int bits = 1;
    while (bits < 31 && (int64_t)1 << bits < below)
        bits++;
    return bits;
}

/* With numbers (count) and scratch made. */
static enum cgs_status sort(struct cgs_queue *queue, const int32_t *keys, int64_t count, int bits,
                            int64_t *numbers, void *scratch, size_t bytes, int32_t *sorted,
                            int64_t *places)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    const int64_t blocks = (count + CGS_THREADS - 1) / CGS_THREADS;
    number_kernel<<<(unsigned)blocks, CGS_THREADS, 0, stream>>>(count, numbers);
    CGS_CUDA_LAUNCHED(queue, "number_kernel");
    CGS_CUDA_TRY(queue->context,
                 cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, numbers, places,
                                                 count, 0, bits, stream));
    return CGS_OK;
}

enum cgs_status cgs_cuda_order(struct cgs_queue *queue, const int32_t *keys, int64_t count,
                               int64_t below, int32_t *sorted, int64_t *places)
{
    const int bits = bits_of(below);
    int64_t *numbers = nullptr;
    void *scratch = nullptr;
    size_t bytes = 0;
    if (count == 0)
        return CGS_OK;
    CGS_CUDA_TRY(queue->context,
                 cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, numbers, places,
                                                 count, 0, bits, cgs_cuda_stream(queue)));
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, count, sizeof *numbers, "sorting: numbers", (void **)&numbers));
    enum cgs_status status =
        cgs_cuda_pool_alloc(queue, (int64_t)bytes, 1, "sorting: scratch", &scratch);
    if (status == CGS_OK)
        status = sort(queue, keys, count, bits, numbers, scratch, bytes, sorted, places);
    cgs_cuda_pool_free(queue, scratch);
    cgs_cuda_pool_free(queue, numbers);
    return status;
}
