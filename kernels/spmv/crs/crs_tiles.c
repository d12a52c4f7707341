/* Builds tiles in one pass over the rows.
 *
 * Bound on the number of tiles, with E_i entries in tile i: a tile ends
 *     before a row that would take it past the target t: E_i + E_{i+1} > t;
 *     after a cut to whole warps of rows: then 2 E_i >= t, or it is not cut;
 *     at CGS_TILE_ROWS rows, before a row that is split, or at the end.
 * Adding up the first two, each E_j counts at most three times: 3 nonzeros / t tiles.
 */
#include "kernels/spmv/crs/crs_tiles.h"

#include <assert.h>

#include "base/memory.h"

enum {
    WARPS_WANTED = 2048, /* tiles that fill a large GPU (H200: 132 multiprocessors of 16 warps) */
    LEAST_TARGET = 64,
    SHIFTS = 6,    /* 1, 2, ... 32 threads a row */
    ROUND_COST = 8 /* fixed cost of a round of rows, in steps over entries */
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
    return 3 * (nonzeros / target) + 3 + rows / CGS_TILE_ROWS + splits +
           cgs_pieces_bound(nonzeros, longest, most) + 1;
}

int64_t cgs_tiles_even(int64_t rows, int64_t nonzeros, int64_t longest, int64_t most, int *shift)
{
    const int64_t target = cgs_tile_target(nonzeros, most);
    if (rows == 0 || longest < 1 || longest > most || 4 * longest * rows > 5 * nonzeros)
        return 0;
    int64_t each = target / longest < CGS_TILE_ROWS ? target / longest : CGS_TILE_ROWS;
    if (each > CGS_TILE_WARP)
        each -= each % CGS_TILE_WARP;
    if (each < 1)
        return 0;
    for (*shift = 0; *shift + 1 < SHIFTS && each << (*shift + 1) <= CGS_TILE_WARP;)
        ++*shift;
    return each;
}

/* ---- threads a row ---- */

/* Steps of a warp through a tile with 2^shift threads a row: each round of 32 >> shift rows takes
 * as many as its longest row. */
static int64_t steps(const int64_t *pointers, int64_t rows, int shift)
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
        sum += ((longest + (1 << shift) - 1) >> shift) + ROUND_COST;
    }
    return sum;
}

/* Threads a row. Rows of similar length: as many as each can have. Others: the number with the
 * fewest steps. */
static int threads_a_row(const int64_t *pointers, int64_t rows, int64_t longest)
{
    int best = 0;
    const int64_t entries = pointers[rows] - pointers[0];
    if (longest * rows <= 2 * entries) {
        while (best + 1 < SHIFTS && rows << (best + 1) <= CGS_TILE_WARP)
            best++;
        return best;
    }
    int64_t fewest = INT64_MAX;
    for (int shift = 0; shift < SHIFTS; shift++) {
        const int64_t these = steps(pointers, rows, shift);
        if (these < fewest) {
            fewest = these;
            best = shift;
        }
    }
    return best;
}

/* ---- tiles ---- */

/* Number of rows of the tile that begins with pointers[0], at least one. */
static int64_t tile_rows(const int64_t *pointers, int64_t left, int64_t target, int64_t most)
{
    int64_t rows = 1, limit = left < CGS_TILE_ROWS ? left : CGS_TILE_ROWS;
    while (rows < limit) { /* those that fit are rows ... limit */
        const int64_t middle = rows + (limit - rows + 1) / 2;
        if (pointers[middle] - pointers[0] <= target)
            rows = middle;
        else
            limit = middle - 1;
    }
    /* A few rows beyond whole warps of rows would take a warp as long as 32 of them. */
    const int64_t whole = rows - rows % CGS_TILE_WARP;
    if (rows < left && whole > 0 && rows <= 4 * whole / 3 &&
        2 * (pointers[whole] - pointers[0]) >= (target < most ? target : most))
        return whole;
    return rows;
}

static int64_t longest_of(const int64_t *pointers, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; row++) {
        const int64_t length = pointers[row + 1] - pointers[row];
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Adds a tile whose threads a row are still to be chosen. */
static void add_rows(struct cgs_tiles *tiles, const int64_t *pointers, int64_t row, int64_t rows)
{
    tiles->tile[tiles->count++] =
        (struct cgs_tile){.entry = (uint64_t)pointers[row],
                          .entries = (uint64_t)(pointers[row + rows] - pointers[row]),
                          .row = (uint64_t)row,
                          .rows = (uint64_t)rows};
}

static void choose_threads(int threads, const int64_t *pointers, const struct cgs_tiles *tiles)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t t = 0; t < tiles->count; t++) {
        struct cgs_tile *tile = &tiles->tile[t];
        const int64_t *first = pointers + tile->row, rows = tile->rows;
        if (!tile->piece)
            tile->shift = (uint64_t)threads_a_row(first, rows, longest_of(first, rows)) & 15;
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
                                                        .shift = SHIFTS - 1,
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
        const int64_t count = tile_rows(pointers + row, rows - row, target, most);
        add_rows(&made, pointers, row, count);
        row += count;
    }
    choose_threads(context->threads, pointers, &made);
    assert(made.count <= bound && made.splits <= splits);
    made.split[made.splits] = (struct cgs_split){rows, made.slots};
    *tiles = made;
    return CGS_OK;
}
