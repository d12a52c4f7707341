#include "solver/halo.h"

#include <string.h>

#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"

/* A message: numbers `at` ... at + count - 1 of a vector, or of the packed ones. */
struct part {
    int peer;
    bool incoming, packed;
    int64_t at, count;
};

struct cgs_halo {
    struct cgs_context *context;
    enum cgs_number number;
    int count; /* parts */
    struct part *parts;
    struct cgs_message *messages; /* one a part */
    int64_t *needed;              /* owned numbers that others need, by rank; NULL: nothing is packed */
    int64_t needed_count;
    char *packed; /* these numbers of x */
};

void cgs_halo_release(struct cgs_halo *halo)
{
    if (!halo)
        return;
    struct cgs_context *context = halo->context;
    cgs_free(context, halo->packed);
    cgs_free(context, halo->needed);
    cgs_free(context, halo->messages);
    cgs_free(context, halo->parts);
    cgs_free(context, halo);
}

/* Allocates an empty halo with room for a message to and from each rank. */
static enum cgs_status alloc_one(struct cgs_context *context, enum cgs_number number,
                                  struct cgs_halo **halo)
{
    const int64_t most = 2 * (int64_t)context->comm->size;
    struct cgs_halo *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "halo", (void **)&made));
    *made = (struct cgs_halo){.context = context, .number = number};
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
static enum cgs_status alloc_halo(struct cgs_context *context, enum cgs_number number,
                                  struct cgs_halo **halo)
{
    struct cgs_halo *made = NULL;
    const enum cgs_status status = cgs_comm_agree(context, alloc_one(context, number, &made));
    if (status == CGS_OK)
        *halo = made;
    else
        cgs_halo_release(made);
    return status;
}

static void add_part(struct cgs_halo *halo, const struct part *part)
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
        add_part(halo, &(struct part){
                           .peer = r, .packed = true, .at = packed, .count = counts->out[r]});
        add_part(halo,
                 &(struct part){.peer = r, .incoming = true, .at = at, .count = counts->in[r]});
        packed += counts->out[r];
        ghost += counts->in[r];
    }
}

/* The halo of ghosts in a list. */
static enum cgs_status make_listed(struct cgs_context *context, const struct cgs_portion *portion,
                                   enum cgs_number number, struct cgs_halo **halo)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_halo *made = NULL;
    struct counts counts;
    CGS_TRY(alloc_halo(context, number, &made));
    count_ghosts(comm, portion, &counts);
    const enum cgs_status status = cgs_comm_agree(context, alloc_needed(made, &counts));
    if (status != CGS_OK) {
        cgs_halo_release(made);
        return status;
    }
    comm->ops->swap(comm, portion->ghosts, counts.in, made->needed, counts.out);
    for (int64_t i = 0; i < made->needed_count; i++)
        made->needed[i] -= portion->first;
    list_parts(made, portion, &counts);
    *halo = made;
    return CGS_OK;
}

enum cgs_status cgs_halo_of_ghosts(struct cgs_context *context, const struct cgs_portion *portion,
                                   enum cgs_number number, struct cgs_halo **halo)
{
    struct cgs_window windows[CGS_RANKS_MOST];
    if (portion->ghosts)
        return make_listed(context, portion, number, halo);
    for (int r = 0; r < portion->ranks; r++) {
        const int64_t first = portion->cuts[r] - portion->reach;
        const int64_t last = portion->cuts[r + 1] + portion->reach;
        windows[r] = (struct cgs_window){first < 0 ? 0 : first,
                                         last < portion->whole ? last : portion->whole};
    }
    return cgs_halo_of_windows(context, portion->cuts, windows, portion->first, number, halo);
}

/* ---- windows ---- */

/* Adds the message of what rank `owner` has of the window of rank `reader`. */
static void add_common(struct cgs_halo *halo, const int64_t *cuts, const struct cgs_window *window,
                       int owner, bool incoming, int peer, int64_t base)
{
    const int64_t first = cuts[owner] > window->first ? cuts[owner] : window->first;
    const int64_t last = cuts[owner + 1] < window->last ? cuts[owner + 1] : window->last;
    add_part(halo, &(struct part){
                       .peer = peer, .incoming = incoming, .at = first - base, .count = last - first});
}

enum cgs_status cgs_halo_of_windows(struct cgs_context *context, const int64_t *cuts,
                                    const struct cgs_window *windows, int64_t base,
                                    enum cgs_number number, struct cgs_halo **halo)
{
    const int rank = context->comm->rank;
    struct cgs_halo *made = NULL;
    CGS_TRY(alloc_halo(context, number, &made));
    for (int r = 0; r < context->comm->size; r++)
        if (r != rank) {
            add_common(made, cuts, &windows[r], rank, false, r, base);
            add_common(made, cuts, &windows[rank], r, true, r, base);
        }
    *halo = made;
    return CGS_OK;
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

void cgs_halo_exchange(const struct cgs_halo *halo, const void *x)
{
    if (!halo)
        return;
    struct cgs_comm *comm = halo->context->comm;
    const int64_t bytes = cgs_number_bytes(halo->number);
    const double begin = cgs_now();
    pack(halo, x);
    for (int i = 0; i < halo->count; i++) {
        const struct part *part = &halo->parts[i];
        char *from = part->packed ? halo->packed : (char *)x; /* only room for ghosts is written */
        halo->messages[i] = (struct cgs_message){.peer = part->peer,
                                                 .incoming = part->incoming,
                                                 .memory = from + part->at * bytes,
                                                 .bytes = part->count * bytes};
    }
    comm->ops->start(comm, halo->messages, halo->count);
    comm->ops->finish(comm);
    cgs_comm_count_halo(halo->context, begin, halo->messages, halo->count);
}
