/* Shared by kernels whose CRS rows are padded to a multiple of 2^POWER entries. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/spmv_cuda.cuh"
#include "matrix/layout.h"
#include "matrix/pad.h"

namespace
{

template <int POWER> void padded_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    cgs_cuda_matrix_plan(&padded, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_HOST, "layout of padded rows", matrix->rows + 1, sizeof(int64_t));
}

/* Fills from a padded copy of the matrix, freed afterwards. */
template <int POWER, class Self>
enum cgs_status fill_padded(Self *self, const struct cgs_matrix *matrix,
                            enum cgs_status (*fill)(Self *, const struct cgs_matrix *padded))
{
    struct cgs_context *context = self->queue->context;
    struct cgs_matrix padded;
    CGS_TRY(cgs_matrix_pad(context, matrix, POWER, &padded));
    const enum cgs_status status = fill(self, &padded);
    cgs_matrix_release(context, &padded);
    return status;
}

template <int POWER> struct cgs_traffic padded_traffic(const struct cgs_matrix *matrix)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    return cgs_matrix_traffic<value, real>(&padded);
}

} // namespace
