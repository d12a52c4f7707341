/* CRS matrices in device memory: CUDA's functions of kernels/sparse.h, for f64 and f32.
 *
 * Transposition by a stable sort of the entries by column, so that rows ascend within each column.
 *
 *     place[s]          position in M of the s-th entry of T
 *     T.pointers[j]     first s whose column is j or more
 *     T.column[s]       row of M in which place[s] lies
 */
#include "kernels/sparse.h"

#include "kernels/device/launch.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/precision.h"
#include "kernels/sparse/order_cuda.cuh"
#include "matrix/crs.h"

namespace
{

void release(struct cgs_queue *queue, struct cgs_sparse *m)
{
    if (!m->lent) {
        cgs_cuda_any_free(queue, m->pointers);
        cgs_cuda_any_free(queue, m->column);
    }
    if (!m->lent_values)
        cgs_cuda_any_free(queue, m->value);
    *m = {};
}

enum cgs_status make_pointers(struct cgs_queue *queue, const char *what, int64_t rows,
                              int64_t columns, struct cgs_sparse *m)
{
    struct cgs_sparse made = {};
    made.rows = rows;
    made.columns = columns;
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, rows + 1, sizeof *made.pointers, what, (void **)&made.pointers));
    *m = made;
    return CGS_OK;
}

enum cgs_status make_entries(struct cgs_queue *queue, const char *what, int64_t nonzeros,
                             struct cgs_sparse *m)
{
    int32_t *column;
    CGS_TRY(cgs_cuda_pool_alloc(queue, nonzeros, sizeof *column, what, (void **)&column));
    const enum cgs_status status =
        cgs_cuda_pool_alloc(queue, nonzeros, sizeof(real), what, &m->value);
    if (status != CGS_OK) {
        cgs_cuda_pool_free(queue, column);
        return status;
    }
    m->column = column;
    m->nonzeros = nonzeros;
    return CGS_OK;
}

enum cgs_status generate(struct cgs_queue *queue, const struct cgs_matrix *crs,
                         struct cgs_sparse *m)
{
    struct cgs_cuda_matrix sent;
    CGS_TRY(cgs_cuda_matrix_upload(queue, crs, CGS_REAL_NUMBER, &sent));
    *m = {crs->rows,    crs->columns, crs->nonzeros, sent.pointers,
          sent.columns, sent.values,  sent.lent,     sent.lent_values};
    return CGS_OK;
}

/* ---- to the host ---- */

enum cgs_status bounds(struct cgs_queue *queue, const int64_t *pointers, int64_t rows,
                       int64_t out[2])
{
    cudaStream_t stream = cgs_cuda_stream(queue);
    int64_t ends[2] = {0, 0};
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(&ends[0], pointers, sizeof *ends, cudaMemcpyDeviceToHost, stream));
    CGS_CUDA_TRY(queue->context, cudaMemcpyAsync(&ends[1], pointers + rows, sizeof *ends,
                                                 cudaMemcpyDeviceToHost, stream));
    CGS_TRY(cgs_cuda_wait(queue));
    out[0] = ends[0];
    out[1] = ends[1];
    return CGS_OK;
}

/* Reads `count` elements through the pinned buffers: calls take(elements, first, how many) for one
 * piece while the next one is copied. Earlier writes must be complete. */
template <class Element, class Take>
enum cgs_status pull(struct cgs_queue *queue, const Element *from, int64_t count, Take take)
{
    const struct cgs_cuda_device *device = cgs_cuda_device(queue);
    CGS_TRY(cgs_cuda_staging(queue, 0));
    const int64_t each = device->staging_bytes / (int64_t)sizeof(Element);
    const int64_t pieces = (count + each - 1) / each;
    for (int64_t piece = 0; piece <= pieces; piece++) {
        if (piece < pieces) {
            const int slot = (int)(piece % CGS_SLOTS);
            const int64_t first = piece * each, n = count - first < each ? count - first : each;
            const struct cgs_cuda_copy copy = {device->staging[slot], from + first,
                                               n * (int64_t)sizeof(Element)};
            CGS_TRY(cgs_cuda_staging_wait(queue, slot));
            CGS_TRY(cgs_cuda_staging_copy(queue, slot, &copy, 1, cudaMemcpyDeviceToHost));
        }
        if (piece > 0) {
            const int slot = (int)((piece - 1) % CGS_SLOTS);
            const int64_t first = (piece - 1) * each;
            CGS_TRY(cgs_cuda_staging_wait(queue, slot));
            take((const Element *)device->staging[slot], first,
                 count - first < each ? count - first : each);
        }
    }
    return CGS_OK;
}

