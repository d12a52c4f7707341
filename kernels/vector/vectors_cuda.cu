/* Vectors in device memory: made, filled and read back through the pinned staging, whose two
 * buffers alternate, so that conversion and copy overlap.
 */
#include "kernels/device/convert.h"
#include "kernels/vector/vectors_cuda.cuh"

enum cgs_status cgs_cuda_vector_alloc(const struct cgs_space *space, const char *what,
                                      void **vector)
{
    void *made = NULL;
    CGS_TRY(cgs_cuda_alloc(space->queue, space->footprint, 1, what, &made));
    const cudaError_t error = cudaMemsetAsync(made, 0, (size_t)space->footprint,
                                              cgs_cuda_stream(space->queue));
    if (error != cudaSuccess) {
        cgs_cuda_free(space->queue, made);
        return cgs_cuda_fail(space->queue->context, __FILE__, __LINE__, "cudaMemsetAsync", error);
    }
    *vector = made;
    return CGS_OK;
}

void cgs_cuda_vector_free(const struct cgs_space *space, void *vector)
{
    cgs_cuda_free(space->queue, vector);
}

/* Numbers of one piece of a vector: a staging buffer full. */
static int64_t piece_size(const struct cgs_space *space)
{
    return cgs_cuda_device(space->queue)->staging_bytes / cgs_number_bytes(space->number);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static enum cgs_status put(const struct cgs_space *space, const double *natural, int64_t first,
                           int64_t count, void *vector)
{
    struct cgs_queue *queue = space->queue;
    const int64_t size = cgs_number_bytes(space->number);
    int slot = 0;

    CGS_TRY(cgs_cuda_staging(queue, 0));
    CGS_TRY(cgs_cuda_wait(queue)); /* the vector may still be in use */
    const int64_t most = piece_size(space);
    for (int64_t done = 0; done < count; slot = !slot) {
        const int64_t piece = smaller(count - done, most);
        void *staging = cgs_cuda_device(queue)->staging[slot];
        CGS_TRY(cgs_cuda_staging_wait(queue, slot));
        cgs_convert_from_double(queue->context->threads, natural + done, piece, space->number,
                                staging);
        const struct cgs_cuda_copy copy = {(char *)vector + (first + done) * size, staging,
                                           piece * size};
        CGS_TRY(cgs_cuda_staging_copy(queue, slot, &copy, 1, cudaMemcpyHostToDevice));
        done += piece;
    }
    CGS_TRY(cgs_cuda_staging_wait(queue, 0));
    return cgs_cuda_staging_wait(queue, 1);
}

static enum cgs_status get(const struct cgs_space *space, const void *vector, int64_t first,
                           int64_t count, double *natural)
{
    struct cgs_queue *queue = space->queue;
    const int64_t size = cgs_number_bytes(space->number);
    int64_t asked = 0, taken = 0;

    CGS_TRY(cgs_cuda_staging(queue, 0));
    CGS_TRY(cgs_cuda_wait(queue));
    const int64_t most = piece_size(space);
    for (int slot = 0; taken < count; slot = !slot) {
        /* one piece travels while the one before is converted */
        for (; asked < count && asked < taken + 2 * most; asked += smaller(count - asked, most)) {
            const int other = (int)(asked / most % CGS_SLOTS);
            const struct cgs_cuda_copy copy = {
                cgs_cuda_device(queue)->staging[other], (const char *)vector + (first + asked) * size,
                smaller(count - asked, most) * size};
            CGS_TRY(cgs_cuda_staging_copy(queue, other, &copy, 1, cudaMemcpyDeviceToHost));
        }
        const int64_t piece = smaller(count - taken, most);
        CGS_TRY(cgs_cuda_staging_wait(queue, slot));
        cgs_convert_to_double(queue->context->threads, space->number,
                              cgs_cuda_device(queue)->staging[slot], piece, natural + taken);
        taken += piece;
    }
    return CGS_OK;
}

enum cgs_status cgs_cuda_vector_put(const struct cgs_space *space, const double *natural,
                                    int64_t first, int64_t count, void *vector)
{
    struct cgs_stopwatch *watch = &space->queue->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const enum cgs_status status = put(space, natural, first, count, vector);
    cgs_stopwatch_enter(watch, outer);
    return status;
}

enum cgs_status cgs_cuda_vector_get(const struct cgs_space *space, const void *vector,
                                    int64_t first, int64_t count, double *natural)
{
    struct cgs_stopwatch *watch = &space->queue->context->watch;
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_TRANSFER);
    const enum cgs_status status = get(space, vector, first, count, natural);
    cgs_stopwatch_enter(watch, outer);
    return status;
}
