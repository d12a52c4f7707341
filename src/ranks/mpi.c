/* The communicator by MPI. All traffic is on duplicates of MPI_COMM_WORLD, by the thread that initialised
 * MPI. MPI itself ends all ranks when one of its calls fails; src/ranks/watch.h, where one does not return. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/ranks/ranks.h"
#include "src/ranks/watch.h"

enum { TAG = 19 };

/* Offsets and counts of a gathering, and the requests of an exchange: room for all ranks. */
struct mpi {
    MPI_Comm comm;
    MPI_Comm votes; /* a rank that has failed comes here, wherever the others are */
    struct cgs_watch *watch;
    MPI_Request *requests; /* two a rank */
    int pending;
    int64_t pending_bytes;
    int *offsets, *more_offsets; /* one a rank */
    MPI_Request gathering;       /* between gather_start and gather_finish, */
    int *gathering_offsets;      /* and what it reads meanwhile */
};

/* ---- operations ---- */

/* Sets the offsets of the ranks' parts. Returns the bytes of all of them. */
static int64_t list_offsets(int ranks, const int *counts, int *offsets)
{
    int64_t at = 0;
    for (int r = 0; r < ranks; at += counts[r++])
        offsets[r] = (int)at;
    return 8 * at;
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct mpi *mpi = comm->self;
    cgs_watch_enter(mpi->watch, list_offsets(comm->size, counts, mpi->offsets));
    MPI_Allgatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->offsets, MPI_DOUBLE,
                   mpi->comm);
    cgs_watch_leave(mpi->watch);
}

static void gather_start(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct mpi *mpi = comm->self;
    list_offsets(comm->size, counts, mpi->gathering_offsets);
    MPI_Iallgatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->gathering_offsets,
                    MPI_DOUBLE, mpi->comm, &mpi->gathering);
}

static void gather_finish(struct cgs_comm *comm)
{
    struct mpi *mpi = comm->self;
    cgs_watch_enter(mpi->watch, 0); /* sums: some kB */
    MPI_Wait(&mpi->gathering, MPI_STATUS_IGNORE);
    cgs_watch_leave(mpi->watch);
}

static void collect(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct mpi *mpi = comm->self;
    cgs_watch_enter(mpi->watch, list_offsets(comm->size, counts, mpi->offsets));
    MPI_Gatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->offsets, MPI_DOUBLE, 0,
                mpi->comm);
    cgs_watch_leave(mpi->watch);
}

static void vote(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all)
{
    struct mpi *mpi = comm->self;
    const double number = mine;
    cgs_watch_fail(mpi->watch, mine, message);
    cgs_watch_enter(mpi->watch, 0);
    MPI_Allgather(&number, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, mpi->votes);
    cgs_watch_leave(mpi->watch);
    cgs_watch_fail(mpi->watch, CGS_OK, NULL);
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    struct mpi *mpi = comm->self;
    cgs_watch_enter(mpi->watch, bytes);
    MPI_Bcast(memory, (int)bytes, MPI_BYTE, root, mpi->comm);
    cgs_watch_leave(mpi->watch);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    struct mpi *mpi = comm->self;
    const int64_t bytes = list_offsets(comm->size, out_counts, mpi->offsets);
    cgs_watch_enter(mpi->watch, bytes + list_offsets(comm->size, in_counts, mpi->more_offsets));
    MPI_Alltoallv(out, out_counts, mpi->offsets, MPI_INT64_T, in, in_counts, mpi->more_offsets,
                  MPI_INT64_T, mpi->comm);
    cgs_watch_leave(mpi->watch);
}

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    struct mpi *mpi = comm->self;
    mpi->pending = 0;
    mpi->pending_bytes = 0;
    for (int i = 0; i < count; i++) {
        const struct cgs_message *m = &messages[i];
        mpi->pending_bytes += m->bytes;
        MPI_Request *request = &mpi->requests[mpi->pending++];
        if (m->incoming)
            MPI_Irecv(m->memory, (int)m->bytes, MPI_BYTE, m->peer, TAG, mpi->comm, request);
        else
            MPI_Isend(m->memory, (int)m->bytes, MPI_BYTE, m->peer, TAG, mpi->comm, request);
    }
}