enum cgs_status pull_all(struct cgs_queue *queue, const struct cgs_sparse *m, int64_t origin,
                         struct cgs_crs *crs)
{
    CGS_TRY(pull(queue, m->pointers, m->rows + 1,
                 [&](const int64_t *piece, int64_t first, int64_t count) {
                     for (int64_t i = 0; i < count; i++)
                         crs->pointers[first + i] = piece[i] - origin;
                 }));
    CGS_TRY(pull(queue, m->column + origin, m->nonzeros,
                 [&](const int32_t *piece, int64_t first, int64_t count) {
                     for (int64_t e = 0; e < count; e++)
                         crs->column[first + e] = piece[e];
                 }));
    return pull(queue, (const real *)m->value + origin, m->nonzeros,
                [&](const real *piece, int64_t first, int64_t count) {
                    for (int64_t e = 0; e < count; e++)
                        crs->value[first + e] = (double)piece[e];
                });
}

enum cgs_status fetch(struct cgs_queue *queue, const struct cgs_sparse *m, struct cgs_crs *crs)
{
    int64_t ends[2] = {0, 0};
    struct cgs_crs made;
    CGS_TRY(bounds(queue, m->pointers, m->rows, ends)); /* waits for the matrix */
    CGS_TRY(cgs_crs_alloc(queue->context, m->rows, m->columns, m->nonzeros, &made));
    const enum cgs_status status = pull_all(queue, m, ends[0], &made);
    if (status != CGS_OK) {
        cgs_crs_release(queue->context, &made);
        return status;
    }
    *crs = made;
    return CGS_OK;
}

/* ---- transposing ---- */

/* Index of the first of array[0 ... count - 1], ascending, that is >= wanted. */
template <class Element>
__device__ inline int64_t first_from(const Element *array, int64_t count, Element wanted)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (array[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void __launch_bounds__(CGS_THREADS)
    pointers_kernel(int64_t rows, int64_t count, const int32_t *sorted, int64_t *pointers)
{
    const int64_t row = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (row < rows)
        pointers[row] = first_from(sorted, count, (int32_t)row);
    else if (row == rows)
        pointers[row] = count;
}

__global__ void __launch_bounds__(CGS_THREADS)
    entries_kernel(int64_t rows, int64_t count, const int64_t *pointers, const real *value,
                   const int64_t *place, int32_t *column, real *turned)
{
    const int64_t s = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (s >= count)
        return;
    const int64_t at = pointers[0] + place[s];
    column[s] = (int32_t)first_from(pointers + 1, rows, at + 1);
    turned[s] = value[at];
}

enum cgs_status turn(struct cgs_queue *queue, const struct cgs_sparse *m, int64_t origin,
                     int32_t *sorted, int64_t *place, struct cgs_sparse *t)
{
    const int64_t of_rows = t->rows / CGS_THREADS + 1;
    const int64_t of_entries = (m->nonzeros + CGS_THREADS - 1) / CGS_THREADS;
    CGS_TRY(cgs_cuda_order(queue, m->column + origin, m->nonzeros, m->columns, sorted, place));
    CGS_TRY(cgs_launch(queue, "pointers_kernel", pointers_kernel, of_rows, t->rows, m->nonzeros,
                       sorted, t->pointers));
    if (m->nonzeros == 0)
        return CGS_OK;
    return cgs_launch(queue, "entries_kernel", entries_kernel, of_entries, m->rows, m->nonzeros,
                      m->pointers, (const real *)m->value, place, t->column, (real *)t->value);
}

enum cgs_status transpose(struct cgs_queue *queue, const struct cgs_sparse *m, struct cgs_sparse *t)
{
    const char *what = "transposed matrix";
    struct cgs_sparse made = {};
    int32_t *sorted = nullptr;
    int64_t *place = nullptr, ends[2] = {0, 0};
    CGS_TRY(bounds(queue, m->pointers, m->rows, ends));
    enum cgs_status status = make_pointers(queue, what, m->columns, m->rows, &made);
    if (status == CGS_OK)
        status = make_entries(queue, what, m->nonzeros, &made);
    if (status == CGS_OK)
        status = cgs_cuda_pool_alloc(queue, m->nonzeros, sizeof *sorted, "transposing: columns",
                                     (void **)&sorted);
    if (status == CGS_OK)
        status = cgs_cuda_pool_alloc(queue, m->nonzeros, sizeof *place, "transposing: places",
                                     (void **)&place);
    if (status == CGS_OK)
        status = turn(queue, m, ends[0], sorted, place, &made);
    cgs_cuda_pool_free(queue, place);
    cgs_cuda_pool_free(queue, sorted);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    *t = made;
    return CGS_OK;
}

} // namespace

CGS_TABLE(struct cgs_sparse_ops, cgs_cuda_sparse) = {
    .pointers = make_pointers,
    .entries = make_entries,
    .release = release,
    .generate = generate,
    .fetch = fetch,
    .bounds = bounds,
    .transpose = transpose,
};
