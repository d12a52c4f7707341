/* What the CUDA CRS kernels share: everything but how a row is divided among threads. */
#ifndef CGS_KERNELS_CRS_CUDA_CUH
#define CGS_KERNELS_CRS_CUDA_CUH

#include "base/memory.h"
#include "kernels/spmv/spmv_cuda.cuh"

namespace {

struct crs {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
};

void crs_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
}

enum cgs_status crs_prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix, void **self)
{
    struct crs *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "CRS kernel", (void **)&made));
    *made = {};
    made->queue = queue;
    made->rows = matrix->rows;
    const enum cgs_status status =
        cgs_cuda_matrix_upload(queue, matrix, CGS_VALUE_NUMBER, &made->arrays);
    if (status != CGS_OK) {
        cgs_free(queue->context, made);
        return status;
    }
    *self = made;
    return CGS_OK;
}

void crs_release(void *self)
{
    struct crs *crs = static_cast<struct crs *>(self);
    cgs_cuda_matrix_free(crs->queue, &crs->arrays);
    cgs_free(crs->queue->context, crs);
}

} // namespace

#endif
