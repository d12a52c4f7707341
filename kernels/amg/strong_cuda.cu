/* Strong entries on CUDA (kernels/amg.h): the graph of strong connections, and S, which has the
 * same entries.
 *
 *     count the strong entries of each row; prefix sum; write them, in the order of the row
 *
 * Traffic: A's columns and values once in each of two passes. S's pass reads a row twice, the
 * second time from the cache, as are the roots of the columns.
 */
#include "kernels/amg/rows.cuh"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"

/* ---- square roots of the diagonal, which scale the strength of connections ---- */

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

/* ---- strong entries ---- */

namespace
{

struct entries {
    const int32_t *column;
    const double *number, *roots;
    double theta;

    __device__ bool strong(int64_t row, int64_t e) const
    {
        return cgs_amg_strong(number[e], theta, roots[row], roots[column[e]]);
    }
    /* ITSELF: include the diagonal entry. */
    template <bool ITSELF> __device__ bool kept(int64_t row, int64_t e) const
    {
        return column[e] == row ? ITSELF : strong(row, e);
    }
};

template <bool ITSELF> struct counting {
    entries a;
    int64_t *pointers; /* shifted by one: of row i at i + 1 */

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        int64_t count = 0;
        for (int64_t e = g.begin + g.lane; e < g.end; e += T)
            count += a.template kept<ITSELF>(g.row, e);
        count = group_sum(g, count);
        if (g.lane == 0)
            pointers[g.row + 1] = count;
    }
};

/* Factor of a row of S; adds weak entries in column order, as on the CPU. */
template <int T> __device__ double factor_of(const group<T> &g, const entries &a, double omega)
{
    double diagonal = 0.0, weak = 0.0, largest = 0.0;
    for (int64_t first = g.begin; first < g.end; first += T) {
        const int64_t e = first + g.lane;
        double mine = 0.0;
        if (e < g.end && a.column[e] == g.row)
            diagonal = a.number[e];
        else if (e < g.end && a.strong(g.row, e))
            largest = fmax(largest, fabs(a.number[e]));
        else if (e < g.end)
            mine = a.number[e];
        for (unsigned left = group_votes(g, mine != 0.0); left != 0; left &= left - 1)
            weak += __shfl_sync(g.mask, mine, __ffs((int)left) - 1, T);
    }
    for (int step = T / 2; step > 0; step /= 2) { /* one lane has the diagonal, the others 0 */
        diagonal = fmax(diagonal, __shfl_xor_sync(g.mask, diagonal, step));
        largest = fmax(largest, __shfl_xor_sync(g.mask, largest, step));
    }
    return -(omega / cgs_amg_filtered(diagonal, weak, largest));
}

/* SMOOTHING: include the diagonal, with values. */
template <bool SMOOTHING> struct filling {
    entries a;
    const int64_t *pointers;
    int32_t *column;
    double *number;
    double omega;

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const double factor = SMOOTHING ? factor_of(g, a, omega) : 0.0;
        int64_t at = pointers[g.row];
        for (int64_t first = g.begin; first < g.end; first += T) {
            const int64_t e = first + g.lane;
            const bool mine = e < g.end && a.template kept<SMOOTHING>(g.row, e);
            const unsigned votes = group_votes(g, mine);
            if (mine) {
                const int64_t to = at + __popc(votes & ((1u << g.lane) - 1));
                column[to] = a.column[e];
                if (SMOOTHING)
                    number[to] = a.column[e] == g.row ? 1.0 - omega : factor * a.number[e];
            }
            at += __popc(votes);
        }
    }
};

entries entries_of(const struct cgs_sparse *a, double theta, const double *roots)
{
    return {a->column, (const double *)a->value, roots, theta};
}

/* Allocates columns only: the graph has no values, which would be two thirds of it. */
enum cgs_status make_columns(struct cgs_queue *queue, const char *what, int64_t nonzeros,
                             struct cgs_sparse *made)
{
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, nonzeros, sizeof *made->column, what, (void **)&made->column));
    made->nonzeros = nonzeros;
    return CGS_OK;
}

/* Allocates pointers and strong entries. */
template <bool ITSELF>
enum cgs_status make_room(struct cgs_queue *queue, const struct cgs_sparse *a, const entries &e,
                          const char *what, struct cgs_sparse *made)
{
    int64_t ends[2];
    CGS_TRY(cgs_cuda_sparse_f64.pointers(queue, what, a->rows, a->columns, made));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(made->pointers, 0, sizeof *made->pointers,
                                                 cgs_cuda_stream(queue)));
    CGS_TRY(launch_rows(queue, "counting strong entries", a->rows, a->pointers, a->nonzeros,
                        counting<ITSELF>{e, made->pointers}));
    CGS_TRY(cgs_cuda_add_up(queue, a->rows, made->pointers + 1));
    CGS_TRY(cgs_cuda_sparse_f64.bounds(queue, made->pointers, a->rows, ends));
    return ITSELF ? cgs_cuda_sparse_f64.entries(queue, what, ends[1], made)
                  : make_columns(queue, what, ends[1], made);
}

/* SMOOTHING: S, else the graph. */
template <bool SMOOTHING>
enum cgs_status make(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                     const double *roots, double omega, struct cgs_sparse *out)
{
    const char *what = SMOOTHING ? "smoothing of a prolongation" : "strong connections";
    const entries e = entries_of(a, theta, roots);
    struct cgs_sparse made = {};
    enum cgs_status status = make_room<SMOOTHING>(queue, a, e, what, &made);
    if (status == CGS_OK)
        status = launch_rows(
            queue, what, a->rows, a->pointers, a->nonzeros,
            filling<SMOOTHING>{e, made.pointers, made.column, (double *)made.value, omega});
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}

} // namespace

enum cgs_status cgs_amg_cuda_graph(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   double theta, const double *roots, struct cgs_sparse *strong)
{
    return make<false>(queue, a, theta, roots, 0.0, strong);
}

enum cgs_status cgs_amg_cuda_smoothing(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       double theta, double omega, struct cgs_sparse *s)
{
    double *roots;
    CGS_TRY(cgs_amg_cuda_roots(queue, a, &roots));
    enum cgs_status status = make<true>(queue, a, theta, roots, omega, s);
    cgs_cuda_free(queue, roots); /* waits for pending readers */
    return status;
}
