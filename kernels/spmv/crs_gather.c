/* y = A x, CRS, a row at a time by gather instructions: AVX-512, AVX2, or plain C as crs_row;
 * blocks of rows divided among the threads by their entries, bytes as there.
 */
#include "kernels/spmv/crs_rows.h"
#include "kernels/spmv/gather.h"

#if CGS_GATHERS
#include "kernels/spmv/gather_avx512.h"

#include "kernels/spmv/crs_gather_rows.h"

#include "kernels/spmv/gather_avx2.h"

#include "kernels/spmv/crs_gather_rows.h"
#endif

static const struct cgs_gather_loop loops[] = {
#if CGS_GATHERS
    {"AVX-512", cgs_has_avx512, rows_avx512, NULL},
    {"AVX2", cgs_has_avx2, rows_avx2, NULL},
#endif
    {"plain C", NULL, cgs_crs_rows, NULL},
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

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_gather) = {
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
