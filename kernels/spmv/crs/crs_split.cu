/* SpMV, CRS on CUDA: rows padded to multiples of 16 entries, one half-warp a task; long rows are
 * cut into tasks of nearly equal length, added up by a second kernel (Ma C., Wei G., Pei S., Wu B.,
 * "Improvement of sparse matrix-vector multiplication on GPU", section 2.1, after M. Baskaran, R.
 * Bordawekar, IBM RC24704).
 *
 *     row of 5 entries    1 segment of 16     whole row       y_i
 *     row of 40           3 segments          whole row       y_i
 *     row of 600          38 segments         task 13 seg.    partial \
 *                                             task 12         partial  > second kernel: y_i
 *                                             task 13         partial /
 *
 * In the paper a task is as long as the shortest row; here it has CGS_TASK_LONGEST entries, so that
 * few partial sums are written and read, and rows up to that length need no second kernel. A
 * half-warp reads 16 consecutive entries from a multiple of 16 on. For rows of very different
 * lengths: none keeps a half-warp busy for long. Partial sums are added in a fixed order.
 *
 * Traffic: entries rounded up to multiples of 16 in each row (value + 4 bytes), 8 bytes a row
 * pointer; x read once, y written once. Tables and partial sums of long rows, 32 bytes for 128
 * entries or more, are not counted.
 */
#include "kernels/spmv/crs/batch_ones.cuh"
#include "kernels/spmv/crs/crs_split.cuh"

namespace {

constexpr int HALF = CGS_SEGMENT; /* threads of a task */
constexpr int AT_ONCE = (int)CGS_THREADS / HALF;
constexpr int ONES = 2; /* segments in flight */
constexpr int STEP = ONES * HALF;

/* Work of a half-warp: tasks of long rows come first, then rows; long rows are skipped there. */
struct work {
    int64_t begin;
    int32_t entries;
    real *to; /* NULL: nothing to do */
};

__device__ inline work find_work(const split &s, int64_t item, real *y)
{
    const int64_t tasks = s.long_rows.slots;
    if (item < tasks)
        return work{s.task[item].begin, s.task[item].entries, s.long_rows.parts + item};
    const int64_t row = item - tasks;
    if (row >= s.rows)
        return work{0, 0, nullptr};
    const int64_t begin = __ldg(s.arrays.pointers + row);
    const int64_t entries = __ldg(s.arrays.pointers + row + 1) - begin;
    if (entries > CGS_TASK_LONGEST)
        return work{0, 0, nullptr};
    return work{begin, (int32_t)entries, y + row};
}

/* Like group_kernel (group.cuh), except for the work. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    task_kernel(const split s, int tiles, struct cgs_cg_state *state, const real *__restrict__ x,
                real *__restrict__ y, enum cgs_sum sum, double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    const int lane = threadIdx.x % HALF;
    const int64_t first = (int64_t)blockIdx.x * tiles * AT_ONCE, tasks = s.long_rows.slots;
    const uint64_t hint = stream_hint(s.hints, s.kept > 0 && first - tasks < s.kept);
    double dot = 0.0, total;
    int64_t item = first + threadIdx.x / HALF;
    for (int tile = 0; tile < tiles; tile++, item += AT_ONCE) {
        const work mine = find_work(s, item, y);
        const int32_t *c = s.arrays.columns + mine.begin + lane;
        const value *v = static_cast<const value *>(s.arrays.values) + mine.begin + lane;
        int left = mine.entries - lane;
        batch_ones<HALF, ONES> batch;
        batch.load(c, v, left, hint);
        if (tile == 0) {
            cgs_wait_for_previous();
            if (state && !cgs_cg_going_on(state))
                return;
        }
        __syncwarp();
        real yi = batch.add(0, left, x);
        while (__any_sync(0xffffffffu, (left = max(left - STEP, 0)) > 0)) {
            c += STEP;
            v += STEP;
            batch.load(c, v, left, hint);
            __syncwarp();
            yi = batch.add(yi, left, x);
        }
        yi = group_sum<HALF>(yi);
        if (mine.to && lane == 0) {
            *mine.to = yi;
            if (DOT && item >= tasks)
                dot += (double)x[item - tasks] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT>
enum cgs_status launch_both(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                            const void *x, void *y, enum cgs_sum sum)
{
    const struct split *s = static_cast<const struct split *>(self);
    const struct cgs_row_grid grid = cgs_rows_to_blocks(s->long_rows.slots + s->rows, AT_ONCE);
    if (grid.blocks == 0)
        return CGS_OK;
    CGS_TRY(cgs_launch_early(queue, "SpMV, a half-warp a task", task_kernel<DOT>, grid.blocks, *s,
                             grid.tiles, state, static_cast<const real *>(x),
                             static_cast<real *>(y), sum, queue->partials, queue->ticket));
    return add_split_rows<DOT, false>(&s->long_rows, queue, state, x, y, sum);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_split) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .plan = split_plan,
    .prepare = cgs_prepare<struct split, split_fill, split_empty>,
    .traffic = padded_traffic<POWER>,
    .steps = {.apply = cgs_apply<launch_both<false>>,
              .apply_dot = launch_both<true>,
              .release = cgs_release<struct split, split_empty>},
};
