/* Rows of CRS by groups of T = 1, 2, 4, 8, 16 or 32 threads, chosen by the mean row length: shared
 * by the kernels that do so. Neighbouring groups have neighbouring rows, so a warp reads 32/T + 1
 * consecutive pointers and writes 32/T consecutive numbers of y.
 *
 * A kernel provides a batch: a thread's simultaneous loads from a row,
 *     template <int T> struct batch {
 *         enum { UNIT, STEP };  consecutive entries; entries of the row in a batch of all T
 *         void load(columns, values, left, hint);   left: units from the thread's first on
 *         real add(sum, left, x);                   sum + the products of the batch
 *     };
 * T is the smallest number of threads whose batch covers a row of mean length (group_threads): then
 * all entries of a typical row are in flight at once, and few threads idle.
 */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/spmv/crs/stream.cuh"
#include "kernels/spmv/spmv_cuda.cuh"

namespace
{

/* Resident blocks per multiprocessor: 64 registers a thread for a batch in double precision, 48 in
 * single (on Hopper). */
constexpr int GROUP_BLOCKS = sizeof(value) == sizeof(double) ? 4 : 5;

struct grouped {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
    int threads; /* of a row */
    enum hints hints;
    int64_t kept; /* rows whose entries are kept in the cache */
};

/* Threads a row; each: entries of a thread's batch. */
int group_threads(double mean, int each)
{
    int threads = 1;
    while (threads < CGS_WARP && threads * each < mean)
        threads *= 2;
    return threads;
}

/* Entries do not depend on the previous kernel: a block's first ones are loaded before the wait.
 * Rows past the last have no entries. A warp's groups continue until its last group is done, and
 * synchronise before the gathers, so that no load of entries waits for a column. */
template <template <int> class Batch, int T, bool DOT>
__global__ void __launch_bounds__(CGS_THREADS, GROUP_BLOCKS)
    group_kernel(int64_t rows, int tiles, enum hints hints, int64_t kept,
                 struct cgs_cg_state *state, const int64_t *__restrict__ pointers,
                 const int32_t *__restrict__ columns, const value *__restrict__ values,
                 const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                 double *partials, unsigned *tickets)
{
    constexpr int ROWS = CGS_THREADS / T, UNIT = Batch<T>::UNIT, STEP = Batch<T>::STEP;
    cgs_let_next_start();
    const int lane = threadIdx.x % T;
    const int64_t first = (int64_t)blockIdx.x * tiles * ROWS;
    const uint64_t hint = stream_hint(hints, first < kept);
    double dot = 0.0, total;
    int64_t row = first + threadIdx.x / T;
    for (int tile = 0; tile < tiles; tile++, row += ROWS) {
        const int64_t begin = row < rows ? __ldg(pointers + row) : 0;
        const int64_t end = row < rows ? __ldg(pointers + row + 1) : 0;
        const int32_t *c = columns + begin + lane * UNIT;
        const value *v = values + begin + lane * UNIT;
        int left = (int)((end - begin) / UNIT) - lane;
        Batch<T> batch;
        batch.load(c, v, left, hint);
        if (tile == 0) {
            cgs_wait_for_previous();
            if (state && !cgs_cg_going_on(state))
                return;
        }
        __syncwarp();
        real yi = batch.add(0, left, x);
        while (__any_sync(0xffffffffu, (left = max(left - STEP / UNIT, 0)) > 0)) {
            c += STEP;
            v += STEP;
            batch.load(c, v, left, hint);
            __syncwarp();
            yi = batch.add(yi, left, x);
        }
        yi = group_sum<T>(yi);
        if (row < rows && lane == 0) {
            y[row] = yi;
            if (DOT)
                dot += (double)x[row] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <template <int> class Batch, int T, bool DOT>
enum cgs_status launch_groups(const struct grouped *g, struct cgs_queue *queue,
                              struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    const struct cgs_row_grid grid = cgs_rows_to_blocks(g->rows, CGS_THREADS / T);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(
        queue, "SpMV, a group of threads a row", group_kernel<Batch, T, DOT>, grid.blocks, g->rows,
        grid.tiles, g->hints, g->kept, state, g->arrays.pointers, g->arrays.columns,
        static_cast<const value *>(g->arrays.values), static_cast<const real *>(x),
        static_cast<real *>(y), sum, queue->partials, queue->ticket);
}

/* Chooses the kernel for T threads a row with that batch. */
template <template <int> class Batch, bool DOT>
enum cgs_status choose_group(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                             const void *x, void *y, enum cgs_sum sum)
{
    const struct grouped *g = static_cast<const struct grouped *>(self);
    switch (g->threads) {
    case 1:
        return launch_groups<Batch, 1, DOT>(g, queue, state, x, y, sum);
    case 2:
        return launch_groups<Batch, 2, DOT>(g, queue, state, x, y, sum);
    case 4:
        return launch_groups<Batch, 4, DOT>(g, queue, state, x, y, sum);
    case 8:
        return launch_groups<Batch, 8, DOT>(g, queue, state, x, y, sum);
    case 16:
        return launch_groups<Batch, 16, DOT>(g, queue, state, x, y, sum);
    default:
        return launch_groups<Batch, 32, DOT>(g, queue, state, x, y, sum);
    }
}

/* matrix: in the kernel's layout. */
enum cgs_status grouped_fill(struct grouped *g, const struct cgs_matrix *matrix)
{
    g->rows = matrix->rows;
    g->hints = choose_hints(g->queue, matrix, sizeof(value) + sizeof(int32_t), &g->kept);
    return cgs_cuda_matrix_upload(g->queue, matrix, CGS_VALUE_NUMBER, &g->arrays);
}

constexpr auto grouped_release = cgs_release<struct grouped, cgs_empty_arrays>;

} // namespace
