/* A CRS matrix in tiles of rows (crs_tiles.h) on the device: its entries, its tiles, and the end of
 * each row within its tile, 2 bytes instead of a pointer's 8. */
#pragma once

#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/upload_cuda.cuh"
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

enum cgs_status send_tiles(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                           const struct cgs_tiles *tiles, struct tiled *tiled)
{
    constexpr int64_t WARPS = (int)CGS_THREADS / (int)CGS_WARP;
    tiled->count = tiles->count;
    CGS_TRY(cgs_cuda_alloc(queue, tiles->count, sizeof *tiled->tiles, "row tiles",
                           (void **)&tiled->tiles));
    CGS_TRY(cgs_cuda_alloc(queue, matrix->rows, sizeof *tiled->ends, "row ends",
                           (void **)&tiled->ends));
    CGS_TRY(split_rows_upload(queue, tiles->split, tiles->splits, tiles->slots, &tiled->split));
    if (tiles->count == 0)
        return CGS_OK;
    CGS_TRY(cgs_cuda_send(queue, tiled->tiles, tiles->tile,
                          tiles->count * (int64_t)sizeof *tiles->tile));
    return cgs_launch(queue, "row ends", make_ends, (tiles->count + WARPS - 1) / WARPS,
                      tiles->count, tiled->tiles, tiled->arrays.pointers, tiled->ends);
}

/* Makes even tiles from the pointers, a thread a tile. */
__global__ void make_even(int64_t count, int64_t each, int shift, int64_t rows,
                          const int64_t *pointers, struct cgs_tile *tiles)
{
    const int64_t t = (int64_t)blockIdx.x * CGS_THREADS + threadIdx.x;
    if (t >= count)
        return;
    const int64_t first = t * each, last = first + each < rows ? first + each : rows;
    struct cgs_tile tile = {};
    tile.entry = (uint64_t)pointers[first];
    tile.entries = (uint64_t)(pointers[last] - pointers[first]);
    tile.row = (uint64_t)first;
    tile.rows = (uint64_t)(last - first);
    tile.shift = (uint64_t)shift;
    tiles[t] = tile;
}

/* For a matrix that the device alone has, of rows of similar length. */
enum cgs_status make_tiles_there(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                 int64_t each, int shift, struct tiled *tiled)
{
    constexpr int64_t WARPS = (int)CGS_THREADS / (int)CGS_WARP;
    const int64_t count = (matrix->rows + each - 1) / each;
    const struct cgs_split none = {matrix->rows, 0};
    tiled->count = count;
    CGS_TRY(
        cgs_cuda_alloc(queue, count, sizeof *tiled->tiles, "row tiles", (void **)&tiled->tiles));
    CGS_TRY(cgs_cuda_alloc(queue, matrix->rows, sizeof *tiled->ends, "row ends",
                           (void **)&tiled->ends));
    CGS_TRY(split_rows_upload(queue, &none, 0, 0, &tiled->split));
    CGS_TRY(cgs_launch(queue, "even tiles", make_even, (count + CGS_THREADS - 1) / CGS_THREADS,
                       count, each, shift, matrix->rows, tiled->arrays.pointers, tiled->tiles));
    return cgs_launch(queue, "row ends", make_ends, (count + WARPS - 1) / WARPS, count,
                      tiled->tiles, tiled->arrays.pointers, tiled->ends);
}

/* Brings the pointers that the device alone has to the host, and makes tiles of them. */
enum cgs_status make_tiles_of_fetched(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                                      int64_t most, struct tiled *tiled)
{
    struct cgs_context *context = queue->context;
    const int64_t bytes = (matrix->rows + 1) * (int64_t)sizeof(int64_t);
    struct cgs_tiles tiles;
    int64_t *pointers;
    CGS_TRY(cgs_alloc(context, bytes, 1, "row pointers", (void **)&pointers));
    const cudaError_t error =
        cudaMemcpy(pointers, tiled->arrays.pointers, (size_t)bytes, cudaMemcpyDeviceToHost);
    enum cgs_status status = error == cudaSuccess
                                 ? cgs_tiles_make(context, pointers, matrix->rows,
                                                  matrix->statistics.longest, most, &tiles)
                                 : cgs_cuda_fail(context, __FILE__, __LINE__, "cudaMemcpy", error);
    cgs_free(context, pointers);
    CGS_TRY(status);
    status = send_tiles(queue, matrix, &tiles, tiled);
    cgs_tiles_free(context, &tiles);
    return status;
}

/* most: entries of a tile. *tiled must be zeroed, and freed by tiled_free, even after a failure. */
enum cgs_status tiled_upload(struct cgs_queue *queue, const struct cgs_matrix *matrix, int64_t most,
                             struct tiled *tiled)
{
    struct cgs_tiles tiles;
    int shift;
    CGS_TRY(cgs_cuda_matrix_upload(queue, matrix, CGS_VALUE_NUMBER, &tiled->arrays));
    if (!matrix->pointers) {
        const int64_t each = cgs_tiles_even(matrix->rows, matrix->nonzeros,
                                            matrix->statistics.longest, most, &shift);
        return each > 0 ? make_tiles_there(queue, matrix, each, shift, tiled)
                        : make_tiles_of_fetched(queue, matrix, most, tiled);
    }
    CGS_TRY(cgs_tiles_make(queue->context, matrix->pointers, matrix->rows,
                           matrix->statistics.longest, most, &tiles));
    const enum cgs_status status = send_tiles(queue, matrix, &tiles, tiled);
    cgs_tiles_free(queue->context, &tiles);
    return status;
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
