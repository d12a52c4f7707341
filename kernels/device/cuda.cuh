/* Shared by the CUDA files: checked calls, the device behind a queue, sums in a fixed order. */
#pragma once

#include <cuda_runtime.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/plan.h"
#include "kernels/cg_state.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"

/* Declares an array of all dynamic shared memory of the launch. The emulator (tests/emulator/) has
 * its own definition, since C++ has no such arrays. */
#ifndef CGS_DYNAMIC_SHARED
#define CGS_DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#endif

enum { CGS_SLOTS = 2, CGS_THREADS = 256 };

/* Private part of a queue (queue->device). Copies use two pinned buffers on a stream of their
 * own. */
struct cgs_cuda_device {
    int index, outer; /* `outer`: the calling thread's before it entered */
    cudaDeviceProp properties;
    cudaStream_t stream, copies;
    cudaEvent_t marks[CGS_MARKS];
    /* pinned staging, made at the first copy */
    int64_t staging_bytes;
    void *staging[CGS_SLOTS];
    cudaEvent_t copy_begun[CGS_SLOTS], copy_done[CGS_SLOTS];
    bool in_flight[CGS_SLOTS];
    /* pinned copies of a CG state */
    struct cgs_cg_state *looks;
    cudaEvent_t looked[CGS_SLOTS];
    struct cgs_cusparse
        *cusparse; /* empty before its first use (kernels/spmv/vendor/cusparse.cuh) */
    /* device memory: free when the queue was opened, and its minimum; free memory if the pool were
     * empty, if known */
    int64_t free_at_open, free_least, unpooled;
    bool unpooled_known;
    struct cgs_peers *peers; /* NULL on one rank, and before the ranks have joined (peers.cuh) */
    cudaMemPool_t pool;      /* NULL before its first use, and where the device has none */
};

CGS_BEGIN_C

static inline struct cgs_cuda_device *cgs_cuda_device(const struct cgs_queue *queue)
{
    return (struct cgs_cuda_device *)queue->device;
}

static inline cudaStream_t cgs_cuda_stream(const struct cgs_queue *queue)
{
    return (cudaStream_t)queue->stream;
}

CGS_BEGIN_C
/* Writes the error message with the call's own text and the remedy; returns CGS_MEMORY or
 * CGS_DEVICE. */
enum cgs_status cgs_cuda_fail(struct cgs_context *context, const char *file, int line,
                              const char *call, cudaError_t error);
CGS_END_C

/* Returns how many blocks may wait for each other: one a multiprocessor; 0 if the device can't
 * have that. */
static inline int cgs_cuda_together(const struct cgs_queue *queue)
{
    const cudaDeviceProp *properties = &cgs_cuda_device(queue)->properties;
    return properties->cooperativeLaunch ? properties->multiProcessorCount : 0;
}

#define CGS_CUDA_TRY(context, call)                                                                \
    do {                                                                                           \
        const cudaError_t cgs_error_ = (call);                                                     \
        if (cgs_error_ != cudaSuccess)                                                             \
            return cgs_cuda_fail((context), __FILE__, __LINE__, #call, cgs_error_);                \
    } while (0)

/* Copy of one array between a staging buffer and the device: `bytes` in one piece, or `lines` > 1
 * lines of `bytes` each, with these distances between their starts. */
struct cgs_cuda_copy {
    void *to;
    const void *from;
    int64_t bytes;
    int64_t lines, to_pitch, from_pitch;
};

/* A matrix in device memory: the arrays of its layout; the entries are padded to a multiple of 4,
 * contents undefined. */
struct cgs_cuda_matrix {
    int64_t *pointers;
    int32_t *columns;
    void *values;
    int32_t *permutation;   /* place -> row; NULL where rows are not sorted */
    bool lent, lent_values; /* pointers and columns, values are the caller's: not to be freed */
};

CGS_END_C
