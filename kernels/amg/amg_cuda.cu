/* Algebraic multigrid's set-up on CUDA (kernels/amg.h): T, and the table. */
#include "kernels/amg/aggregate_cuda.cuh"
#include "kernels/amg/rows.cuh"
#include "kernels/amg/strong_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"

namespace
{

void release(struct cgs_queue *queue, struct cgs_aggregates *aggregates)
{
    cgs_cuda_free(queue, aggregates->of);
    *aggregates = {};
}

__global__ void __launch_bounds__(CGS_THREADS)
    lengths_kernel(int64_t rows, const int32_t *__restrict__ of, int64_t *pointers)
{
    const int64_t row = each_index();
    if (row < rows)
        pointers[row + 1] = of[row] >= 0;
}

__global__ void __launch_bounds__(CGS_THREADS)
    tentative_kernel(int64_t rows, const int32_t *__restrict__ of,
                     const int64_t *__restrict__ pointers, int32_t *column, double *number)
{
    const int64_t row = each_index();
    if (row < rows && of[row] >= 0) {
        column[pointers[row]] = of[row];
        number[pointers[row]] = 1.0;
    }
}

enum cgs_status make(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                     struct cgs_sparse *made)
{
    const struct cgs_sparse_ops *ops = &cgs_cuda_sparse_f64;
    const char *what = "tentative prolongation";
    const int64_t rows = aggregates->rows;
    int64_t ends[2];
    CGS_TRY(ops->pointers(queue, what, rows, aggregates->count, made));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(made->pointers, 0, sizeof *made->pointers,
                                                 cgs_cuda_stream(queue)));
    CGS_TRY(launch_each(queue, what, lengths_kernel, rows, aggregates->of, made->pointers));
    CGS_TRY(cgs_cuda_add_up(queue, rows, made->pointers + 1));
    CGS_TRY(ops->bounds(queue, made->pointers, rows, ends));
    CGS_TRY(ops->entries(queue, what, ends[1], made));
    return launch_each(queue, what, tentative_kernel, rows, aggregates->of, made->pointers,
                       made->column, (double *)made->value);
}

enum cgs_status tentative(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                          struct cgs_sparse *t)
{
    struct cgs_sparse made = {};
    const enum cgs_status status = make(queue, aggregates, &made);
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        return status;
    }
    *t = made;
    return CGS_OK;
}

} // namespace

CGS_EXPORT(struct cgs_amg_ops, cgs_cuda_amg) = {
    .aggregate = cgs_amg_cuda_aggregate,
    .release = release,
    .tentative = tentative,
    .smoothing = cgs_amg_cuda_smoothing,
};
