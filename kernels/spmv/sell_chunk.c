/* y = A x, SELL-C-sigma, a chunk at a time, vectorised over the rows of the chunk.
 *
 *     for each chunk k:  s[0 ... C-1] = 0
 *         for each slot j:  s[r] += values[p] x[columns[p]],   p = pointers[k] + j C + r
 *         y[k C + r] = s[r],   sigma > 1:  y[permutation[k C + r]] = s[r]
 *
 * Wide chunks are worked off in strips of rows whose sums stay in registers.
 * With the Q1 matrix in double precision and C = 8 a row moves 27 * 12 + 1 + 8 + 8 = 341 bytes
 * (spmv_cpu.h). Source: M. Kreutzer et al., SIAM J. Sci. Comput. 36 (2014), algorithm 1.
 */
#include "kernels/spmv/spmv_cpu.h"

enum { STRIP = 32, NARROW = 8 };

/* `strip` neighbouring rows of a chunk of C: their sums over `width` slots into y, of which the
 * first `there` exist; `to` says where in y, NULL: one after the other. strip, and whether `to` is
 * NULL, are constants wherever this is inlined. */
CGS_PIECE void strip_loop(int strip, int64_t chunk, int64_t width, const int32_t *restrict columns,
                          const value *restrict values, const real *restrict x, int64_t there,
                          const int32_t *restrict to, real *restrict y)
{
    real sums[STRIP] = {0};
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

/* What strip_loop takes for the rows in places from `place` on. */
CGS_PIECE const int32_t *rows_at(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t place)
{
    return sorted ? matrix->permutation + place : NULL;
}

CGS_PIECE real *sums_at(bool sorted, real *y, int64_t place)
{
    return sorted ? y : y + place;
}

/* Chunk k of any C: strips of 32, of 8, of 1. */
CGS_PIECE void chunk_loop(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t k, const real *x,
                          real *y)
{
    const int64_t chunk = matrix->chunk, at = matrix->pointers[k];
    const int64_t width = (matrix->pointers[k + 1] - at) / chunk;
    const int64_t first = k * chunk, there = matrix->rows - first; /* the last chunk lacks rows */
    const int32_t *columns = matrix->columns + at;
    const value *values = matrix->values + at;
    int64_t r = 0;
    for (; r + STRIP <= chunk && r < there; r += STRIP)
        strip_loop(STRIP, chunk, width, columns + r, values + r, x, there - r,
                   rows_at(sorted, matrix, first + r), sums_at(sorted, y, first + r));
    for (; r + NARROW <= chunk && r < there; r += NARROW)
        strip_loop(NARROW, chunk, width, columns + r, values + r, x, there - r,
                   rows_at(sorted, matrix, first + r), sums_at(sorted, y, first + r));
    for (; r < chunk && r < there; r++)
        strip_loop(1, chunk, width, columns + r, values + r, x, 1,
                   rows_at(sorted, matrix, first + r), sums_at(sorted, y, first + r));
}

/* Chunks begin ... end - 1 of exactly `chunk` rows, a constant. */
CGS_PIECE void fixed_loop(int chunk, bool sorted, const struct cgs_spmv_cpu *matrix, int64_t begin,
                          int64_t end, const real *x, real *y)
{
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = matrix->pointers[k];
        strip_loop(chunk, chunk, (matrix->pointers[k + 1] - at) / chunk, matrix->columns + at,
                   matrix->values + at, x, matrix->rows - k * chunk,
                   rows_at(sorted, matrix, k * chunk), sums_at(sorted, y, k * chunk));
    }
}

CGS_PIECE void any_loop(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                        const real *x, real *y)
{
    switch (matrix->chunk) {
    case 4:
        fixed_loop(4, sorted, matrix, begin, end, x, y);
        break;
    case 8:
        fixed_loop(8, sorted, matrix, begin, end, x, y);
        break;
    case 16:
        fixed_loop(16, sorted, matrix, begin, end, x, y);
        break;
    case 32:
        fixed_loop(32, sorted, matrix, begin, end, x, y);
        break;
    default:
        for (int64_t k = begin; k < end; k++)
            chunk_loop(sorted, matrix, k, x, y);
    }
}

static CGS_CLONES void chunks_loop(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                   const real *x, real *y)
{
    any_loop(false, matrix, begin, end, x, y);
}

static CGS_CLONES void sorted_chunks_loop(const struct cgs_spmv_cpu *matrix, int64_t begin,
                                          int64_t end, const real *x, real *y)
{
    any_loop(true, matrix, begin, end, x, y);
}

static cgs_units_loop *loop_of(const struct cgs_spmv_cpu *matrix)
{
    return matrix->permutation ? sorted_chunks_loop : chunks_loop;
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_spmv_cpu_apply(self, queue, loop_of(self), state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return cgs_spmv_cpu_apply_dot(self, queue, loop_of(self), state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_sell_chunk) = {
    .reproducible = true,
    .plan = cgs_spmv_cpu_plan,
    .prepare = cgs_spmv_cpu_prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply,
              .apply_dot = apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .release = cgs_spmv_cpu_release},
};
