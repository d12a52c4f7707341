#include "tests/support/ranks.h"

#include <pthread.h>
#include <string.h>

#include "tests/support/check.h"

/* Data that a rank shows the others between two barriers. */
struct shown {
    const void *memory;
    const int *counts;
    const struct cgs_message *messages;
    int message_count;
};

struct team {
    pthread_barrier_t barrier;
    struct shown shown[TEAM_MOST];
    void (*work)(struct cgs_context *context, void *user);
    void *user;
    int size;
};

struct member {
    struct team *team;
    const struct cgs_message *messages; /* between start and finish, else NULL */
    int message_count;
    struct cgs_comm comm;
};

static struct team *team_of(const struct cgs_comm *comm)
{
    return ((struct member *)comm->self)->team;
}

/* Shows memory to the others; until `hide` they may read it. */
static void show(struct cgs_comm *comm, const struct shown *shown)
{
    team_of(comm)->shown[comm->rank] = *shown;
    pthread_barrier_wait(&team_of(comm)->barrier);
}

static void hide(struct cgs_comm *comm)
{
    pthread_barrier_wait(&team_of(comm)->barrier);
}

static void copy_all(struct cgs_comm *comm, const int *counts, double *all)
{
    for (int r = 0; r < comm->size; all += counts[r++])
        memcpy(all, team_of(comm)->shown[r].memory, (size_t)counts[r] * sizeof *all);
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    show(comm, &(struct shown){.memory = mine});
    copy_all(comm, counts, all);
    hide(comm);
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    show(comm, &(struct shown){.memory = memory});
    if (comm->rank != root)
        memcpy(memory, team_of(comm)->shown[root].memory, (size_t)bytes);
    hide(comm);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    show(comm, &(struct shown){.memory = out, .counts = out_counts});
    for (int r = 0; r < comm->size; in += in_counts[r++]) {
        const struct shown *from = &team_of(comm)->shown[r];
        const int64_t *at = from->memory;
        for (int before = 0; before < comm->rank; before++)
            at += from->counts[before];
        ck_assert_int_eq(from->counts[comm->rank], in_counts[r]);
        memcpy(in, at, (size_t)in_counts[r] * sizeof *in);
    }
    hide(comm);
}

/* Returns the message of rank `from` to this one. */
static const struct cgs_message *find_message(const struct cgs_comm *comm, int from)
{
    const struct shown *shown = &team_of(comm)->shown[from];
    for (int i = 0; i < shown->message_count; i++)
        if (!shown->messages[i].incoming && shown->messages[i].peer == comm->rank)
            return &shown->messages[i];
    ck_abort_msg("rank %d waits for a message of rank %d, which sends none", comm->rank, from);
}

/* Fills what is to come with NaN until `finish`, so that nobody reads it before. */
static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    struct member *member = comm->self;
    ck_assert_ptr_null(member->messages);
    member->messages = messages;
    member->message_count = count;
    for (int i = 0; i < count; i++)
        if (messages[i].incoming)
            memset(messages[i].memory, 0xff, (size_t)messages[i].bytes);
}

static void finish(struct cgs_comm *comm)
{
    struct member *member = comm->self;
    const struct cgs_message *messages = member->messages;
    ck_assert_ptr_nonnull(messages);
    show(comm, &(struct shown){.messages = messages, .message_count = member->message_count});
    for (int i = 0; i < member->message_count; i++) {
        const struct cgs_message *mine = &messages[i];
        if (!mine->incoming)
            continue;
        const struct cgs_message *theirs = find_message(comm, mine->peer);
        ck_assert_int_eq(theirs->bytes, mine->bytes);
        memcpy(mine->memory, theirs->memory, (size_t)mine->bytes);
    }
    hide(comm);
    member->messages = NULL;
}

static void progress(struct cgs_comm *comm)
{
    ck_assert_ptr_nonnull(((struct member *)comm->self)->messages);
}

static const struct cgs_comm_ops operations = {
    .gather = gather,
    .share = share,
    .swap = swap,
    .start = start,
    .finish = finish,
    .progress = progress,
};

static void *run_member(void *argument)
{
    struct member *member = argument;
    struct cgs_context context;
    cgs_context_init(&context);
    context.threads = 1;
    context.comm = member->team->size > 1 ? &member->comm : NULL;
    member->team->work(&context, member->team->user);
    ck_assert_int_eq(context.host_bytes, 0);
    return NULL;
}

void team_run(int ranks, void (*work)(struct cgs_context *context, void *user), void *user)
{
    struct team team = {.work = work, .user = user, .size = ranks};
    struct member members[TEAM_MOST];
    pthread_t threads[TEAM_MOST];
    ck_assert_int_le(ranks, TEAM_MOST);
    pthread_barrier_init(&team.barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        members[r] = (struct member){.team = &team,
                                     .comm = {.ops = &operations,
                                              .self = &members[r],
                                              .rank = r,
                                              .size = ranks,
                                              .on_host = ranks}};
        ck_assert_int_eq(pthread_create(&threads[r], NULL, run_member, &members[r]), 0);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&team.barrier);
}
