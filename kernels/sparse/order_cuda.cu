/* Sorting and prefix sums on the device (kernels/sparse/order_cuda.cuh). */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/device/launch.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/sparse/order_cuda.cuh"

template <class Number>
__global__ static void __launch_bounds__(CGS_THREADS) number_kernel(int64_t count, Number *numbers)
{
    const int64_t i = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (i < count)
        numbers[i] = (Number)i;
}

/* numbers[i] = i */
template <class Number>
static enum cgs_status number(struct cgs_queue *queue, int64_t count, Number *numbers)
{
    const int64_t blocks = (count + CGS_THREADS - 1) / CGS_THREADS;
    return cgs_launch(queue, "number_kernel", number_kernel<Number>, blocks, count, numbers);
}

/* Sorts with `numbers` (count) and scratch allocated. */
static enum cgs_status sort(struct cgs_queue *queue, const int32_t *keys, int64_t count, int bits,
                            int64_t *numbers, void *scratch, size_t bytes, int32_t *sorted,
                            int64_t *places)
{
    CGS_TRY(number(queue, count, numbers));
    CGS_CUDA_TRY(queue->context,
                 cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, numbers, places,
                                                 count, 0, bits, cgs_cuda_stream(queue)));
    return CGS_OK;
}

enum cgs_status cgs_cuda_order(struct cgs_queue *queue, const int32_t *keys, int64_t count,
                               int64_t below, int32_t *sorted, int64_t *places)
{
    const int bits = cgs_key_bits(below);
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

template <class Key>
static enum cgs_status order_pairs(struct cgs_queue *queue, Key *const keys[2],
                                   uint32_t *const places[2], int64_t count, int bits, int *side)
{
    cub::DoubleBuffer<Key> key(keys[0], keys[1]);
    cub::DoubleBuffer<uint32_t> place(places[0], places[1]);
    cudaStream_t stream = cgs_cuda_stream(queue);
    void *scratch = nullptr;
    size_t bytes = 0;
    *side = 0;
    if (count == 0)
        return CGS_OK;
    CGS_TRY(number(queue, count, places[0]));
    CGS_CUDA_TRY(queue->context, cub::DeviceRadixSort::SortPairs(scratch, bytes, key, place, count,
                                                                 0, bits, stream));
    CGS_TRY(cgs_cuda_pool_alloc(queue, (int64_t)bytes, 1, "sorting: scratch", &scratch));
    const cudaError_t error =
        cub::DeviceRadixSort::SortPairs(scratch, bytes, key, place, count, 0, bits, stream);
    cgs_cuda_pool_free(queue, scratch);
    CGS_CUDA_TRY(queue->context, error);
    *side = key.selector;
    /* both have had the same number of passes */
    return place.selector == key.selector
               ? CGS_OK
               : cgs_fail(queue->context, CGS_BUG, "sorted keys and places are on two sides");
}

enum cgs_status cgs_cuda_order_32(struct cgs_queue *queue, uint32_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side)
{
    return order_pairs(queue, keys, places, count, bits, side);
}

enum cgs_status cgs_cuda_order_64(struct cgs_queue *queue, uint64_t *const keys[2],
                                  uint32_t *const places[2], int64_t count, int bits, int *side)
{
    return order_pairs(queue, keys, places, count, bits, side);
}

enum cgs_status cgs_cuda_add_up(struct cgs_queue *queue, int64_t count, int64_t *numbers)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    void *scratch = nullptr;
    size_t bytes = 0;
    if (count == 0)
        return CGS_OK;
    CGS_CUDA_TRY(queue->context,
                 cub::DeviceScan::InclusiveSum(scratch, bytes, numbers, numbers, count, stream));
    CGS_TRY(cgs_cuda_pool_alloc(queue, (int64_t)bytes, 1, "prefix sum: scratch", &scratch));
    const cudaError_t error =
        cub::DeviceScan::InclusiveSum(scratch, bytes, numbers, numbers, count, stream);
    cgs_cuda_pool_free(queue, scratch);
    CGS_CUDA_TRY(queue->context, error);
    return CGS_OK;
}
