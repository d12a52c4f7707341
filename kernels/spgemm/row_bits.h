/* Structure of a row of C = A B: the columns of its products as bits in an array of words, one bit
 * a column. A word is listed when it gets its first bit:
 *
 *     products of the row     70  3  5  70  200          words   0: 3 5   1: 6   3: 8
 *     touched                 1 0 3, in order 0 1 3       columns 3 5 70 200, ascending
 *
 * so that counting, reading and clearing take as many steps as there are words with bits, for any
 * number of columns. Touched words are sorted by scanning all words; if these are too many, few
 * touched words by insertion (in a banded matrix they are nearly sorted), many by a summary with
 * one bit a word.
 */
#pragma once

#include <stddef.h>

#include "base/vectorise.h"
#include "kernels/sparse.h"
#include "kernels/spgemm/blocks.h"

/* Data of one thread: bits and summary are 0 between rows. */
struct row_bits {
    uint64_t *bits;    /* of columns / 64, rounded up */
    uint64_t *summary; /* of words / 64, rounded up */
    int32_t *touched;  /* words + 1 */
};

/* Largest number of touched words sorted by insertion. */
enum { CGS_FEW_WORDS = 32 };

/* All words are scanned if they are at most this many per touched word. */
enum { CGS_WORDS_LOOKED = 6 };

/* Prefetch distances in entries of A: of rows of B, and of their pointers. */
enum { CGS_ROWS_AHEAD = 6, CGS_POINTERS_AHEAD = 16 };

/* Prefetches the row of B that is needed CGS_ROWS_AHEAD entries of A later, perhaps in a later row
 * of A. number: bytes of a value; 0: values are not read. */
CGS_PIECE void ask_ahead(const struct cgs_sparse *a, const struct cgs_sparse *b, int64_t e,
                         size_t number)
{
    const int64_t left = a->pointers[a->rows] - 1 - e;
    const int64_t far = left < CGS_POINTERS_AHEAD ? left : CGS_POINTERS_AHEAD;
    const int64_t near = left < CGS_ROWS_AHEAD ? left : CGS_ROWS_AHEAD;
    __builtin_prefetch(b->pointers + a->column[e + far]);
    const int64_t f = b->pointers[a->column[e + near]];
    __builtin_prefetch(b->column + f);
    if (number > 0)
        __builtin_prefetch((const char *)b->value + (size_t)f * number);
}

/* Sets bits of one word; lists it if it was 0. Returns the number of touched words. */
CGS_PIECE int64_t touch_word(const struct row_bits *row, int64_t count, int32_t word, uint64_t mask)
{
    const uint64_t had = row->bits[word];
    row->touched[count] = word;
    row->bits[word] = had | mask;
    return count + (had == 0);
}

/* The same for four different words: all are read before any is written, to avoid waiting for
 * stores. */
CGS_PIECE int64_t touch_four(const struct row_bits *row, int64_t count, const int32_t word[4],
                             const uint64_t mask[4])
{
    uint64_t had[4];
    for (int w = 0; w < 4; w++)
        had[w] = row->bits[word[w]];
    for (int w = 0; w < 4; w++) {
        row->touched[count] = word[w];
        count += had[w] == 0;
        row->bits[word[w]] = had[w] | mask[w];
    }
    return count;
}

CGS_PIECE int64_t touch_columns(const struct row_bits *row, const struct cgs_sparse *a,
                                const struct cgs_sparse *b, int64_t i, size_t number)
{
    int64_t count = 0;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const int64_t last = b->pointers[a->column[e] + 1];
        int64_t f = b->pointers[a->column[e]];
        ask_ahead(a, b, e, number);
        for (; f + 4 <= last; f += 4) {
            int32_t word[4];
            uint64_t mask[4];
            for (int w = 0; w < 4; w++) {
                word[w] = b->column[f + w] >> 6;
                mask[w] = UINT64_C(1) << (b->column[f + w] & 63);
            }
            if (word[0] != word[1] && word[1] != word[2] && word[2] != word[3])
                count = touch_four(row, count, word, mask);
            else
                for (int w = 0; w < 4; w++)
                    count = touch_word(row, count, word[w], mask[w]);
        }
        for (; f < last; f++)
            count = touch_word(row, count, b->column[f] >> 6, UINT64_C(1) << (b->column[f] & 63));
    }
    return count;
}

