/* Values of a row of C = A B whose columns are already sorted. The products of an entry are added
 * in the order of k.
 *
 *     scaled    one entry in row i of A: a_ik b_k
 *     dense     a sum for every column; those of the row are read and cleared
 *     ranked    sums in C itself: the place of column j is the rank of bit j among those set
 */
#pragma once

#include <string.h>

#include "kernels/precision.h"
#include "kernels/spgemm/row_bits.h"
#include "kernels/vectorise.h"

CGS_PIECE int64_t scale_row(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i,
                            int32_t *restrict column, real *restrict sum)
{
    const int64_t e = a->pointers[i], first = b->pointers[a->column[e]];
    const int64_t length = b->pointers[a->column[e] + 1] - first;
    const real factor = ((const real *)a->value)[e], *number = (const real *)b->value + first;
    for (int64_t f = 0; f < length; f++) {
        column[f] = b->column[first + f];
        sum[f] = factor * number[f];
        CGS_NOT_JAMMED; /* most are shorter than a vector, or than a call of memcpy */
    }
    return length;
}

CGS_PIECE void add_densely(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t i,
                           int64_t entries, const int32_t *restrict column, real *restrict dense,
                           real *restrict sum)
{
    const real *from_a = a->value, *from_b = b->value;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const real factor = from_a[e];
        const int64_t last = b->pointers[a->column[e] + 1];
        int64_t f = b->pointers[a->column[e]];
        for (; f + 4 <= last; f += 4) {
            const int32_t *j = b->column + f;
            real had[4];
            for (int p = 0; p < 4; p++)
                had[p] = dense[j[p]] + factor * from_b[f + p];
            for (int p = 0; p < 4; p++)
                dense[j[p]] = had[p];
        }
        for (; f < last; f++)
            dense[b->column[f]] += factor * from_b[f];
    }
    for (int64_t e = 0; e < entries; e++) {
        sum[e] = dense[column[e]];
        dense[column[e]] = 0;
    }
}

CGS_PIECE int32_t place_of(const uint64_t *bits, const int32_t *rank, int32_t column)
{
    const uint64_t before = bits[column >> 6] & ((UINT64_C(1) << (column & 63)) - 1);
    return rank[column >> 6] + __builtin_popcountll(before);
}

CGS_PIECE void add_ranked(const uint64_t *restrict bits, const int32_t *restrict rank,
                          int64_t entries, const struct cgs_sparse *a, const struct cgs_sparse *b,
                          int64_t i, real *restrict sum)
{
    const real *from_a = a->value, *from_b = b->value;
    for (int64_t e = 0; e < entries; e++)
        sum[e] = 0;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const real factor = from_a[e];
        const int64_t last = b->pointers[a->column[e] + 1];
        int64_t f = b->pointers[a->column[e]];
        for (; f + 4 <= last; f += 4) {
            int32_t place[4];
            real had[4];
            for (int p = 0; p < 4; p++)
                place[p] = place_of(bits, rank, b->column[f + p]);
            for (int p = 0; p < 4; p++)
                had[p] = sum[place[p]] + factor * from_b[f + p];
            for (int p = 0; p < 4; p++)
                sum[place[p]] = had[p];
        }
        for (; f < last; f++)
            sum[place_of(bits, rank, b->column[f])] += factor * from_b[f];
    }
}
