/* Shared by the cuSPARSE kernels: everything except the matrix descriptor and the algorithm.
 *
 * "CSR_ALG2: deterministic (bit-wise) results for each run", "CSR_ALG1: may produce slightly
 * different results during different runs" (cuSPARSE documentation, cusparseSpMV).
 */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/spmv_cuda.cuh"
#include "kernels/spmv/vendor/cusparse_number.cuh"

namespace
{

struct vendor {
    const struct cgs_cusparse *library;
    struct cgs_cuda_matrix arrays;
    void *offsets; /* 32-bit pointers, required with 32-bit columns */
    void *buffer;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    cusparseSpMVAlg_t algorithm;
    struct cgs_queue *queue;
};

enum cgs_status vendor_accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    if (sizeof(real) != sizeof(value))
        return cgs_fail(context, CGS_USAGE,
                        "cuSPARSE's SpMV wants matrix and vectors in one precision");
    if (matrix->sigma > 1)
        return cgs_fail(context, CGS_USAGE,
                        "sigma = %d: cuSPARSE's sliced ELL takes rows in their own order alone: "
                        "take \1sigma=1, or \1kernel=sell_chunk",
                        (int)matrix->sigma);
    if (matrix->stored > INT32_MAX)
        return cgs_fail(context, CGS_USAGE,
                        "cuSPARSE with 32-bit columns takes at most 2147483647 entries, this "
                        "matrix has %lld: use another kernel",
                        (long long)matrix->stored);
    return CGS_OK;
}

void vendor_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "matrix pointers, 32 bits", matrix->units + 1,
                 sizeof(int32_t));
}

void vendor_empty(struct vendor *v)
{
    if (v->matrix)
        v->library->destroy_matrix(v->matrix);
    if (v->x)
        v->library->destroy_vector(v->x);
    if (v->y)
        v->library->destroy_vector(v->y);
    cgs_cuda_free(v->queue, v->buffer);
    cgs_cuda_free(v->queue, v->offsets);
    cgs_cuda_matrix_free(v->queue, &v->arrays);
}

/* Uploads entries and 32-bit pointers. */
enum cgs_status vendor_upload(struct vendor *v, const struct cgs_matrix *matrix)
{
    struct cgs_queue *queue = v->queue;
    const int64_t n = matrix->units + 1;
    CGS_TRY(cgs_cuda_matrix_upload(queue, matrix, CGS_VALUE_NUMBER, &v->arrays));
    CGS_TRY(cgs_cuda_alloc(queue, n, sizeof(int32_t), "matrix pointers, 32 bits", &v->offsets));
    return cgs_cusparse_narrow(queue, n, v->arrays.pointers, (int32_t *)v->offsets);
}

/* Makes vectors and buffer and runs the library's preprocessing. The vector descriptors need some
 * address now: that of the entries, which are not touched. */
enum cgs_status vendor_finish(struct vendor *v, const struct cgs_matrix *matrix)
{
    struct cgs_context *context = v->queue->context;
    const struct cgs_cusparse *l = v->library;
    size_t bytes = 0;
    CGS_CUSPARSE_TRY(context, l, l->create_vector(&v->x, matrix->columns, v->arrays.values, REAL));
    CGS_CUSPARSE_TRY(context, l, l->create_vector(&v->y, matrix->rows, v->arrays.values, REAL));
    CGS_CUSPARSE_TRY(context, l,
                     l->buffer_size(l->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &ONE, v->matrix,
                                    v->x, &ZERO, v->y, REAL, v->algorithm, &bytes));
    CGS_TRY(cgs_cuda_alloc(v->queue, (int64_t)bytes, 1, "cuSPARSE buffer", &v->buffer));
    CGS_CUSPARSE_TRY(context, l,
                     l->preprocess(l->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &ONE, v->matrix,
                                   v->x, &ZERO, v->y, REAL, v->algorithm, v->buffer));
    return CGS_OK;
}

/* Names the algorithm and makes the library's matrix descriptor. */
typedef enum cgs_status describe_matrix(struct vendor *v, const struct cgs_matrix *matrix);

/* CSR. */
template <cusparseSpMVAlg_t ALGORITHM>
enum cgs_status describe_csr(struct vendor *v, const struct cgs_matrix *matrix)
{
    v->algorithm = ALGORITHM;
    CGS_CUSPARSE_TRY(v->queue->context, v->library,
                     v->library->create_csr(&v->matrix, matrix->rows, matrix->columns,
                                            matrix->nonzeros, v->offsets, v->arrays.columns,
                                            v->arrays.values, CUSPARSE_INDEX_32I,
                                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, REAL));
    return CGS_OK;
}

template <describe_matrix *DESCRIBE>
enum cgs_status vendor_fill(struct vendor *v, const struct cgs_matrix *matrix)
{
    CGS_TRY(cgs_cusparse_use(v->queue, &v->library));
    CGS_TRY(vendor_upload(v, matrix));
    CGS_TRY(DESCRIBE(v, matrix));
    return vendor_finish(v, matrix);
}

constexpr auto vendor_release = cgs_release<struct vendor, vendor_empty>;

/* Ignores the state: a reference is not fused, and what it writes after the end of a run is
 * scratch. */
enum cgs_status vendor_apply(const void *self, struct cgs_queue *queue, const struct cgs_cg_state *,
                             const void *x, void *y)
{
    const struct vendor *v = static_cast<const struct vendor *>(self);
    const struct cgs_cusparse *l = v->library;
    CGS_CUSPARSE_TRY(queue->context, l, l->set_values(v->x, const_cast<void *>(x)));
    CGS_CUSPARSE_TRY(queue->context, l, l->set_values(v->y, y));
    CGS_CUSPARSE_TRY(queue->context, l,
                     l->spmv(l->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &ONE, v->matrix, v->x,
                             &ZERO, v->y, REAL, v->algorithm, v->buffer));
    return CGS_OK;
}

} // namespace
