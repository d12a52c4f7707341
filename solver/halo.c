#include "solver/halo.h"

#include <string.h>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "matrix/names.h"

struct cgs_halo {
    struct cgs_context *context;
    const struct cgs_halo_ops
        *ops;    /* of the device that has the vectors; NULL: the host has them */
    void *there; /* made by ops */
    enum cgs_number number;
    int count; /* parts */
    struct cgs_halo_part *parts;
    struct cgs_message *messages; /* one a part */
    int64_t *needed; /* owned numbers that others need, by rank; NULL: nothing is packed */
    int64_t needed_count;
    char *packed; /* these numbers of x */
};

void cgs_halo_release(struct cgs_halo *halo)
{
    if (!halo)
        return;
    struct cgs_context *context = halo->context;
    if (halo->ops)
        halo->ops->release(halo->there);
    cgs_free(context, halo->packed);
    cgs_free(context, halo->needed);
    cgs_free(context, halo->messages);
    cgs_free(context, halo->parts);
    cgs_free(context, halo);
}

/* Allocates an empty halo with room for a message to and from each rank. */
static enum cgs_status alloc_one(const struct cgs_space *space, struct cgs_halo **halo)
{
    struct cgs_context *context = space->queue->context;
    const int64_t most = 2 * (int64_t)context->comm->size;
    struct cgs_halo *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "halo", (void **)&made));
    *made = (struct cgs_halo){.context = context, .ops = space->ops->halo, .number = space->number};
    enum cgs_status status =
        cgs_alloc(context, most, sizeof *made->parts, "halo", (void **)&made->parts);
    if (status == CGS_OK)
        status = cgs_alloc(context, most, sizeof *made->messages, "halo", (void **)&made->messages);
    if (status == CGS_OK)
        *halo = made;
    else
        cgs_halo_release(made);
    return status;
}

/* The same on all ranks, or on none. */
static enum cgs_status alloc_halo(const struct cgs_space *space, struct cgs_halo **halo)
{
    struct cgs_halo *made = NULL;
    const enum cgs_status status = cgs_comm_agree(space->queue->context, alloc_one(space, &made));
    if (status == CGS_OK)
        *halo = made;
    else
        cgs_halo_release(made);
    return status;
}

static void add_part(struct cgs_halo *halo, const struct cgs_halo_part *part)
{
    if (part->count > 0)
        halo->parts[halo->count++] = *part;
}

/* ---- ghosts ---- */

/* Numbers from and to each rank. */
struct counts {
    int in[CGS_RANKS_MOST], out[CGS_RANKS_MOST];
};

/* Counts the ghosts that each rank owns, and tells it: out[r] = in[this rank] of rank r. */
static void count_ghosts(struct cgs_comm *comm, const struct cgs_portion *portion,
                         struct counts *counts)
{
    int64_t mine[CGS_RANKS_MOST] = {0}, theirs[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST], owner = 0;
    for (int64_t g = 0; g < portion->below + portion->above; g++) {
        while (portion->ghosts[g] >= portion->cuts[owner + 1])
            owner++;
        mine[owner]++;
    }
    for (int r = 0; r < comm->size; r++)
        ones[r] = 1;
    comm->ops->swap(comm, mine, ones, theirs, ones);
    for (int r = 0; r < comm->size; r++) {
        counts->in[r] = (int)mine[r];
        counts->out[r] = (int)theirs[r];
    }
}

static enum cgs_status alloc_needed(struct cgs_halo *halo, const struct counts *counts)
{
    struct cgs_context *context = halo->context;
    for (int r = 0; r < context->comm->size; r++)
        halo->needed_count += counts->out[r];
    CGS_TRY(cgs_alloc(context, halo->needed_count, sizeof *halo->needed, "halo",
                      (void **)&halo->needed));
    return cgs_alloc(context, halo->needed_count, (size_t)cgs_number_bytes(halo->number), "halo",
                     (void **)&halo->packed);
}

static void list_parts(struct cgs_halo *halo, const struct cgs_portion *portion,
                       const struct counts *counts)
{
    int64_t packed = 0, ghost = 0;
    for (int r = 0; r < portion->ranks; r++) {
        const int64_t at = ghost < portion->below ? ghost - portion->below
                                                  : ghost - portion->below + portion->count;
        add_part(halo, &(struct cgs_halo_part){
                           .peer = r, .listed = true, .at = packed, .count = counts->out[r]});
        add_part(halo, &(struct cgs_halo_part){
                           .peer = r, .incoming = true, .at = at, .count = counts->in[r]});
        packed += counts->out[r];
        ghost += counts->in[r];
    }
}

/* Makes what a device needs of the halo, and hands it over; *made is released after a failure. */
static enum cgs_status complete(const struct cgs_space *space, struct cgs_halo *made,
                                struct cgs_halo **halo)
{
    const enum cgs_status status =
        made->ops ? made->ops->create(space, made->parts, made->count, made->needed,
                                      made->needed_count, &made->there)
                  : CGS_OK;
    if (status == CGS_OK)
        *halo = made;
    else
        cgs_halo_release(made);
    return status;
}

