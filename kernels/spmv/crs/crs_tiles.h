/* Tiles of rows of a CRS matrix with similar numbers of entries, and the threads for each row of a
 * tile: the plan of crs_blocks.cu, made once on the device (tiled.cuh), or on the host.
 *
 * Tiles begin anew every CGS_TILE_SPAN rows, so that spans can be tiled at the same time. A tile is
 * at most CGS_TILE_ROWS consecutive rows with at most `target` entries in all (one row
 * may have up to `most`), processed by one warp. A longer row is split into equal pieces of at most
 * `most` entries, each a tile of its own, whose sums are added afterwards in order. After J.
 * Greathouse, M. Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage
 * format", SC 2014 (CSR-Adaptive: row blocks), with a warp for a block.
 */
#pragma once

#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/status.h"
#include "kernels/spmv/crs/split.h"

CGS_BEGIN_C

enum {
    CGS_TILE_ROWS = 1024,
    CGS_TILE_ENTRIES = 1020,
    CGS_TILE_WARP = 32,
    CGS_TILE_SPAN = 4096,
    CGS_TILE_SHIFTS = 6,    /* 1, 2, ... 32 threads a row */
    CGS_TILE_ROUND_COST = 8 /* fixed cost of a round of rows, in steps over entries */
};

/* A tile in 16 bytes, read by a warp in one load. */
struct cgs_tile {
    uint64_t entry : 48; /* first entry */
    uint64_t entries : 16;
    uint64_t row : 40;  /* first row; of a piece: slot of its sum */
    uint64_t rows : 16; /* 1 for a piece */
    uint64_t shift : 4; /* 2^shift threads a row */
    uint64_t piece : 4; /* 1: a piece of a split row */
};

struct cgs_tiles {
    int64_t count, splits, slots;
    struct cgs_tile *tile;   /* count */
    struct cgs_split *split; /* splits + 1, the last one marks the end */
};

/* Target entries of a tile: `most`, or fewer if that would leave most warps of a large GPU idle. */
int64_t cgs_tile_target(int64_t nonzeros, int64_t most);

/* Upper bounds without the row lengths: number of tiles, and of pieces (also tiles) among them. */
int64_t cgs_tiles_bound(int64_t rows, int64_t nonzeros, int64_t longest, int64_t most);
int64_t cgs_pieces_bound(int64_t nonzeros, int64_t longest, int64_t most);

/* Makes the tiles of rows 0 ... rows - 1 with entries pointers[row] ... pointers[row + 1] - 1 in
 * one pass over the pointers; owned by the caller. most: at most CGS_TILE_ENTRIES. CGS_MEMORY. */
enum cgs_status cgs_tiles_make(struct cgs_context *context, const int64_t *pointers, int64_t rows,
                               int64_t longest, int64_t most, struct cgs_tiles *tiles);
void cgs_tiles_free(struct cgs_context *context, struct cgs_tiles *tiles);

/* ---- rules of a tile, the same on host and device ---- */

/* Returns the rows, at least one, of the tile that begins with pointers[0]. fits: the most rows,
 * of the `left` ones, that have `target` entries in all, or 1. */
CGS_INLINE int64_t cgs_tile_rows(const int64_t *pointers, int64_t fits, int64_t left,
                                 int64_t target, int64_t most)
{
    /* A few rows beyond whole warps of rows would take a warp as long as 32 of them. */
    const int64_t whole = fits - fits % CGS_TILE_WARP;
    if (fits < left && whole > 0 && fits <= 4 * whole / 3 &&
        2 * (pointers[whole] - pointers[0]) >= (target < most ? target : most))
        return whole;
    return fits;
}

/* Returns the tile of some rows, whose threads a row are still to be chosen; pointers[0]: of `row`,
 * the first one. */
CGS_INLINE struct cgs_tile cgs_tile_of(const int64_t *pointers, int64_t row, int64_t rows)
{
    struct cgs_tile tile = {0};
    tile.entry = (uint64_t)pointers[0];
    tile.entries = (uint64_t)(pointers[rows] - pointers[0]);
    tile.row = (uint64_t)row;
    tile.rows = (uint64_t)rows;
    return tile;
}

CGS_INLINE int64_t cgs_tile_longest(const int64_t *pointers, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t length = pointers[row + 1] - pointers[row];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Steps of a warp through a tile with 2^shift threads a row: each round of 32 >> shift rows takes
 * as many as its longest row. */
CGS_INLINE int64_t cgs_tile_steps(const int64_t *pointers, int64_t rows, int shift)
{
    const int64_t in_round = CGS_TILE_WARP >> shift;
    int64_t sum = 0;
    for (int64_t first = 0; first < rows; first += in_round) {
        const int64_t last = first + in_round < rows ? first + in_round : rows;
        int64_t longest = 0;
        for (int64_t row = first; row < last; row++) {
            const int64_t length = pointers[row + 1] - pointers[row];
            longest = length > longest ? length : longest;
        }
        sum += ((longest + (1 << shift) - 1) >> shift) + CGS_TILE_ROUND_COST;
    }
    return sum;
}

/* Threads a row. Rows of similar length: as many as each can have. Others: the number with the
 * fewest steps. */
CGS_INLINE int cgs_tile_shift(const int64_t *pointers, int64_t rows)
{
    int best = 0;
    const int64_t entries = pointers[rows] - pointers[0];
    const int64_t longest = cgs_tile_longest(pointers, rows);
    if (longest * rows <= 2 * entries) {
        while (best + 1 < CGS_TILE_SHIFTS && rows << (best + 1) <= CGS_TILE_WARP)
            best++;
        return best;
    }
    int64_t fewest = INT64_MAX;
    for (int shift = 0; shift < CGS_TILE_SHIFTS; shift++) {
        const int64_t these = cgs_tile_steps(pointers, rows, shift);
        if (these < fewest) {
            fewest = these;
            best = shift;
        }
    }
    return best;
}

CGS_END_C
