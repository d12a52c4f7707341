/* core/ranks/local: all operations between 2, 3 and 5 processes, with counts of zero and of
 * several pieces; and what ranks do that die, are stopped, fail or wait for nothing: each time
 * in a program of its own, which must end with one message and leave no process. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/io/interrupt.h"
#include "core/ranks/local.h"
#include "tests/support/support.h"

/* ---- operations ---- */

enum { ROUNDS = 24, MOST = 5 };

/* Numbers that rank `from` sends to rank `to` in a round: none, a few, or several pieces of the
 * outbox. */
static int count_of(int round, int from, int to)
{
    const uint64_t bits = cgs_splitmix64((uint64_t)(round * 1000 + from * 30 + to));
    const int most[] = {0, 7, 3000, 400000};
    const int size = most[bits % 4];
    return size == 0 ? 0 : (int)((bits >> 8) % (uint64_t)size);
}

static double number_of(int round, int from, int to, int i)
{
    return cgs_random(((uint64_t)(round * 1000 + from * 30 + to) << 24) + (uint64_t)i);
}

/* Buffers of a rank: what it sends, and what comes. */
struct buffers {
    double *out, *in;
    int out_counts[MOST], in_counts[MOST];
};

static void take_buffers(struct buffers *b)
{
    enum { LENGTH = MOST * 400000 };
    b->out = malloc(LENGTH * sizeof *b->out);
    b->in = malloc(LENGTH * sizeof *b->in);
    ck_assert(b->out && b->in);
}

static void release_buffers(struct buffers *b)
{
    free(b->out);
    free(b->in);
}

/* Fills what this rank sends: to each rank its own, or the same to all. */
static void fill(struct buffers *b, const struct cgs_comm *comm, int round, bool same)
{
    double *out = b->out;
    for (int r = 0; r < comm->size; r++) {
        b->out_counts[r] = count_of(round, comm->rank, same ? 0 : r);
        b->in_counts[r] = count_of(round, r, same ? 0 : comm->rank);
        for (int i = 0; i < b->out_counts[r] && (!same || r == 0); i++)
            *out++ = number_of(round, comm->rank, same ? 0 : r, i);
    }
    for (int r = 0, at = 0; r < comm->size; at += b->in_counts[r++])
        for (int i = 0; i < b->in_counts[r]; i++)
            b->in[at + i] = -7.0;
}

/* Returns how many numbers are not those of the ranks in their order. */
static int wrong(const struct buffers *b, const struct cgs_comm *comm, int round, bool same)
{
    const double *in = b->in;
    int errors = 0;
    for (int r = 0; r < comm->size; r++)
        for (int i = 0; i < b->in_counts[r]; i++)
            errors += *in++ != number_of(round, r, same ? 0 : comm->rank, i);
    return errors;
}

static int try_gather(struct cgs_comm *comm, struct buffers *b, int round)
{
    fill(b, comm, round, true);
    comm->ops->gather(comm, b->out, b->in_counts, b->in);
    return wrong(b, comm, round, true);
}

static int try_swap(struct cgs_comm *comm, struct buffers *b, int round)
{
    fill(b, comm, round, false);
    comm->ops->swap(comm, (const int64_t *)b->out, b->out_counts, (int64_t *)b->in, b->in_counts);
    return wrong(b, comm, round, false);
}

/* Messages of all pairs, the incoming ones from the last rank on; a gathering comes between. */
static int try_messages(struct cgs_comm *comm, struct buffers *b, int round)
{
    struct cgs_message messages[2 * MOST];
    double all[MOST], *out = b->out, *in = b->in, mine = comm->rank;
    int counts[MOST] = {1, 1, 1, 1, 1}, listed = 0, errors = 0;
    fill(b, comm, round, false);
    for (int r = 0; r < comm->size; out += b->out_counts[r++])
        if (r != comm->rank)
            messages[listed++] = (struct cgs_message){
                .peer = r, .memory = out, .bytes = 8 * (int64_t)b->out_counts[r]};
    for (int r = 0; r < comm->size; in += b->in_counts[r++])
        if (r != comm->rank)
            messages[listed++] = (struct cgs_message){
                .peer = r, .incoming = true, .memory = in, .bytes = 8 * (int64_t)b->in_counts[r]};
    comm->ops->start(comm, messages, listed);
    comm->ops->gather(comm, &mine, counts, all);
    for (int i = 0; i < round; i++)
        comm->ops->progress(comm);
    comm->ops->finish(comm);
    in = b->in;
    for (int r = 0; r < comm->size; in += b->in_counts[r++])
        for (int i = 0; i < b->in_counts[r]; i++)
            errors += r == comm->rank ? in[i] != -7.0 : in[i] != number_of(round, r, comm->rank, i);
    for (int r = 0; r < comm->size; r++)
        errors += all[r] != r;
    return errors;
}

