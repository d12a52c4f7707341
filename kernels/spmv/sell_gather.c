/* y = A x, SELL-C-sigma, a chunk at a time by gather instructions: AVX-512, AVX2, or plain C as
 * sell_chunk; bytes as there.
 */
#include "kernels/spmv/gather.h"
#include "kernels/spmv/sell_chunks.h"

#if CGS_GATHERS
#include "kernels/spmv/gather_avx512.h"

#include "kernels/spmv/sell_gather_chunks.h"

#include "kernels/spmv/gather_avx2.h"

#include "kernels/spmv/sell_gather_chunks.h"
#endif

static const struct cgs_gather_loop loops[] = {
#if CGS_GATHERS
    {"AVX-512", cgs_has_avx512, chunks_avx512, sorted_chunks_avx512},
    {"AVX2", cgs_has_avx2, chunks_avx2, sorted_chunks_avx2},
#endif
    {"plain C", NULL, cgs_sell_chunks, cgs_sell_sorted_chunks},
};

static const char *variant(int which)
{
    const struct cgs_gather_loop *loop = cgs_gather_find(loops, which);
    return loop ? loop->name : NULL;
}

static void use_variant(void *self, int which)
{
    cgs_gather_use(self, cgs_gather_find(loops, which));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    return cgs_gather_prepare(queue, matrix, loops, self);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_sell_gather) = {
    .reproducible = true,
    .plan = cgs_spmv_cpu_plan,
    .prepare = prepare,
    .variant = variant,
    .use_variant = use_variant,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = cgs_gather_apply,
              .apply_dot = cgs_gather_apply_dot,
              .entries = cgs_spmv_cpu_entries,
              .release = cgs_spmv_cpu_release},
};
