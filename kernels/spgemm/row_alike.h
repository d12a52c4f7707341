/* A row of C = A B that is the previous row shifted by one column (alike.h): its products go to the
 * same positions, found once for a run of rows.
 *
 *     products of the row    70  3  5 70 200      in the order of k
 *     places                  2  0  1  2   3      ranks of their columns in the row
 *
 * The first row of a run, which is computed otherwise, depends on the division into parts. The bits
 * do not: every way adds sum + factor * number in one expression, which is rounded alike.
 */
#pragma once

#include "kernels/spgemm/row_sums.h"

/* Largest number of products of a row whose places are kept: they fit into the L1 cache.
 * CGS_NO_ROW: row of an unused pattern. */
enum { CGS_PATTERN_PRODUCTS = 1 << 13, CGS_NO_ROW = -2 };

/* Data of one thread. */
struct pattern {
    uint16_t *place;      /* CGS_PATTERN_PRODUCTS */
    int64_t entries, row; /* of the row of the pattern; number of that row in the list */
};

/* Finds the pattern of row i from its bits and ranks. */
CGS_PIECE void find_pattern(const struct pattern *pattern, const uint64_t *restrict bits,
                            const int32_t *restrict rank, const struct cgs_sparse *a,
                            const struct cgs_sparse *b, int64_t i)
{
    uint16_t *place = pattern->place;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++)
        for (int64_t f = b->pointers[a->column[e]]; f < b->pointers[a->column[e] + 1]; f++)
            *place++ = (uint16_t)place_of(bits, rank, b->column[f]);
}

CGS_PIECE void add_by_pattern(const struct pattern *pattern, const struct cgs_sparse *a,
                              const struct cgs_sparse *b, int64_t i, real *restrict sum)
{
    const real *from_a = a->value, *from_b = b->value;
    const uint16_t *restrict place = pattern->place;
    for (int64_t e = 0; e < pattern->entries; e++)
        sum[e] = 0;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const real factor = from_a[e];
        const int64_t first = b->pointers[a->column[e]];
        const int64_t length = b->pointers[a->column[e] + 1] - first;
        int64_t f = 0;
        for (; f + 4 <= length; f += 4) {
            real had[4];
            for (int p = 0; p < 4; p++)
                had[p] = sum[place[f + p]] + factor * from_b[first + f + p];
            for (int p = 0; p < 4; p++)
                sum[place[f + p]] = had[p];
        }
        for (; f < length; f++)
            sum[place[f]] += factor * from_b[first + f];
        place += length;
    }
}
