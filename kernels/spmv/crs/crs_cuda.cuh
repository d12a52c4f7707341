/* Shared by the CUDA CRS kernels: everything except how a row is divided among threads. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/spmv_cuda.cuh"

namespace
{

struct crs {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
};

void crs_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
}

enum cgs_status crs_fill(struct crs *crs, const struct cgs_matrix *matrix)
{
    crs->rows = matrix->rows;
    return cgs_cuda_matrix_upload(crs->queue, matrix, CGS_VALUE_NUMBER, &crs->arrays);
}

constexpr auto crs_prepare = cgs_prepare<struct crs, crs_fill, cgs_empty_arrays>;
constexpr auto crs_release = cgs_release<struct crs, cgs_empty_arrays>;

} // namespace
