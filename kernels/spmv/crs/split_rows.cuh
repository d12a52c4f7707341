/* Adds up rows that several warps or blocks have processed, always in one order.
 *
 * The main kernel writes the part of slot s to parts[s]; split row i has slots split[i].slot ...
 * split[i + 1].slot - 1. A second kernel adds
 *     y[row] = sum of its parts (+ y[row], if the main kernel has put another part there),
 * and adds these rows' share of x'y to the sum begun by the main kernel.
 */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/spmv/crs/split.h"
#include "kernels/spmv/spmv_cuda.cuh"

namespace
{

/* The list and the parts on the device. */
struct split_rows {
    int64_t count, slots;
    struct cgs_split *split; /* [count + 1] */
    real *parts;             /* [slots] */
};

/* Slots that one thread adds; a warp adds more of them. */
constexpr int64_t ALONE = 4;

constexpr int WARPS_OF_SPLIT = (int)CGS_THREADS / (int)CGS_WARP;

/* A row of the list; past its end a row without slots. */
struct split_row {
    int64_t row, begin, end;
};

__device__ inline struct split_row split_at(const struct split_rows &rows, int64_t i)
{
    if (i >= rows.count)
        return {-1, 0, 0};
    return {rows.split[i].row, rows.split[i].slot, rows.split[i + 1].slot};
}

/* Sum of the parts of each lane's row. */
__device__ inline real add_parts(const real *parts, const struct split_row &mine)
{
    const int lane = threadIdx.x % CGS_WARP;
    real sum = 0;
    if (mine.end - mine.begin <= ALONE)
        for (int64_t slot = mine.begin; slot < mine.end; slot++)
            sum += parts[slot];
    unsigned left = __ballot_sync(0xffffffffu, mine.end - mine.begin > ALONE);
    for (; left != 0; left &= left - 1) {
        const int whose = __ffs((int)left) - 1;
        const int64_t begin = __shfl_sync(0xffffffffu, mine.begin, whose);
        const int64_t end = __shfl_sync(0xffffffffu, mine.end, whose);
        real part = 0;
        for (int64_t slot = begin + lane; slot < end; slot += CGS_WARP)
            part += parts[slot];
        part = __shfl_sync(0xffffffffu, group_sum<CGS_WARP>(part), 0);
        sum = lane == whose ? part : sum;
    }
    return sum;
}

/* each: rows of a warp at a time, one a lane. */
template <bool DOT, bool MORE>
__global__ void __launch_bounds__(CGS_THREADS)
    split_kernel(const struct split_rows rows, int each, struct cgs_cg_state *state,
                 const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                 double *partials, unsigned *tickets)
{
    double dot = 0.0, total;
    const int lane = threadIdx.x % CGS_WARP;
    const int64_t step = (int64_t)gridDim.x * WARPS_OF_SPLIT * each;
    int64_t i = ((int64_t)blockIdx.x * WARPS_OF_SPLIT + threadIdx.x / CGS_WARP) * each;
    const int64_t place = lane < each ? lane : rows.count; /* in the warp's rows, or past all */
    struct split_row mine = split_at(rows, i + place);     /* independent of the previous kernel */
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    for (; i < rows.count; i += step) {
        const bool there = mine.row >= 0;
        const real before = MORE && there ? y[mine.row] : (real)0;
        const real yi = add_parts(rows.parts, mine) + before;
        if (there) {
            y[mine.row] = yi;
            if (DOT)
                dot += (double)x[mine.row] * (double)yi;
        }
        mine = split_at(rows, i + step + place);
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] += total;
}

/* Rows of a warp: one a lane. If rows with many parts are few, fewer, to employ more warps: adding
 * the parts of one row after another is a chain of latencies. */
inline int rows_of_warp(const struct split_rows *rows)
{
    constexpr int64_t WARPS = (int64_t)CGS_ONE_LEVEL * WARPS_OF_SPLIT;
    int each = 1;
    if (rows->slots <= ALONE * rows->count)
        return CGS_WARP;
    while (each < CGS_WARP && each * WARPS < rows->count)
        each *= 2;
    return each;
}

/* Queued after the main kernel; does nothing if no row is split. */
template <bool DOT, bool MORE>
enum cgs_status add_split_rows(const struct split_rows *rows, struct cgs_queue *queue,
                               struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    constexpr int64_t MOST = CGS_ONE_LEVEL;
    const int each = rows_of_warp(rows);
    const int64_t wanted = (rows->count + WARPS_OF_SPLIT * each - 1) / (WARPS_OF_SPLIT * each);
    const int64_t grid = wanted < MOST ? wanted : MOST;
    if (grid == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, rows in parts", split_kernel<DOT, MORE>, grid, *rows,
                            each, state, static_cast<const real *>(x), static_cast<real *>(y), sum,
                            queue->partials, queue->ticket);
}

/* Adds the memory for these upper bounds of count and slots to the plan. */
inline void split_rows_plan(int64_t count, int64_t slots, struct cgs_plan *plan)
{
    if (slots == 0)
        return;
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "rows in parts", count + 1, sizeof(struct cgs_split));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "parts of rows", slots, sizeof(real));
}

/* Uploads the host's list and allocates `slots` parts; to be freed by split_rows_free, even after a
 * failure. */
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
