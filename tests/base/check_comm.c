/* Data that ranks fetch from each other (base/comm.h): items of any size, in messages of any
 * piece; and a communicator that is lost. */
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/ranks.h"

enum { RANKS = 3, ITEMS = 60, SIZE = 12 };

struct task {
    int64_t cuts[RANKS + 1], first[RANKS], last[RANKS];
    int64_t piece;
    int starts[RANKS]; /* exchanges */
};

/* The operations of the communicator, with exchanges counted. */
static _Thread_local const struct cgs_comm_ops *plain_ops;
static _Thread_local int starts;

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    for (int i = 0; i < count; i++)
        ck_assert(messages[i].bytes > 0 && (!comm->piece || messages[i].bytes <= comm->piece));
    starts++;
    plain_ops->start(comm, messages, count);
}

static void set_item(char *item, int64_t i)
{
    for (int k = 0; k < SIZE; k++)
        item[k] = (char)(7 * i + k);
}

static void fetch(struct cgs_context *context, void *user)
{
    struct task *task = user;
    struct cgs_comm *comm = context->comm;
    const int r = comm->rank;
    const int64_t begin = task->cuts[r], end = task->cuts[r + 1], first = task->first[r];
    char mine[ITEMS * SIZE], wanted[(ITEMS + 1) * SIZE], right[SIZE];
    struct cgs_comm_ops ops = *comm->ops;
    for (int64_t i = begin; i < end; i++)
        set_item(mine + (i - begin) * SIZE, i);
    memset(wanted, -1, sizeof wanted);
    plain_ops = comm->ops;
    ops.start = start;
    comm->ops = &ops;
    comm->piece = task->piece;
    starts = 0;
    const struct cgs_comm_ranges ranges = {task->cuts, task->first, task->last};
    cgs_comm_fetch_items(context, &ranges, SIZE, mine, begin, wanted);
    task->starts[r] = starts;
    for (int64_t i = first; i < task->last[r]; i++) {
        set_item(right, i);
        ck_assert_msg(memcmp(wanted + (i - first) * SIZE, right, SIZE) == 0, "rank %d: item %d", r,
                      (int)i);
    }
    ck_assert_int_eq(wanted[(task->last[r] - first) * SIZE], -1);
}

/* Rank 1 sends 20 items, 240 bytes, to each of the others, who send it 120. */
TEST(items_come_in_pieces)
{
    static const struct {
        int64_t piece;
        int rounds;
    } list[] = {{0, 1}, {240, 1}, {239, 2}, {50, 5}, {1, 240}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct task task = {.cuts = {0, 20, 40, ITEMS},
                            .first = {10, 10, 10},
                            .last = {50, 50, 50},
                            .piece = list[i].piece};
        team_run(RANKS, fetch, &task);
        for (int r = 0; r < RANKS; r++)
            ck_assert_int_eq(task.starts[r], list[i].rounds);
    }
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    (void)mine;
    for (int r = 0; r < comm->size; all += counts[r++])
        memset(all, 0, (size_t)counts[r] * sizeof *all); /* as one that has failed */
    snprintf(comm->why, sizeof comm->why, "MPI_X failed: because");
    comm->lost = true;
}

/* A rank whose communicator fails says so, once it is asked, and asks nobody any more. */
TEST(a_lost_communicator)
{
    static const struct cgs_comm_ops ops = {.gather = gather}; /* all others would crash */
    struct cgs_context context;
    struct cgs_comm comm = {.ops = &ops, .rank = 1, .size = 2};
    cgs_context_init(&context);
    context.comm = &comm;
    ck_assert_double_eq(cgs_comm_sum(&context, 3.0), 0.0);
    cgs_fail(&context, CGS_BREAKDOWN, "a consequence of these zeros");
    comm.ops = NULL;
    ck_assert_int_eq(cgs_comm_agree(&context, context.status), CGS_LOST);
    ck_assert_int_eq(context.status, CGS_LOST);
    ck_assert_str_eq(context.message,
                     "rank 1: MPI_X failed: because; ranks that have not seen it may "
                     "wait: end all");
    comm = (struct cgs_comm){.ops = &ops, .size = 2};
    cgs_context_init(&context);
    context.comm = &comm;
    ck_assert_int_eq(cgs_comm_agree(&context, CGS_OK), CGS_LOST); /* in the vote itself */
}

int main(void)
{
    return run_tests("comm", 60, NULL, NULL);
}
