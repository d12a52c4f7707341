/* The communicator by MPI: the only file that sees it. All traffic is on a duplicate of MPI_COMM_WORLD, by
 * the thread that initialised MPI. MPI itself ends all ranks when one of its calls fails. */
#include <mpi.h>
#include <stdlib.h>

#include "src/ranks/ranks.h"

enum { TAG = 19 };

/* Offsets and counts of a gathering, and the requests of an exchange: room for all ranks. */
struct mpi {
    MPI_Comm comm;
    MPI_Request *requests; /* two a rank */
    int pending;
    int *offsets, *more_offsets; /* one a rank */
};

/* ---- operations ---- */

static void list_offsets(int ranks, const int *counts, int *offsets)
{
    for (int r = 0, at = 0; r < ranks; at += counts[r++])
        offsets[r] = at;
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct mpi *mpi = comm->self;
    list_offsets(comm->size, counts, mpi->offsets);
    MPI_Allgatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->offsets, MPI_DOUBLE,
                   mpi->comm);
}

static void collect(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct mpi *mpi = comm->self;
    list_offsets(comm->size, counts, mpi->offsets);
    MPI_Gatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->offsets, MPI_DOUBLE, 0,
                mpi->comm);
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    MPI_Bcast(memory, (int)bytes, MPI_BYTE, root, ((struct mpi *)comm->self)->comm);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    struct mpi *mpi = comm->self;
    list_offsets(comm->size, out_counts, mpi->offsets);
    list_offsets(comm->size, in_counts, mpi->more_offsets);
    MPI_Alltoallv(out, out_counts, mpi->offsets, MPI_INT64_T, in, in_counts, mpi->more_offsets,
                  MPI_INT64_T, mpi->comm);
}

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    struct mpi *mpi = comm->self;
    mpi->pending = 0;
    for (int i = 0; i < count; i++) {
        const struct cgs_message *m = &messages[i];
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
    MPI_Waitall(mpi->pending, mpi->requests, MPI_STATUSES_IGNORE);
    mpi->pending = 0;
}

static const struct cgs_comm_ops operations = {
    .gather = gather,
    .collect = collect,
    .share = share,
    .swap = swap,
    .start = start,
    .finish = finish,
};

/* ---- start and end ---- */

/* Number of ranks on this host. */
static int count_on_host(MPI_Comm all)
{
    MPI_Comm host;
    int count = 1;
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &count);
    MPI_Comm_free(&host);
    return count;
}

static void free_all(struct cgs_comm *comm)
{
    struct mpi *mpi = comm ? comm->self : NULL;
    if (mpi) {
        free(mpi->requests);
        free(mpi->offsets);
        free(mpi->more_offsets);
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
    }
    if (comm && mpi && mpi->requests && mpi->offsets && mpi->more_offsets)
        return comm;
    if (!comm)
        free(mpi);
    free_all(comm);
    return NULL;
}

enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm)
{
    int level, ranks = 1;
    *comm = NULL;
    if (!cgs_ranks_started()) /* MPI's start takes a second, and sockets */
        return CGS_OK;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1 || ranks > CGS_RANKS_MOST) {
        MPI_Finalize();
        return ranks == 1 ? CGS_OK
                          : cgs_fail(context, CGS_USAGE, "%d ranks: there can be %d", ranks,
                                     CGS_RANKS_MOST);
    }
    struct cgs_comm *made = alloc_all(ranks);
    if (!made)
        MPI_Abort(MPI_COMM_WORLD, cgs_status_exit(CGS_MEMORY));
    struct mpi *mpi = made->self;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);
    made->ops = &operations;
    made->size = ranks;
    MPI_Comm_rank(mpi->comm, &made->rank);
    made->on_host = count_on_host(mpi->comm);
    *comm = made;
    return CGS_OK;
}

void cgs_ranks_close(struct cgs_comm *comm)
{
    if (!comm)
        return;
    MPI_Comm_free(&((struct mpi *)comm->self)->comm);
    free_all(comm);
    MPI_Finalize();
}
