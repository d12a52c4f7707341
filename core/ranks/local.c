#include "core/ranks/local.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/integers.h"
#include "core/ranks/mpi.h"
#include "core/ranks/processes.h"

enum { LINE = 128 }; /* bytes */

/* A rank looks for the others so often before it sleeps: some 20 microseconds where each rank
 * has a processor. */
enum { SPINS = 1000, SPINS_CROWDED = 20 };

/* Channels, on each of which one operation is under way at a time: votes, since a rank that has
 * failed comes there wherever the others are; messages, between whose two parts other operations
 * come. */
enum channel { MAIN, MESSAGES, VOTES, CHANNELS };

static const int64_t piece_bytes[CHANNELS] = {
    [MAIN] = 1 << 20, [MESSAGES] = 1 << 20, [VOTES] = 1 << 10};

/* ---- memory that all share ---- */

/* A part of what a rank sends, in its outbox. The parts for all ranks are one sequence of bytes. */
struct piece {
    int64_t bytes;                  /* of the sequence */
    int64_t offset[CGS_LOCAL_MOST]; /* in it, of the part for each rank */
    _Alignas(LINE) char data[];
};

/* A rank's own lines, which it alone writes. */
struct seat {
    _Alignas(LINE) atomic_uint posted[CHANNELS]; /* turns */
};

struct header {
    struct cgs_processes processes;
    _Alignas(LINE) atomic_uint bell; /* changes when a rank has posted, while others sleep */
    atomic_int sleepers;
    struct seat seats[CGS_LOCAL_MOST];
};

/* ---- one rank ---- */

struct part {
    char *memory; /* borrowed */
    int64_t bytes;
};

/* An operation under way. */
struct exchange {
    struct part out[CGS_LOCAL_MOST], in[CGS_LOCAL_MOST]; /* by the other rank; memory NULL: none */
    bool same;                                           /* out[0] is for all */
    int64_t base;                                        /* of the piece in the sequence */
    unsigned turn;
    bool done; /* all has come */
};

struct local {
    struct cgs_comm comm;
    struct header *header;
    char *boxes[CHANNELS]; /* 2 pieces a rank */
    int64_t length;        /* of the whole mapping */
    int spins;
    struct exchange exchanges[CHANNELS];
    /* a failure that not all have heard of yet */
    enum cgs_status failure;
    const char *message;
};

static struct piece *piece_of(const struct local *local, enum channel channel, int rank,
                              unsigned turn)
{
    const int64_t size = (int64_t)sizeof(struct piece) + piece_bytes[channel];
    return (struct piece *)(local->boxes[channel] + (2 * (int64_t)rank + turn % 2) * size);
}

/* ---- waiting ---- */

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Sleeps until the bell has another value than `seen`, or for so many seconds at most. */
static void sleep_for(struct header *header, unsigned seen, double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};
    syscall(SYS_futex, &header->bell, FUTEX_WAIT, seen, &time, NULL, 0);
}

