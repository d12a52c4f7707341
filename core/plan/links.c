#include "core/plan/links.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"

enum { BATCHES = 5, FIRST = 3, REPEATS_MOST = 300, NUMBERS_MOST = 1024, SIDES = 2 };
static const double BATCH_SECONDS = 0.01;
static const int64_t SMALL = 8, LARGE_LEAST = 65536, LARGE_MOST = 4 << 20; /* bytes of messages */

/* An operation to time: an exchange with the ranks before and after, or a gathering. */
struct operation {
    struct cgs_comm *comm;
    struct cgs_message messages[2 * SIDES];
    int message_count; /* 0: a gathering */
    double *all;
    int counts[CGS_RANKS_MOST];
};

static void run_once(struct operation *op)
{
    double mine[NUMBERS_MOST] = {0};
    if (op->message_count == 0) {
        op->comm->ops->gather(op->comm, mine, op->counts, op->all);
        return;
    }
    op->comm->ops->start(op->comm, op->messages, op->message_count);
    op->comm->ops->finish(op->comm);
}

/* Seconds of one, on the slowest rank; all begin together. */
static double time_batch(struct cgs_context *context, struct operation *op, int repeats)
{
    cgs_comm_sum(context, 0.0);
    const double begin = cgs_now();
    for (int i = 0; i < repeats; i++)
        run_once(op);
    return cgs_comm_most(context, cgs_now() - begin) / repeats;
}

static double least_time(struct cgs_context *context, struct operation *op)
{
    const double one = fmax(time_batch(context, op, FIRST), 1e-9); /* the same on all ranks */
    const int repeats = (int)fmin(fmax(BATCH_SECONDS / one, FIRST), REPEATS_MOST);
    double least = one;
    for (int b = 0; b < BATCHES; b++)
        least = fmin(least, time_batch(context, op, repeats));
    return least;
}

/* Lists the messages of a slab, to and from `memory`, which has room for four. */
static void list_messages(struct operation *op, char *memory, int64_t bytes)
{
    const int peers[SIDES] = {op->comm->rank - 1, op->comm->rank + 1};
    op->message_count = 0;
    for (int side = 0; side < SIDES; side++) {
        if (peers[side] < 0 || peers[side] >= op->comm->size)
            continue;
        for (int way = 0; way < 2; way++) {
            op->messages[op->message_count++] = (struct cgs_message){
                .peer = peers[side], .incoming = way == 1, .memory = memory, .bytes = bytes};
            memory += bytes;
        }
    }
}

static void measure(struct cgs_context *context, int64_t large, int numbers, double *room,
                    struct cgs_links *links)
{
    struct cgs_comm *comm = context->comm;
    const double sides = comm->size > 2 ? SIDES : 1.0;
    struct operation op = {.comm = comm, .all = room};
    for (int r = 0; r < comm->size; r++)
        op.counts[r] = numbers;
    links->gathering = least_time(context, &op);
    list_messages(&op, (char *)room, SMALL);
    const double small = least_time(context, &op);
    list_messages(&op, (char *)room, large);
    const double more = least_time(context, &op) - small;
    links->message = small / sides;
    links->bandwidth = sides * (double)large / fmax(more, 1e-9);
}

enum cgs_status cgs_links_measure(struct cgs_context *context, int64_t bytes, int numbers,
                                  struct cgs_links *links)
{
    const int64_t large = bytes < LARGE_LEAST  ? LARGE_LEAST
                          : bytes > LARGE_MOST ? LARGE_MOST
                                               : bytes;
    const int64_t messages = 2 * SIDES * large;
    const int64_t gathered = (int64_t)sizeof(double) * numbers * context->comm->size;
    const int64_t all = messages > gathered ? messages : gathered;
    double *room;
    CGS_TRY(
        cgs_comm_agree(context, cgs_alloc(context, all, 1, "messages to time", (void **)&room)));
    memset(room, 0, (size_t)all);
    measure(context, large, numbers, room, links);
    cgs_free(context, room);
    return CGS_OK;
}
