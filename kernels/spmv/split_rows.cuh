/* Rows that several warps or blocks have worked on: their parts added up, always in one order.
 *
 * The main kernel leaves the part of slot s in parts[s]; split row i has slots split[i].slot ...
 * split[i + 1].slot - 1. A second kernel, a warp a row, adds
 *     y[row] = sum of its parts (+ y[row], where the main kernel has put another part there),
 * and takes what these rows are of x'y into the sum that the main kernel has begun.
 */
#ifndef CGS_KERNELS_SPLIT_ROWS_CUH
#define CGS_KERNELS_SPLIT_ROWS_CUH

#include "kernels/spmv/crs_tiles.h"
#include "kernels/spmv/spmv_cuda.cuh"

namespace
{

/* On the device. */
struct split_rows {
    int64_t count, slots;
    struct cgs_split *split;
    real *parts;
};

__device__ inline real warp_sum(real x)
{
    for (int step = CGS_WARP / 2; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffffu, x, step);
    return x;
}

template <bool DOT, bool MORE>
__global__ void __launch_bounds__(CGS_THREADS)
    split_kernel(const struct split_rows rows, struct cgs_cg_state *state,
                 const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                 double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    constexpr int WARPS = (int)CGS_THREADS / (int)CGS_WARP;
    const int lane = threadIdx.x % CGS_WARP;
    double dot = 0.0, total;
    int64_t i = (int64_t)blockIdx.x * WARPS + threadIdx.x / CGS_WARP;
    for (; i < rows.count; i += (int64_t)gridDim.x * WARPS) {
        const int64_t row = rows.split[i].row, end = rows.split[i + 1].slot;
        real yi = 0;
        for (int64_t slot = rows.split[i].slot + lane; slot < end; slot += CGS_WARP)
            yi += rows.parts[slot];
        yi = warp_sum(yi);
        if (lane == 0) {
            y[row] = yi = MORE ? yi + y[row] : yi;
            if (DOT)
                dot += (double)x[row] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] += total;
}

/* Queued behind the main kernel; nothing where no row is split. */
template <bool DOT, bool MORE>
enum cgs_status add_split_rows(const struct split_rows *rows, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, const void *x, void *y,
                               enum cgs_sum sum)
{
    constexpr int64_t WARPS = (int)CGS_THREADS / (int)CGS_WARP, MOST = CGS_ONE_LEVEL;
    const int64_t wanted = (rows->count + WARPS - 1) / WARPS, grid = wanted < MOST ? wanted : MOST;
    if (grid == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, rows in parts", split_kernel<DOT, MORE>, grid, *rows,
                            const_cast<struct cgs_cg_state *>(state), static_cast<const real *>(x),
                            static_cast<real *>(y), sum, queue->partials, queue->ticket);
}

/* The host's list and room for `slots` parts; freed by split_rows_free, whether it succeeds or not.
 */
inline enum cgs_status split_rows_upload(struct cgs_queue *queue, const struct cgs_split *split,
                                         int64_t count, int64_t slots, struct split_rows *rows)
{
    rows->count = count;
    rows->slots = slots;
    if (slots == 0)
        return CGS_OK;
    CGS_TRY(
        cgs_cuda_alloc(queue, count + 1, sizeof *split, "rows in parts", (void **)&rows->split));
    CGS_TRY(cgs_cuda_alloc(queue, slots, sizeof(real), "parts of rows", (void **)&rows->parts));
    return cgs_cuda_send(queue, rows->split, split, (count + 1) * (int64_t)sizeof *split);
}

inline void split_rows_free(struct cgs_queue *queue, struct split_rows *rows)
{
    cgs_cuda_free(queue, rows->split);
    cgs_cuda_free(queue, rows->parts);
}

} // namespace

#endif
