/* The kernel crs_librsb in a build without librsb: its name, and how to get it. */
#include "kernels/spmv/spmv_cpu.h"

#define WHY                                                                                        \
    "this build has no librsb: install librsb-dev (Debian) or librsb-devel (Fedora) and run "      \
    "./bootstrap again"

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    (void)matrix;
    return cgs_fail(context, CGS_DEVICE, "%s", WHY);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    (void)self;
    return accepts(queue->context, matrix);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    (void)self, (void)state, (void)x, (void)y;
    return cgs_fail(queue->context, CGS_BUG, "%s", WHY);
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_crs_librsb) = {
    .absent = WHY,
    .reference = true,
    .shared = true, /* its absence is the reason that counts */
    .accepts = accepts,
    .plan = cgs_spmv_cpu_plan,
    .prepare = prepare,
    .traffic = cgs_spmv_cpu_traffic,
    .steps = {.apply = apply, .entries = cgs_spmv_cpu_entries, .release = cgs_spmv_cpu_release},
};
