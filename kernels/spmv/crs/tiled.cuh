/* A CRS matrix in tiles of rows (crs_tiles.h) on the device: its entries, its tiles, and the end of
 * each row within its tile, 2 bytes instead of a pointer's 8. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/pool_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"
#include "kernels/sparse/order_cuda.cuh"
#include "kernels/spmv/crs/crs_tiles.h"
#include "kernels/spmv/crs/split_rows.cuh"

namespace
{

struct tiled {
    struct cgs_cuda_matrix arrays;
    struct split_rows split;
    struct cgs_tile *tiles;
    uint16_t *ends; /* of each row, relative to its tile's first entry */
    int64_t count;  /* tiles */
};

/* Arguments of a kernel. */
struct tiled_view {
    int64_t count;
    const struct cgs_tile *tiles;
    const uint16_t *ends;
    const int32_t *columns;
    const value *values;
    real *parts;
};

inline struct tiled_view view_of(const struct tiled *tiled)
{
    return {tiled->count,
            tiled->tiles,
            tiled->ends,
            tiled->arrays.columns,
            static_cast<const value *>(tiled->arrays.values),
            tiled->split.parts};
}

__device__ inline struct cgs_tile load_tile(const struct tiled_view &v, int64_t t)
{
    if (t >= v.count)
        return {};
    return __builtin_bit_cast(struct cgs_tile,
                              __ldg(reinterpret_cast<const longlong2 *>(v.tiles) + t));
}

/* End of the tile's row with this number; rows past the last end with it. */
__device__ inline int row_end(const struct tiled_view &v, const struct cgs_tile &tile, int row)
{
    return row + 1 < (int)tile.rows ? (int)__ldg(v.ends + tile.row + row) : (int)tile.entries;
}

/* Computes ends[row] from the pointers, one warp a tile. */
__global__ void make_ends(int64_t count, const struct cgs_tile *tiles, const int64_t *pointers,
                          uint16_t *ends)
{
    const int64_t t = ((int64_t)blockIdx.x * CGS_THREADS + threadIdx.x) / CGS_WARP;
    if (t >= count || tiles[t].piece)
        return;
    const struct cgs_tile tile = tiles[t];
    for (int row = threadIdx.x % CGS_WARP; row < (int)tile.rows; row += CGS_WARP)
        ends[tile.row + row] = (uint16_t)(pointers[tile.row + row + 1] - (int64_t)tile.entry);
}

/* Allocates tiles and ends. */
enum cgs_status room_for_tiles(struct cgs_queue *queue, int64_t rows, int64_t count,
                               struct tiled *tiled)
{
    tiled->count = count;
    CGS_TRY(
        cgs_cuda_alloc(queue, count, sizeof *tiled->tiles, "row tiles", (void **)&tiled->tiles));
    return cgs_cuda_alloc(queue, rows, sizeof *tiled->ends, "row ends", (void **)&tiled->ends);
}

enum cgs_status launch_ends(struct cgs_queue *queue, const struct tiled *tiled)
{
    constexpr int64_t WARPS = (int)CGS_THREADS / (int)CGS_WARP;
    if (tiled->count == 0)
        return CGS_OK;
    return cgs_launch(queue, "row ends", make_ends, (tiled->count + WARPS - 1) / WARPS,
                      tiled->count, tiled->tiles, tiled->arrays.pointers, tiled->ends);
}

/* ---- tiles made on the device: no row is split ---- */

/* Reads a span's pointers; returns its rows. All threads of the block call. */
__device__ inline int64_t read_span(int64_t rows, const int64_t *pointers, int64_t *span)
{
    const int64_t first = (int64_t)blockIdx.x * CGS_TILE_SPAN;
    const int64_t count = rows - first < CGS_TILE_SPAN ? rows - first : (int64_t)CGS_TILE_SPAN;
    for (int64_t i = threadIdx.x; i <= count; i += CGS_THREADS)
        span[i] = pointers[first + i];
    __syncthreads();
    return count;
}

