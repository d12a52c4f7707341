/* Fenced memory on a CUDA device: known bytes before and after, checked afterwards. */
#include <cstring>
#include <ctime>

#include "base/clock.h"
#include "kernels/device/cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/plugin/memory.h"

enum { FENCE = 4096 };

static enum cgs_status fence(struct cgs_queue *queue, int64_t bytes, const char *what,
                             struct cgs_fenced *block)
{
    struct cgs_fenced made = {};
    made.bytes = bytes;
    made.length = bytes + 2 * FENCE;
    CGS_TRY(cgs_cuda_alloc(queue, made.length, 1, what, &made.whole));
    made.data = static_cast<char *>(made.whole) + FENCE;
    const cudaError_t error = cudaMemset(made.whole, CGS_FENCE_BYTE, (size_t)made.length);
    const cudaError_t waited = cudaDeviceSynchronize();
    if (error != cudaSuccess || waited != cudaSuccess) {
        cgs_cuda_free(queue, made.whole);
        return cgs_cuda_fail(queue->context, __FILE__, __LINE__, "cudaMemset",
                             error != cudaSuccess ? error : waited);
    }
    *block = made;
    return CGS_OK;
}

static void unfence(struct cgs_queue *queue, struct cgs_fenced *block)
{
    cgs_cuda_free(queue, block->whole);
    *block = {};
}

/* Finds the offset of the first changed byte of a fence, -1 if none is changed. */
static enum cgs_status find(struct cgs_queue *queue, const char *begin, int64_t *first)
{
    unsigned char bytes[FENCE];
    CGS_TRY(cgs_cuda_fetch(queue, bytes, begin, FENCE));
    *first = -1;
    for (int64_t i = FENCE - 1; i >= 0; i--)
        if (bytes[i] != CGS_FENCE_BYTE)
            *first = i;
    return CGS_OK;
}

static enum cgs_status look(struct cgs_queue *queue, const struct cgs_fenced *block, int64_t *where)
{
    int64_t first;
    *where = 0;
    CGS_TRY(find(queue, static_cast<const char *>(block->whole), &first));
    if (first >= 0) {
        *where = first - FENCE;
        return CGS_OK;
    }
    CGS_TRY(find(queue, static_cast<const char *>(block->data) + block->bytes, &first));
    if (first >= 0)
        *where = block->bytes + first;
    return CGS_OK;
}

static void CUDART_CB pause(void *)
{
    const struct timespec time = {0, 2000000};
    nanosleep(&time, nullptr);
}

static enum cgs_status late(struct cgs_queue *queue, const struct cgs_fenced *from,
                            const struct cgs_fenced *to)
{
    CGS_CUDA_TRY(queue->context, cudaLaunchHostFunc(cgs_cuda_stream(queue), pause, nullptr));
    CGS_CUDA_TRY(queue->context, cudaMemcpyAsync(to->data, from->data, (size_t)from->bytes,
                                                 cudaMemcpyDeviceToDevice, cgs_cuda_stream(queue)));
    return CGS_OK;
}

static enum cgs_status settle(struct cgs_queue *queue, double *seconds)
{
    const double begin = cgs_now();
    CGS_CUDA_TRY(queue->context, cudaDeviceSynchronize());
    *seconds = cgs_now() - begin;
    return CGS_OK;
}

/* Arrays of the matrix have no fences: if a kernel damages them, its products show it. */
static enum cgs_status hold(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                            enum cgs_number number, struct cgs_plugin_arrays *arrays)
{
    struct cgs_cuda_matrix made;
    CGS_TRY(cgs_cuda_matrix_upload(queue, matrix, number, &made));
    *arrays = {};
    arrays->pointers.data = arrays->pointers.whole = made.pointers;
    arrays->columns.data = arrays->columns.whole = made.columns;
    arrays->values.data = arrays->values.whole = made.values;
    arrays->permutation.data = arrays->permutation.whole = made.permutation;
    return CGS_OK;
}

CGS_EXPORT(struct cgs_plugin_memory, cgs_plugin_memory_cuda) = {
    .hold = hold,
    .fence = fence,
    .unfence = unfence,
    .protect = nullptr,
    .forget = nullptr,
    .look = look,
    .late = late,
    .settle = settle,
};
