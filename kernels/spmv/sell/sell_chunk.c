/* y = A x, SELL-C-sigma, a chunk at a time, vectorised over the rows of the chunk (sell_chunks.h).
 *
 * With the Q1 matrix in double precision and C = 8 a row moves 27 * 12 + 1 + 8 + 8 = 341 bytes
 * (spmv_cpu.h).
 */
#include "kernels/spmv/sell/sell_chunks.h"

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    return cgs_spmv_cpu_apply(self, queue, cgs_sell_loop(self), state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    return cgs_spmv_cpu_apply_dot(self, queue, cgs_sell_loop(self), state, x, y, sum);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_sell_chunk) = {
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
