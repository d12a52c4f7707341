/* The one list of what the emulator can't run, each with its reason: the vendor's library is
 * machine code for GPUs. Tests skip what is absent. */
#include "kernels/spgemm.h"

#include "base/context.h"
#include "kernels/kernel.h"
#include "kernels/queue.h"

#include "kernels/precision.h"

#define REASON "cuSPARSE is machine code for GPUs: the emulator can't run it"

static enum cgs_status accepts(struct cgs_context *context, const struct cgs_matrix *matrix)
{
    (void)matrix;
    return cgs_fail(context, CGS_DEVICE, "%s", REASON);
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    (void)self;
    return accepts(queue->context, matrix);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    (void)matrix, (void)plan;
}

static struct cgs_traffic traffic(const struct cgs_matrix *matrix)
{
    (void)matrix;
    return (struct cgs_traffic){0};
}

#define VENDOR(name)                                                                               \
    CGS_TABLE(struct cgs_kernel, name) = {.absent = REASON,                                        \
                                          .reference = true,                                       \
                                          .accepts = accepts,                                      \
                                          .plan = plan,                                            \
                                          .prepare = prepare,                                      \
                                          .traffic = traffic}
#define VENDOR_PRODUCT(name)                                                                       \
    CGS_TABLE(struct cgs_spgemm_kernel, name) = {                                                  \
        .absent = REASON, .reference = true, .accepts = accepts_product, .plan = plan_product}

VENDOR(cgs_cuda_crs_cusparse);
VENDOR(cgs_cuda_crs_cusparse2);
VENDOR(cgs_cuda_sell_cusparse);
#if CGS_BITS < 3
static enum cgs_status accepts_product(struct cgs_queue *queue, const struct cgs_spgemm_size *size)
{
    (void)size;
    return cgs_fail(queue->context, CGS_DEVICE, "%s", REASON);
}

static void plan_product(const struct cgs_spgemm_size *size, int threads, struct cgs_plan *plan)
{
    (void)size, (void)threads, (void)plan;
}

VENDOR_PRODUCT(cgs_cuda_spgemm_cusparse1);
VENDOR_PRODUCT(cgs_cuda_spgemm_cusparse2);
VENDOR_PRODUCT(cgs_cuda_spgemm_cusparse3);
#endif

#if CGS_BITS == 1
struct cgs_cusparse;
void cgs_cusparse_close(struct cgs_cusparse *library);
void cgs_cusparse_close(struct cgs_cusparse *library)
{
    (void)library;
}
#endif
