/* Transfers between cube grids, by a device's table of kernels/grid.h. */
#include "solver/transfer.h"

#include "base/memory.h"

enum { TABLE_BYTES = 64 }; /* bytes of tables per fine and per coarse point of a line */

struct box {
    struct cgs_context *context;
    const struct cgs_multigrid_ops *ops;
    void *transfer;
};

static enum cgs_status restrict_to(const void *self, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *f, void *c)
{
    const struct box *box = self;
    return box->ops->restrict_to(box->transfer, queue, state, f, c);
}

static enum cgs_status prolong(const void *self, struct cgs_queue *queue,
                               const struct cgs_cg_state *state, bool add, const void *c, void *f)
{
    const struct box *box = self;
    return box->ops->prolong(box->transfer, queue, state, add, c, f);
}

static void release(void *self)
{
    struct box *box = self;
    box->ops->transfer_release(box->transfer);
    cgs_free(box->context, box);
}

static const struct cgs_transfer_steps steps = {
    .restrict_to = restrict_to, .prolong = prolong, .release = release};

enum cgs_status cgs_transfer_box(const struct cgs_multigrid_ops *ops, const struct cgs_space *fine,
                                 int64_t fine_n, const struct cgs_space *coarse, int64_t coarse_n,
                                 struct cgs_transfer *transfer)
{
    struct cgs_context *context = fine->queue->context;
    struct box *box;
    CGS_TRY(cgs_alloc(context, 1, sizeof *box, "transfer", (void **)&box));
    *box = (struct box){.context = context, .ops = ops};
    const enum cgs_status status =
        ops->transfer_create(fine, fine_n, coarse, coarse_n, &box->transfer);
    if (status != CGS_OK) {
        release(box);
        return status;
    }
    *transfer = (struct cgs_transfer){
        .steps = &steps, .self = box, .capturable = true, .moves = cgs_transfer_box_moves()};
    return CGS_OK;
}

void cgs_transfer_box_plan(struct cgs_plan *plan, const struct cgs_space *fine, int64_t fine_n,
                           int64_t coarse_n, int threads)
{
    cgs_plan_add(plan, fine->place, "transfer", fine_n + coarse_n, TABLE_BYTES);
    if (fine->place == CGS_HOST)
        cgs_plan_add(plan, CGS_HOST, "transfer", threads * (fine_n + 2),
                     cgs_number_bytes(fine->number));
}

struct cgs_moves cgs_transfer_box_moves(void)
{
    return (struct cgs_moves){2, 1, 0}; /* restriction 1; correction 1 + 1 */
}

void cgs_transfer_release(struct cgs_transfer *transfer)
{
    if (transfer->steps)
        transfer->steps->release(transfer->self);
    *transfer = (struct cgs_transfer){0};
}