/* Returns what `fitting` in crs_tiles.c does, by a warp, whose lanes try as many rows at a time. */
__device__ inline int fitting(const int64_t *pointers, int64_t left, int64_t target)
{
    const int lane = (int)(threadIdx.x % CGS_WARP);
    int rows = 1, limit = left < (int64_t)CGS_TILE_ROWS ? (int)left : (int)CGS_TILE_ROWS;
    while (rows < limit) { /* those that fit are rows ... limit */
        const int step = (limit - rows + (int)CGS_WARP - 1) / (int)CGS_WARP;
        const int mine = min(rows + (lane + 1) * step, limit);
        const int fit = __popc(__ballot_sync(~0u, pointers[mine] - pointers[0] <= target));
        if (fit < (int)CGS_WARP)
            limit = min(rows + (fit + 1) * step, limit) - 1;
        rows = min(rows + fit * step, limit);
    }
    return rows;
}

/* Makes the tiles of each span, a block a span: before[i + 1] is the number of those of span i, or
 * with WRITING of those up to it. */
template <bool WRITING>
__global__ void __launch_bounds__(CGS_THREADS)
    make_tiles(int64_t rows, const int64_t *pointers, int64_t target, int64_t most, int64_t *before,
               struct cgs_tile *tiles)
{
    __shared__ int64_t span[CGS_TILE_SPAN + 1];
    const int64_t count = read_span(rows, pointers, span);
    const int64_t first = (int64_t)blockIdx.x * CGS_TILE_SPAN;
    struct cgs_tile *mine = WRITING ? tiles + before[blockIdx.x] : nullptr;
    if (threadIdx.x < CGS_WARP) {
        int64_t made = 0;
        for (int64_t row = 0; row < count; made++) {
            const int64_t left = count - row, fits = fitting(span + row, left, target);
            const int64_t taken = cgs_tile_rows(span + row, fits, left, target, most);
            if (WRITING && threadIdx.x == 0)
                mine[made] = cgs_tile_of(span + row, first + row, taken);
            row += taken;
        }
        if (!WRITING && threadIdx.x == 0)
            before[blockIdx.x + 1] = made;
    }
    if (!WRITING)
        return;
    __syncthreads();
    const int64_t made = before[blockIdx.x + 1] - before[blockIdx.x];
    for (int64_t t = threadIdx.x; t < made; t += CGS_THREADS)
        mine[t].shift =
            (uint64_t)cgs_tile_shift(span + ((int64_t)mine[t].row - first), mine[t].rows);
}

enum cgs_status make_tiles_in(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                              int64_t most, int64_t spans, int64_t *before, struct tiled *tiled)
{
    const int64_t target = cgs_tile_target(matrix->nonzeros, most), rows = matrix->rows;
    const int64_t *pointers = tiled->arrays.pointers;
    int64_t count = 0;
    CGS_CUDA_TRY(queue->context,
                 cudaMemsetAsync(before, 0, sizeof *before, cgs_cuda_stream(queue)));
    CGS_TRY(cgs_launch(queue, "tiles counted", make_tiles<false>, spans, rows, pointers, target,
                       most, before, nullptr));
    CGS_TRY(cgs_cuda_add_up(queue, spans, before + 1));
    CGS_TRY(cgs_cuda_fetch(queue, &count, before + spans, sizeof count));
    CGS_TRY(room_for_tiles(queue, rows, count, tiled));
    CGS_TRY(cgs_launch(queue, "tiles", make_tiles<true>, spans, rows, pointers, target, most,
                       before, tiled->tiles));
    return launch_ends(queue, tiled);
}

enum cgs_status make_tiles_there(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                 int64_t most, struct tiled *tiled)
{
    const int64_t spans = (matrix->rows + CGS_TILE_SPAN - 1) / CGS_TILE_SPAN;
    int64_t *before;
    if (spans == 0)
        return room_for_tiles(queue, 0, 0, tiled);
    CGS_TRY(cgs_cuda_pool_alloc(queue, spans + 1, sizeof *before, "row tiles: spans",
                                (void **)&before));
    const enum cgs_status status = make_tiles_in(queue, matrix, most, spans, before, tiled);
    cgs_cuda_pool_free(queue, before);
    return status;
}

