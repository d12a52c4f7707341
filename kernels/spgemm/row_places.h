/* A row of C = A B with columns in order of first occurrence; short rows can be sorted.
 *
 * A thread has a place for every column of B: the position at which that column last occurred in
 * its rows. Places of earlier rows are below the row's first one, so nothing is cleared between
 * rows:
 *
 *     row i, whose first place is f, with n entries so far; for each product a_ik b_kj:
 *         place[j] - f < n  ?  sum[place[j] - f] += a_ik b_kj
 *                           :  entry n is column j, sum a_ik b_kj; place[j] = f + n, n + 1 entries
 *
 * Source: F. G. Gustavson, ACM TOMS 4 (1978) 250-269.
 */
#pragma once

#include <string.h>

#include "kernels/precision.h"
#include "kernels/spgemm/row_bits.h"
#include "kernels/spgemm/row_few.h"

/* Data of one thread. */
struct places {
    uint32_t *place; /* of columns */
    int64_t columns;
    uint32_t free; /* first unused place; 0: places are not cleared yet */
};

/* Largest row sorted by comparing each column with all. */
enum { CGS_SHORT_ROW = 128 };

/* First place of the next row: at least as many as there are columns are unused from there on. */
CGS_PIECE uint32_t next_place(struct places *places)
{
    if (places->free == 0 || places->free > UINT32_MAX - (uint32_t)places->columns) {
        memset(places->place, 0, (size_t)places->columns * sizeof *places->place);
        places->free = 1;
    }
    return places->free;
}

/* Computes row i. Returns its entries. */
CGS_PIECE int64_t meet_row(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i,
                           struct places *places, int32_t *restrict column, real *restrict sum)
{
    const real *from_a = a->value, *from_b = b->value;
    const uint32_t first = next_place(places);
    uint32_t entries = 0, *restrict place = places->place;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const real factor = from_a[e];
        const int64_t last = b->pointers[a->column[e] + 1];
        ask_ahead(a, b, e, sizeof(real));
        for (int64_t f = b->pointers[a->column[e]]; f < last; f++) {
            const int32_t j = b->column[f];
            const uint32_t before = place[j] - first;
            const bool met = before < entries;
            const uint32_t at = met ? before : entries;
            const real had = met ? sum[at] : 0;
            place[j] = first + at;
            column[at] = j;
            sum[at] = had + factor * from_b[f];
            entries += !met;
        }
    }
    places->free = first + entries;
    return entries;
}

/* Sorts at most CGS_SHORT_ROW entries with different columns, from column_in, sum_in (with room for
 * CGS_LANES more): the place of an entry is the number of smaller columns. */
CGS_PIECE void order_row(int64_t entries, int32_t *restrict column_in, const real *restrict sum_in,
                         int32_t *restrict column, real *restrict sum)
{
    close_columns(column_in, entries);
    for (int64_t p = 0; p < entries; p += CGS_LANES) {
        lanes mine;
        memcpy(&mine, column_in + p, sizeof mine);
        const lanes place = smaller_columns(column_in, entries, mine);
        const int64_t count = entries - p < CGS_LANES ? entries - p : CGS_LANES;
        int32_t to[CGS_LANES];
        memcpy(to, &place, sizeof to);
        for (int64_t q = 0; q < count; q++) {
            column[to[q]] = column_in[p + q];
            sum[to[q]] = sum_in[p + q];
        }
    }
}
