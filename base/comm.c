#include "base/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/memory.h"

/* Message of a failure and its line, as one rank tells the others. */
struct failure {
    char message[sizeof((struct cgs_context *)0)->message];
    int line;
};

int cgs_comm_size(const struct cgs_context *context)
{
    return context->comm ? context->comm->size : 1;
}

bool cgs_comm_first(const struct cgs_context *context)
{
    return !context->comm || context->comm->rank == 0;
}

/* all[r] = the number of rank r, on every rank. all: comm->size numbers. */
static void gather_one(struct cgs_comm *comm, double mine, double *all)
{
    int counts[CGS_RANKS_MOST];
    for (int r = 0; r < comm->size; r++)
        counts[r] = 1;
    comm->ops->gather(comm, &mine, counts, all);
}

/* Returns the lowest rank that failed, or comm->size; *all: every rank failed, each in the same
 * way. */
static int who_failed(const struct cgs_comm *comm, const double *statuses, bool *all)
{
    int first = comm->size;
    *all = true;
    for (int r = comm->size - 1; r >= 0; r--) {
        if (statuses[r] != (double)CGS_OK)
            first = r;
        *all = *all && statuses[r] == statuses[0];
    }
    return first;
}

/* Takes the message of rank `root` over, with its number unless everybody failed. */
static void take_over(struct cgs_context *context, int root, enum cgs_status status, bool all)
{
    struct cgs_comm *comm = context->comm;
    struct failure failure = {.line = context->line};
    snprintf(failure.message, sizeof failure.message, "%s", context->message);
    comm->ops->share(comm, root, &failure, (int64_t)sizeof failure);
    const char *file = context->file ? context->file : __FILE__;
    context->status = CGS_OK;
    if (all || status == CGS_INTERRUPTED)
        cgs_fail_at(context, file, failure.line, status, "%s", "");
    else
        cgs_fail_at(context, file, failure.line, status, "rank %d: ", root);
    /* what follows is plain, with its ends of lines */
    const size_t used = strlen(context->message);
    snprintf(context->message + used, sizeof context->message - used, "%s", failure.message);
}

/* Fails for a communicator that is lost, whatever else has failed since. */
static enum cgs_status fail_lost(struct cgs_context *context)
{
    struct cgs_comm *comm = context->comm;
    comm->ended = true;
    context->status = CGS_OK;
    return cgs_fail(context, CGS_LOST, "rank %d: %s; ranks that have not seen it may wait: end all",
                    comm->rank, comm->why);
}

enum cgs_status cgs_comm_agree(struct cgs_context *context, enum cgs_status status)
{
    struct cgs_comm *comm = context->comm;
    double statuses[CGS_RANKS_MOST];
    bool all;
    if (!comm || comm->ended)
        return status;
    if (comm->lost)
        return fail_lost(context);
    if (comm->ops->vote)
        comm->ops->vote(comm, status, context->message, statuses);
    else
        gather_one(comm, (double)status, statuses);
    if (comm->lost)
        return fail_lost(context);
    const int root = who_failed(comm, statuses, &all);
    if (root == comm->size)
        return CGS_OK;
    const enum cgs_status agreed = (enum cgs_status)statuses[root];
    take_over(context, root, agreed, all);
    comm->ended = true;
    return comm->lost ? fail_lost(context) : agreed;
}

double cgs_comm_sum(struct cgs_context *context, double mine)
{
    double all[CGS_RANKS_MOST], sum = 0.0;
    if (!context->comm)
        return mine;
    gather_one(context->comm, mine, all);
    for (int r = 0; r < context->comm->size; r++)
        sum += all[r];
    return sum;
}

double cgs_comm_most(struct cgs_context *context, double mine)
{
    double all[CGS_RANKS_MOST], most = mine;
    if (!context->comm)
        return mine;
    gather_one(context->comm, mine, all);
    for (int r = 0; r < context->comm->size; r++)
        most = all[r] > most ? all[r] : most;
    return most;
}

void cgs_comm_each(struct cgs_context *context, double mine, double *all)
{
    if (context->comm)
        gather_one(context->comm, mine, all);
    else
        all[0] = mine;
}

void cgs_comm_starts(struct cgs_context *context, int64_t mine, int64_t *starts)
{
    double all[CGS_RANKS_MOST];
    cgs_comm_each(context, (double)mine, all);
    starts[0] = 0;
    for (int r = 0; r < cgs_comm_size(context); r++)
        starts[r + 1] = starts[r] + (int64_t)all[r];
}

double cgs_comm_first_of(struct cgs_context *context, double mine)
{
    if (context->comm)
        context->comm->ops->share(context->comm, 0, &mine, (int64_t)sizeof mine);
    return mine;
}

/* ---- parts of vectors ---- */

/* Returns how many numbers of rank `owner` are wanted by rank `to`, and the first of them in
 * *begin. */
static int64_t overlap(const struct cgs_comm_ranges *ranges, int owner, int to, int64_t *begin)
{
    *begin = cgs_most(ranges->cuts[owner], ranges->first[to]);
    return cgs_most(cgs_least(ranges->cuts[owner + 1], ranges->last[to]) - *begin, 0);
}