static int try_share(struct cgs_comm *comm, struct buffers *b, int round)
{
    const int root = round % comm->size, count = count_of(round, root, root);
    int errors = 0;
    for (int i = 0; i < count; i++)
        b->in[i] = comm->rank == root ? number_of(round, root, root, i) : -7.0;
    comm->ops->share(comm, root, b->in, 8 * (int64_t)count);
    for (int i = 0; i < count; i++)
        errors += b->in[i] != number_of(round, root, root, i);
    return errors;
}

static int try_vote(struct cgs_comm *comm, struct buffers *b, int round)
{
    int errors = 0;
    comm->ops->vote(comm, (enum cgs_status)((comm->rank + round) % 3), "of a test", b->in);
    for (int r = 0; r < comm->size; r++)
        errors += b->in[r] != (r + round) % 3;
    return errors;
}

static int (*const operations[])(struct cgs_comm *, struct buffers *, int) = {
    try_gather, try_swap, try_messages, try_share, try_vote};
enum { OPERATIONS = sizeof operations / sizeof *operations };

LOOP_TEST(all_operations, 3)
{
    static const int sizes[] = {2, 3, 5};
    const int ranks = sizes[_i];
    struct cgs_context context;
    struct cgs_comm *comm;
    struct buffers buffers;
    int errors[OPERATIONS] = {0};
    cgs_context_init(&context);
    ck_assert_int_eq(cgs_local_open(&context, ranks, &comm), CGS_OK);
    context.comm = comm;
    ck_assert_int_eq(comm->size, ranks);
    ck_assert_int_eq(comm->on_host, ranks);
    ck_assert_int_eq(comm->host, 0);
    take_buffers(&buffers);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < OPERATIONS; k++)
            errors[k] += operations[k](comm, &buffers, round);
    double all[OPERATIONS];
    for (int k = 0; k < OPERATIONS; k++)
        all[k] = cgs_comm_sum(&context, errors[k]);
    const double ranks_seen = cgs_comm_sum(&context, comm->rank);
    release_buffers(&buffers);
    const bool child = comm->rank > 0;
    cgs_local_close(comm);
    if (child)
        _exit(0);
    for (int k = 0; k < OPERATIONS; k++)
        ck_assert_msg(all[k] == 0.0, "operation %d: %g numbers are wrong", k, all[k]);
    ck_assert(ranks_seen == ranks * (ranks - 1) / 2.0);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* all are reaped */
    ck_assert_int_eq(errno, ECHILD);
}

/* ---- ranks that are lost ---- */

static void gather_for_ever(struct cgs_context *context)
{
    for (;;)
        cgs_comm_sum(context, 1.0);
}

static void compute_for_ever(void)
{
    for (const double begin = cgs_now(); cgs_now() - begin < 100.0;)
        ;
}

static void die(struct cgs_context *context)
{
    if (context->comm->rank == 1)
        raise(SIGKILL);
    gather_for_ever(context);
}

static void leave(struct cgs_context *context)
{
    if (context->comm->rank == 2)
        _exit(3);
    gather_for_ever(context);
}

static void die_while_others_compute(struct cgs_context *context)
{
    cgs_comm_sum(context, 1.0);
    if (context->comm->rank == 1)
        raise(SIGKILL);
    compute_for_ever();
}

static void die_first(struct cgs_context *context)
{
    if (context->comm->rank == 0)
        raise(SIGKILL);
    compute_for_ever();
}

static void fail_together(struct cgs_context *context)
{
    enum cgs_status status = CGS_OK;
    if (context->comm->rank == 1)
        status = cgs_fail(context, CGS_FILE, "no such file");
    cgs_comm_agree(context, status);
    if (context->comm->rank == 0)
        fprintf(stderr, "%s\n", context->message);
}

