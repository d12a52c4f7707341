#include "solver/ranks.h"

#include <string.h>

#include "base/comm.h"
#include "base/memory.h"

/* Halo of a rank. The messages alternate: to a peer from `packed`, from a peer to ghosts of x. */
struct halo {
    int64_t *needed;     /* owned numbers that others need, by rank */
    int64_t needed_count;
    char *packed;        /* these numbers of x */
    int *in, *out;       /* numbers from and to each rank */
    struct cgs_message *messages;
};

struct joined {
    struct cgs_steps steps; /* those of the kernel that are local, and the ones below */
    struct cgs_rank_product own; /* of this rank's rows */
    struct cgs_context *context;
    const struct cgs_portion *portion;
    struct halo halo;
};

/* ---- set-up ---- */

/* Counts the ghosts that each rank owns. */
static void count_ghosts(const struct cgs_portion *portion, int *in)
{
    int owner = 0;
    memset(in, 0, (size_t)portion->ranks * sizeof *in);
    for (int64_t g = 0; g < portion->below + portion->above; g++) {
        while (portion->ghosts[g] >= portion->cuts[owner + 1])
            owner++;
        in[owner]++;
    }
}

/* Tells each rank how many of its numbers are needed here: out[r] = in[this rank] of rank r. */
static void swap_counts(struct cgs_comm *comm, const int *in, int *out)
{
    int64_t mine[CGS_RANKS_MOST], theirs[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST];
    for (int r = 0; r < comm->size; r++) {
        mine[r] = in[r];
        ones[r] = 1;
    }
    comm->ops->swap(comm, mine, ones, theirs, ones);
    for (int r = 0; r < comm->size; r++)
        out[r] = (int)theirs[r];
}

static enum cgs_status alloc_counts(struct cgs_context *context, int ranks, struct halo *halo)
{
    CGS_TRY(cgs_alloc(context, ranks, sizeof *halo->in, "halo", (void **)&halo->in));
    CGS_TRY(cgs_alloc(context, ranks, sizeof *halo->out, "halo", (void **)&halo->out));
    return cgs_alloc(context, 2 * (int64_t)ranks, sizeof *halo->messages, "halo",
                     (void **)&halo->messages);
}

static enum cgs_status alloc_needed(struct cgs_context *context, int ranks, int64_t bytes,
                                    struct halo *halo)
{
    for (int r = 0; r < ranks; r++)
        halo->needed_count += halo->out[r];
    CGS_TRY(cgs_alloc(context, halo->needed_count, sizeof *halo->needed, "halo",
                      (void **)&halo->needed));
    return cgs_alloc(context, halo->needed_count, (size_t)bytes, "halo", (void **)&halo->packed);
}

/* Finds out what goes to whom; on all ranks at once. */
static enum cgs_status make_halo(struct cgs_context *context, struct joined *made)
{
    const struct cgs_portion *portion = made->portion;
    struct cgs_comm *comm = context->comm;
    struct halo *halo = &made->halo;
    CGS_TRY(cgs_comm_agree(context, alloc_counts(context, comm->size, halo)));
    count_ghosts(portion, halo->in);
    swap_counts(comm, halo->in, halo->out);
    CGS_TRY(cgs_comm_agree(context,
                           alloc_needed(context, comm->size,
                                        cgs_number_bytes(made->own.number), halo)));
    comm->ops->swap(comm, portion->ghosts, halo->in, halo->needed, halo->out);
    for (int64_t i = 0; i < halo->needed_count; i++)
        halo->needed[i] -= portion->first;
    return CGS_OK;
}

/* ---- steps ---- */

static void pack(const struct joined *joined, const void *x)
{
    const struct halo *halo = &joined->halo;
    const int64_t count = halo->needed_count;
    if (joined->own.number == CGS_F64)
        for (int64_t i = 0; i < count; i++)
            ((double *)(void *)halo->packed)[i] = ((const double *)x)[halo->needed[i]];
    else
        for (int64_t i = 0; i < count; i++)
            ((float *)(void *)halo->packed)[i] = ((const float *)x)[halo->needed[i]];
}

/* Lists the messages of an exchange of x; returns their number. */
static int list_messages(const struct joined *joined, char *x)
{
    const struct halo *halo = &joined->halo;
    const struct cgs_portion *portion = joined->portion;
    const int64_t bytes = cgs_number_bytes(joined->own.number);
    char *packed = halo->packed;
    int64_t ghost = 0;
    int count = 0;
    for (int r = 0; r < portion->ranks; r++) {
        const int64_t at =
            ghost < portion->below ? ghost - portion->below : ghost - portion->below + portion->count;
        if (halo->out[r] > 0)
            halo->messages[count++] = (struct cgs_message){
                .peer = r, .memory = packed, .bytes = halo->out[r] * bytes};
        if (halo->in[r] > 0)
            halo->messages[count++] = (struct cgs_message){
                .peer = r, .incoming = true, .memory = x + at * bytes, .bytes = halo->in[r] * bytes};
        packed += halo->out[r] * bytes;
        ghost += halo->in[r];
    }
    return count;
}

/* Fills the ghosts of x, which are room of the vector apart from its numbers. */
static void exchange(const struct joined *joined, struct cgs_queue *queue, const void *x)
{
    struct cgs_comm *comm = queue->context->comm;
    pack(joined, x);
    const int count = list_messages(joined, (char *)x);
    comm->ops->start(comm, joined->halo.messages, count);
    comm->ops->finish(comm);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    const struct joined *joined = self;
    if (!state || cgs_cg_going_on(state)) /* the same on all ranks */
        exchange(joined, queue, x);
    return joined->own.steps->apply(joined->own.self, queue, state, x, y);
}

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct joined *joined = self;
    if (cgs_cg_going_on(state))
        exchange(joined, queue, x);
    return joined->own.steps->apply_dot(joined->own.self, queue, state, x, y, sum);
}

static const void *entries(const void *self, int64_t *bytes)
{
    const struct joined *joined = self;
    return joined->own.steps->entries(joined->own.self, bytes);
}

static struct cgs_traffic moved(const void *self)
{
    const struct joined *joined = self;
    return joined->own.steps->moved(joined->own.self);
}

static void release(void *self)
{
    struct joined *joined = self;
    struct cgs_context *context = joined->context;
    struct halo *halo = &joined->halo;
    joined->own.steps->release(joined->own.self);
    cgs_free(context, halo->needed);
    cgs_free(context, halo->packed);
    cgs_free(context, halo->in);
    cgs_free(context, halo->out);
    cgs_free(context, halo->messages);
    cgs_free(context, joined);
}

/* Optional steps of the kernel that would need an exchange of their own are left out. */
static struct cgs_steps steps_of(const struct cgs_steps *own)
{
    return (struct cgs_steps){
        .apply = apply,
        .apply_dot = own->apply_dot ? apply_dot : NULL,
        .entries = own->entries ? entries : NULL,
        .moved = own->moved ? moved : NULL,
        .release = release,
    };
}

enum cgs_status cgs_ranks_join(struct cgs_queue *queue, const struct cgs_portion *portion,
                               enum cgs_status status, struct cgs_rank_product *product)
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
    *made = (struct joined){.steps = steps_of(product->steps),
                            .own = *product,
                            .context = context,
                            .portion = portion};
    status = make_halo(context, made);
    *product = (struct cgs_rank_product){0};
    if (status != CGS_OK) {
        release(made);
        return status;
    }
    *product = (struct cgs_rank_product){&made->steps, made, made->own.number};
    return CGS_OK;
}
