/* SpMV, CRS on CUDA: merge-based. Its time depends only on rows + entries, not on the distribution
 * of entries over rows (D. Merrill, M. Garland, SC 2016; the path: merge_path.h).
 *
 *     a block takes a share of the path:
 *     1. its entries' products v x[column], coalesced    -> shared memory
 *        its rows' ends                                  -> shared memory
 *     2. each thread walks an equal piece of the share: adds products, ends rows
 *     3. the rest of a row that a thread does not end goes to the thread that ends it: a
 *        segmented scan over the block (segments: rows), in a fixed order
 *     4. the rest of the block goes to slot `share`; a second kernel adds it (split_rows.cuh)
 *
 * Traffic: nonzeros (value + 4 bytes), 8 bytes a row pointer, 32 bytes a share; x read once, y
 * written once.
 */
#include "kernels/spmv/crs/crs_merge.cuh"

namespace
{

constexpr int WARPS = (int)CGS_THREADS / (int)CGS_WARP;
constexpr int64_t MOST_LENGTH = (int64_t)CGS_THREADS * MOST_STEPS, MOST_BLOCKS = CGS_MOST_BLOCKS;

/* Arguments of the kernel except x. */
struct merge_view {
    int64_t shares;
    int steps;
    const struct cgs_path_point *start;
    const int64_t *pointers;
    const int32_t *columns;
    const value *values;
    real *parts;
};

struct staged {
    real products[MOST_LENGTH];
    uint16_t ends[MOST_LENGTH]; /* of rows, relative to the share's first entry */
    real tails[WARPS];
    int ended[WARPS];
};

/* Beginning of a thread's piece in the share: number of rows that end before it. */
__device__ inline int first_row(const uint16_t *ends, int rows, int entries, int diagonal)
{
    int low = max(diagonal - entries, 0), high = min(diagonal, rows);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (ends[middle] < diagonal - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows and entries of a share. */
struct share {
    int64_t row, entry; /* its beginning */
    int rows, entries;
};

__device__ inline struct share share_at(const struct merge_view &v, int64_t k)
{
    const struct cgs_path_point from = v.start[k], to = v.start[k + 1];
    return {from.row, from.entry, (int)(to.row - from.row), (int)(to.entry - from.entry)};
}

__device__ inline void load_columns(const struct merge_view &v, const struct share &share,
                                    int32_t c[MOST_STEPS])
{
#pragma unroll
    for (int k = 0; k < MOST_STEPS; k++) {
        const int at = threadIdx.x + k * (int)CGS_THREADS;
        if (at < share.entries)
            c[k] = __ldcs(v.columns + share.entry + at);
    }
}

__device__ inline void stage_share(const struct merge_view &v, struct staged *s,
                                   const struct share &share, const int32_t c[MOST_STEPS],
                                   const real *__restrict__ x)
{
    for (int i = threadIdx.x; i < share.rows; i += (int)CGS_THREADS)
        s->ends[i] =
            (uint16_t)(__ldcs((const long long *)v.pointers + share.row + i + 1) - share.entry);
#pragma unroll
    for (int k = 0; k < MOST_STEPS; k++) {
        const int at = threadIdx.x + k * (int)CGS_THREADS;
        if (at < share.entries)
            s->products[at] = (real)__ldcs(v.values + share.entry + at) * __ldg(x + c[k]);
    }
}

/* Carry-in of a thread: the unfinished rest of its row from all threads before. tail: what each
 * adds after the last row that it ended, if it `ended` any. *out: the unfinished rest of the
 * block. */
__device__ inline real carry_in(struct staged *s, real tail, bool ended, real *out)
{
    const int lane = threadIdx.x % CGS_WARP, warp = threadIdx.x / CGS_WARP;
    int any = ended;
    for (int step = 1; step < (int)CGS_WARP; step *= 2) {
        const real tail_before = __shfl_up_sync(0xffffffffu, tail, step);
        const int any_before = __shfl_up_sync(0xffffffffu, any, step);
        if (lane >= step) {
            tail = any ? tail : tail_before + tail;
            any |= any_before;
        }
    }
    if (lane == (int)CGS_WARP - 1) {
        s->tails[warp] = tail;
        s->ended[warp] = any;
    }
    const real in_warp = __shfl_up_sync(0xffffffffu, tail, 1);
    const int any_in_warp = __shfl_up_sync(0xffffffffu, any, 1);
    __syncthreads();
    real in = 0, all = 0;
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            in = all;
        all = s->ended[w] ? s->tails[w] : all + s->tails[w];
    }
    *out = all;
    if (lane > 0)
        in = any_in_warp ? in_warp : in + in_warp;
    return in;
}

/* Processes staged share k: writes the rows that it ends; returns their part of x'y. */
template <bool DOT>
__device__ inline double walk_share(const struct merge_view &v, struct staged *s, int64_t k,
                                    const struct share &share, const real *__restrict__ x,
                                    real *__restrict__ y)
{
    const int rows = share.rows, entries = share.entries;
    /* the first row has parts in earlier shares: its x'y is added when it is complete */
    const bool begun = rows > 0 && v.pointers[share.row] < share.entry;
    const int begin = min((int)threadIdx.x * v.steps, rows + entries);
    const int end = min(begin + v.steps, rows + entries);
    int row = first_row(s->ends, rows, entries, begin), entry = begin - row, first = -1;
    real sum = 0, first_sum = 0;
    double dot = 0.0;
    for (int step = begin; step < end; step++) {
        if (row < rows && s->ends[row] <= entry) {
            if (first < 0) {
                first = row;
                first_sum = sum;
            } else {
                y[share.row + row] = sum;
                if (DOT)
                    dot += (double)x[share.row + row] * (double)sum;
            }
            row++;
            sum = 0;
        } else {
            sum += s->products[entry++];
        }
    }
    real out;
    const real in = carry_in(s, sum, first >= 0, &out);
    if (first >= 0) {
        const real yi = in + first_sum;
        y[share.row + first] = yi;
        if (DOT && !(begun && first == 0))
            dot += (double)x[share.row + first] * (double)yi;
    }
    if (threadIdx.x == 0)
        v.parts[k] = out;
    return dot;
}

template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS)
    merge_kernel(const __grid_constant__ struct merge_view v, struct cgs_cg_state *state,
                 const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                 double *partials, unsigned *tickets)
{
    __shared__ struct staged staged;
    int32_t columns[MOST_STEPS];
    struct share share = share_at(v, blockIdx.x);
    cgs_let_next_start();
    load_columns(v, share, columns); /* loads overlap the end of the previous kernel */
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state))
        return;
    double dot = 0.0, total;
    for (int64_t k = blockIdx.x; k < v.shares; k += gridDim.x) {
        if (k != blockIdx.x) {
            share = share_at(v, k);
            load_columns(v, share, columns);
        }
        stage_share(v, &staged, share, columns, x);
        __syncthreads();
        dot += walk_share<DOT>(v, &staged, k, share, x, y);
        __syncthreads(); /* all have read the staged data */
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT>
enum cgs_status launch_merge(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                             const void *x, void *y, enum cgs_sum sum)
{
    const struct merge *m = static_cast<const struct merge *>(self);
    const int64_t grid = m->shares < MOST_BLOCKS ? m->shares : MOST_BLOCKS;
    if (grid == 0)
        return CGS_OK;
    const struct merge_view v = {m->shares,         m->steps,
                                 m->start,          m->arrays.pointers,
                                 m->arrays.columns, static_cast<const value *>(m->arrays.values),
                                 m->split.parts};
    CGS_TRY(cgs_launch_early(queue, "SpMV, merge-based", merge_kernel<DOT>, grid, v, state,
                             static_cast<const real *>(x), static_cast<real *>(y), sum,
                             queue->partials, queue->ticket));
    return add_split_rows<DOT, true>(&m->split, queue, state, x, y, sum);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_merge) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .plan = merge_plan,
    .prepare = cgs_prepare<struct merge, merge_fill, merge_empty>,
    .traffic = merge_traffic,
    .steps = {.apply = cgs_apply<launch_merge<false>>,
              .apply_dot = launch_merge<true>,
              .release = cgs_release<struct merge, merge_empty>},
};
