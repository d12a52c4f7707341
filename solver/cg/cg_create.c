/* Creation and release of a CG: vectors, state, records, and the plan of their memory. */
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_launch.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_vectors.h"

enum {
    VECTORS = 5,       /* b, x, r, p, q */
    OUTER_VECTORS = 3, /* b, x, b - A x in mixed precision; the iterations then have no b */
    SHORTEST_WINDOW = 1000,
    /* Reading the state costs the device about 2 us, an iteration queued in vain about 6: read
     * seldom while the end is far, queue little when it is near. */
    LOOK_EVERY = 32,
    LOOK_EVERY_SHORT = 2, /* for few and long iterations */
    BATCH = 8,            /* iterations of a recording */
    DEVICE_LOOP = 128     /* for launch modes in which the device loops and stops exactly */
};

void cgs_cg_plan(struct cgs_plan *plan, enum cgs_place place, int64_t vector_bytes,
                 int64_t outer_bytes, bool preconditioned, enum cgs_cg_method method,
                 int work_vectors, bool small, int64_t max_iterations)
{
    if (small) {
        cgs_plan_add_blocks(plan, place, "vectors b, x", 2, vector_bytes);
        plan->later[place] = cgs_cg_later_bytes(vector_bytes, work_vectors);
    } else if (outer_bytes > 0) {
        cgs_plan_add_blocks(plan, place, "vectors b, x, b - A x", OUTER_VECTORS, outer_bytes);
        cgs_plan_add_blocks(plan, place, "vectors of the iterations", VECTORS - 1, vector_bytes);
    } else {
        cgs_plan_add_blocks(plan, place, "vectors b, x, r, p, q", VECTORS, vector_bytes);
    }
    if (preconditioned && !small)
        cgs_plan_add_blocks(plan, place, "vector z", 1, vector_bytes);
    if (method != CGS_CG_STANDARD)
        cgs_plan_add_blocks(plan, place, "vector of single-reduction CG", 1, vector_bytes);
    if (work_vectors > 0 && !small)
        cgs_plan_add_blocks(plan, place, "vectors of fused steps", work_vectors, vector_bytes);
    cgs_state_plan(plan, place, max_iterations);
    cgs_plan_add(plan, CGS_HOST, "residual history", max_iterations + 1,
                 sizeof(struct cgs_cg_record) + sizeof(double));
}

static enum cgs_status alloc_state(struct cgs_cg *cg)
{
    struct cgs_context *context = cg->queue->context;
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_state initial = {.max_iterations = cg->settings.max_iterations};
    const int64_t count = cg->settings.max_iterations + 1;

    CGS_TRY(cgs_alloc(context, count, sizeof *cg->records, "records", (void **)&cg->records));
    CGS_TRY(cgs_alloc(context, count, sizeof *cg->history, "history", (void **)&cg->history));
    /* Touches the pages now, as planned, so that a run cannot run out of memory in its last
     * iterations. */
    memset(cg->records, 0, (size_t)count * sizeof *cg->records);
    memset(cg->history, 0, (size_t)count * sizeof *cg->history);
    return space->ops->state_create(space, &initial, &cg->state);
}

enum cgs_status cgs_cg_create(struct cgs_queue *queue, const struct cgs_operator *op,
                              const struct cgs_operator *preconditioner,
                              const struct cgs_cg_settings *settings, struct cgs_cg **cg)
{
    struct cgs_cg *made;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *made, "CG", (void **)&made));
    *made = (struct cgs_cg){
        .queue = queue,
        .op = settings->inner ? settings->inner : op,
        .preconditioner = preconditioner,
        .outer = op,
        .settings = *settings,
        .observer = settings->observer,
        .small = cgs_cg_begins_small(op, preconditioner, settings),
    };
    const bool short_batches = preconditioner && preconditioner->prefer_short_batches;
    const bool device_loop =
        settings->launch == CGS_LAUNCH_WHILE || settings->launch == CGS_LAUNCH_PERSISTENT;
    if (settings->check_every == 0) /* reading the state is free on the host */
        made->settings.check_every = op->domain.place == CGS_HOST ? 1
                                     : device_loop                ? DEVICE_LOOP
                                     : short_batches              ? LOOK_EVERY_SHORT
                                                                  : LOOK_EVERY;
    made->recorded = short_batches ? 1 : BATCH;
    if (made->settings.check_every < made->recorded)
        made->recorded = made->settings.check_every;
    made->batch = device_loop ? made->settings.check_every : made->recorded;
    if (settings->stagnation_window == 0) {
        const int64_t half = settings->max_iterations / 2;
        made->settings.stagnation_window = half > SHORTEST_WINDOW ? half : SHORTEST_WINDOW;
    }
    enum cgs_status status = cgs_cg_check_method(made);
    if (status == CGS_OK)
        status = cgs_cg_alloc_first(made);
    if (status == CGS_OK)
        status = alloc_state(made);
    if (status == CGS_OK)
        status = cgs_cg_prepare_launch(made);
    if (op->domain.layout.portion) /* before a step waits for all ranks */
        status = cgs_comm_agree(queue->context, status);
    if (status != CGS_OK) {
        cgs_cg_release(made);
        return status;
    }
    *cg = made;
    return CGS_OK;
}

void cgs_cg_release(struct cgs_cg *cg)
{
    if (!cg)
        return;
    struct cgs_context *context = cg->queue->context;
    const struct cgs_space *space = &cg->op->domain;
    if (cg->recording)
        space->ops->recording_free(cg->recording);
    if (cg->state)
        space->ops->state_free(space, cg->state);
    cgs_cg_free_vectors(cg);
    cgs_free(context, cg->history);
    cgs_free(context, cg->records);
    cgs_free(context, cg);
}

void *cgs_cg_rhs(struct cgs_cg *cg)
{
    return cg->rhs;
}

void *cgs_cg_solution(struct cgs_cg *cg)
{
    return cg->solution;
}

void *cgs_cg_residual(struct cgs_cg *cg)
{
    return cg->vectors.r;
}

void *cgs_cg_scratch(struct cgs_cg *cg)
{
    return cg->vectors.q;
}

const struct cgs_space *cgs_cg_residual_space(const struct cgs_cg *cg)
{
    return &cg->op->domain;
}

const void *cgs_cg_final_residual(const struct cgs_cg *cg)
{
    return cg->residual;
}

const struct cgs_space *cgs_cg_space(const struct cgs_cg *cg)
{
    return &cg->outer->domain;
}
