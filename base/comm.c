#include "base/comm.h"

#include <stdio.h>

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

/* Returns the lowest rank that failed, or comm->size; *all: every rank failed, each in the same way. */
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
        cgs_fail_at(context, file, failure.line, status, "%s", failure.message);
    else
        cgs_fail_at(context, file, failure.line, status, "rank %d: %s", root, failure.message);
}

enum cgs_status cgs_comm_agree(struct cgs_context *context, enum cgs_status status)
{
    struct cgs_comm *comm = context->comm;
    double statuses[CGS_RANKS_MOST];
    bool all;
    if (!comm || comm->ended)
        return status;
    if (comm->ops->vote)
        comm->ops->vote(comm, status, context->message, statuses);
    else
        gather_one(comm, (double)status, statuses);
    const int root = who_failed(comm, statuses, &all);
    if (root == comm->size)
        return CGS_OK;
    const enum cgs_status agreed = (enum cgs_status)statuses[root];
    take_over(context, root, agreed, all);
    comm->ended = true;
    return agreed;
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

double cgs_comm_first_of(struct cgs_context *context, double mine)
{
    if (context->comm)
        context->comm->ops->share(context->comm, 0, &mine, (int64_t)sizeof mine);
    return mine;
}