static void finish(struct cgs_comm *comm)
{
    struct mpi *mpi = comm->self;
    cgs_watch_enter(mpi->watch, mpi->pending_bytes);
    MPI_Waitall(mpi->pending, mpi->requests, MPI_STATUSES_IGNORE);
    cgs_watch_leave(mpi->watch);
    mpi->pending = 0;
}

static void progress(struct cgs_comm *comm)
{
    struct mpi *mpi = comm->self;
    int all;
    MPI_Testall(mpi->pending, mpi->requests, &all, MPI_STATUSES_IGNORE);
}

static const struct cgs_comm_ops operations = {
    .gather = gather,
    .gather_start = gather_start,
    .gather_finish = gather_finish,
    .collect = collect,
    .vote = vote,
    .share = share,
    .swap = swap,
    .start = start,
    .finish = finish,
    .progress = progress,
};

/* ---- start and end ---- */

static void free_all(struct cgs_comm *comm)
{
    struct mpi *mpi = comm ? comm->self : NULL;
    if (mpi) {
        free(mpi->requests);
        free(mpi->offsets);
        free(mpi->more_offsets);
        free(mpi->gathering_offsets);
    }
    free(mpi);
    free(comm);
}

/* Allocates a communicator of that many ranks; NULL: there is no memory. */
static struct cgs_comm *alloc_all(int ranks)
{
    struct cgs_comm *comm = calloc(1, sizeof *comm);
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (comm)
        comm->self = mpi;
    if (mpi) {
        mpi->requests = calloc(2 * (size_t)ranks, sizeof *mpi->requests);
        mpi->offsets = calloc((size_t)ranks, sizeof *mpi->offsets);
        mpi->more_offsets = calloc((size_t)ranks, sizeof *mpi->more_offsets);
        mpi->gathering_offsets = calloc((size_t)ranks, sizeof *mpi->gathering_offsets);
    }
    if (comm && mpi && mpi->requests && mpi->offsets && mpi->more_offsets && mpi->gathering_offsets)
        return comm;
    if (!comm)
        free(mpi);
    free_all(comm);
    return NULL;
}

/* Initialises MPI, by several threads at once where it can: the watch sends messages, too. */
static bool initialise(int *ranks)
{
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    return level == MPI_THREAD_MULTIPLE;
}

/* Ends all ranks for want of memory, before they can agree on anything. */
static void abort_all(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "cgsolve: rank %d: no memory for the ranks' communicator\n", rank);
    MPI_Abort(MPI_COMM_WORLD, cgs_status_exit(CGS_MEMORY));
}

enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm)
{
    int ranks = 1;
    *comm = NULL;
    if (!cgs_ranks_started()) /* MPI's start takes a second, and sockets */
        return CGS_OK;
    struct cgs_watch *watch = cgs_watch_start();
    const bool threads = initialise(&ranks);
    if (ranks == 1 || ranks > CGS_RANKS_MOST) {
        MPI_Finalize();
        cgs_watch_stop(watch);
        return ranks == 1 ? CGS_OK
                          : cgs_fail(context, CGS_USAGE, "%d ranks: there can be %d", ranks,
                                     CGS_RANKS_MOST);
    }
    struct cgs_comm *made = alloc_all(ranks);
    if (!made || !watch)
        abort_all();
    struct mpi *mpi = made->self;
    mpi->watch = watch;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->votes);
    made->ops = &operations;
    made->size = ranks;
    MPI_Comm_rank(mpi->comm, &made->rank);
    const enum cgs_status status = cgs_watch_run(context, watch, mpi->comm, threads);
    if (status == CGS_MEMORY)
        abort_all();
    made->on_host = cgs_watch_on_host(watch);
    made->host = cgs_watch_host(watch);
    *comm = made;
    return status;
}

void cgs_ranks_close(struct cgs_comm *comm)
{
    if (!comm)
        return;
    struct mpi *mpi = comm->self;
    struct cgs_watch *watch = mpi->watch;
    cgs_watch_enter(watch, 0);
    MPI_Barrier(mpi->comm); /* under the watch still: rank 0 may be writing */
    cgs_watch_leave(watch);
    cgs_watch_end(watch);
    MPI_Comm_free(&mpi->votes);
    MPI_Comm_free(&mpi->comm);
    free_all(comm);
    MPI_Finalize();
    cgs_watch_stop(watch);
}
