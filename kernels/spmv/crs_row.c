/* y = A x, CRS, a row at a time, rows divided among the threads by their entries.
 *
 *     y_i = sum over k = pointers[i] ... pointers[i+1] - 1 of values[k] x[columns[k]]
 *
 * With the Q1 matrix in double precision a row moves 27 * 12 + 8 + 8 + 8 = 348 bytes (spmv_cpu.h).
 */
#include "kernels/spmv/spmv_cpu.h"

/* Four sums hide the latency of the additions in a row of a few tens of entries; gathering them in
 * vectors costs more in such a row than it saves. */
static CGS_CLONES void rows_loop(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                                 const real *restrict x, real *restrict y)
{
    const int64_t *restrict pointers = matrix->pointers;
    const int32_t *restrict columns = matrix->columns;
    const value *restrict values = matrix->values;
    for (int64_t i = begin; i < end; i++) {
        const int64_t last = pointers[i + 1];
        int64_t k = pointers[i];
        for (int64_t p = k; p < last; p += 64 / (int)sizeof(value))
            CGS_PREFETCH(&values[p]);
        for (int64_t p = k; p < last; p += 64 / (int)sizeof(int32_t))
            CGS_PREFETCH(&columns[p]);
        real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; k + 4 <= last; k += 4) {
            s0 += (real)values[k] * x[columns[k]];
            s1 += (real)values[k + 1] * x[columns[k + 1]];
            s2 += (real)values[k + 2] * x[columns[k + 2]];
            s3 += (real)values[k + 3] * x[columns[k + 3]];
        }
        for (; k < last; k++)
            s0 += (real)values[k] * x[columns[k]];
        y[i] = (s0 + s1) + (s2 + s3);
    }
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_spmv_cpu_apply(self, queue, rows_loop, state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return cgs_spmv_cpu_apply_dot(self, queue, rows_loop, state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_row) = {
    .reproducible = true,
    .plan = cgs_spmv_cpu_plan,
    .prepare = cgs_spmv_cpu_prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply,
              .apply_dot = apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .release = cgs_spmv_cpu_release},
};
