/* SpMV, CRS on CUDA: a warp a row (N. Bell, M. Garland, NVIDIA NVR-2008-004, "vector").
 *
 * The 32 threads of a warp read 32 consecutive entries of the row and add up by shuffles in a
 * fixed order. Coalesced; threads idle where a row is shorter than a multiple of 32.
 *
 * Traffic: nonzeros (value + 4 bytes), 8 bytes a row pointer; x read once, y written once.
 */
#include "kernels/spmv/crs_cuda.cuh"

namespace {

enum { ROWS_AT_ONCE = (int)CGS_THREADS / (int)CGS_WARP, MOST_BLOCKS = 1 << 16 };

__device__ real warp_row(int64_t row, const int64_t *__restrict__ pointers,
                         const int32_t *__restrict__ columns, const value *__restrict__ values,
                         const real *__restrict__ x)
{
    const int64_t end = pointers[row + 1];
    real sum = 0;
    for (int64_t k = pointers[row] + threadIdx.x % CGS_WARP; k < end; k += CGS_WARP)
        sum += (real)__ldcs(values + k) * __ldg(x + __ldcs(columns + k));
    for (int step = CGS_WARP / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, step);
    return sum;
}

/* Each warp of the grid takes rows a grid's number of warps apart. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    warp_kernel(int64_t rows, struct cgs_cg_state *state, const int64_t *__restrict__ pointers,
                const int32_t *__restrict__ columns, const value *__restrict__ values,
                const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    double dot = 0.0, total;
    int64_t row = (int64_t)blockIdx.x * ROWS_AT_ONCE + threadIdx.x / CGS_WARP;
    for (; row < rows; row += (int64_t)gridDim.x * ROWS_AT_ONCE) {
        const real yi = warp_row(row, pointers, columns, values, x);
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
    const int64_t grid = wanted < MOST_BLOCKS ? wanted : (int64_t)MOST_BLOCKS;
    if (grid == 0)
        return CGS_OK;
    return cgs_launch_early(
        queue, "SpMV, a warp a row", warp_kernel<DOT>, grid, crs->rows, state, crs->arrays.pointers,
        crs->arrays.columns, static_cast<const value *>(crs->arrays.values),
        static_cast<const real *>(x), static_cast<real *>(y), sum, queue->partials, queue->ticket);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_warp) = {
    .capturable = true,
    .reproducible = true,
    .plan = crs_plan,
    .prepare = crs_prepare,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<launch_warps<false>>,
              .apply_dot = launch_warps<true>,
              .release = crs_release},
};
