/* SpMV, SELL-C-sigma on CUDA: one thread a row of the chunk.
 *
 * Neighbouring threads read neighbouring entries of a slot, so every access to values and columns
 * is coalesced. BATCH slots are in flight at a time: indices, then values, then x. C is a power of
 * two: chunk and lane are computed by shifts; C = 32 has its own instance with constant offsets.
 * Source: A. Monakov et al., "Automatically tuning sparse matrix-vector multiplication for GPU
 * architectures", HiPEAC 2010 (sliced ELLPACK); M. Kreutzer et al., arXiv:1307.6209.
 *
 * Traffic: stored entries (value + 4 bytes), 8 bytes a chunk pointer, 4 bytes a row if sorted (the
 * permutation); x read once, y written once. With sorted rows, neighbouring threads write
 * neighbouring numbers of y for rows of the same length.
 *
 * Hints on the loads (cached.cuh) keep entries in the cache where that pays (H200, double, a
 * product: N = 64 24.6 us without, 16.8 with; N = 512 10.9 ms without, 10.4 with).
 */
#include "kernels/spmv/sell/sell_cuda.cuh"

namespace {

enum { BATCH = 9, USUAL_SHIFT = 5 };

/* Registers a thread: few, so that many threads hide the latency. 32 let all rows of a small matrix
 * be in flight at once (8 blocks on a multiprocessor of Hopper), 40 hold a batch (6). */
constexpr int registers(enum hints hints, int shift)
{
    return hints == KEEP_FIRST ? 32 : shift > 0 ? 40 : 64;
}

/* Columns of BATCH slots of a row. */
struct batch {
    int32_t column[BATCH];
};

template <bool HINT, bool EARLY>
__device__ inline batch load_columns(const int32_t *columns, int shift, uint64_t hint)
{
    batch b;
#pragma unroll
    for (int k = 0; k < BATCH; k++)
        b.column[k] = load_entry<HINT, EARLY>(columns + (k << shift), hint);
    return b;
}

/* Adds the products of a batch to `sum`: all values are in flight before the first is used. */
template <bool HINT>
__device__ inline real add_batch(real sum, const batch &b, const value *values, int shift,
                                 const real *__restrict__ x, uint64_t hint)
{
    value v[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++)
        v[k] = load_entry<HINT, false>(values + (k << shift), hint);
#pragma unroll
    for (int k = 0; k < BATCH; k++)
        sum += (real)v[k] * __ldg(x + b.column[k]);
    return sum;
}

/* Entries do not depend on the previous kernel: the first columns are loaded before the wait.
 * SHIFT: C = 2^SHIFT known at compile time; 0: any C = 2^shift. */
template <bool DOT, enum hints HINTS, int SHIFT, class Order>
__global__ void __maxnreg__(registers(HINTS, SHIFT))
    sell_kernel(int64_t rows, int tiles, int64_t kept, int any, struct cgs_cg_state *state,
                const int64_t *__restrict__ pointers, const int32_t *__restrict__ columns,
                const value *__restrict__ values, const real *__restrict__ x,
                real *__restrict__ y, enum cgs_sum sum, double *partials, unsigned *tickets,
                const Order order)
{
    cgs_let_next_start();
    constexpr bool HINT = HINTS != NO_HINTS;
    const int shift = SHIFT > 0 ? SHIFT : any;
    tiles = HINTS == KEEP_FIRST ? 1 : tiles; /* a matrix near the cache's size has few rows */
    double dot = 0.0, total;
    int64_t place = (int64_t)blockIdx.x * tiles * CGS_THREADS + threadIdx.x;
    /* equal for the whole block */
    const uint64_t hint = HINT ? cache_hint((int64_t)blockIdx.x * CGS_THREADS < kept) : 0;
    for (int tile = 0; tile < tiles; tile++, place += CGS_THREADS) {
        const entries e = place < rows ? find_entries(pointers, place, shift) : entries{0, 0};
        const auto row = order.row_at(place, rows);
        const int32_t *c = columns + e.at;
        const value *v = values + e.at;
        int slots = e.width;
        batch b;
        if (slots >= BATCH)
            b = load_columns<HINT, true>(c, shift, hint);
        if (tile == 0) {
            cgs_wait_for_previous();
            if (state && !cgs_cg_going_on(state))
                return;
        }
        real yi = 0;
#pragma unroll 1
        while (slots >= BATCH) {
            yi = add_batch<HINT>(yi, b, v, shift, x, hint);
            slots -= BATCH;
            c += BATCH << shift;
            v += BATCH << shift;
            if (slots >= BATCH)
                b = load_columns<HINT, false>(c, shift, hint);
        }
        for (; slots > 0; slots--, c += 1 << shift, v += 1 << shift)
            yi += (real)load_entry<HINT, false>(v, hint) *
                  __ldg(x + load_entry<HINT, false>(c, hint));
        if (place < rows) {
            y[row] = yi;
            if (DOT)
                dot += (double)x[row] * (double)yi;
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

template <bool DOT, enum hints HINTS, int SHIFT, class Order>
enum cgs_status launch(const struct sell *sell, const Order order, struct cgs_queue *queue,
                       struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    const struct cgs_row_grid grid = cgs_rows_to_blocks(sell->rows);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(
        queue, "SpMV, SELL", sell_kernel<DOT, HINTS, SHIFT, Order>, grid.blocks, sell->rows,
        grid.tiles, sell->kept, sell->shift, state, sell->arrays.pointers, sell->arrays.columns,
        static_cast<const value *>(sell->arrays.values), static_cast<const real *>(x),
        static_cast<real *>(y), sum, queue->partials, queue->ticket, order);
}

template <bool DOT, class Order>
enum cgs_status choose(const struct sell *sell, const Order order, struct cgs_queue *queue,
                       struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    constexpr int USUAL = USUAL_SHIFT;
    if (sell->shift != USUAL)
        return launch<DOT, NO_HINTS, 0>(sell, order, queue, state, x, y, sum);
    switch (sell->hints) {
    case KEEP_FIRST: return launch<DOT, KEEP_FIRST, USUAL>(sell, order, queue, state, x, y, sum);
    case ALL_PASS: return launch<DOT, ALL_PASS, USUAL>(sell, order, queue, state, x, y, sum);
    default: return launch<DOT, NO_HINTS, USUAL>(sell, order, queue, state, x, y, sum);
    }
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_sell_chunk) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .accepts = sell_accepts,
    .plan = sell_plan,
    .prepare = cgs_prepare<struct sell, sell_fill, cgs_empty_arrays>,
    .traffic = cgs_matrix_traffic<value, real>,
    .steps = {.apply = cgs_apply<choose_order<false>>,
              .apply_dot = choose_order<true>,
              .release = sell_release},
};