CGS_PIECE int64_t touch_blocks(const struct row_bits *row, const struct cgs_sparse *a,
                               const struct cgs_blocks *b, int64_t i)
{
    int64_t count = 0;
    for (int64_t e = a->pointers[i], end = a->pointers[i + 1]; e < end; e++) {
        const int64_t last = b->start[a->column[e] + 1];
        int64_t f = b->start[a->column[e]];
        for (; f + 4 <= last; f += 4)
            count = touch_four(row, count, b->word + f, b->mask + f);
        for (; f < last; f++)
            count = touch_word(row, count, b->word[f], b->mask[f]);
    }
    return count;
}

CGS_PIECE void order_by_insertion(int32_t *touched, int64_t count)
{
    for (int64_t t = 1; t < count; t++) {
        const int32_t word = touched[t];
        int64_t at = t;
        for (; at > 0 && touched[at - 1] > word; at--)
            touched[at] = touched[at - 1];
        touched[at] = word;
    }
}

CGS_PIECE void order_by_summary(uint64_t *summary, int32_t *touched, int64_t count)
{
    int32_t low = touched[0] >> 6, high = low;
    for (int64_t t = 0; t < count; t++) {
        const int32_t at = touched[t] >> 6;
        summary[at] |= UINT64_C(1) << (touched[t] & 63);
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    for (int32_t at = low; at <= high; at++) {
        for (uint64_t left = summary[at]; left; left &= left - 1)
            *touched++ = 64 * at + __builtin_ctzll(left);
        summary[at] = 0;
    }
}

CGS_PIECE void order_by_looking(const uint64_t *bits, int64_t words, int32_t *touched)
{
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) {
        touched[count] = (int32_t)w;
        count += bits[w] != 0;
    }
}

CGS_PIECE void order_touched(const struct row_bits *row, int64_t words, int64_t count)
{
    if (words <= CGS_WORDS_LOOKED * count)
        order_by_looking(row->bits, words, row->touched);
    else if (count <= CGS_FEW_WORDS)
        order_by_insertion(row->touched, count);
    else
        order_by_summary(row->summary, row->touched, count);
}

CGS_PIECE void clear_touched(const struct row_bits *row, int64_t count)
{
    for (int64_t t = 0; t < count; t++)
        row->bits[row->touched[t]] = 0;
}

/* Counts and clears the set bits. */
CGS_PIECE int64_t count_touched(const struct row_bits *row, int64_t count)
{
    int64_t entries = 0;
    for (int64_t t = 0; t < count; t++) {
        entries += __builtin_popcountll(row->bits[row->touched[t]]);
        row->bits[row->touched[t]] = 0;
    }
    return entries;
}

CGS_PIECE int32_t lowest(uint64_t bits)
{
    return bits ? __builtin_ctzll(bits) : 0;
}

/* Reads the columns of the sorted touched words; rank[w]: number of columns in earlier words.
 * Writes four columns a step, needed or not, since a branch for each would be mispredicted too
 * often: up to three numbers after the result are overwritten. */
CGS_PIECE int64_t read_columns(const struct row_bits *row, int64_t count, int32_t *restrict rank,
                               int32_t *restrict column)
{
    int64_t entries = 0;
    for (int64_t t = 0; t < count; t++) {
        const int32_t word = row->touched[t];
        uint64_t left = row->bits[word];
        const int set = __builtin_popcountll(left);
        rank[word] = (int32_t)entries;
        for (int p = 0; p < set; p += 4)
            for (int q = 0; q < 4; q++) {
                column[entries + p + q] = 64 * word + lowest(left);
                left &= left - 1;
            }
        entries += set;
    }
    return entries;
}
