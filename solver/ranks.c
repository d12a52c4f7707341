#include "solver/ranks.h"

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/arrival.h"
#include "solver/halo.h"

struct joined {
    struct cgs_steps steps; /* those of the kernel that are local, and the ones below */
    struct cgs_rank_product local; /* of this rank's rows */
    struct cgs_context *context;
    struct cgs_halo *halo;
};

static void progress(const void *halo)
{
    cgs_halo_progress(halo);
}

static void finish_halo(const void *halo)
{
    cgs_halo_finish(halo);
}

/* Fetches the ghosts of x, and of `first` in the first iteration after a start (NULL: nothing),
 * unless the state has a reason to stop, which is the same on all ranks: the next step of a
 * kernel that overlaps gets *arrival, for another one they are there, or will be, where steps
 * are queued. */
static enum cgs_status fetch(const struct joined *joined, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, const void *first,
                             struct cgs_arrival *arrival)
{
    if (!joined->halo || !joined->local.steps->overlaps)
        return cgs_halo_exchange(joined->halo, queue, state, x, first);
    if (state && !cgs_cg_going_on(state))
        return CGS_OK;
    if (first && (!state || state->iteration == state->parity_base))
        CGS_TRY(cgs_halo_exchange(joined->halo, queue, NULL, first, NULL));
    cgs_halo_start(joined->halo, x);
    *arrival =
        (struct cgs_arrival){.progress = progress, .finish = finish_halo, .self = joined->halo};
    queue->arrival = arrival;
    return CGS_OK;
}

/* Ends a step that was given an arrival. */
static enum cgs_status end(struct cgs_queue *queue, enum cgs_status status)
{
    queue->arrival = NULL;
    return status;
}

/* ---- steps that read x of other ranks ---- */

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct joined *joined = self;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, x, NULL, &arrival);
    if (status == CGS_OK)
        status = joined->local.steps->apply(joined->local.self, queue, state, x, y);
    return end(queue, status);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct joined *joined = self;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, x, NULL, &arrival);
    if (status == CGS_OK)
        status = joined->local.steps->apply_dot(joined->local.self, queue, state, x, y, sum);
    return end(queue, status);
}

static enum cgs_status residual(const void *self, struct cgs_queue *queue,
                                const struct cgs_cg_state *state, const void *b, const void *x,
                                void *r)
{
    const struct joined *joined = self;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, x, NULL, &arrival);
    if (status == CGS_OK)
        status = joined->local.steps->residual(joined->local.self, queue, state, b, x, r);
    return end(queue, status);
}

static enum cgs_status residual_norm(const void *self, struct cgs_queue *queue,
                                     struct cgs_cg_state *state, const void *b, const void *x,
                                     enum cgs_sum sum)
{
    const struct joined *joined = self;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, x, NULL, &arrival);
    if (status == CGS_OK)
        status = joined->local.steps->residual_norm(joined->local.self, queue, state, b, x, sum);
    return end(queue, status);
}

static enum cgs_status relax_with(const void *self, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state,
                                  const struct cgs_relaxation *step, void *product)
{
    const struct joined *joined = self;
    const struct cgs_steps *steps = joined->local.steps;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, step->x, NULL, &arrival);
    if (status == CGS_OK)
        status = steps->relax
                     ? steps->relax(joined->local.self, queue, state, step)
                     : steps->relax_with(joined->local.self, queue, state, step, product);
    return end(queue, status);
}

static enum cgs_status relax(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const struct cgs_relaxation *step)
{
    return relax_with(self, queue, state, step, NULL);
}

/* Fetches z; p of the ghosts is made on each rank that has them (stencil.c): one exchange an
 * iteration, since the update then finds p there. The first old p of a run may have been changed
 * since it was made (cg_residual.c), so that its ghosts are fetched, too. */
static enum cgs_status direction_apply_dot(const void *self, struct cgs_queue *queue,
                                           struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    const struct joined *joined = self;
    struct cgs_arrival arrival;
    enum cgs_status status = fetch(joined, queue, state, v->z, v->p, &arrival);
    if (status == CGS_OK)
        status = joined->local.steps->direction_apply_dot(joined->local.self, queue, state, v);
    return end(queue, status);
}

/* ---- steps on what is here ---- */