/* The halo of ghosts in a list. */
static enum cgs_status make_listed(const struct cgs_space *space, const struct cgs_portion *portion,
                                   struct cgs_halo **halo)
{
    struct cgs_context *context = space->queue->context;
    struct cgs_comm *comm = context->comm;
    struct cgs_halo *made = NULL;
    struct counts counts;
    CGS_TRY(alloc_halo(space, &made));
    count_ghosts(comm, portion, &counts);
    enum cgs_status status = cgs_comm_agree(context, alloc_needed(made, &counts));
    if (status == CGS_OK) {
        comm->ops->swap(comm, portion->ghosts, counts.in, made->needed, counts.out);
        status = cgs_comm_agree(context, CGS_OK); /* what came are places in memory */
    }
    if (status != CGS_OK) {
        cgs_halo_release(made);
        return status;
    }
    for (int64_t i = 0; i < made->needed_count; i++)
        made->needed[i] -= portion->first;
    list_parts(made, portion, &counts);
    return complete(space, made, halo);
}

enum cgs_status cgs_halo_of_ghosts(const struct cgs_space *space, const struct cgs_portion *portion,
                                   struct cgs_halo **halo)
{
    struct cgs_window windows[CGS_RANKS_MOST];
    if (portion->ghosts)
        return make_listed(space, portion, halo);
    for (int r = 0; r < portion->ranks; r++) {
        const int64_t first = portion->cuts[r] - portion->reach[0];
        const int64_t last = portion->cuts[r + 1] + portion->reach[1];
        windows[r] = (struct cgs_window){first < 0 ? 0 : first,
                                         last < portion->whole ? last : portion->whole};
    }
    return cgs_halo_of_windows(space, portion->cuts, windows, portion->first, halo);
}

/* ---- windows ---- */

/* Adds the message of what rank `owner` has of the window of rank `reader`. */
static void add_common(struct cgs_halo *halo, const int64_t *cuts, const struct cgs_window *window,
                       int owner, bool incoming, int peer, int64_t base)
{
    const int64_t first = cuts[owner] > window->first ? cuts[owner] : window->first;
    const int64_t last = cuts[owner + 1] < window->last ? cuts[owner + 1] : window->last;
    add_part(halo,
             &(struct cgs_halo_part){
                 .peer = peer, .incoming = incoming, .at = first - base, .count = last - first});
}

enum cgs_status cgs_halo_of_windows(const struct cgs_space *space, const int64_t *cuts,
                                    const struct cgs_window *windows, int64_t base,
                                    struct cgs_halo **halo)
{
    const struct cgs_comm *comm = space->queue->context->comm;
    const int rank = comm->rank;
    struct cgs_halo *made = NULL;
    CGS_TRY(alloc_halo(space, &made));
    for (int r = 0; r < comm->size; r++)
        if (r != rank) {
            add_common(made, cuts, &windows[r], rank, false, r, base);
            add_common(made, cuts, &windows[rank], r, true, r, base);
        }
    return complete(space, made, halo);
}

/* ---- exchange ---- */

static void pack(const struct cgs_halo *halo, const void *x)
{
    if (halo->number == CGS_F64)
        for (int64_t i = 0; i < halo->needed_count; i++)
            ((double *)(void *)halo->packed)[i] = ((const double *)x)[halo->needed[i]];
    else
        for (int64_t i = 0; i < halo->needed_count; i++)
            ((float *)(void *)halo->packed)[i] = ((const float *)x)[halo->needed[i]];
}

void cgs_halo_start(const struct cgs_halo *halo, const void *x)
{
    struct cgs_comm *comm = halo->context->comm;
    const int64_t bytes = cgs_number_bytes(halo->number);
    const double begin = cgs_now();
    pack(halo, x);
    for (int i = 0; i < halo->count; i++) {
        const struct cgs_halo_part *part = &halo->parts[i];
        char *from = part->listed ? halo->packed : (char *)x; /* only room for ghosts is written */
        halo->messages[i] = (struct cgs_message){.peer = part->peer,
                                                 .incoming = part->incoming,
                                                 .memory = from + part->at * bytes,
                                                 .bytes = part->count * bytes};
    }
    comm->ops->start(comm, halo->messages, halo->count);
    cgs_comm_count_exchange(halo->context, halo->messages, halo->count);
    cgs_comm_count_halo(halo->context, begin);
}

void cgs_halo_progress(const struct cgs_halo *halo)
{
    struct cgs_comm *comm = halo->context->comm;
    const double begin = cgs_now();
    if (!comm->ops->progress)
        return;
    comm->ops->progress(comm);
    cgs_comm_count_halo(halo->context, begin);
}

void cgs_halo_finish(const struct cgs_halo *halo)
{
    struct cgs_comm *comm = halo->context->comm;
    const double begin = cgs_now();
    comm->ops->finish(comm);
    cgs_comm_count_halo(halo->context, begin);
}

/* Exchanges numbers of a vector in the host's memory. */
static void exchange(const struct cgs_halo *halo, const void *x)
{
    cgs_halo_start(halo, x);
    cgs_halo_finish(halo);
}

enum cgs_status cgs_halo_exchange(const struct cgs_halo *halo, struct cgs_queue *queue,
                                  const struct cgs_cg_state *state, const void *x,
                                  const void *first)
{
    if (!halo)
        return CGS_OK;
    if (halo->ops) /* only room for ghosts is written */
        return halo->ops->exchange(halo->there, queue, state, (void *)x, (void *)first);
    if (state && !cgs_cg_going_on(state))
        return CGS_OK;
    exchange(halo, x);
    if (first && (!state || state->iteration == state->parity_base))
        exchange(halo, first);
    return CGS_OK;
}
