/* Chunks of SELL-C-sigma on the CPU, one after the other, in plain C, vectorised by the compiler
 * over the rows of a chunk.
 *
 *     for each chunk k:  s[0 ... C-1] = 0
 *         for each slot j:  s[r] += values[p] x[columns[p]],   p = pointers[k] + j C + r
 *         y[k C + r] = s[r],   sigma > 1:  y[permutation[k C + r]] = s[r]
 *
 * Wide chunks are processed in strips of rows whose sums stay in registers.
 * Source: M. Kreutzer et al., SIAM J. Sci. Comput. 36 (2014), algorithm 1.
 */
#pragma once

#include "kernels/spmv/spmv_cpu.h"

enum { CGS_SELL_STRIP = 32, CGS_SELL_NARROW = 8 };

/* Sums of `strip` neighbouring rows of a chunk of C over `width` slots. Writes the first `there` of
 * them to y, at indices `to`, or consecutively if NULL. strip, and whether `to` is NULL, are
 * constants where this is inlined. */
CGS_PIECE void cgs_sell_strip(int strip, int64_t chunk, int64_t width,
                              const int32_t *restrict columns, const value *restrict values,
                              const real *restrict x, int64_t there, const int32_t *restrict to,
                              real *restrict y)
{
    real sums[CGS_SELL_STRIP] = {0};
    for (int64_t j = 0; j < width; j++) {
        const int64_t p = j * chunk;
        for (int r = 0; strip >= 4 && r < strip; r += 64 / (int)sizeof(value))
            CGS_PREFETCH(&values[p + r]);
        for (int r = 0; strip >= 4 && r < strip; r += 64 / (int)sizeof(int32_t))
            CGS_PREFETCH(&columns[p + r]);
#pragma omp simd
        for (int r = 0; r < strip; r++)
            sums[r] += (real)values[p + r] * x[columns[p + r]];
    }
    if (there >= strip)
        for (int r = 0; r < strip; r++)
            y[to ? to[r] : r] = sums[r];
    else
        for (int r = 0; r < there; r++)
            y[to ? to[r] : r] = sums[r];
}

/* Returns argument `to` of cgs_sell_strip for the rows from `place` on. */
CGS_PIECE const int32_t *cgs_sell_rows_at(bool sorted, const struct cgs_spmv_cpu *matrix,
                                          int64_t place)
{
    return sorted ? matrix->permutation + place : NULL;
}

CGS_PIECE real *cgs_sell_sums_at(bool sorted, real *y, int64_t place)
{
    return sorted ? y : y + place;
}

/* Chunk k for any C: strips of 32, of 8, of 1. */
CGS_PIECE void cgs_sell_chunk(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t k,
                              const real *x, real *y)
{
    const int64_t chunk = matrix->chunk, at = matrix->pointers[k];
    const int64_t width = (matrix->pointers[k + 1] - at) / chunk;
    const int64_t first = k * chunk, there = matrix->rows - first; /* the last chunk may be
                                                                      incomplete */
    const int32_t *columns = matrix->columns + at;
    const value *values = matrix->values + at;
    int64_t r = 0;
    for (; r + CGS_SELL_STRIP <= chunk && r < there; r += CGS_SELL_STRIP)
        cgs_sell_strip(CGS_SELL_STRIP, chunk, width, columns + r, values + r, x, there - r,
                       cgs_sell_rows_at(sorted, matrix, first + r),
                       cgs_sell_sums_at(sorted, y, first + r));
    for (; r + CGS_SELL_NARROW <= chunk && r < there; r += CGS_SELL_NARROW)
        cgs_sell_strip(CGS_SELL_NARROW, chunk, width, columns + r, values + r, x, there - r,
                       cgs_sell_rows_at(sorted, matrix, first + r),
                       cgs_sell_sums_at(sorted, y, first + r));
    for (; r < chunk && r < there; r++)
        cgs_sell_strip(1, chunk, width, columns + r, values + r, x, 1,
                       cgs_sell_rows_at(sorted, matrix, first + r),
                       cgs_sell_sums_at(sorted, y, first + r));
}

/* Chunks begin ... end - 1 of exactly `chunk` rows, a compile-time constant. */
CGS_PIECE void cgs_sell_fixed(int chunk, bool sorted, const struct cgs_spmv_cpu *matrix,
                              int64_t begin, int64_t end, const real *x, real *y)
{
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = matrix->pointers[k];
        cgs_sell_strip(chunk, chunk, (matrix->pointers[k + 1] - at) / chunk, matrix->columns + at,
                       matrix->values + at, x, matrix->rows - k * chunk,
                       cgs_sell_rows_at(sorted, matrix, k * chunk),
                       cgs_sell_sums_at(sorted, y, k * chunk));
    }
}

CGS_PIECE void cgs_sell_any(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t begin,
                            int64_t end, const real *x, real *y)
{
    switch (matrix->chunk) {
    case 4:
        cgs_sell_fixed(4, sorted, matrix, begin, end, x, y);
        break;
    case 8:
        cgs_sell_fixed(8, sorted, matrix, begin, end, x, y);
        break;
    case 16:
        cgs_sell_fixed(16, sorted, matrix, begin, end, x, y);
        break;
    case 32:
        cgs_sell_fixed(32, sorted, matrix, begin, end, x, y);
        break;
    default:
        for (int64_t k = begin; k < end; k++)
            cgs_sell_chunk(sorted, matrix, k, x, y);
    }
}

static CGS_CLONES void cgs_sell_chunks(const struct cgs_spmv_cpu *matrix, int64_t begin,
                                       int64_t end, const real *x, real *y)
{
    cgs_sell_any(false, matrix, begin, end, x, y);
}

static CGS_CLONES void cgs_sell_sorted_chunks(const struct cgs_spmv_cpu *matrix, int64_t begin,
                                              int64_t end, const real *x, real *y)
{
    cgs_sell_any(true, matrix, begin, end, x, y);
}