/* ---- tiles made on the host: some row is split ---- */

enum cgs_status make_tiles_here(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                const int64_t *pointers, int64_t most, struct tiled *tiled)
{
    struct cgs_tiles made;
    CGS_TRY(cgs_tiles_make(queue->context, pointers, matrix->rows, matrix->statistics.longest, most,
                           &made));
    enum cgs_status status = room_for_tiles(queue, matrix->rows, made.count, tiled);
    if (status == CGS_OK)
        status = split_rows_upload(queue, made.split, made.splits, made.slots, &tiled->split);
    if (status == CGS_OK)
        status =
            cgs_cuda_send(queue, tiled->tiles, made.tile, made.count * (int64_t)sizeof *made.tile);
    cgs_tiles_free(queue->context, &made);
    return status == CGS_OK ? launch_ends(queue, tiled) : status;
}

/* Brings the pointers that the device alone has to the host, and makes tiles of them. */
enum cgs_status make_tiles_of_fetched(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                      int64_t most, struct tiled *tiled)
{
    struct cgs_context *context = queue->context;
    const int64_t bytes = (matrix->rows + 1) * (int64_t)sizeof(int64_t);
    int64_t *pointers;
    CGS_TRY(cgs_alloc(context, bytes, 1, "row pointers", (void **)&pointers));
    enum cgs_status status = cgs_cuda_fetch(queue, pointers, tiled->arrays.pointers, bytes);
    if (status == CGS_OK)
        status = make_tiles_here(queue, matrix, pointers, most, tiled);
    cgs_free(context, pointers);
    return status;
}

/* most: entries of a tile. *tiled must be zeroed, and freed by tiled_free, even after a failure. */
enum cgs_status tiled_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix, int64_t most,
                             struct tiled *tiled)
{
    CGS_TRY(cgs_cuda_matrix_upload(queue, matrix, CGS_VALUE_NUMBER, &tiled->arrays));
    if (matrix->statistics.longest <= most)
        return make_tiles_there(queue, matrix, most, tiled);
    return matrix->pointers ? make_tiles_here(queue, matrix, matrix->pointers, most, tiled)
                            : make_tiles_of_fetched(queue, matrix, most, tiled);
}

void tiled_free(struct cgs_queue *queue, struct tiled *tiled)
{
    split_rows_free(queue, &tiled->split);
    cgs_cuda_free(queue, tiled->ends);
    cgs_cuda_free(queue, tiled->tiles);
    cgs_cuda_matrix_free(queue, &tiled->arrays);
}

void tiled_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    const int64_t longest = matrix->statistics.longest;
    const int64_t tiles =
        cgs_tiles_bound(matrix->rows, matrix->nonzeros, longest, CGS_TILE_ENTRIES);
    const int64_t pieces = cgs_pieces_bound(matrix->nonzeros, longest, CGS_TILE_ENTRIES);
    cgs_cuda_matrix_plan(matrix, CGS_VALUE_NUMBER, plan);
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "row tiles", tiles, sizeof(struct cgs_tile));
    cgs_plan_add(plan, CGS_DEVICE_MEMORY, "row ends", matrix->rows, sizeof(uint16_t));
    split_rows_plan(pieces / 2, pieces, plan);
    if (longest > CGS_TILE_ENTRIES)
        cgs_plan_add(plan, CGS_HOST, "row tiles", tiles, sizeof(struct cgs_tile));
}

/* Traffic with ends instead of pointers, and a lower bound of the tiles. */
struct cgs_traffic tiled_traffic(const struct cgs_matrix *matrix)
{
    struct cgs_traffic traffic = cgs_matrix_traffic<value, real>(matrix);
    const int64_t tiles =
        matrix->nonzeros / cgs_tile_target(matrix->nonzeros, CGS_TILE_ENTRIES) + 1;
    traffic.matrix += matrix->rows * (int64_t)sizeof(uint16_t) -
                      (matrix->rows + 1) * (int64_t)sizeof(int64_t) +
                      tiles * (int64_t)sizeof(struct cgs_tile);
    return traffic;
}

} // namespace
