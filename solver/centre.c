#include "solver/centre.h"

#include "base/comm.h"
#include "base/memory.h"
#include "matrix/ranks/portion.h"

/* The mean is taken off by steps of CG: in a state of its own, in which p'A p is n and q'z is 1'r,
 * the flexible beta is minus the mean of r; without a preconditioner, and rz = 0, it is 0. */
struct cgs_centre {
    struct cgs_space space;
    void *ones;
    struct cgs_cg_state *state;
};

/* Sets the rows to 1, in few copies, and leaves what a layout has beside them. */
static enum cgs_status put_ones(const struct cgs_space *space, void *ones)
{
    enum { MOST = 1 << 20 };
    struct cgs_context *context = space->queue->context;
    const int64_t size = space->size, count = size < MOST ? size : MOST;
    enum cgs_status status = CGS_OK;
    double *one;
    CGS_TRY(cgs_alloc(context, count, sizeof *one, "ones", (void **)&one));
    for (int64_t i = 0; i < count; i++)
        one[i] = 1.0;
    for (int64_t first = 0; first < size && status == CGS_OK; first += count)
        status = space->ops->put(space, one, first, size - first < count ? size - first : count,
                                 ones);
    cgs_free(context, one);
    return status;
}

static enum cgs_status fill(struct cgs_centre *centre)
{
    const struct cgs_space *space = &centre->space;
    const struct cgs_portion *portion = space->layout.portion;
    const struct cgs_cg_state initial = {.preconditioned = CGS_FLEXIBLE,
                                         .sums[CGS_SUM_PQ] =
                                             (double)(portion ? portion->whole : space->size)};
    CGS_TRY(space->ops->alloc(space, "vector of ones", &centre->ones));
    CGS_TRY(space->ops->state_create(space, &initial, &centre->state));
    return put_ones(space, centre->ones);
}

enum cgs_status cgs_centre_create(const struct cgs_space *space, struct cgs_centre **centre)
{
    struct cgs_context *context = space->queue->context;
    struct cgs_centre *made = NULL;
    enum cgs_status status = cgs_alloc(context, 1, sizeof *made, "means", (void **)&made);
    if (status == CGS_OK) {
        *made = (struct cgs_centre){.space = *space};
        status = fill(made);
    }
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_centre_release(made);
        return status;
    }
    *centre = made;
    return CGS_OK;
}

void cgs_centre_release(struct cgs_centre *centre)
{
    if (!centre)
        return;
    const struct cgs_space *space = &centre->space;
    space->ops->free(space, centre->ones);
    space->ops->state_free(space, centre->state);
    cgs_free(space->queue->context, centre);
}

void cgs_centre_plan(struct cgs_plan *plan, enum cgs_place place, int64_t bytes)
{
    cgs_plan_add_blocks(plan, place, "vector of ones", 1, bytes);
    cgs_state_plan(plan, place, 0);
}

struct cgs_moves cgs_centre_moves(void)
{
    return (struct cgs_moves){.read = 4.0, .written = 1.0};
}

enum cgs_status cgs_centre_switch(struct cgs_centre *centre, bool on)
{
    const struct cgs_space *space = &centre->space;
    const struct cgs_cg_state state = {.preconditioned = on ? CGS_FLEXIBLE : CGS_UNPRECONDITIONED};
    return space->ops->state_set(space, space->queue, centre->state, &state);
}

enum cgs_status cgs_centre_apply(const struct cgs_centre *centre, struct cgs_queue *queue, void *r)
{
    if (!centre)
        return CGS_OK;
    const struct cgs_space *space = &centre->space;
    struct cgs_cg_state *state = centre->state;
    CGS_TRY(space->ops->dot(space, queue, state, centre->ones, r, CGS_SUM_QZ));
    CGS_TRY(space->ops->reduce(space, queue, state, CGS_SUM_QZ, 1));
    return space->ops->axpy(space, queue, state, cgs_scalar(CGS_BETA), centre->ones, r);
}
