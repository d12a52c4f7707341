/* Transfers by matrices: P and R = P' as operators, in the cycle's number type.
 *
 *     c = R f;   f = P c,  or  t = P c, f = f + t   (t: a work vector)
 *
 * Traffic, in vectors of the fine grid: restriction 1, P c 1, sum 2 + 1; and both matrices.
 */
#include "solver/transfer.h"

#include "base/memory.h"

struct pair {
    struct cgs_context *context;
    struct cgs_operator prolongation, restriction;
    void *product; /* P c */
};

static enum cgs_status restrict_to(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct pair *pair = self;
    return cgs_operator_apply(&pair->restriction, queue, state, f, c);
}

static enum cgs_status prolong(const void *self, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct pair *pair = self;
    const struct cgs_operator *p = &pair->prolongation;
    const struct cgs_space *fine = &p->range;
    if (!add)
        return cgs_operator_apply(p, queue, state, c, f);
    CGS_TRY(cgs_operator_apply(p, queue, state, c, pair->product));
    return fine->ops->axpy(fine, queue, state, cgs_constant(1.0), pair->product, f);
}

static void release(void *self)
{
    struct pair *pair = self;
    const struct cgs_space *fine = &pair->prolongation.range;
    fine->ops->free(fine, pair->product);
    cgs_operator_release(&pair->prolongation);
    cgs_operator_release(&pair->restriction);
    cgs_free(pair->context, pair);
}

static const struct cgs_transfer_steps steps = {
    .restrict_to = restrict_to, .prolong = prolong, .release = release};

enum cgs_status cgs_transfer_matrix(struct cgs_operator *prolongation,
                                    struct cgs_operator *restriction, int64_t bytes,
                                    struct cgs_transfer *transfer)
{
    const struct cgs_space *fine = &prolongation->range;
    struct cgs_context *context = fine->queue->context;
    struct pair *pair;
    void *product;
    CGS_TRY(cgs_alloc(context, 1, sizeof *pair, "transfer", (void **)&pair));
    const enum cgs_status status = fine->ops->alloc(fine, "vector of a transfer", &product);
    if (status != CGS_OK) {
        cgs_free(context, pair);
        return status;
    }
    *pair = (struct pair){.context = context,
                          .prolongation = *prolongation,
                          .restriction = *restriction,
                          .product = product};
    *transfer = (struct cgs_transfer){
        .steps = &steps,
        .self = pair,
        .capturable = prolongation->capturable && restriction->capturable,
        .moves = cgs_transfer_matrix_moves(),
        .matrix = bytes,
    };
    *prolongation = *restriction = (struct cgs_operator){0};
    return CGS_OK;
}

struct cgs_moves cgs_transfer_matrix_moves(void)
{
    return (struct cgs_moves){3, 2, 1};
}
