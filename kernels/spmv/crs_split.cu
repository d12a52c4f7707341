/* SpMV, CRS on CUDA: rows padded to multiples of 16 entries, a half-warp a task, long rows in
 * several tasks of nearly equal length and a second kernel that adds these up (Ma C., Wei G., Pei
 * S., Wu B., "Improvement of sparse matrix-vector multiplication on GPU", section 2.1, after M.
 * Baskaran, R. Bordawekar, IBM RC24704).
 *
 *     row of 5 entries    1 segment of 16     whole row       y_i
 *     row of 40           3 segments          whole row       y_i
 *     row of 600          38 segments         task 13 seg.    partial \
 *                                             task 12         partial  > second kernel: y_i
 *                                             task 13         partial /
 *
 * There a task is as long as the shortest row; here CGS_TASK_LONGEST entries, so that few partial
 * sums are written and read, and rows up to that length take no second kernel. A half-warp reads 16
 * consecutive entries that begin at a multiple of 16. For rows of very different lengths: none
 * keeps a half-warp busy for long. Partial sums are added in a fixed order.
 *
 * Traffic: entries rounded up to multiples of 16 in each row (value + 4 bytes), 8 bytes a row
 * pointer; x read once, y written once. Tables and partial sums of long rows, 32 bytes for 128
 * entries or more, are not counted.
 */
#include "base/memory.h"
#include "kernels/spmv/batch_ones.cuh"
#include "kernels/spmv/spmv_cuda.cuh"
#include "kernels/spmv/tasks.h"

namespace {

constexpr int POWER = 4;          /* CGS_SEGMENT = 2^POWER */
constexpr int HALF = CGS_SEGMENT; /* threads of a task */
constexpr int AT_ONCE = (int)CGS_THREADS / HALF;
constexpr int ONES = 4; /* segments that are on their way at a time */
constexpr int STEP = ONES * HALF;
constexpr int WARPS = (int)CGS_THREADS / (int)CGS_WARP;

struct split {
    struct cgs_cuda_matrix arrays;
    struct cgs_queue *queue;
    int64_t rows;
    enum hints hints;
    int64_t kept;                   /* rows whose entries shall stay in the cache */
    int64_t tasks, long_rows;       /* of long rows alone */
    struct cgs_task *task;          /* [tasks] */
    struct cgs_split_row *long_row; /* [long_rows] */
    real *partials;                 /* [tasks] */
};

/* What a kernel needs of it. */
struct view {
    int64_t rows, tasks, kept;
    enum hints hints;
    const int64_t *pointers;
    const struct cgs_task *task;
    real *partials;
};

/* A half-warp's work: tasks of long rows come first, then rows; a long row is none. */
struct work {
    int64_t begin;
    int32_t entries;
    real *to; /* NULL: nothing to do */
};

__device__ inline work find_work(const view &s, int64_t item, real *y)
{
    if (item < s.tasks)
        return work{s.task[item].begin, s.task[item].entries, s.partials + item};
    const int64_t row = item - s.tasks;
    if (row >= s.rows)
        return work{0, 0, nullptr};
    const int64_t begin = __ldg(s.pointers + row), entries = __ldg(s.pointers + row + 1) - begin;
    if (entries > CGS_TASK_LONGEST)
        return work{0, 0, nullptr};
    return work{begin, (int32_t)entries, y + row};
}

/* As group_kernel (group.cuh), but for the work. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    task_kernel(const view s, int tiles, struct cgs_cg_state *state,
                const int32_t *__restrict__ columns, const value *__restrict__ values,
                const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    const int lane = threadIdx.x % HALF;
    const int64_t first = (int64_t)blockIdx.x * tiles * AT_ONCE;
    const uint64_t hint = stream_hint(s.hints, first - s.tasks < s.kept);
    double dot = 0.0, total;
    int64_t item = first + threadIdx.x / HALF;
    for (int tile = 0; tile < tiles; tile++, item += AT_ONCE) {
        const work mine = find_work(s, item, y);
        const int32_t *c = columns + mine.begin + lane;
        const value *v = values + mine.begin + lane;
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
        while (__any_sync(0xffffffffu, (left -= STEP) > 0)) {
            c += STEP;
            v += STEP;
            batch.load(c, v, left, hint);
            __syncwarp();
            yi = batch.add(yi, left, x);
        }
        yi = group_sum<HALF>(yi);
        if (mine.to && lane == 0) {
            *mine.to = yi;
            if (DOT && item >= s.tasks)
                dot += (double)x[item - s.tasks] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

/* A warp a long row: adds its partial sums, and its part of x'y to what the first kernel has. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    combine_kernel(int64_t count, int tiles, struct cgs_cg_state *state,
                   const struct cgs_split_row *__restrict__ rows, const real *__restrict__ parts,
                   const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                   double *partials, unsigned *tickets)
{
    cgs_let_next_start();
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    double dot = 0.0, total;
    int64_t i = (int64_t)blockIdx.x * tiles * WARPS + threadIdx.x / CGS_WARP;
    for (int tile = 0; tile < tiles && i < count; tile++, i += WARPS) {
        const struct cgs_split_row row = rows[i];
        real yi = 0;
#pragma unroll 8
        for (int k = threadIdx.x % CGS_WARP; k < row.parts; k += CGS_WARP)
            yi += parts[row.first + k];
        yi = group_sum<CGS_WARP>(yi);
        if (threadIdx.x % CGS_WARP == 0) {
            y[row.row] = yi;
            if (DOT)
                dot += (double)x[row.row] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] += total;
}

template <bool DOT>
enum cgs_status launch_both(const void *self, struct cgs_queue *queue,
                            const struct cgs_cg_state *state, const void *x, void *y,
                            enum cgs_sum sum)
{
    const struct split *s = static_cast<const struct split *>(self);
    const view view = {s->rows, s->tasks,   s->kept, s->hints, s->arrays.pointers,
                       s->task, s->partials};
    struct cgs_cg_state *writable = const_cast<struct cgs_cg_state *>(state);
    const real *from = static_cast<const real *>(x);
    real *to = static_cast<real *>(y);
    const struct cgs_row_grid grid = cgs_rows_to_blocks(s->tasks + s->rows, AT_ONCE);
    if (grid.blocks == 0)
        return CGS_OK;
    CGS_TRY(cgs_launch_early(queue, "SpMV, a half-warp a task", task_kernel<DOT>, grid.blocks, view,
                             grid.tiles, writable, s->arrays.columns,
                             static_cast<const value *>(s->arrays.values), from, to, sum,
                             queue->partials, queue->ticket));
    if (s->long_rows == 0)
        return CGS_OK;
    const struct cgs_row_grid second = cgs_rows_to_blocks(s->long_rows, WARPS);
    return cgs_launch_early(queue, "SpMV, sums of long rows", combine_kernel<DOT>, second.blocks,
                            s->long_rows, second.tiles, writable, s->long_row, s->partials, from,
                            to, sum, queue->partials, queue->ticket);
}

/* The tasks of long rows, made on the host, and room for their sums. */
enum cgs_status upload_tasks(struct split *s, const struct cgs_tasks *made)
{
    struct cgs_queue *queue = s->queue;
    s->tasks = made->tasks;
    s->long_rows = made->rows;
    if (made->tasks == 0)
        return CGS_OK;
    CGS_TRY(cgs_cuda_alloc(queue, made->tasks, sizeof *s->task, "tasks of long rows",
                           (void **)&s->task));
    CGS_TRY(
        cgs_cuda_alloc(queue, made->rows, sizeof *s->long_row, "long rows", (void **)&s->long_row));
    CGS_TRY(cgs_cuda_alloc(queue, made->tasks, sizeof(real), "partial sums of long rows",
                           (void **)&s->partials));
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpy(s->task, made->task, (size_t)made->tasks * sizeof *s->task,
                            cudaMemcpyHostToDevice));
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpy(s->long_row, made->row, (size_t)made->rows * sizeof *s->long_row,
                            cudaMemcpyHostToDevice));
    return CGS_OK;
}

