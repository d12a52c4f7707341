/* Rows of CRS, vectorised along the row; included once for each vector extension (gather_avx512.h).
 *
 * Two sums hide the latency of additions; the remainder of a row is masked.
 */
static TARGET void NAME(rows)(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                              const real *x, real *y)
{
    const int64_t *restrict pointers = matrix->pointers;
    const int32_t *restrict columns = matrix->columns;
    const value *restrict values = matrix->values;
    for (int64_t i = begin; i < end; i++) {
        const int64_t last = pointers[i + 1];
        int64_t k = pointers[i];
        VECTOR even = NAME(zeros)(), odd = NAME(zeros)();
        for (; k + 2 * LANES <= last; k += 2 * LANES) {
            CGS_PREFETCH(&values[k]);
            CGS_PREFETCH(&values[k + LANES]);
            CGS_PREFETCH(&columns[k]);
            even = NAME(add)(even, values + k, columns + k, x);
            odd = NAME(add)(odd, values + k + LANES, columns + k + LANES, x);
        }
        if (k + LANES <= last) {
            CGS_PREFETCH(&values[k]);
            even = NAME(add)(even, values + k, columns + k, x);
            k += LANES;
        }
        if (k < last) {
            CGS_PREFETCH(&values[k]);
            CGS_PREFETCH(&columns[k]);
            odd = NAME(add_some)(odd, last - k, values + k, columns + k, x);
        }
        y[i] = NAME(total)(even, odd);
    }
}

#undef ISA
#undef TARGET
#undef PIECE
#undef NAME
#undef LANES
#undef VECTOR
