/* SpMV, compressed SELL-C-sigma on CUDA: one warp a chunk, one thread a row (sellc_slots.cuh).
 *
 * A warp takes TOGETHER consecutive chunks. If all have the usual pattern, or any one pattern (the
 * cube), they are processed together (sellc_usual.cuh). Then only x and y are left to move, and the
 * L1 cache is the limit, from which a row of Q1 reads 27 numbers of x. So a thread takes two
 * neighbouring rows if possible, and a block processes `tiles` runs of neighbouring rows in turn
 * and finds most of x in the cache from the previous run.
 *
 * Measured, H200, cube N = 256, double (float), us of the product in CG: as it is 191 (148); with
 * fewer triples in flight, or four chunks, 234 to 236 (158 to 171); one row a thread 213 to 218
 * (176 to 180), with patterns in constant memory 220 to 255 (180 to 195); chunks prefetched 224.
 *
 * Traffic: the compressed matrix, i.e. 16 bytes a chunk and the data; 4 bytes a row if sorted; x
 * read once, y written once. Q1, double: on the cube a row has 0.5 + 16 bytes, on a deformed mesh
 * 27 * 8 + 16.5 = 232.5, in SELL 340. Sums are those of sell_chunk, to the bit.
 *
 * A matrix that does not gain from compression (cgs_sellc_gains) is left to sell_chunk.
 */
#include <type_traits>

#include "kernels/spmv/sell/sell_order.cuh"
#include "kernels/spmv/sell/sellc_usual.cuh"

namespace
{

/* Tunable: runs of rows a block at most, blocks per multiprocessor before blocks get several runs,
 * resident blocks. */
enum { MOST_TILES = 8, ENOUGH_BLOCKS = 16, RESIDENT = 4 };
using two = std::conditional_t<sizeof(real) == sizeof(double), double2, float2>;
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

/* Returns true if these chunks have one pattern, except for missing entries in some rows. */
__device__ inline bool one_pattern(const struct cgs_sellc_chunk what[TOGETHER])
{
    bool one = cgs_sellc_way_of(what[0]) == CGS_SELLC_DIAGONALS &&
               cgs_sellc_coding_of(what[0]) == CGS_SELLC_SAME;
#pragma unroll
    for (int g = 1; g < TOGETHER; g++)
        one = one && what[g].data == what[0].data && what[g].pattern == what[0].pattern;
    return one;
}

/* Returns true if all of these chunks have the usual pattern. */
__device__ inline bool all_usual(const struct usual &usual,
                                 const struct cgs_sellc_chunk what[TOGETHER])
{
    return usual.slots > 0 && one_pattern(what) && what[0].pattern == usual.pattern &&
           cgs_sellc_diagonals(what[0]) == usual.slots;
}

/* A thread's work on its rows: their sums go to y, and their shares of x'y to dot. */
template <bool DOT, class Order> struct worker {
    static constexpr bool NATURAL = std::is_same_v<Order, natural>;
    compressed m;
    Order order;
    const real *x;
    real *y;
    int lane;
    double dot;

    __device__ void finish(int64_t place, int64_t row, real sum)
    {
        if (place >= m.rows)
            return;
        y[row] = sum;
        if (DOT)
            dot += (double)__ldg(x + row) * (double)sum;
    }

    /* Ends rows row and row + 1; row is even. */
    __device__ void finish_two(int64_t row, const real sum[2])
    {
        if (row + 1 >= m.rows)
            return finish(row, row, sum[0]);
        *reinterpret_cast<two *>(y + row) = {sum[0], sum[1]};
        if (DOT) {
            const two from = __ldg(reinterpret_cast<const two *>(x + row));
            dot += (double)from.x * (double)sum[0];
            dot += (double)from.y * (double)sum[1];
        }
    }

    /* Chunks of the usual pattern made of triples; bits: those of the rows `lane` of each chunk. */
    __device__ void do_triples(const struct usual &usual, int64_t place,
                               const uint32_t bits[TOGETHER], bool masked)
    {
        const int64_t row = place + 2 * lane;
        uint32_t own[2];
        real sums[2];
        if (masked) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int from = (2 * lane + i) % (int)CGS_WARP;
                const uint32_t first = __shfl_sync(ALL, bits[0], from);
                const uint32_t second = __shfl_sync(ALL, bits[1], from);
                own[i] = lane < (int)CGS_WARP / 2 ? first : second;
            }
            sum_triples<true>(usual, own, x + row, sums);
        } else {
            sum_triples<false>(usual, own, x + row, sums);
        }
        finish_two(row, sums);
    }

    /* Chunks of the usual pattern. */
    __device__ void do_usual(const struct usual &usual, int64_t place,
                             const struct cgs_sellc_chunk what[TOGETHER])
    {
        uint32_t bits[TOGETHER], any = 0;
        real sums[TOGETHER];
        places<NATURAL> places;
        int64_t row[TOGETHER];
#pragma unroll
        for (int g = 0; g < TOGETHER; g++) {
            any |= what[g].masks;
            bits[g] =
                own_bits(what[g].masks ? m.masks + what[g].masks : nullptr, usual.slots, lane);
        }
        if (NATURAL && usual.triples)
            return do_triples(usual, place, bits, any != 0 || usual.slots % (3 * TRIPLES) != 0);
#pragma unroll
        for (int g = 0; g < TOGETHER; g++) {
            row[g] = order.row_at(place + g * (int)CGS_WARP + lane, m.rows);
            if (g == 0 || !NATURAL)
                places.x[g] = reinterpret_cast<const char *>(x + row[g]);
        }
        if (any == 0 && usual.slots % USUAL_BATCH == 0)
            sum_usual<false>(usual, bits, places, sums);
        else
            sum_usual<true>(usual, bits, places, sums);
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            finish(place + g * (int)CGS_WARP + lane, row[g], sums[g]);
    }

    /* Chunks that share another pattern. */
    __device__ void do_shared(int64_t place, const struct cgs_sellc_chunk what[TOGETHER])
    {
        real sums[TOGETHER];
        const real *xr[TOGETHER];
        const uint32_t *masks[TOGETHER];
        uint32_t any = 0;
#pragma unroll
        for (int g = 0; g < TOGETHER; g++) {
            xr[g] = x + order.row_at(place + g * (int)CGS_WARP + lane, m.rows);
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
            finish(place + g * (int)CGS_WARP + lane, xr[g] - x, sums[g]);
    }

    /* Any chunks, one after the other. */
    __device__ void do_each(int64_t chunk, uint64_t hint)
    {
#pragma unroll 1
        for (int64_t k = chunk; k < chunk + TOGETHER && k < m.units; k++) {
            const int64_t place = k * CGS_WARP + lane, row = order.row_at(place, m.rows);
            const struct cgs_sellc_chunk one = load_chunk(m.chunks + k);
            finish(place, row, sum_of_chunk(m, one, lane, hint, x, x + row));
        }
    }
};