/* Everything that is made from the padded matrix. */
enum cgs_status fill_from(struct split *s, const struct cgs_matrix *padded)
{
    struct cgs_context *context = s->queue->context;
    struct cgs_tasks tasks;
    s->rows = padded->rows;
    s->hints = choose_hints(s->queue, padded, sizeof(value) + sizeof(int32_t), &s->kept);
    CGS_TRY(cgs_cuda_matrix_upload(s->queue, padded, CGS_VALUE_NUMBER, &s->arrays));
    CGS_TRY(cgs_tasks_create(context, padded, &tasks));
    const enum cgs_status status = upload_tasks(s, &tasks);
    cgs_tasks_release(context, &tasks);
    return status;
}

} // namespace

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return launch_both<false>(self, queue, state, x, y, CGS_SUM_NOWHERE);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return launch_both<true>(self, queue, state, x, y, sum);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    const int64_t tasks = cgs_tasks_most(&padded);
    cgs_cuda_matrix_plan(&padded, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_HOST, "layout of padded rows", matrix->rows + 1, sizeof(int64_t));
    if (tasks == 0)
        return;
    cgs_plan_add(plan, CGS_HOST, "tasks of long rows", tasks, sizeof(struct cgs_task));
    cgs_plan_add(plan, CGS_HOST, "long rows", tasks / 2, sizeof(struct cgs_split_row));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "tasks of long rows", tasks, sizeof(struct cgs_task));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "long rows", tasks / 2, sizeof(struct cgs_split_row));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "partial sums of long rows", tasks, sizeof(real));
}

static void release(void *self)
{
    struct split *s = static_cast<struct split *>(self);
    cgs_cuda_matrix_free(s->queue, &s->arrays);
    cgs_cuda_free(s->queue, s->task);
    cgs_cuda_free(s->queue, s->long_row);
    cgs_cuda_free(s->queue, s->partials);
    cgs_free(s->queue->context, s);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_matrix padded;
    struct split *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "CRS kernel", (void **)&made));
    *made = {};
    made->queue = queue;
    enum cgs_status status = cgs_matrix_pad(queue->context, matrix, POWER, &padded);
    if (status == CGS_OK) {
        status = fill_from(made, &padded);
        cgs_matrix_release(queue->context, &padded);
    }
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    *self = made;
    return CGS_OK;
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    const struct cgs_matrix padded = cgs_matrix_padded(matrix, POWER);
    return cgs_matrix_traffic<value, real>(&padded);
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_split) = {
    .capturable = true,
    .reproducible = true,
    .plan = plan,
    .prepare = prepare,
    .traffic = traffic,
    .steps = {.apply = apply, .apply_dot = apply_dot, .release = release},
};
