/* y = A x, CRS, a row at a time. Blocks of 256 rows are divided among the threads by their entries
 * (spmv_cpu.h); crs_merge balances better if few rows have most entries.
 *
 * With the Q1 matrix in double precision a row moves 27 * 12 + 8 + 8 + 8 = 348 bytes (spmv_cpu.h).
 */
#include "kernels/spmv/crs/crs_rows.h"

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_spmv_cpu_apply(self, queue, cgs_crs_rows, state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return cgs_spmv_cpu_apply_dot(self, queue, cgs_crs_rows, state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_row) = {
    .reproducible = true,
    .shared = true,
    .plan = cgs_spmv_cpu_plan,
    .prepare = cgs_spmv_cpu_prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.overlaps = true,
              .apply = apply,
              .apply_dot = apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .release = cgs_spmv_cpu_release},
};
