/* Pointers of rows from their lengths, and square roots of the diagonal, which scale the strength
 * of connections: for all files of algebraic multigrid on CUDA. */
#pragma once

#include "kernels/amg/rows.cuh"
#include "kernels/amg/rules.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/sparse/order_cuda.cuh"

extern "C" const struct cgs_sparse_ops cgs_cuda_sparse_f64;

namespace
{

/* ---- lengths ---- */

/* Makes pointers of lengths, which are in pointers[1 ... count]. *total: the last one. Waits.
 * CGS_MEMORY. */
inline enum cgs_status add_up_lengths(struct cgs_queue *queue, int64_t count, int64_t *pointers,
                                      int64_t *total)
{
    int64_t ends[2];
    CGS_CUDA_TRY(queue->context,
                 cudaMemsetAsync(pointers, 0, sizeof *pointers, cgs_cuda_stream(queue)));
    CGS_TRY(cgs_cuda_add_up(queue, count, pointers + 1));
    CGS_TRY(cgs_cuda_sparse_f64.bounds(queue, pointers, count, ends));
    *total = ends[1];
    return CGS_OK;
}

/* ---- square roots of the diagonal ---- */

/* Finds the diagonal by binary search, as columns ascend. *bad: the first row whose entry is not
 * positive. */
__global__ void __launch_bounds__(CGS_THREADS)
    roots_kernel(int64_t rows, const int64_t *__restrict__ pointers,
                 const int32_t *__restrict__ column, const double *__restrict__ number,
                 double *__restrict__ roots, unsigned long long *bad)
{
    const int64_t row = each_index();
    if (row >= rows)
        return;
    const int64_t end = pointers[row + 1];
    int64_t low = pointers[row], high = end;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (column[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    const double diagonal = low < end && column[low] == row ? number[low] : 0.0;
    roots[row] = sqrt(diagonal);
    if (!(diagonal > 0.0))
        atomicMin(bad, (unsigned long long)row);
}

/* *bad: number of rows if all are positive. */
inline enum cgs_status find_diagonal(struct cgs_queue *queue, const struct cgs_sparse *a,
                                     double *roots, unsigned long long *bad)
{
    auto *first = reinterpret_cast<unsigned long long *>(queue->partials);
    CGS_CUDA_TRY(queue->context,
                 cudaMemsetAsync(first, 0xff, sizeof *first, cgs_cuda_stream(queue)));
    CGS_TRY(launch_each(queue, "roots of the diagonal", roots_kernel, a->rows, a->pointers,
                        a->column, (const double *)a->value, roots, first));
    return cgs_cuda_fetch(queue, bad, first, sizeof *bad);
}

/* Square roots of a's diagonal; owned by the caller. Waits. CGS_BREAKDOWN: an entry is not
 * positive; the message has its row. CGS_MEMORY. */
inline enum cgs_status amg_cuda_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double **roots)
{
    unsigned long long bad = 0;
    double *made;
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, a->rows, sizeof *made, "roots of the diagonal", (void **)&made));
    enum cgs_status status = find_diagonal(queue, a, made, &bad);
    if (status == CGS_OK && bad < (unsigned long long)a->rows)
        status = cgs_amg_not_positive(queue->context, (int64_t)bad);
    if (status != CGS_OK) {
        cgs_cuda_pool_free(queue, made);
        return status;
    }
    *roots = made;
    return CGS_OK;
}

} // namespace
