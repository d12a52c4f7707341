/* SpMV, compressed SELL-C-sigma on CUDA: a warp a chunk, a thread a row (sellc_slots.cuh).
 *
 * A warp takes TOGETHER chunks after each other; where one pattern tells them all (the cube) they
 * go at a time. What is left to move is then x and y, and what limits is the L1 cache, from which a
 * row of Q1 reads 27 numbers of x: so a block takes `tiles` runs of neighbouring rows one after the
 * other, and finds most of x where the run before has left it.
 *
 * Traffic: what the matrix was compressed to, 16 bytes a chunk and the data; 4 bytes a row where
 * sorted; x read once, y written once. Q1, double: on the cube a row has 0.5 + 16 bytes, on a
 * deformed mesh 27 * 8 + 16.5 = 232.5, in SELL 340. Sums are those of sell_chunk, to the bit.
 */
#include "kernels/spmv/sell_order.cuh"
#include "kernels/spmv/sellc_slots.cuh"

namespace
{

/* Tunable: chunks that go at a time, runs of rows of a block, blocks that a multiprocessor should
 * get at least before blocks get several runs, blocks that it holds at a time. */
enum { TOGETHER = 2, MOST_TILES = 8, ENOUGH_BLOCKS = 16, RESIDENT = 4 };
constexpr int TILE = (int)CGS_THREADS / (int)CGS_WARP * TOGETHER; /* chunks of a run */

__device__ inline uint64_t data_hint(enum hints hints, bool stay)
{
    uint64_t hint = 0;
    if (hints != NO_HINTS)
        return cache_hint(stay);
    NV_IF_TARGET(NV_PROVIDES_SM_80, (asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;"
                                         : "=l"(hint));))
    return hint;
}

/* Whether these chunks are told by one pattern, but for the rows that lack some of it. */
__device__ inline bool one_pattern(const struct cgs_sellc_chunk what[TOGETHER])
{
    bool one = cgs_sellc_way_of(what[0]) == CGS_SELLC_DIAGONALS &&
               cgs_sellc_coding_of(what[0]) == CGS_SELLC_SAME;
#pragma unroll
    for (int g = 1; g < TOGETHER; g++)
        one = one && what[g].data == what[0].data && what[g].pattern == what[0].pattern;
    return one;
}

template <bool DOT, class Order>
__global__ void __launch_bounds__(CGS_THREADS, RESIDENT)
    sellc_kernel(const compressed m, int tiles, enum hints hints, int64_t kept,
                 struct cgs_cg_state *state, const real *__restrict__ x, real *__restrict__ y,
                 enum cgs_sum sum, double *partials, unsigned *tickets, const Order order)
{
    cgs_let_next_start();
    double dot = 0.0, total;
    const int lane = (int)(threadIdx.x % CGS_WARP);
    const int64_t block = (int64_t)blockIdx.x * tiles * TILE;
    const uint64_t hint = data_hint(hints, block * CGS_WARP < kept);
    int64_t chunk = block + (int64_t)(threadIdx.x / CGS_WARP) * TOGETHER;
    /* the end of a row's sum */
    const auto finish = [&](int64_t place, int64_t row, real yi) {
        if (place >= m.rows)
            return;
        y[row] = yi;
        if (DOT)
            dot += (double)x[row] * (double)yi;
    };
    for (int tile = 0; tile < tiles; tile++, chunk += TILE) {
        struct cgs_sellc_chunk what[TOGETHER];
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            what[g] = load_chunk(m.chunks + min(chunk + g, m.units - 1));
        if (tile == 0) {
            cgs_wait_for_previous();
            if (state && !cgs_cg_going_on(state))
                return;
        }
        if (chunk >= m.units)
            break;
        if (chunk + TOGETHER <= m.units && one_pattern(what)) {
            real sums[TOGETHER];
            const real *xr[TOGETHER];
            const uint32_t *masks[TOGETHER];
            uint32_t any = 0;
#pragma unroll
            for (int g = 0; g < TOGETHER; g++) {
                xr[g] = x + order.row_at((chunk + g) * CGS_WARP + lane, m.rows);
                masks[g] = what[g].masks ? m.masks + what[g].masks : nullptr;
                any |= what[g].masks;
            }
            const struct cgs_sellc_slot *pattern = m.slots + what[0].pattern;
            const int slots = cgs_sellc_diagonals(what[0]);
            if (any == 0)
                sum_shared<TOGETHER, false>(pattern, slots, masks, lane, xr, sums);
            else
                sum_shared<TOGETHER, true>(pattern, slots, masks, lane, xr, sums);
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                finish((chunk + g) * CGS_WARP + lane, xr[g] - x, sums[g]);
            continue;
        }
#pragma unroll 1
        for (int64_t k = chunk; k < chunk + TOGETHER && k < m.units; k++) {
            const int64_t place = k * CGS_WARP + lane, row = order.row_at(place, m.rows);
            const struct cgs_sellc_chunk one = load_chunk(m.chunks + k);
            finish(place, row, sum_of_chunk(m, one, lane, hint, x, x + row));
        }
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

/* As many runs a block as leave each multiprocessor enough blocks, and a sum few enough. */
struct cgs_row_grid sellc_grid(const struct sellc *sellc)
{
    const int64_t each = (int64_t)TILE * CGS_WARP;
    const int64_t runs = (sellc->arrays.rows + each - 1) / each;
    const int64_t enough =
        (int64_t)ENOUGH_BLOCKS * cgs_cuda_device(sellc->queue)->properties.multiProcessorCount;
    int64_t tiles = min(runs / enough, (int64_t)MOST_TILES);
    const struct cgs_row_grid least = cgs_rows_to_blocks(sellc->arrays.rows, (int)each);
    if (tiles < least.tiles)
        tiles = least.tiles;
    return {tiles > 0 ? (runs + tiles - 1) / tiles : 0, (int)tiles};
}

template <bool DOT, class Order>
enum cgs_status launch(const struct sellc *sellc, const Order order, struct cgs_queue *queue,
                       const struct cgs_cg_state *state, const void *x, void *y, enum cgs_sum sum)
{
    const struct cgs_row_grid grid = sellc_grid(sellc);
    if (grid.blocks == 0)
        return CGS_OK;
    return cgs_launch_early(queue, "SpMV, compressed SELL", sellc_kernel<DOT, Order>, grid.blocks,
                            sellc->arrays, grid.tiles, sellc->hints, sellc->kept,
                            const_cast<struct cgs_cg_state *>(state), static_cast<const real *>(x),
                            static_cast<real *>(y), sum, queue->partials, queue->ticket, order);
}

template <bool DOT>
enum cgs_status choose_order(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y,
                             enum cgs_sum sum)
{
    const struct sellc *sellc = static_cast<const struct sellc *>(self);
    if (sellc->permutation)
        return launch<DOT>(sellc, sorted{sellc->permutation}, queue, state, x, y, sum);
    return launch<DOT>(sellc, natural{}, queue, state, x, y, sum);
}

} // namespace

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return choose_order<false>(self, queue, state, x, y, CGS_SUM_NOWHERE);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return choose_order<true>(self, queue, state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_sellc_chunk) = {
    .capturable = true,
    .reproducible = true,
    .accepts = sellc_accepts,
    .plan = sellc_plan,
    .prepare = sellc_prepare,
    .traffic = cgs_sellc_expected,
    .steps = {.apply = apply,
              .apply_dot = apply_dot,
              .moved = sellc_moved,
              .release = sellc_release},
};
