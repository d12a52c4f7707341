/* Builds tiles in one pass over the rows.
 *
 * Bound on the number of tiles, with E_i entries in tile i: a tile ends
 *     before a row that would take it past the target t: E_i + E_{i+1} > t;
 *     after a cut to whole warps of rows: then 2 E_i >= t, or it is not cut;
 *     at CGS_TILE_ROWS rows, before a row that is split, or at the end of a span.
 * Adding up the first two, each E_j counts at most three times: 3 nonzeros / t tiles.
 */
#include "kernels/spmv/crs/crs_tiles.h"

#include <assert.h>

#include "base/memory.h"

enum {
    WARPS_WANTED = 2048, /* tiles that fill a large GPU (H200: 132 multiprocessors of 16 warps) */
    LEAST_TARGET = 64
};

int64_t cgs_tile_target(int64_t nonzeros, int64_t most)
{
    const int64_t share = nonzeros / WARPS_WANTED;
    const int64_t target = share > LEAST_TARGET ? share : LEAST_TARGET;
    return target < most ? target : most;
}

int64_t cgs_pieces_bound(int64_t nonzeros, int64_t longest, int64_t most)
{
    return longest > most ? 2 * (nonzeros / most) : 0;
}

int64_t cgs_tiles_bound(int64_t rows, int64_t nonzeros, int64_t longest, int64_t most)
{
    const int64_t target = cgs_tile_target(nonzeros, most);
    const int64_t splits = longest > most ? nonzeros / most : 0;
    return 3 * (nonzeros / target) + 3 + rows / CGS_TILE_ROWS + rows / CGS_TILE_SPAN + splits +
           cgs_pieces_bound(nonzeros, longest, most) + 1;
}

/* ---- tiles ---- */

static void choose_threads(int threads, const int64_t *pointers, const struct cgs_tiles *tiles)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t t = 0; t < tiles->count; t++) {
        struct cgs_tile *tile = &tiles->tile[t];
        if (!tile->piece)
            tile->shift = (uint64_t)cgs_tile_shift(pointers + tile->row, tile->rows) & 15;
    }
}

static void add_pieces(struct cgs_tiles *tiles, const int64_t *pointers, int64_t row, int64_t most)
{
    const int64_t length = pointers[row + 1] - pointers[row], pieces = (length + most - 1) / most;
    int64_t begin = 0;
    tiles->split[tiles->splits++] = (struct cgs_split){row, tiles->slots};
    for (int64_t p = 1; p <= pieces; p++) {
        /* avoids the product of two large numbers */
        const int64_t end = length / pieces * p + length % pieces * p / pieces;
        tiles->tile[tiles->count++] = (struct cgs_tile){.entry = (uint64_t)(pointers[row] + begin),
                                                        .entries = (uint64_t)(end - begin),
                                                        .row = (uint64_t)tiles->slots++,
                                                        .rows = 1,
                                                        .shift = CGS_TILE_SHIFTS - 1,
                                                        .piece = 1};
        begin = end;
    }
}

void cgs_tiles_free(struct cgs_context *context, struct cgs_tiles *tiles)
{
    cgs_free(context, tiles->tile);
    cgs_free(context, tiles->split);
    *tiles = (struct cgs_tiles){0};
}

/* Returns the most rows from pointers[0] on, of `left`, that have `target` entries in all, or 1. */
static int64_t fitting(const int64_t *pointers, int64_t left, int64_t target)
{
    int64_t rows = 1, limit = left < (int64_t)CGS_TILE_ROWS ? left : (int64_t)CGS_TILE_ROWS;
    while (rows < limit) { /* those that fit are rows ... limit */
        const int64_t middle = rows + (limit - rows + 1) / 2;
        if (pointers[middle] - pointers[0] <= target)
            rows = middle;
        else
            limit = middle - 1;
    }
    return rows;
}

enum cgs_status cgs_tiles_make(struct cgs_context *context, const int64_t *pointers, int64_t rows,
                               int64_t longest, int64_t most, struct cgs_tiles *tiles)
{
    const int64_t nonzeros = pointers[rows], target = cgs_tile_target(nonzeros, most);
    const int64_t bound = cgs_tiles_bound(rows, nonzeros, longest, most);
    const int64_t splits = longest > most ? nonzeros / most : 0;
    struct cgs_tiles made = {0};
    assert(most <= CGS_TILE_ENTRIES);
    CGS_TRY(cgs_alloc(context, bound, sizeof *made.tile, "row tiles", (void **)&made.tile));
    const enum cgs_status status =
        cgs_alloc(context, splits + 1, sizeof *made.split, "rows in pieces", (void **)&made.split);
    if (status != CGS_OK) {
        cgs_tiles_free(context, &made);
        return status;
    }
    for (int64_t row = 0; row < rows;) {
        if (pointers[row + 1] - pointers[row] > most) {
            add_pieces(&made, pointers, row++, most);
            continue;
        }
        const int64_t end = (row / CGS_TILE_SPAN + 1) * CGS_TILE_SPAN;
        const int64_t left = (end < rows ? end : rows) - row;
        const int64_t fits = fitting(pointers + row, left, target);
        const int64_t count = cgs_tile_rows(pointers + row, fits, left, target, most);
        made.tile[made.count++] = cgs_tile_of(pointers + row, row, count);
        row += count;
    }
    choose_threads(context->threads, pointers, &made);
    assert(made.count <= bound && made.splits <= splits);
    made.split[made.splits] = (struct cgs_split){rows, made.slots};
    *tiles = made;
    return CGS_OK;
}
