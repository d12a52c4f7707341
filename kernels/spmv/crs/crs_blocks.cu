/* SpMV, CRS on CUDA: row blocks staged through shared memory; threads a row chosen per block.
 *
 * A tile (crs_tiles.h: consecutive rows of some 1000 entries, or a piece of a longer row) belongs
 * to one warp. Warps are persistent: while one adds up its tile, the copies of others are in
 * flight.
 *
 *     copy    values, columns -> shared memory, asynchronously    (ahead.cuh)
 *     gather  x[column], BATCH at a time for each thread, with 1, 2, 4, ... 32 threads a row
 *     add     by shuffles in a fixed order, and write y
 *
 * With a thread a row, neighbouring threads read x at columns of neighbouring rows: on a mesh these
 * are close, so that a gather touches few cache lines, as in SELL. Source: J. Greathouse, M. Daga,
 * SC 2014 (CSR-Stream, CSR-Vector); Y. Liu, B. Schmidt, LightSpMV, ASAP 2015.
 *
 * Traffic: nonzeros (value + 4 bytes), 2 bytes a row (its end within the tile instead of a
 * pointer), 16 bytes a tile; x read once, y written once.
 */
#include "kernels/spmv/crs/ahead.cuh"
#include "kernels/spmv/cached.cuh"
#include "kernels/spmv/crs/tiled.cuh"

