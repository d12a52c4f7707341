/* SpMV, CRS on CUDA: a warp a row (N. Bell, M. Garland, NVIDIA NVR-2008-004, "vector").
 *
 * The 32 threads of a warp read 32 consecutive entries of the row and add by shuffles in a fixed
 * order. Coalesced; threads idle unless the row length is a multiple of 32.
 *
 * A row is a chain of latencies (pointers, entries, x, five shuffles), so the number of rows in
 * flight matters: all warps that a multiprocessor holds (at most 32 registers a thread), and the
 * first entries of a warp's next row, loaded while it adds up this one. A block has consecutive
 * rows, which share cache lines.
 *
 * Traffic: nonzeros (value + 4 bytes), 8 bytes a row pointer; x read once, y written once.
 */
#include "kernels/spmv/crs/crs_cuda.cuh"

namespace
{

enum { ROWS_AT_ONCE = (int)CGS_THREADS / (int)CGS_WARP, MOST_BLOCKS = 1 << 13 };

/* Resident blocks per multiprocessor. */
constexpr int BLOCKS_AT_ONCE = 2048 / (int)CGS_THREADS;

/* A row, and the thread's first loads from it. */
struct warp_row {
    int64_t at, end; /* the thread's first entry, the end of the row */
    int32_t column;
    value entry;
};

__device__ inline struct warp_row read_row(int64_t row, int64_t last,
                                           const int64_t *__restrict__ pointers,
                                           const int32_t *__restrict__ columns,
                                           const value *__restrict__ values)
{
    struct warp_row r = {0, 0, 0, 0};
    if (row < last) {
        r.at = __ldg(pointers + row) + threadIdx.x % CGS_WARP;
        r.end = __ldg(pointers + row + 1);
    }
    if (r.at < r.end) {
        r.column = __ldcs(columns + r.at);
        r.entry = __ldcs(values + r.at);
    }
    return r;
}

/* Returns the sum of the row; valid in the warp's first thread. */
__device__ inline real add_row(const struct warp_row &r, const int32_t *__restrict__ columns,
                               const value *__restrict__ values, const real *__restrict__ x)
{
    real sum = 0;
    if (r.at < r.end)
        sum = (real)r.entry * __ldg(x + r.column);
#pragma unroll 1
    for (int64_t k = r.at + CGS_WARP; k < r.end; k += CGS_WARP)
        sum += (real)__ldcs(values + k) * __ldg(x + __ldcs(columns + k));
    return group_sum<CGS_WARP>(sum);
}

/* Block b has rows b each ... (b + 1) each - 1, each warp every eighth of them. The matrix does not
 * depend on the previous kernel: its first entries are loaded before the wait. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS, BLOCKS_AT_ONCE)
    warp_kernel(int64_t rows, int64_t each, struct cgs_cg_state *state,
                const int64_t *__restrict__ pointers, const int32_t *__restrict__ columns,
                const value *__restrict__ values, const real *__restrict__ x, real *__restrict__ y,
                enum cgs_sum sum, double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    const int64_t first = (int64_t)blockIdx.x * each, last = min(first + each, rows);
    int64_t row = first + threadIdx.x / CGS_WARP;
    struct warp_row next = read_row(row, last, pointers, columns, values);
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    double dot = 0.0, total;
    for (; row < last; row += ROWS_AT_ONCE) {
        const struct warp_row now = next;
        next = read_row(row + ROWS_AT_ONCE, last, pointers, columns, values);
        const real yi = add_row(now, columns, values, x);
        if (threadIdx.x % CGS_WARP == 0) {
            y[row] = yi;
            if (DOT)
                dot += (double)x[row] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT>
enum cgs_status launch_warps(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                             const void *x, void *y, enum cgs_sum sum)
{
    const struct crs *crs = static_cast<const struct crs *>(self);
    const int64_t wanted = (crs->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
    const int64_t most = wanted < MOST_BLOCKS ? wanted : (int64_t)MOST_BLOCKS;
    if (most == 0)
        return CGS_OK;
    const int64_t each = (crs->rows + most - 1) / most, grid = (crs->rows + each - 1) / each;
    return cgs_launch_early(
        queue, "SpMV, a warp a row", warp_kernel<DOT>, grid, crs->rows, each, state,
        crs->arrays.pointers, crs->arrays.columns, static_cast<const value *>(crs->arrays.values),
        static_cast<const real *>(x), static_cast<real *>(y), sum, queue->partials, queue->ticket);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_warp) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .plan = crs_plan,
    .prepare = crs_prepare,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<launch_warps<false>>,
              .apply_dot = launch_warps<true>,
              .release = crs_release},
};
