/* kernels/spmv: the plans of the CRS kernels on the device. Tiles (crs_tiles.h) and shares of the
 * merge path (merge_path.h) must cover every entry and every row once, within their bounds. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/spmv/crs/crs_tiles.h"
#include "kernels/spmv/crs/merge_path.h"
#include "tests/support/support.h"

/* ---- row lengths that hurt ---- */

enum shape { Q1, EMPTY, SINGLE, ARROW, POWER, LONG, DENSE, MIXED, SHAPES };

static const struct {
    enum shape shape;
    int64_t rows;
} cases[] = {{Q1, 1},       {Q1, 100},     {Q1, 40000},     {EMPTY, 0},     {EMPTY, 1},
             {EMPTY, 5000}, {SINGLE, 300}, {SINGLE, 70000}, {ARROW, 20000}, {POWER, 30000},
             {LONG, 40},    {DENSE, 1020}, {DENSE, 1021},   {MIXED, 3000},  {MIXED, 50001}};

static int64_t length_of(enum shape shape, int64_t row, int64_t rows)
{
    const int64_t random = (int64_t)(cgs_splitmix64((uint64_t)row + 1) >> 40);
    switch (shape) {
    case Q1:
        return row % 16 == 0 ? 18 : 27;
    case EMPTY:
        return 0;
    case SINGLE:
        return 1;
    case ARROW:
        return row == rows / 2 ? 1000000 : 2;
    case POWER:
        return rows / (1 + 5 * row);
    case LONG:
        return 900 + random % 3000;
    case DENSE:
        return rows;
    default:
        return random % 64 == 0 ? random % 5000 : random % 7 == 0 ? 0 : random % 40;
    }
}

static int64_t *make_pointers(int which)
{
    const int64_t rows = cases[which].rows;
    int64_t *pointers = must_have((size_t)(rows + 1) * sizeof *pointers);
    pointers[0] = 0;
    for (int64_t row = 0; row < rows; row++)
        pointers[row + 1] = pointers[row] + length_of(cases[which].shape, row, rows);
    return pointers;
}

static int64_t longest_of(const int64_t *pointers, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; row++)
        if (pointers[row + 1] - pointers[row] > longest)
            longest = pointers[row + 1] - pointers[row];
    return longest;
}

/* ---- tiles ---- */

/* The pieces of a row from tile t on, all of its entries in order; returns the tile behind them. */
static int64_t check_pieces(const struct cgs_tiles *tiles, int64_t t, int64_t i,
                            const int64_t *pointers, int64_t most)
{
    const int64_t row = tiles->split[i].row;
    int64_t entry = pointers[row];
    for (int64_t slot = tiles->split[i].slot; slot < tiles->split[i + 1].slot; slot++, t++) {
        const struct cgs_tile tile = tiles->tile[t];
        ck_assert(tile.piece && tile.rows == 1 && tile.shift == 5);
        ck_assert(tile.row == slot);
        ck_assert(tile.entry == entry);
        ck_assert(tile.entries <= most);
        ck_assert(2 * tile.entries >= most); /* equal ones */
        entry += (int64_t)tile.entries;
    }
    ck_assert(entry == pointers[row + 1]);
    return t;
}

static void check_tiles(const int64_t *pointers, int64_t rows, int64_t most)
{
    const int64_t longest = longest_of(pointers, rows), before = bed.context.host_bytes;
    const int64_t target = cgs_tile_target(pointers[rows], most);
    struct cgs_tiles tiles;
    must(cgs_tiles_make(&bed.context, pointers, rows, longest, most, &tiles));
    int64_t row = 0, t = 0, split = 0;
    while (row < rows) {
        ck_assert(t < tiles.count);
        const struct cgs_tile tile = tiles.tile[t];
        if (tile.piece) {
            ck_assert(pointers[row + 1] - pointers[row] > most);
            ck_assert(tiles.split[split].row == row);
            t = check_pieces(&tiles, t, split++, pointers, most);
            row++;
            continue;
        }
        ck_assert(tile.row == row);
        ck_assert(tile.entry == pointers[row]);
        ck_assert(tile.rows >= 1 && tile.rows <= CGS_TILE_ROWS && tile.shift <= 5);
        ck_assert(tile.entries == pointers[row + tile.rows] - pointers[row]);
        ck_assert(tile.entries <= (tile.rows == 1 ? most : target));
        row += (int64_t)tile.rows;
        t++;
    }
    ck_assert_int_eq(t, tiles.count);
    ck_assert_int_eq(split, tiles.splits);
    ck_assert_int_eq(tiles.split[split].slot, tiles.slots);
    ck_assert_int_le(tiles.count, cgs_tiles_bound(rows, pointers[rows], longest, most));
    ck_assert_int_le(tiles.slots, cgs_pieces_bound(pointers[rows], longest, most));
    cgs_tiles_free(&bed.context, &tiles);
    ck_assert_int_eq(bed.context.host_bytes, before);
}

