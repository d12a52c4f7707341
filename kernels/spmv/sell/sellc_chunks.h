/* Products with compressed SELL (matrix/sellc/sellc.h) on the CPU: chunk by chunk (sellc_part.h),
 * or as a run if neighbouring chunks consist of one common pattern:
 *
 *     for each strip of the run's rows:  s[r] = 0
 *         for each slot j:  s[r] += value[j] x[first + r + offset[j]],   r = 0 ... strip-1
 *
 * A slot is decoded once a strip, whose sums stay in registers: 4 of AVX-512, 8 of AVX2. The
 * first-level cache is then the limit: of the 27 register loads on the cube 18 cross a line and
 * count twice, 22.5 cycles at two lines a cycle, while multiply-adds take 13.5.
 */
#pragma once

#include "kernels/spmv/sell/sellc_part.h"

enum { CGS_SELLC_STRIP = 256 / sizeof(real) }; /* rows of a run whose sums stay in registers */

/* Dispatches on a chunk's coding of columns and mask, for one coding of values. */
CGS_PIECE void cgs_sellc_ways(int64_t chunk, enum cgs_sellc_coding coding,
                              struct cgs_sellc_chunk what, const struct cgs_sellc_part *part,
                              const int32_t *rows, int64_t first, int64_t columns,
                              const real *restrict x, real *restrict sums)
{
    if (cgs_sellc_way_of(what) == CGS_SELLC_DELTAS)
        cgs_sellc_gathered_sum(chunk, CGS_SELLC_DELTAS, coding, part, x, sums);
    else if (cgs_sellc_way_of(what) == CGS_SELLC_COLUMNS)
        cgs_sellc_gathered_sum(chunk, CGS_SELLC_COLUMNS, coding, part, x, sums);
    else if (what.masks)
        cgs_sellc_diagonals_sum(chunk, true, coding, part, rows, first, columns, x, sums);
    else
        cgs_sellc_diagonals_sum(chunk, false, coding, part, rows, first, columns, x, sums);
}

/* Chunk k of `chunk` rows; rows: those at its places, NULL: natural order. */
CGS_PIECE void cgs_sellc_one(int64_t chunk, const struct cgs_sellc_cpu *matrix, int64_t k,
                             const int32_t *rows, const real *restrict x, real *restrict sums)
{
    const struct cgs_sellc_chunk what = matrix->list.chunks[k];
    const struct cgs_sellc_part part = cgs_sellc_part_of(&matrix->list, what);
    const int64_t first = k * chunk, columns = matrix->columns;
    for (int64_t r = 0; r < chunk; r++)
        sums[r] = 0;
    switch (cgs_sellc_coding_of(what)) {
    case CGS_SELLC_SAME:
        cgs_sellc_ways(chunk, CGS_SELLC_SAME, what, &part, rows, first, columns, x, sums);
        break;
    case CGS_SELLC_CODES8:
        cgs_sellc_ways(chunk, CGS_SELLC_CODES8, what, &part, rows, first, columns, x, sums);
        break;
    case CGS_SELLC_CODES16:
        cgs_sellc_ways(chunk, CGS_SELLC_CODES16, what, &part, rows, first, columns, x, sums);
        break;
    default:
        cgs_sellc_ways(chunk, CGS_SELLC_VALUES, what, &part, rows, first, columns, x, sums);
    }
}

/* Number of chunks from k on, before `end`, that consist of one common pattern. */
CGS_PIECE int64_t cgs_sellc_run(const struct cgs_sellc_chunk *chunks, int64_t k, int64_t end)
{
    const struct cgs_sellc_chunk what = chunks[k];
    int64_t last = k;
    if (cgs_sellc_way_of(what) != CGS_SELLC_DIAGONALS ||
        cgs_sellc_coding_of(what) != CGS_SELLC_SAME || what.masks != 0)
        return 0;
    do
        last++;
    while (last < end && chunks[last].data == what.data && chunks[last].pattern == what.pattern &&
           chunks[last].masks == 0);
    return last - k;
}

