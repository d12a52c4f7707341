/* Square roots of the diagonal, which scale the strength of connections, on CUDA
 * (kernels/amg.h). */
#include "kernels/amg/amg_cuda.cuh"
#include "kernels/amg/rows.cuh"
#include "kernels/amg/rules.h"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"

namespace
{

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
enum cgs_status find_roots(struct cgs_queue *queue, const struct cgs_sparse *a, double *roots,
                           unsigned long long *bad)
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    auto *first = reinterpret_cast<unsigned long long *>(queue->partials);
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(first, 0xff, sizeof *first, stream));
    CGS_TRY(launch_each(queue, "roots of the diagonal", roots_kernel, a->rows, a->pointers,
                        a->column, (const double *)a->value, roots, first));
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(bad, first, sizeof *bad, cudaMemcpyDeviceToHost, stream));
    return cgs_cuda_wait(queue);
}

} // namespace

enum cgs_status cgs_amg_cuda_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   double **roots)
{
    unsigned long long bad = 0;
    double *made;
    CGS_TRY(cgs_cuda_alloc(queue, a->rows, sizeof *made, "roots of the diagonal", (void **)&made));
    enum cgs_status status = find_roots(queue, a, made, &bad);
    if (status == CGS_OK && bad < (unsigned long long)a->rows)
        status = cgs_amg_not_positive(queue->context, (int64_t)bad);
    if (status != CGS_OK) {
        cgs_cuda_free(queue, made);
        return status;
    }
    *roots = made;
    return CGS_OK;
}