/* Lists the messages of items that this rank sends and receives, without their memory: `at` has
 * the first item of each. */
static int list_messages(const struct cgs_comm *comm, const struct cgs_comm_ranges *ranges,
                         int64_t size, struct cgs_message *messages, int64_t *at)
{
    const int self = comm->rank;
    int listed = 0;
    for (int r = 0; r < comm->size; r++)
        for (int incoming = 0; incoming < 2; incoming++) {
            const int64_t count =
                r == self ? 0
                          : overlap(ranges, incoming ? r : self, incoming ? self : r, &at[listed]);
            if (count > 0)
                messages[listed++] =
                    (struct cgs_message){.peer = r, .incoming = incoming, .bytes = count * size};
        }
    return listed;
}

/* In rounds, of which each brings a piece that MPI can count. The two sides of a message have as
 * many pieces, so that no rank needs to know the rounds of others. */
void cgs_comm_exchange(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    const int64_t piece = comm->piece ? comm->piece : INT64_C(1) << 30;
    struct cgs_message now[2 * CGS_RANKS_MOST];
    int64_t longest = 0, done = 0;
    for (int i = 0; i < count; i++)
        longest = cgs_most(longest, messages[i].bytes);
    do {
        int active = 0;
        for (int i = 0; i < count; i++)
            if (messages[i].bytes > done) {
                now[active] = messages[i];
                now[active].memory = (char *)messages[i].memory + done;
                now[active++].bytes = cgs_least(messages[i].bytes - done, piece);
            }
        comm->ops->start(comm, now, active);
        comm->ops->finish(comm);
        done += piece;
    } while (done < longest);
}

void cgs_comm_fetch_items(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                          int64_t size, const void *mine, int64_t from, void *wanted)
{
    struct cgs_comm *comm = context->comm;
    struct cgs_message messages[2 * CGS_RANKS_MOST];
    int64_t begin, at[2 * CGS_RANKS_MOST];
    const int64_t first = ranges->first[comm->rank];
    const int64_t count = overlap(ranges, comm->rank, comm->rank, &begin);
    if (count > 0)
        memmove((char *)wanted + (begin - first) * size, (const char *)mine + (begin - from) * size,
                (size_t)(count * size));
    const int listed = list_messages(comm, ranges, size, messages, at);
    for (int i = 0; i < listed; i++)
        messages[i].memory = messages[i].incoming ? (char *)wanted + (at[i] - first) * size
                                                  : (char *)mine + (at[i] - from) * size;
    cgs_comm_exchange(comm, messages, listed);
}

void cgs_comm_fetch(struct cgs_context *context, const struct cgs_comm_ranges *ranges,
                    const double *mine, int64_t from, double *wanted)
{
    cgs_comm_fetch_items(context, ranges, (int64_t)sizeof *mine, mine, from, wanted);
}

void cgs_comm_recut(struct cgs_context *context, int64_t size, const int64_t *from,
                    const void *mine, const int64_t *to, void *there)
{
    const struct cgs_comm_ranges ranges = {from, to, to + 1};
    if (context->comm)
        cgs_comm_fetch_items(context, &ranges, size, mine, from[context->comm->rank], there);
    else
        memcpy(there, mine, (size_t)(to[1] * size));
}

enum cgs_status cgs_comm_complete(struct cgs_context *context, const int64_t *starts, int numbers,
                                  double *records)
{
    struct cgs_comm *comm = context->comm;
    int counts[CGS_RANKS_MOST];
    double *mine = NULL;
    if (!comm)
        return CGS_OK;
    const int64_t first = starts[comm->rank] * numbers;
    const int64_t count = starts[comm->rank + 1] * numbers - first;
    enum cgs_status status =
        cgs_alloc(context, cgs_most(count, 1), sizeof *mine, "records of a rank", (void **)&mine);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        memcpy(mine, records + first, (size_t)count * sizeof *mine);
        for (int r = 0; r < comm->size; r++)
            counts[r] = (int)((starts[r + 1] - starts[r]) * numbers);
        comm->ops->gather(comm, mine, counts, records);
    }
    cgs_free(context, mine);
    return status;
}

/* ---- time ---- */

static bool solving(const struct cgs_context *context)
{
    return context->watch.current == CGS_PHASE_SOLVE;
}

void cgs_comm_count_halo(const struct cgs_context *context, double begin)
{
    if (solving(context))
        context->comm->time.halos += cgs_now() - begin;
}

void cgs_comm_count_exchange(const struct cgs_context *context, const struct cgs_message *messages,
                             int count)
{
    struct cgs_comm_time *time = &context->comm->time;
    if (!solving(context))
        return;
    time->halo_count++;
    for (int i = 0; i < count; i++)
        time->halo_bytes += messages[i].incoming ? messages[i].bytes : 0;
}

void cgs_comm_count_sum(const struct cgs_context *context, double begin, double waited)
{
    struct cgs_comm_time *time = &context->comm->time;
    time->waiting += waited;
    time->last_sum = 0.0;
    if (!solving(context))
        return;
    time->last_sum = cgs_now() - begin;
    time->sums += time->last_sum;
    time->sum_count++;
}
