/* SpMV, SELL-C-sigma on CUDA: T threads a row of the chunk, for few or long rows, which give too
 * few threads with a thread a row (sell_chunk.cu).
 *
 * Thread t of a row takes slots t, t + T, ...; a block's threads are ordered as the entries are,
 *
 *     thread  =  part of the tile's chunks | t | lane of the chunk
 *
 * so that neighbouring threads read neighbouring entries, even in chunks of fewer than 32 rows. The
 * T parts of a row are added in order through shared memory. T is the smallest that fills a warp's
 * accesses (T C >= 32), and larger while rows alone do not fill the device.
 *
 * Traffic: as sell_chunk.
 */
#include "kernels/spmv/sell/sell_cuda.cuh"

namespace
{

/* Tunable: slots in flight of a thread; log2 of the largest T; fewest slots a thread. */
constexpr int BATCH = 8, MOST_WIDE = 5, LEAST_SLOTS = 4;

/* Adds slots slot, slot + step, ... of a row. */
template <bool HINT>
__device__ inline real add_slots(const int32_t *columns, const value *values, int shift, int slot,
                                 int width, int step, const real *__restrict__ x, uint64_t hint)
{
    real sum = 0;
    for (; slot < width; slot += BATCH * step) {
        int32_t c[BATCH];
        value v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int s = slot + k * step;
            c[k] = 0;
            v[k] = 0;
            if (s < width) {
                c[k] = load_entry<HINT, false>(columns + ((int64_t)s << shift), hint);
                v[k] = load_entry<HINT, false>(values + ((int64_t)s << shift), hint);
            }
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            if (slot + k * step < width)
                sum += (real)v[k] * __ldg(x + c[k]);
    }
    return sum;
}

template <bool DOT, bool HINT, class Order>
__global__ void __launch_bounds__(CGS_THREADS)
    wide_kernel(int64_t rows, int tiles, int64_t kept, int shift, int wide,
                struct cgs_cg_state *state, const int64_t *__restrict__ pointers,
                const int32_t *__restrict__ columns, const value *__restrict__ values,
                const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                double *partials, unsigned *tickets, const Order order)
{
    __shared__ real parts[CGS_THREADS];
    cgs_let_next_start();
    const int threads = 1 << wide, places = (int)CGS_THREADS >> wide, me = threadIdx.x;
    const int low = min(shift, __ffs(places) - 1); /* bits of the lane in the chunk */
    const int t = (me >> low) & (threads - 1);
    const int mine = (me >> (low + wide) << low) + (me & ((1 << low) - 1)); /* place in the tile */
    double dot = 0.0, total;
    int64_t first = (int64_t)blockIdx.x * tiles * places;
    const uint64_t hint = HINT ? cache_hint(first < kept) : 0;
    for (int tile = 0; tile < tiles; tile++, first += places) {
        const entries e =
            first + mine < rows ? find_entries(pointers, first + mine, shift) : entries{0, 0};
        if (tile == 0) {
            cgs_wait_for_previous();
            if (state && !cgs_cg_going_on(state))
                return;
        }
        parts[t * places + mine] =
            add_slots<HINT>(columns + e.at, values + e.at, shift, t, e.width, threads, x, hint);
        __syncthreads();
        if (me < places && first + me < rows) {
            const auto row = order.row_at(first + me, rows);
            real yi = parts[me];
            for (int k = 1; k < threads; k++)
                yi += parts[k * places + me];
            y[row] = yi;
            if (DOT)
                dot += (double)x[row] * (double)yi;
        }
        __syncthreads(); /* the parts have been read */
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT, bool HINT, class Order>
enum cgs_status launch(const struct sell *sell, const Order order, struct cgs_queue *queue,
                       struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    const struct cgs_row_grid grid = cgs_rows_to_blocks(sell->rows << sell->wide);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, SELL, wide", wide_kernel<DOT, HINT, Order>, grid.blocks,
                            sell->rows, grid.tiles, sell->kept, sell->shift, sell->wide, state,
                            sell->arrays.pointers, sell->arrays.columns,
                            static_cast<const value *>(sell->arrays.values),
                            static_cast<const real *>(x), static_cast<real *>(y), sum,
                            queue->partials, queue->ticket, order);
}

template <bool DOT, class Order>
enum cgs_status choose(const struct sell *sell, const Order order, struct cgs_queue *queue,
                       struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    if (sell->hints == NO_HINTS)
        return launch<DOT, false>(sell, order, queue, state, x, y, sum);
    return launch<DOT, true>(sell, order, queue, state, x, y, sum);
}

/* T = 2^wide, at least 2. */
int choose_wide(const struct cgs_queue *queue, const struct cgs_matrix *matrix)
{
    const cudaDeviceProp *p = &cgs_cuda_device(queue)->properties;
    const int64_t resident = (int64_t)p->multiProcessorCount * p->maxThreadsPerMultiProcessor;
    const int64_t places = matrix->units * matrix->chunk;
    const int64_t width = places > 0 ? matrix->stored / places : 0;
    int wide = 1;
    while (wide < MOST_WIDE &&
           (((int64_t)matrix->chunk << wide) < (int64_t)CGS_WARP ||
            (places << wide < resident && width >> wide >= (int64_t)LEAST_SLOTS)))
        wide++;
    return wide;
}

enum cgs_status fill(struct sell *sell, const struct cgs_matrix *matrix)
{
    sell->wide = choose_wide(sell->queue, matrix);
    return sell_fill(sell, matrix);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_sell_wide) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .accepts = sell_accepts,
    .plan = sell_plan,
    .prepare = cgs_prepare<struct sell, fill, cgs_empty_arrays>,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<choose_order<false>>,
              .apply_dot = choose_order<true>,
              .release = sell_release},
};