namespace
{

/* Tunable: tiles in flight for each warp, entries that a thread gathers at a time, resident blocks
 * per multiprocessor (by registers; shared memory is chosen to fit). */
constexpr int STAGES = 1, BATCH = 9, BLOCKS = sizeof(value) > sizeof(float) ? 2 : 3;

constexpr int WARPS = (int)CGS_THREADS / (int)CGS_WARP;
constexpr int ALIGNED = 4; /* entries: a multiple of 16 bytes */
/* Slots of a stage: a tile begins within the first ALIGNED ones. */
constexpr int64_t SLOTS = CGS_TILE_ENTRIES + ALIGNED;
/* Shared memory of a block besides its stages: the system's, the sums' (sum.cuh), the arrivals'. */
constexpr int64_t OWN_SHARED = 1024 + 80 + 8 * WARPS * STAGES;

/* Arguments of the kernel: arrays on the device, and slots of a stage. */
struct blocks_view {
    struct tiled_view at;
    int64_t kept; /* rows whose entries are kept in the cache */
    int slots;
};

struct blocks {
    struct cgs_queue *queue;
    struct tiled tiled;
    int64_t kept, grid, shared;
    int slots;
};

/* A tile being copied, and the end of this lane's first row in it. */
struct begun {
    struct cgs_tile tile;
    int end;
};

__device__ inline struct begun begin_tile(const struct blocks_view &v, const struct cgs_tile tile,
                                          char *stage, struct arrival *arrival)
{
    const int64_t from = (int64_t)(tile.entry - tile.entry % ALIGNED);
    const int count = (int)(tile.entry % ALIGNED + tile.entries);
    const uint64_t hint = cache_hint((int64_t)tile.row < v.kept);
    copy_ahead(stage, v.at.values + from, count * (int)sizeof(value),
               stage + v.slots * (int)sizeof(value), v.at.columns + from,
               count * (int)sizeof(int32_t), arrival, hint);
    return {tile, row_end(v.at, tile, (int)(threadIdx.x % CGS_WARP) >> tile.shift)};
}

/* Adds BATCH entries at, at + step, ... of a row to `sum`, with all loads of x in flight at once;
 * skips those from `end` on unless ALL are present. */
template <bool ALL>
__device__ inline real add_batch(real sum, const value *values, const int32_t *columns, int at,
                                 int end, int step, const real *__restrict__ x)
{
    int32_t c[BATCH];
    real xs[BATCH];
#pragma unroll
    for (int j = 0; j < BATCH; j++)
        c[j] = ALL || at + j * step < end ? columns[at + j * step] : 0;
#pragma unroll
    for (int j = 0; j < BATCH; j++)
        xs[j] = ALL || at + j * step < end ? __ldg(x + c[j]) : (real)0;
#pragma unroll
    for (int j = 0; j < BATCH; j++)
        if (ALL || at + j * step < end)
            sum += (real)values[at + j * step] * xs[j];
    return sum;
}

/* Adds entries at, at + step, ... before `end`. STEP: the step if known at compile time, else 0. */
template <int STEP>
__device__ inline real add_entries(const value *values, const int32_t *columns, int at, int end,
                                   int any, const real *__restrict__ x)
{
    const int step = STEP > 0 ? STEP : any;
    real sum = 0;
    for (; at + (BATCH - 1) * step < end; at += BATCH * step)
        sum = add_batch<true>(sum, values, columns, at, end, step, x);
    if (at < end)
        sum = add_batch<false>(sum, values, columns, at, end, step, x);
    return sum;
}

/* Computes y of a tile's rows (or the part of a piece) from its stage; returns this lane's share of
 * x'y. */
template <bool DOT>
__device__ inline double add_tile(const struct blocks_view &v, const struct begun &begun,
                                  const char *stage, const real *__restrict__ x,
                                  real *__restrict__ y)
{
    const struct cgs_tile tile = begun.tile;
    const int lane = threadIdx.x % CGS_WARP, threads = 1 << tile.shift;
    const int in_round = (int)CGS_WARP >> tile.shift, skip = (int)(tile.entry % ALIGNED);
    const value *values = reinterpret_cast<const value *>(stage) + skip;
    const int32_t *columns =
        reinterpret_cast<const int32_t *>(stage + v.slots * (int)sizeof(value)) + skip;
    real *to = (tile.piece ? v.at.parts : y) + tile.row;
    int end = begun.end, before = 0;
    double dot = 0.0;
    for (int first = 0; first < (int)tile.rows; first += in_round) {
        const int row = first + (lane >> tile.shift);
        const int above = __shfl_up_sync(0xffffffffu, end, threads);
        const int begin = lane < threads ? before : above;
        before = __shfl_sync(0xffffffffu, end, CGS_WARP - 1);
        const int next = row_end(v.at, tile, row + in_round);
        const int at = begin + (lane & (threads - 1));
        real sum = threads == 1 ? add_entries<1>(values, columns, at, end, threads, x)
                                : add_entries<0>(values, columns, at, end, threads, x);
        for (int step = threads / 2; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if ((lane & (threads - 1)) == 0 && row < (int)tile.rows) {
            to[row] = sum;
            if (DOT && !tile.piece)
                dot += (double)x[tile.row + row] * (double)sum;
        }
        end = next;
    }
    return dot;
}

/* Each warp takes tiles in strides of the grid's number of warps. Entries do not depend on the
 * previous kernel: the first copies start before the wait. */
template <bool DOT>
__global__ void __launch_bounds__(CGS_THREADS, BLOCKS)
    blocks_kernel(const __grid_constant__ struct blocks_view v, struct cgs_cg_state *state,
                  const real *__restrict__ x, real *__restrict__ y, enum cgs_sum sum,
                  double *partials, unsigned *tickets)
{
    CGS_DYNAMIC_SHARED(__align__(16) char, shared);
    __shared__ struct arrival arrivals[WARPS][STAGES];
    cgs_let_next_start();
    if (threadIdx.x == 0)
        arrivals_start(&arrivals[0][0], WARPS * STAGES);
    __syncthreads();
    const int bytes = v.slots * (int)(sizeof(value) + sizeof(int32_t));
    const int warp = threadIdx.x / CGS_WARP;
    char *stages = shared + warp * STAGES * bytes;
    struct arrival *arrival = arrivals[warp];
    const int64_t step = (int64_t)gridDim.x * WARPS;
    int64_t t = (int64_t)blockIdx.x * WARPS + warp;
    struct begun ahead[STAGES];
#pragma unroll
    for (int s = 0; s < STAGES; s++)
        ahead[s] = begin_tile(v, load_tile(v.at, t + s * step), stages + s * bytes, &arrival[s]);
    struct cgs_tile coming = load_tile(v.at, t + STAGES * step);
    cgs_wait_for_previous();
    if (state && !cgs_cg_going_on(state)) {
        for (int s = 0; s < STAGES; s++)
            wait_for_stage<0>(&arrival[s], 0); /* no copy may arrive after the block has ended */
        return;
    }
    double dot = 0.0, total;
    unsigned slot = 0, use = 0;
    for (; t < v.at.count; t += step) {
        char *stage = stages + (int)slot * bytes;
        wait_for_stage<STAGES - 1>(&arrival[slot], use);
        dot += add_tile<DOT>(v, ahead[0], stage, x, y);
        __syncwarp(); /* all have read the stage */
#pragma unroll
        for (int s = 0; s + 1 < STAGES; s++)
            ahead[s] = ahead[s + 1];
        ahead[STAGES - 1] = begin_tile(v, coming, stage, &arrival[slot]);
        coming = load_tile(v.at, t + (STAGES + 1) * step);
        slot = slot + 1 < STAGES ? slot + 1 : 0;
        use += slot == 0;
    }
    if (DOT && cgs_grid_sum(dot, partials, tickets, &total))
        state->sums[sum] = total;
}

typedef void blocks_function(const struct blocks_view, struct cgs_cg_state *, const real *, real *,
                             enum cgs_sum, double *, unsigned *);

template <bool DOT>
enum cgs_status launch_blocks(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              const void *x, void *y, enum cgs_sum sum)
{
    const struct blocks *b = static_cast<const struct blocks *>(self);
    const int64_t wanted = (b->tiled.count + WARPS - 1) / WARPS;
    const int64_t grid = wanted < b->grid ? wanted : b->grid;
    if (grid == 0)
        return CGS_OK;
    const struct blocks_view v = {view_of(&b->tiled), b->kept, b->slots};
    CGS_TRY(cgs_launch_early_blocks(queue, "SpMV, row blocks", blocks_kernel<DOT>,
                                    {.count = grid, .shared = b->shared}, v, state,
                                    static_cast<const real *>(x), static_cast<real *>(y), sum,
                                    queue->partials, queue->ticket));
    return add_split_rows<DOT, false>(&b->tiled.split, queue, state, x, y, sum);
}

/* Chooses the shared memory of stages on this device, and the resident blocks. */
template <bool DOT> enum cgs_status set_up(struct blocks *b)
{
    struct cgs_context *context = b->queue->context;
    const cudaDeviceProp *p = &cgs_cuda_device(b->queue)->properties;
    blocks_function *kernel = blocks_kernel<DOT>;
    int blocks = 0;
    CGS_CUDA_TRY(context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)b->shared));
    CGS_CUDA_TRY(context,
                 cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared));
    CGS_CUDA_TRY(context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                              &blocks, kernel, CGS_THREADS, (size_t)b->shared));
    /* Requests only that much, and leaves the rest to the L1 cache: the driver rounds a share up to
     * its next size (H200: 85 % of 228 KB become 196, 86 % would become 228). */
    const int64_t percent =
        100 * blocks * (b->shared + OWN_SHARED) / (int64_t)p->sharedMemPerMultiprocessor;
    CGS_CUDA_TRY(
        context,
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, (int)percent));
    b->grid = (int64_t)blocks * p->multiProcessorCount;
    return CGS_OK;
}

