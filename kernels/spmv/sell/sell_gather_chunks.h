/* Chunks of SELL-C-sigma, vectorised over their rows; included once for each vector extension
 * (gather_avx512.h). Wide chunks in strips of four vectors of rows, of two, of one, and a masked
 * remainder.
 */

/* Sums of `vectors` (a constant) vectors of neighbouring rows of a chunk of C over `width` slots,
 * into sums[0 ...]. */
PIECE void NAME(strip)(int vectors, int64_t chunk, int64_t width, const int32_t *columns,
                       const value *values, const real *x, real *sums)
{
    VECTOR s[4] = {NAME(zeros)(), NAME(zeros)(), NAME(zeros)(), NAME(zeros)()};
    for (int64_t j = 0; j < width; j++) {
        const int64_t p = j * chunk;
        for (int v = 0; v < vectors; v++) {
            CGS_PREFETCH(&values[p + v * LANES]);
            if (v % 2 == 0)
                CGS_PREFETCH(&columns[p + v * LANES]);
            s[v] = NAME(add)(s[v], values + p + v * LANES, columns + p + v * LANES, x);
        }
    }
    for (int v = 0; v < vectors; v++)
        NAME(store)(s[v], sums + v * LANES);
}

/* The same for count < LANES rows. */
PIECE void NAME(few)(int64_t count, int64_t chunk, int64_t width, const int32_t *columns,
                     const value *values, const real *x, real *sums)
{
    VECTOR s = NAME(zeros)();
    for (int64_t j = 0; j < width; j++) {
        CGS_PREFETCH(&values[j * chunk]);
        CGS_PREFETCH(&columns[j * chunk]);
        s = NAME(add_some)(s, count, values + j * chunk, columns + j * chunk, x);
    }
    NAME(store)(s, sums);
}

PIECE void NAME(any_chunks)(bool sorted, const struct cgs_spmv_cpu *matrix, int64_t begin,
                            int64_t end, const real *x, real *y)
{
    const int64_t chunk = matrix->chunk;
    for (int64_t k = begin; k < end; k++) {
        const int64_t at = matrix->pointers[k], width = (matrix->pointers[k + 1] - at) / chunk;
        const int64_t first = k * chunk;
        const int64_t there = matrix->rows - first; /* the last chunk may be incomplete */
        for (int64_t r = 0; r < chunk && r < there;) {
            const int64_t left = chunk - r;
            const int32_t *columns = matrix->columns + at + r;
            const value *values = matrix->values + at + r;
            const int vectors = left >= 4 * LANES ? 4 : left >= 2 * LANES ? 2 : left >= LANES;
            const int64_t rows = vectors > 0 ? vectors * LANES : left;
            real sums[4 * LANES];
            if (vectors == 4)
                NAME(strip)(4, chunk, width, columns, values, x, sums);
            else if (vectors == 2)
                NAME(strip)(2, chunk, width, columns, values, x, sums);
            else if (vectors == 1)
                NAME(strip)(1, chunk, width, columns, values, x, sums);
            else
                NAME(few)(left, chunk, width, columns, values, x, sums);
            for (int64_t i = 0; i < rows && r + i < there; i++)
                y[sorted ? matrix->permutation[first + r + i] : first + r + i] = sums[i];
            r += rows;
        }
    }
}

static TARGET void NAME(chunks)(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                const real *x, real *y)
{
    NAME(any_chunks)(false, matrix, begin, end, x, y);
}

static TARGET void NAME(sorted_chunks)(const struct cgs_spmv_cpu *matrix, int64_t begin,
                                       int64_t end, const real *x, real *y)
{
    NAME(any_chunks)(true, matrix, begin, end, x, y);
}

#undef ISA
#undef TARGET
#undef PIECE
#undef NAME
#undef LANES
#undef VECTOR