static void ring(struct header *header)
{
    if (atomic_load(&header->sleepers) == 0) /* who goes to sleep now sees what was posted before */
        return;
    atomic_fetch_add(&header->bell, 1);
    syscall(SYS_futex, &header->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool has_posted(const struct local *local, enum channel channel, int rank)
{
    const unsigned posted = atomic_load(&local->header->seats[rank].posted[channel]);
    return (int)(posted - local->exchanges[channel].turn) >= 0;
}

static bool all_there(const struct local *local, enum channel channel)
{
    for (int r = 0; r < local->comm.size; r++)
        if (!has_posted(local, channel, r))
            return false;
    return true;
}

/* Ends all for a failure of this rank. */
static _Noreturn void end_all(const struct local *local)
{
    char text[sizeof((struct cgs_context *)0)->message + 32];
    snprintf(text, sizeof text, "rank %d: %s", local->comm.rank, local->message);
    cgs_processes_end(&local->header->processes, local->failure, text);
}

/* Sleeps until all have posted. The others of a rank that has failed may be late, or wait for it
 * in another operation: it then ends all. */
static void sleep_until_all_there(struct local *local, enum channel channel)
{
    static const double LOOK = 1.0; /* seconds */
    struct header *header = local->header;
    const double begin = cgs_now();
    atomic_fetch_add(&header->sleepers, 1);
    for (;;) {
        const unsigned bell = atomic_load(&header->bell);
        if (all_there(local, channel))
            break;
        sleep_for(header, bell, LOOK);
        if (local->failure != CGS_OK && cgs_now() - begin > CGS_RANK_SECONDS)
            end_all(local);
    }
    atomic_fetch_sub(&header->sleepers, 1);
}

static void wait_for_all(struct local *local, enum channel channel)
{
    for (int i = 0; i < local->spins; i++) {
        if (all_there(local, channel))
            return;
        relax();
    }
    sleep_until_all_there(local, channel);
}

/* ---- the primitive ---- */

/* Copies of a part, at `begin` of a sequence, what is in the piece at `base`; into_piece: or
 * back. */
static void copy(const struct part *part, int64_t begin, char *piece, int64_t base, int64_t size,
                 bool into_piece)
{
    const int64_t first = cgs_most(begin, base), last = cgs_least(begin + part->bytes, base + size);
    if (first >= last)
        return;
    char *there = piece + (first - base), *here = part->memory + (first - begin);
    memcpy(into_piece ? there : here, into_piece ? here : there, (size_t)(last - first));
}

/* Posts the piece at exchange->base, in the next turn: the first one starts what out and in say. */
static void post(struct local *local, enum channel channel)
{
    struct exchange *e = &local->exchanges[channel];
    struct piece *piece = piece_of(local, channel, local->comm.rank, ++e->turn);
    int64_t at = 0;
    for (int r = 0; r < local->comm.size; r++) {
        piece->offset[r] = e->same ? 0 : at;
        copy(&e->out[r], at, piece->data, e->base, piece_bytes[channel], true);
        at += e->out[r].bytes;
    }
    piece->bytes = at;
    atomic_store(&local->header->seats[local->comm.rank].posted[channel], e->turn);
    ring(local->header);
}

/* Copies from the pieces of this turn what is for this rank. Returns true if there is more to
 * come. */
static bool take(struct local *local, enum channel channel)
{
    const struct exchange *e = &local->exchanges[channel];
    bool more = false;
    for (int r = 0; r < local->comm.size; r++) {
        struct piece *piece = piece_of(local, channel, r, e->turn);
        copy(&e->in[r], piece->offset[local->comm.rank], piece->data, e->base, piece_bytes[channel],
             false);
        more = more || piece->bytes > e->base + piece_bytes[channel];
    }
    return more;
}

/* Ends a turn in which all pieces are there, and begins the next one if there is to be one. */
static void go_on(struct local *local, enum channel channel)
{
    struct exchange *e = &local->exchanges[channel];
    e->done = !take(local, channel);
    if (e->done)
        return;
    e->base += piece_bytes[channel];
    post(local, channel);
}

/* Completes it, and leaves out and in empty. */
static void complete(struct local *local, enum channel channel)
{
    struct exchange *e = &local->exchanges[channel];
    while (!e->done) {
        wait_for_all(local, channel);
        go_on(local, channel);
    }
    *e = (struct exchange){.turn = e->turn};
}

static void exchange(struct local *local, enum channel channel)
{
    post(local, channel);
    complete(local, channel);
}

/* ---- operations ---- */

/* Begins to send numbers to all ranks. */
static void begin_gathering(struct cgs_comm *comm, enum channel channel, const double *mine,
                            const int *counts, double *all)
{
    struct local *local = comm->self;
    struct exchange *e = &local->exchanges[channel];
    e->same = true;
    e->out[0] = (struct part){(char *)mine, 8 * (int64_t)counts[comm->rank]};
    for (int r = 0; r < comm->size; all += counts[r++])
        e->in[r] = (struct part){(char *)all, 8 * (int64_t)counts[r]};
    post(local, channel);
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    begin_gathering(comm, MAIN, mine, counts, all);
    complete(comm->self, MAIN);
}

/* Ends all at once if a device has been waited for in vain, this rank's or that of one that has
 * nothing to say either: there is no use in waiting as long once more. */
static void end_for_silent(struct cgs_comm *comm)
{
    struct local *local = comm->self;
    const int silent = comm->silent ? (int)*comm->silent : -1;
    if (local->failure != CGS_OK && silent >= 0 &&
        (silent == comm->rank || silent == CGS_SOME_RANK || !has_posted(local, VOTES, silent)))
        cgs_processes_end(&local->header->processes, local->failure, local->message);
}

static void vote(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all)
{
    struct local *local = comm->self;
    const double number = mine;
    int counts[CGS_LOCAL_MOST];
    for (int r = 0; r < CGS_LOCAL_MOST; r++)
        counts[r] = 1;
    local->failure = mine;
    local->message = message;
    begin_gathering(comm, VOTES, &number, counts, all);
    end_for_silent(comm);
    complete(local, VOTES);
    local->failure = CGS_OK;
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    struct local *local = comm->self;
    struct exchange *e = &local->exchanges[MAIN];
    e->same = true;
    *(comm->rank == root ? &e->out[0] : &e->in[root]) = (struct part){memory, bytes};
    exchange(local, MAIN);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    struct local *local = comm->self;
    struct exchange *e = &local->exchanges[MAIN];
    for (int r = 0; r < comm->size; out += out_counts[r], in += in_counts[r], r++) {
        e->out[r] = (struct part){(char *)out, 8 * (int64_t)out_counts[r]};
        e->in[r] = (struct part){(char *)in, 8 * (int64_t)in_counts[r]};
    }
    exchange(local, MAIN);
}

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    struct local *local = comm->self;
    struct exchange *e = &local->exchanges[MESSAGES];
    for (int i = 0; i < count; i++)
        (messages[i].incoming ? e->in : e->out)[messages[i].peer] =
            (struct part){messages[i].memory, messages[i].bytes};
    post(local, MESSAGES);
}

static void finish(struct cgs_comm *comm)
{
    complete(comm->self, MESSAGES);
}

static void progress(struct cgs_comm *comm)
{
    struct local *local = comm->self;
    if (!local->exchanges[MESSAGES].done && all_there(local, MESSAGES))
        go_on(local, MESSAGES);
}

static const struct cgs_comm_ops operations = {
    .gather = gather,
    .vote = vote,
    .share = share,
    .swap = swap,
    .start = start,
    .finish = finish,
    .progress = progress,
};

/* ---- start and end ---- */

/* Maps header and outboxes; pages come when they are used. Returns false if there is no memory. */
static bool map_all(struct local *local, int ranks)
{
    int64_t at = (int64_t)sizeof(struct header), offset[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
        offset[c] = at;
        at += 2 * ranks * ((int64_t)sizeof(struct piece) + piece_bytes[c]);
    }
    char *mapped = mmap(NULL, (size_t)at, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    local->length = at;
    local->header = (struct header *)mapped;
    for (int c = 0; c < CHANNELS; c++)
        local->boxes[c] = mapped + offset[c];
    return true;
}

static void release(struct local *local)
{
    munmap(local->header, (size_t)local->length);
    free(local);
}

enum cgs_status cgs_local_open(struct cgs_context *context, int ranks, struct cgs_comm **comm)
{
    int rank;
    *comm = NULL;
    struct local *local = calloc(1, sizeof *local);
    if (!local || !map_all(local, ranks)) {
        const int error = errno;
        free(local);
        return cgs_fail(context, CGS_MEMORY, "no memory for the ranks' communicator: %s",
                        strerror(error));
    }
    if (cgs_processes_fork(context, &local->header->processes, ranks, &rank) != CGS_OK) {
        release(local);
        return context->status;
    }
    local->spins = ranks <= omp_get_num_procs() ? SPINS : SPINS_CROWDED;
    local->comm = (struct cgs_comm){
        .ops = &operations, .self = local, .rank = rank, .size = ranks, .on_host = ranks};
    *comm = &local->comm;
    return CGS_OK;
}

void cgs_local_close(struct cgs_comm *comm)
{
    if (!comm)
        return;
    struct local *local = comm->self;
    exchange(local, MAIN); /* rank 0 may be writing still */
    cgs_processes_leave(&local->header->processes, CGS_RANK_SECONDS);
    release(local);
}