template <bool DOT, class Order>
__global__ void __launch_bounds__(CGS_THREADS, RESIDENT)
    sellc_kernel(const __grid_constant__ struct usual usual, const compressed m, int tiles,
                 enum hints hints, int64_t kept, struct cgs_cg_state *state,
                 const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                 double *partials, unsigned *tickets, const Order order)
{
    cgs_let_next_start();
    worker<DOT, Order> worker = {m, order, x, y, (int)(threadIdx.x % CGS_WARP), 0.0};
    const int64_t block = (int64_t)blockIdx.x * tiles * TILE;
    const uint64_t hint = data_hint(hints, block * CGS_WARP < kept);
    int64_t chunk = block + (int64_t)(threadIdx.x / CGS_WARP) * TOGETHER;
    double total;
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
        const bool whole = chunk + TOGETHER <= m.units;
        if (whole && all_usual(usual, what))
            worker.do_usual(usual, chunk * CGS_WARP, what);
        else if (whole && one_pattern(what))
            worker.do_shared(chunk * CGS_WARP, what);
        else
            worker.do_each(chunk, hint);
    }
    if (DOT && cgs_grid_sum(worker.dot, partials, tickets, &total))
        state->sums[sum] = total;
}

/* Grid with as many runs a block as leave each multiprocessor enough blocks, and a sum few
 * enough. */
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
                            sellc->usual, sellc->arrays, grid.tiles, sellc->hints, sellc->kept,
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
    const struct sellc *sellc = static_cast<const struct sellc *>(self);
    if (sellc->plain)
        return plain->steps.apply(sellc->plain, queue, state, x, y);
    return choose_order<false>(self, queue, state, x, y, CGS_SUM_NOWHERE);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct sellc *sellc = static_cast<const struct sellc *>(self);
    if (sellc->plain)
        return plain->steps.apply_dot(sellc->plain, queue, state, x, y, sum);
    return choose_order<true>(self, queue, state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cuda_sellc_chunk) = {
    .capturable = true,
    .reproducible = true,
    .by_rows = true,
    .shared = true,
    .accepts = sellc_accepts,
    .plan = sellc_plan,
    .prepare = sellc_prepare,
    .traffic = cgs_sellc_expected,
    .steps = {.apply = apply,
              .apply_dot = apply_dot,
              .moved = sellc_moved,
              .release = sellc_release},
};