static enum cgs_status update(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    const struct joined *joined = self;
    return joined->local.steps->update(joined->local.self, queue, state, v);
}

static enum cgs_status update_conclude(const void *self, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, struct cgs_cg_vectors *v)
{
    const struct joined *joined = self;
    return joined->local.steps->update_conclude(joined->local.self, queue, state, v);
}

/* Fetches ghosts within its kernel, by itself. */
static enum cgs_status advance(const void *self, struct cgs_queue *queue,
                               struct cgs_cg_state *state, struct cgs_cg_vectors *v, int64_t k)
{
    const struct joined *joined = self;
    return joined->local.steps->advance(joined->local.self, queue, state, v, k);
}

static bool can_advance(const void *self)
{
    const struct joined *joined = self;
    return joined->local.steps->can_advance(joined->local.self);
}

static enum cgs_status finish(const void *self, struct cgs_queue *queue, struct cgs_cg_state *state,
                              struct cgs_cg_vectors *v)
{
    const struct joined *joined = self;
    return joined->local.steps->finish(joined->local.self, queue, state, v);
}

static const void *entries(const void *self, int64_t *bytes)
{
    const struct joined *joined = self;
    return joined->local.steps->entries(joined->local.self, bytes);
}

static struct cgs_traffic moved(const void *self)
{
    const struct joined *joined = self;
    return joined->local.steps->moved(joined->local.self);
}

static void release(void *self)
{
    struct joined *joined = self;
    joined->local.steps->release(joined->local.self);
    cgs_halo_release(joined->halo);
    cgs_free(joined->context, joined);
}

/* The kernel's steps; where sums are to have fixed blocks, which a device's kernels do not,
 * without those that make sums, and what completes them. */
static struct cgs_steps steps_of(const struct cgs_steps *kernel, bool fixed)
{
    if (fixed)
        return (struct cgs_steps){
            .apply = apply,
            .residual = kernel->residual ? residual : NULL,
            .relax = kernel->relax ? relax : NULL,
            .relax_with = kernel->relax_with ? relax_with : NULL,
            .entries = kernel->entries ? entries : NULL,
            .moved = kernel->moved ? moved : NULL,
            .release = release,
        };
    return (struct cgs_steps){
        .completes = kernel->completes,
        .apply = apply,
        .apply_dot = kernel->apply_dot ? apply_dot : NULL,
        .residual = kernel->residual ? residual : NULL,
        .residual_norm = kernel->residual_norm ? residual_norm : NULL,
        .relax = kernel->relax ? relax : NULL,
        .relax_with = kernel->relax_with ? relax_with : NULL,
        .direction_apply_dot = kernel->direction_apply_dot ? direction_apply_dot : NULL,
        .update = kernel->update ? update : NULL,
        .update_conclude = kernel->update_conclude ? update_conclude : NULL,
        .advance = kernel->advance ? advance : NULL,
        .can_advance = kernel->can_advance ? can_advance : NULL,
        .finish = kernel->finish ? finish : NULL,
        .direction_moves = kernel->direction_moves,
        .update_moves = kernel->update_moves,
        .update_conclude_moves = kernel->update_conclude_moves,
        .advance_moves = kernel->advance_moves,
        .entries = kernel->entries ? entries : NULL,
        .moved = kernel->moved ? moved : NULL,
        .release = release,
    };
}

enum cgs_status cgs_ranks_join(struct cgs_queue *queue, const struct cgs_space *space,
                               const struct cgs_portion *portion, enum cgs_status status,
                               struct cgs_rank_product *product)
{
    struct cgs_context *context = queue->context;
    struct joined *made = NULL;
    if (status == CGS_OK)
        status = cgs_alloc(context, 1, sizeof *made, "halo", (void **)&made);
    status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_free(context, made);
        if (product->steps)
            product->steps->release(product->self);
        *product = (struct cgs_rank_product){0};
        return status;
    }
    *made = (struct joined){
        .steps = steps_of(product->steps, queue->fixed), .local = *product, .context = context};
    *product = (struct cgs_rank_product){0};
    if (portion)
        status = cgs_halo_of_ghosts(space, portion, &made->halo);
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    *product = (struct cgs_rank_product){&made->steps, made};
    return CGS_OK;
}
