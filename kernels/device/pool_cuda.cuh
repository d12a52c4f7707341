/* Temporary device memory in stream order. */
#pragma once

#include "base/linkage.h"
#include "kernels/device/cuda.cuh"

CGS_BEGIN_C

/* As cgs_cuda_alloc, for temporary memory: from a pool, in stream order, at the cost of a launch.
 * cgs_cuda_pool_free takes only such blocks, used only in that stream; cgs_cuda_any_free waits, and
 * also takes blocks of cgs_cuda_alloc. */
enum cgs_status cgs_cuda_pool_alloc(struct cgs_queue *queue, int64_t count, size_t size,
                                    const char *what, void **out);
void cgs_cuda_pool_free(struct cgs_queue *queue, void *block);
void cgs_cuda_any_free(struct cgs_queue *queue, void *block);

/* Returns all memory of the pool to the driver. */
void cgs_cuda_pool_close(struct cgs_cuda_device *device);

CGS_END_C
