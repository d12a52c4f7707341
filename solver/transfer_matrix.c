/* Transfers by matrices: P and R = P' as operators, in the cycle's number type.
 *
 *     c = R f;   f = P c,  or  t = P c, f = f + t   (t: a work vector)
 *
 * Traffic, in vectors of the fine grid: restriction 1, P c 1, sum 2 + 1; and both matrices. Ranks
 * that share the fine grid copy f to t first, 1 + 1, since R reads other numbers of other ranks
 * than A does, for which f has no room.
 */

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/names.h"
#include "solver/halo.h"
#include "solver/transfer_matrix.h"

struct pair {
    struct cgs_context *context;
    struct cgs_operator prolongation, restriction;
    void *product; /* P c, and on several ranks f with what R reads; of the restriction's domain */
    bool shared;   /* the fine space is a portion */
    /* Coarse numbers of the others, where each rank has all of them, else NULL; and the bytes of
     * a coarse vector before this rank's numbers. */
    struct cgs_halo *gathered;
    int64_t offset;
};

static enum cgs_status restrict_to(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct pair *pair = self;
    const struct cgs_space *fine = &pair->restriction.domain;
    if (!pair->shared)
        return cgs_operator_apply(&pair->restriction, queue, state, f, c);
    CGS_TRY(fine->ops->copy(fine, queue, state, f, pair->product));
    CGS_TRY(cgs_operator_apply(&pair->restriction, queue, state, pair->product,
                               (char *)c + pair->offset));
    return cgs_halo_exchange(pair->gathered, queue, state, c, NULL);
}

static enum cgs_status prolong(const void *self, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct pair *pair = self;
    const struct cgs_operator *p = &pair->prolongation;
    const struct cgs_space *fine = &pair->restriction.domain;
    if (!add)
        return cgs_operator_apply(p, queue, state, c, f);
    CGS_TRY(cgs_operator_apply(p, queue, state, c, pair->product));
    return fine->ops->axpy(fine, queue, state, cgs_constant(1.0), pair->product, f);
}

static void release(void *self)
{
    struct pair *pair = self;
    const struct cgs_space *fine = &pair->restriction.domain;
    cgs_halo_release(pair->gathered);
    fine->ops->free(fine, pair->product);
    cgs_operator_release(&pair->prolongation);
    cgs_operator_release(&pair->restriction);
    cgs_free(pair->context, pair);
}

static const struct cgs_transfer_steps steps = {
    .restrict_to = restrict_to, .prolong = prolong, .release = release};

/* Makes the halo by which each rank has all coarse numbers. */
static enum cgs_status gather_all(struct pair *pair, const int64_t *cuts)
{
    struct cgs_context *context = pair->context;
    const struct cgs_space *coarse = &pair->prolongation.domain;
    struct cgs_window all[CGS_RANKS_MOST];
    for (int r = 0; r < context->comm->size; r++)
        all[r] = (struct cgs_window){0, cuts[context->comm->size]};
    pair->offset = cuts[context->comm->rank] * cgs_number_bytes(coarse->number);
    return cgs_halo_of_windows(coarse, cuts, all, 0, &pair->gathered);
}

enum cgs_status cgs_transfer_matrix(struct cgs_operator *prolongation,
                                    struct cgs_operator *restriction, const int64_t *cuts,
                                    int64_t bytes, struct cgs_transfer *transfer)
{
    const struct cgs_space *fine = &restriction->domain;
    struct cgs_context *context = fine->queue->context;
    struct pair *pair = NULL;
    void *product = NULL;
    const bool shared = fine->layout.portion != NULL;
    enum cgs_status status = cgs_alloc(context, 1, sizeof *pair, "transfer", (void **)&pair);
    if (status == CGS_OK)
        status = fine->ops->alloc(fine, "vector of a transfer", &product);
    if (shared)
        status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        *pair = (struct pair){.context = context,
                              .prolongation = *prolongation,
                              .restriction = *restriction,
                              .product = product,
                              .shared = shared};
        if (cuts)
            status = gather_all(pair, cuts);
    }
    if (status != CGS_OK) {
        fine->ops->free(fine, product);
        cgs_free(context, pair);
        return status;
    }
    *transfer = (struct cgs_transfer){
        .steps = &steps,
        .self = pair,
        .capturable = prolongation->capturable && restriction->capturable,
        .moves = cgs_transfer_matrix_moves(shared),
        .matrix = bytes,
    };
    *prolongation = *restriction = (struct cgs_operator){0};
    return CGS_OK;
}

void cgs_transfer_matrix_split(struct cgs_transfer *transfer, struct cgs_operator *prolongation,
                               struct cgs_operator *restriction)
{
    struct pair *pair = transfer->self;
    const struct cgs_space *fine = &pair->restriction.domain;
    cgs_halo_release(pair->gathered);
    fine->ops->free(fine, pair->product);
    *prolongation = pair->prolongation;
    *restriction = pair->restriction;
    cgs_free(pair->context, pair);
    *transfer = (struct cgs_transfer){0};
}

struct cgs_moves cgs_transfer_matrix_moves(bool shared)
{
    return shared ? (struct cgs_moves){4, 3, 1} : (struct cgs_moves){3, 2, 1};
}