static void fail_alone(struct cgs_context *context)
{
    if (context->comm->rank == 1)
        cgs_comm_agree(context, cgs_fail(context, CGS_FILE, "no such file"));
    gather_for_ever(context);
}

static void fail_first(struct cgs_context *context)
{
    if (context->comm->rank == 0)
        cgs_comm_agree(context, cgs_fail(context, CGS_MEMORY, "no memory"));
    compute_for_ever();
}

/* Ends like a rank whose device has waited in vain for another one's. */
static void lose(struct cgs_context *context)
{
    static const volatile int32_t silent = 2;
    if (context->comm->rank == 1) {
        context->comm->silent = &silent;
        cgs_comm_agree(context, cgs_fail(context, CGS_DEVICE, "the GPU of rank 2 does not answer"));
    }
    compute_for_ever();
}

/* A rank that is asked to end twice. */
static void be_asked_twice(struct cgs_context *context)
{
    if (context->comm->rank == 1) {
        raise(SIGTERM);
        raise(SIGTERM);
    }
    gather_for_ever(context);
}

/* A rank that is stopped, and goes on, is waited for. */
static void stop_for_a_while(struct cgs_context *context)
{
    const pid_t mine = getpid();
    if (context->comm->rank == 1 && fork() == 0) {
        usleep(1500000);
        kill(mine, SIGCONT);
        _exit(0);
    }
    if (context->comm->rank == 1)
        raise(SIGSTOP);
    cgs_comm_sum(context, 1.0);
}

static const struct ending {
    void (*work)(struct cgs_context *);
    int status, signal; /* of the program */
    const char *said;   /* what its only line begins with, "%" for a number; "": nothing */
} endings[] = {
    {die, 8, 0, "cgsolve: rank 1 (process %) was ended by signal 9; all ranks end"},
    {leave, 8, 0, "cgsolve: rank 2 (process %) has ended with exit status 3; all ranks end"},
    {die_while_others_compute, 8, 0, "cgsolve: rank 1 (process %) was ended by signal 9"},
    {die_first, 0, SIGKILL, ""},
    {fail_together, 4, 0, "rank 1: no such file"},
    {fail_alone, 4, 0, "cgsolve: rank 1: no such file"},
    {fail_first, 5, 0, "cgsolve: rank 0: no memory"},
    {lose, 6, 0, "cgsolve: the GPU of rank 2 does not answer"},
    {be_asked_twice, 0, SIGTERM, ""},
    {stop_for_a_while, 0, 0, ""},
};

/* A program of three ranks; says what it says to `pipe`. */
static void be_program(void (*work)(struct cgs_context *), int pipe)
{
    struct cgs_context context;
    struct cgs_comm *comm;
    dup2(pipe, STDERR_FILENO);
    close(pipe);
    cgs_context_init(&context);
    cgs_interrupt_catch();
    if (cgs_local_open(&context, 3, &comm) != CGS_OK)
        _exit(99);
    context.comm = comm;
    work(&context);
    cgs_local_close(comm);
    _exit(cgs_status_exit(context.status));
}

/* Returns true if the text begins so. */
static bool begins(const char *text, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (*pattern != '%' && *text++ != *pattern)
            return false;
        if (*pattern == '%')
            text += strspn(text, "0123456789");
    }
    return true;
}

/* Its pipe ends when all of its processes have ended. */
LOOP_TEST(programs_end, sizeof endings / sizeof *endings)
{
    const struct ending *ending = &endings[_i];
    char said[1024];
    size_t length = 0;
    ssize_t got;
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    const double begin = cgs_now();
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_program(ending->work, ends[1]);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + length, sizeof said - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = '\0';
    const double seconds = cgs_now() - begin;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(begins(said, ending->said) && (ending->said[0] || length == 0), "case %d: '%s'",
                  _i, said);
    ck_assert_msg(!strchr(said, '\n') || strchr(said, '\n')[1] == '\0', "case %d: '%s'", _i, said);
    if (ending->signal)
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == ending->signal, "case %d: %x", _i,
                      (unsigned)status);
    else
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == ending->status, "case %d: %x", _i,
                      (unsigned)status);
    ck_assert_msg(seconds < 10.0, "case %d: %g s", _i, seconds);
}

int main(void)
{
    if (getenv("CK_FORK") && getenv("CK_FORK")[0] == 'n')
        exit(77); /* a process has children of its own once */
    return bed_run(suite_of("local", 60, NULL, NULL));
}
