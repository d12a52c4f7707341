/* Tiles of rows of a CRS matrix with similar numbers of entries, and the threads for each row of a
 * tile: the plan of crs_blocks.cu, made once on the host.
 *
 * A tile is at most CGS_TILE_ROWS consecutive rows with at most `target` entries in all (one row
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

enum { CGS_TILE_ROWS = 1024, CGS_TILE_ENTRIES = 1020, CGS_TILE_WARP = 32 };

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

/* Rows of each tile where all tiles can have the same number, since the rows are of similar
 * length, none too long: those that cgs_tiles_make would give them. 0: they cannot. *shift: of
 * all tiles. */
int64_t cgs_tiles_even(int64_t rows, int64_t nonzeros, int64_t longest, int64_t most, int *shift);

/* Upper bounds without the row lengths: number of tiles, and of pieces (also tiles) among them. */
int64_t cgs_tiles_bound(int64_t rows, int64_t nonzeros, int64_t longest, int64_t most);
int64_t cgs_pieces_bound(int64_t nonzeros, int64_t longest, int64_t most);

/* Makes the tiles of rows 0 ... rows - 1 with entries pointers[row] ... pointers[row + 1] - 1 in
 * one pass over the pointers; owned by the caller. most: at most CGS_TILE_ENTRIES. CGS_MEMORY. */
enum cgs_status cgs_tiles_make(struct cgs_context *context, const int64_t *pointers, int64_t rows,
                               int64_t longest, int64_t most, struct cgs_tiles *tiles);
void cgs_tiles_free(struct cgs_context *context, struct cgs_tiles *tiles);

CGS_END_C
