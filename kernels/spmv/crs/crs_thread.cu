/* SpMV, CRS on CUDA: a thread a row (N. Bell, M. Garland, NVIDIA NVR-2008-004, "scalar").
 *
 * Neighbouring threads read entries a row apart: not coalesced, so that each cache line is fetched
 * for few bytes at a time. The usual baseline of the literature.
 *
 * Traffic: nonzeros (value + 4 bytes), 8 bytes a row pointer; x read once, y written once.
 */
#include "kernels/spmv/crs/crs_cuda.cuh"

namespace {

template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    thread_kernel(int64_t rows, int tiles, struct cgs_cg_state *state,
                  const int64_t *__restrict__ pointers, const int32_t *__restrict__ columns,
                  const value *__restrict__ values, const real *__restrict__ x,
                  real *__restrict__ y, enum cgs_sum sum, double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    double dot = 0.0, total;
    int64_t row = (int64_t)blockIdx.x * tiles * CGS_THREADS + threadIdx.x;
    for (int tile = 0; tile < tiles && row < rows; tile++, row += CGS_THREADS) {
        const int64_t end = pointers[row + 1];
        real yi = 0;
        for (int64_t k = pointers[row]; k < end; k++)
            yi += (real)values[k] * __ldg(x + columns[k]);
        y[row] = yi;
        if (DOT)
            dot += (double)x[row] * (double)yi;
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT>
enum cgs_status launch_threads(const void *self, struct cgs_queue *queue,
                               struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    const struct crs *crs = static_cast<const struct crs *>(self);
    const struct cgs_row_grid grid = cgs_rows_to_blocks(crs->rows);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, a thread a row", thread_kernel<DOT>, grid.blocks,
                            crs->rows, grid.tiles, state, crs->arrays.pointers, crs->arrays.columns,
                            static_cast<const value *>(crs->arrays.values),
                            static_cast<const real *>(x), static_cast<real *>(y), sum,
                            queue->partials, queue->ticket);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_thread) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .plan = crs_plan,
    .prepare = crs_prepare,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<launch_threads<false>>,
              .apply_dot = launch_threads<true>,
              .release = crs_release},
};