LOOP_TEST(tiles_cover_all, sizeof cases / sizeof *cases)
{
    int64_t *pointers = make_pointers(_i);
    check_tiles(pointers, cases[_i].rows, CGS_TILE_ENTRIES);
    check_tiles(pointers, cases[_i].rows, 340); /* a device with little shared memory */
    free(pointers);
}

/* 27 entries a row, many rows: 32 rows to a tile, a thread each. Few rows: several threads a row.
 */
TEST(threads_are_used)
{
    static const int64_t lengths[] = {27, 27, 100, 1000, 3};
    static const int64_t counts[] = {80000, 2000, 25000, 3000, 900000};
    static const int shifts[] = {0, 4, 1, 5, 0};
    for (int c = 0; c < 5; c++) {
        int64_t *pointers = must_have((size_t)(counts[c] + 1) * sizeof *pointers);
        struct cgs_tiles tiles;
        for (int64_t row = 0; row <= counts[c]; row++)
            pointers[row] = row * lengths[c];
        must(cgs_tiles_make(&bed.context, pointers, counts[c], lengths[c], CGS_TILE_ENTRIES,
                            &tiles));
        ck_assert_int_eq(tiles.tile[0].shift, shifts[c]);
        if (c == 0)
            ck_assert_int_eq(tiles.tile[0].rows, 32);
        cgs_tiles_free(&bed.context, &tiles);
        free(pointers);
    }
}

/* One long row among short ones must not be left to one thread. */
TEST(uneven_rows_share_threads)
{
    int64_t pointers[42] = {0};
    struct cgs_tiles tiles;
    for (int row = 0; row < 41; row++)
        pointers[row + 1] = pointers[row] + (row == 20 ? 900 : 1);
    /* as if it were part of a big matrix: one tile */
    int64_t *many = must_have(2001 * 41 * sizeof *many + sizeof *many);
    many[0] = 0;
    for (int64_t row = 0; row < 2001 * 41; row++)
        many[row + 1] = many[row] + pointers[row % 41 + 1] - pointers[row % 41];
    must(cgs_tiles_make(&bed.context, many, 2001 * 41, 900, CGS_TILE_ENTRIES, &tiles));
    for (int64_t t = 0; t < tiles.count; t++)
        if (tiles.tile[t].entries >= 900)
            ck_assert_int_ge(tiles.tile[t].shift, 3);
    cgs_tiles_free(&bed.context, &tiles);
    free(many);
}

TEST(starved)
{
    int64_t *pointers = make_pointers(8);
    for (int k = 1; k <= 2; k++) {
        struct cgs_tiles tiles;
        struct cgs_merge merge;
        const int64_t before = bed.context.host_bytes;
        bed.context.starve_in[CGS_HOST] = k;
        ck_assert_int_eq(cgs_tiles_make(&bed.context, pointers, cases[8].rows, 1000000,
                                        CGS_TILE_ENTRIES, &tiles),
                         CGS_MEMORY);
        bed_forgive();
        bed.context.starve_in[CGS_HOST] = k;
        ck_assert_int_eq(cgs_merge_make(&bed.context, pointers, cases[8].rows, 1792, &merge),
                         CGS_MEMORY);
        bed_forgive();
        ck_assert_int_eq(bed.context.host_bytes, before);
    }
    bed.context.starve_in[CGS_HOST] = 0;
    free(pointers);
}

/* ---- the merge path ---- */

/* The merge path: a walk that ends a row as soon as its entries are used up, after each share. */
static void check_path(const int64_t *pointers, int64_t rows, int64_t length)
{
    const int64_t before = bed.context.host_bytes, whole = rows + pointers[rows];
    struct cgs_merge merge;
    must(cgs_merge_make(&bed.context, pointers, rows, length, &merge));
    ck_assert_int_eq(merge.shares, cgs_merge_shares(rows, pointers[rows], length));
    int64_t row = 0, entry = 0, split = 0, open = -1;
    for (int64_t step = 0; step <= whole; step++) {
        const int64_t k = step / length;
        if (step % length == 0 || step == whole) {
            const struct cgs_path_point at = merge.start[step == whole ? merge.shares : k];
            ck_assert(at.row == row);
            ck_assert(at.entry == entry);
            if (row < rows && entry > pointers[row] && open != row) {
                ck_assert(merge.split[split].row == row);
                ck_assert(merge.split[split++].slot == k - 1);
                open = row;
            }
        }
        if (row < rows && pointers[row + 1] <= entry)
            row++;
        else
            entry++;
    }
    ck_assert_int_eq(split, merge.splits);
    ck_assert_int_eq(merge.split[split].slot, merge.shares);
    cgs_merge_free(&bed.context, &merge);
    ck_assert_int_eq(bed.context.host_bytes, before);
}

LOOP_TEST(shares_of_the_path, sizeof cases / sizeof *cases)
{
    static const int64_t lengths[] = {1, 7, 256, 1792};
    int64_t *pointers = make_pointers(_i);
    for (int l = 0; l < 4; l++)
        check_path(pointers, cases[_i].rows, lengths[l]);
    free(pointers);
}

int main(void)
{
    return bed_tests("tiles", 120);
}