/* `strip` neighbouring rows of a run from row `first` on. */
CGS_PIECE void cgs_sellc_strip(int strip, const struct cgs_sellc_part *run, int64_t first,
                               const real *restrict x, real *restrict y)
{
    real sums[CGS_SELLC_STRIP];
    for (int r = 0; r < strip; r++)
        sums[r] = 0;
    for (int64_t j = 0; j < run->slots; j++) {
        CGS_NOT_JAMMED;
        const real *restrict from = x + first + run->pattern[j].offset;
        const real v = cgs_sellc_pattern_value(&run->pattern[j]);
#pragma omp simd
        for (int r = 0; r < strip; r++)
            sums[r] += v * from[r];
    }
#pragma omp simd
    for (int r = 0; r < strip; r++)
        y[first + r] = sums[r];
}

/* Rows first ... last - 1 of a run. */
CGS_PIECE void cgs_sellc_strips(const struct cgs_sellc_part *run, int64_t first, int64_t last,
                                const real *restrict x, real *restrict y)
{
    for (; first + CGS_SELLC_STRIP <= last; first += CGS_SELLC_STRIP)
        cgs_sellc_strip(CGS_SELLC_STRIP, run, first, x, y);
    for (; first + CGS_SELLC_STRIP / 2 <= last; first += CGS_SELLC_STRIP / 2)
        cgs_sellc_strip(CGS_SELLC_STRIP / 2, run, first, x, y);
    for (; first + CGS_SELLC_STRIP / 4 <= last; first += CGS_SELLC_STRIP / 4)
        cgs_sellc_strip(CGS_SELLC_STRIP / 4, run, first, x, y);
    for (; first + 4 <= last; first += 4)
        cgs_sellc_strip(4, run, first, x, y);
    for (; first < last; first++)
        cgs_sellc_strip(1, run, first, x, y);
}

/* Chunk k of `chunk` rows, first ... last - 1, in natural order. A chunk without a mask has all its
 * rows, unless it has no slots; so only empty or masked chunks may be incomplete. */
CGS_PIECE void cgs_sellc_alone(int64_t chunk, const struct cgs_sellc_cpu *matrix, int64_t k,
                               int64_t first, int64_t last, const real *restrict x,
                               real *restrict y)
{
    real sums[CGS_SELLC_CHUNK_MOST];
    cgs_sellc_one(chunk, matrix, k, NULL, x, sums);
    if (first + chunk <= last)
        for (int64_t r = 0; r < chunk; r++)
            y[first + r] = sums[r];
    else
        for (int64_t r = 0; first + r < last; r++)
            y[first + r] = sums[r];
}

/* The same of a chunk of any height; rows: those at its places, NULL: natural order. */
CGS_PIECE void cgs_sellc_any(const struct cgs_sellc_cpu *matrix, int64_t k, const int32_t *rows,
                             int64_t first, int64_t last, const real *restrict x, real *restrict y)
{
    real sums[CGS_SELLC_CHUNK_MOST];
    cgs_sellc_one(matrix->spmv.chunk, matrix, k, rows, x, sums);
    for (int64_t r = 0; first + r < last; r++)
        y[rows ? rows[r] : first + r] = sums[r];
}

static CGS_CLONES void cgs_sellc_chunks(const struct cgs_spmv_cpu *spmv, int64_t begin, int64_t end,
                                        const real *x, real *y)
{
    const struct cgs_sellc_cpu *matrix = (const struct cgs_sellc_cpu *)spmv;
    const struct cgs_sellc_chunk *chunks = matrix->list.chunks;
    const int64_t chunk = spmv->chunk;
    for (int64_t k = begin, run; k < end; k += run ? run : 1) {
        const int64_t first = k * chunk;
        const int32_t *rows = spmv->permutation ? spmv->permutation + first : NULL;
        run = rows ? 0 : cgs_sellc_run(chunks, k, end);
        int64_t last = first + (run ? run : 1) * chunk;
        last = last < spmv->rows ? last : spmv->rows;
        if (run) {
            const struct cgs_sellc_part part = cgs_sellc_part_of(&matrix->list, chunks[k]);
            cgs_sellc_strips(&part, first, last, x, y);
        } else if (!rows && chunk == 4) {
            cgs_sellc_alone(4, matrix, k, first, last, x, y);
        } else if (!rows && chunk == 8) {
            cgs_sellc_alone(8, matrix, k, first, last, x, y);
        } else if (!rows && chunk == 16) {
            cgs_sellc_alone(16, matrix, k, first, last, x, y);
        } else {
            cgs_sellc_any(matrix, k, rows, first, last, x, y);
        }
    }
}