enum cgs_status fill(struct blocks *b, const struct cgs_matrix *matrix)
{
    const cudaDeviceProp *p = &cgs_cuda_device(b->queue)->properties;
    const int64_t entry = sizeof(value) + sizeof(int32_t);
    const int64_t fit =
        ((int64_t)p->sharedMemPerBlockOptin - OWN_SHARED) / (WARPS * STAGES * entry);
    b->slots = (int)((fit < SLOTS ? fit : SLOTS) / ALIGNED * ALIGNED);
    b->shared = WARPS * STAGES * entry * b->slots;
    /* Entries of all other rows are streamed, also where sell_chunk gives no hint: as with
     * stream_hint, 4 % faster there. */
    choose_hints(b->queue, matrix, entry, &b->kept);
    CGS_TRY(set_up<false>(b));
    CGS_TRY(set_up<true>(b));
    return tiled_upload(b->queue, matrix, b->slots - ALIGNED, &b->tiled);
}

void empty(struct blocks *b)
{
    tiled_free(b->queue, &b->tiled);
}

} // namespace

CGS_TABLE(struct cgs_kernel, cgs_cuda_crs_blocks) = {
    .capturable = true,
    .reproducible = true,
    .shared = true,
    .plan = tiled_plan,
    .prepare = cgs_prepare<struct blocks, fill, empty>,
    .traffic = tiled_traffic,
    .steps = {.apply = cgs_apply<launch_blocks<false>>,
              .apply_dot = launch_blocks<true>,
              .release = cgs_release<struct blocks, empty>},
};
