/* y = A x, compressed SELL-C-sigma, a chunk at a time, vectorised over its rows (sellc_chunks.h).
 *
 * Bytes of a product: the compressed matrix (matrix/sellc/sellc.h), x read once, y written once.
 * Q1, double precision, C = 8: on the cube a row has 2 + 8 + 8 = 18 bytes, on a deformed mesh 27 *
 * 8 + 18 = 234, in SELL 341. Sums are those of sell_chunk, to the bit.
 *
 * A matrix that does not gain from compression (cgs_sellc_gains) is left to sell_gather, with its
 * sums. */
#include "base/comm.h"
#include "kernels/spmv/sell/sellc_chunks.h"
#include "kernels/spmv/sell/sellc_traffic.h"
#include "matrix/sellc/sellc_encode.h"

extern const struct cgs_kernel CGS_NAMED(cgs_cpu_sell_gather);
static const struct cgs_kernel *const plain = &CGS_NAMED(cgs_cpu_sell_gather);

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct cgs_sellc_cpu *matrix = self;
    if (matrix->plain)
        return plain->steps.apply(matrix->plain, queue, state, x, y);
    return cgs_spmv_cpu_apply(&matrix->spmv, queue, state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct cgs_sellc_cpu *matrix = self;
    if (matrix->plain)
        return plain->steps.apply_dot(matrix->plain, queue, state, x, y, sum);
    return cgs_spmv_cpu_apply_dot(&matrix->spmv, queue, state, x, y, sum);
}

static void plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "matrix pointers", matrix->units + 1, sizeof(int64_t));
    if (matrix->sigma > 1)
        cgs_plan_add(plan, CGS_HOST, "matrix permutation", matrix->rows, sizeof(int32_t));
    cgs_sellc_plan(matrix, CGS_VALUE_NUMBER, CGS_HOST, plan);
}

static void empty(struct cgs_sellc_cpu *made)
{
    struct cgs_context *context = made->spmv.context;
    cgs_free(context, made->spmv.pointers);
    cgs_free(context, made->spmv.permutation);
    made->spmv.pointers = NULL;
    made->spmv.permutation = NULL;
    cgs_sellc_store_release(&made->store);
    cgs_sellc_release(context, &made->list);
}

static void release(void *self)
{
    struct cgs_sellc_cpu *made = self;
    if (!made)
        return;
    empty(made);
    plain->steps.release(made->plain);
    cgs_free(made->spmv.context, made);
}

static enum cgs_status make(const struct cgs_matrix *matrix, struct cgs_sellc_cpu *made)
{
    struct cgs_context *context = made->spmv.context;
    CGS_TRY(cgs_alloc(context, matrix->units + 1, sizeof(int64_t), "matrix pointers",
                      (void **)&made->spmv.pointers));
    if (matrix->permutation)
        CGS_TRY(cgs_alloc(context, matrix->rows, sizeof(int32_t), "matrix permutation",
                          (void **)&made->spmv.permutation));
    cgs_spmv_cpu_copy(matrix, &made->spmv);
    const struct cgs_sellc_sink sink = cgs_sellc_into(&made->store);
    CGS_TRY(cgs_sellc_encode(context, matrix, CGS_VALUE_NUMBER, &sink, &made->list));
    made->moved = cgs_sellc_moved(&made->list, matrix);
    return CGS_OK;
}

/* Returns true if compression pays: for all ranks or for none, so that sums are the same. */
static bool gains(const struct cgs_matrix *matrix, const struct cgs_sellc_cpu *made)
{
    struct cgs_context *context = made->spmv.context;
    const double compressed = (double)cgs_sellc_bytes(&made->list);
    const double uncompressed = cgs_sellc_plain(matrix);
    if (!matrix->source->portion)
        return cgs_sellc_pays(compressed, uncompressed);
    const double all = cgs_comm_sum(context, compressed);
    return cgs_sellc_pays(all, cgs_comm_sum(context, uncompressed));
}

static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,
                               void **self)
{
    struct cgs_context *context = queue->context;
    struct cgs_sellc_cpu *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "matrix", (void **)&made));
    *made = (struct cgs_sellc_cpu){.spmv = {.context = context,
                                            .rows = matrix->rows,
                                            .units = matrix->units,
                                            .chunk = matrix->chunk,
                                            .sigma = matrix->sigma,
                                            .portion = matrix->source->portion,
                                            .loop = cgs_sellc_chunks},
                                   .store = {.context = context},
                                   .columns = matrix->columns};
    enum cgs_status status = make(matrix, made);
    if (matrix->source->portion)
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK && !gains(matrix, made)) {
        empty(made);
        made->moved = plain->traffic(matrix);
        status = plain->prepare(queue, matrix, &made->plain);
    }
    if (status == CGS_OK)
        *self = made;
    else
        release(made);
    return status;
}

/* A matrix that did not gain is made anew: its new entries may gain. */
static enum cgs_status renew(void *self, struct cgs_queue *queue, const struct cgs_matrix *matrix,
                             bool *renewed)
{
    struct cgs_sellc_cpu *made = self;
    (void)queue;
    return made->plain ? CGS_OK : cgs_sellc_renew(made->spmv.context, matrix, &made->list, renewed);
}

static struct cgs_traffic moved(const void *self)
{
    return ((const struct cgs_sellc_cpu *)self)->moved;
}

CGS_TABLE(struct cgs_kernel, cgs_cpu_sellc_chunk) = {
    .reproducible = true,
    .shared = true,
    .accepts = cgs_sellc_accepts,
    .plan = plan,
    .prepare = prepare,
    .traffic = cgs_sellc_expected,
    .steps = {.overlaps = true,
              .apply = apply,
              .apply_dot = apply_dot,
              .moved = moved,
              .renew = renew,
              .release = release},
};
