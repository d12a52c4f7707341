/* Rows of CRS on the CPU in plain C, one after the other: used by crs_row for all rows, and by the
 * other CRS kernels for rows without special treatment.
 *
 *     y_i = sum over k = pointers[i] ... pointers[i+1] - 1 of values[k] x[columns[k]]
 */
#pragma once

#include "kernels/spmv/spmv_cpu.h"

/* Entries prefetched before they are processed; a multiple of 4. */
enum { CGS_CRS_RUN = 512 };

/* Sum of entries first ... last - 1 times x. Four partial sums hide the latency of additions in a
 * row of a few tens of entries. */
CGS_PIECE real cgs_crs_sum(const int32_t *restrict columns, const value *restrict values,
                           int64_t first, int64_t last, const real *restrict x)
{
    real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int64_t k = first; k < last;) {
        const int64_t stop = last - k > CGS_CRS_RUN ? k + CGS_CRS_RUN : last;
        for (int64_t p = k; p < stop; p += 64 / (int)sizeof(value))
            CGS_PREFETCH(&values[p]);
        for (int64_t p = k; p < stop; p += 64 / (int)sizeof(int32_t))
            CGS_PREFETCH(&columns[p]);
        for (; k + 4 <= stop; k += 4) {
            s0 += (real)values[k] * x[columns[k]];
            s1 += (real)values[k + 1] * x[columns[k + 1]];
            s2 += (real)values[k + 2] * x[columns[k + 2]];
            s3 += (real)values[k + 3] * x[columns[k + 3]];
        }
        for (; k < stop; k++)
            s0 += (real)values[k] * x[columns[k]];
    }
    return (s0 + s1) + (s2 + s3);
}

static CGS_CLONES void cgs_crs_rows(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                    const real *restrict x, real *restrict y)
{
    const int64_t *restrict pointers = matrix->pointers;
    for (int64_t i = begin; i < end; i++)
        y[i] = cgs_crs_sum(matrix->columns, matrix->values, pointers[i], pointers[i + 1], x);
}
