#include "core/ranks/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are shared at a time: MPI counts them by an int. */
enum { TAG = 19, SHARE = 1 << 30 };

struct cgs_mpi *cgs_mpi_of(const struct cgs_comm *comm)
{
    return comm->self;
}

bool cgs_mpi_note(struct cgs_comm *comm, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    if (comm->lost)
        return false;
    comm->lost = true;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        text[0] = '\0';
    snprintf(comm->why, sizeof comm->why, "%s failed: %.200s", call, text);
    return false;
}

/* ---- operations: of a communicator that is lost they give zeros ---- */

/* Sets the offsets of the ranks' parts. Returns the number of all of them. */
static int64_t list_offsets(int ranks, const int *counts, int *offsets)
{
    int64_t at = 0;
    for (int r = 0; r < ranks; at += counts[r++])
        offsets[r] = (int)at;
    return at;
}

/* Sets the numbers of all ranks to zero. */
static void clear(const struct cgs_comm *comm, const int *counts, double *all)
{
    for (int r = 0; r < comm->size; all += counts[r++])
        memset(all, 0, (size_t)counts[r] * sizeof *all);
}

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    struct cgs_mpi *mpi = comm->self;
    list_offsets(comm->size, counts, mpi->offsets);
    if (!comm->lost)
        cgs_mpi_note(comm, "MPI_Allgatherv",
                     MPI_Allgatherv(mine, counts[comm->rank], MPI_DOUBLE, all, counts, mpi->offsets,
                                    MPI_DOUBLE, mpi->comm));
    if (comm->lost)
        clear(comm, counts, all);
}

static void share(struct cgs_comm *comm, int root, void *memory, int64_t bytes)
{
    struct cgs_mpi *mpi = comm->self;
    for (int64_t at = 0; at < bytes && !comm->lost; at += SHARE) {
        const int some = bytes - at < SHARE ? (int)(bytes - at) : SHARE;
        cgs_mpi_note(comm, "MPI_Bcast",
                     MPI_Bcast((char *)memory + at, some, MPI_BYTE, root, mpi->comm));
    }
    if (comm->lost)
        memset(memory, 0, (size_t)bytes);
}

static void swap(struct cgs_comm *comm, const int64_t *out, const int *out_counts, int64_t *in,
                 const int *in_counts)
{
    struct cgs_mpi *mpi = comm->self;
    list_offsets(comm->size, out_counts, mpi->offsets);
    const int64_t numbers = list_offsets(comm->size, in_counts, mpi->more_offsets);
    if (!comm->lost)
        cgs_mpi_note(comm, "MPI_Alltoallv",
                     MPI_Alltoallv(out, out_counts, mpi->offsets, MPI_INT64_T, in, in_counts,
                                   mpi->more_offsets, MPI_INT64_T, mpi->comm));
    if (comm->lost && numbers > 0)
        memset(in, 0, (size_t)numbers * sizeof *in);
}

/* Starts a message. Returns what MPI did. */
static int start_one(const struct cgs_mpi *mpi, const struct cgs_message *m, MPI_Request *request)
{
    return m->incoming
               ? MPI_Irecv(m->memory, (int)m->bytes, MPI_BYTE, m->peer, TAG, mpi->comm, request)
               : MPI_Isend(m->memory, (int)m->bytes, MPI_BYTE, m->peer, TAG, mpi->comm, request);
}

static void start(struct cgs_comm *comm, const struct cgs_message *messages, int count)
{
    struct cgs_mpi *mpi = comm->self;
    mpi->pending = 0;
    for (int i = 0; i < count && !comm->lost; i++) {
        const struct cgs_message *m = &messages[i];
        if (cgs_mpi_note(comm, m->incoming ? "MPI_Irecv" : "MPI_Isend",
                         start_one(mpi, m, &mpi->requests[mpi->pending])))
            mpi->pending++;
    }
}

static void finish(struct cgs_comm *comm)
{
    struct cgs_mpi *mpi = comm->self;
    if (!comm->lost)
        cgs_mpi_note(comm, "MPI_Waitall",
                     MPI_Waitall(mpi->pending, mpi->requests, MPI_STATUSES_IGNORE));
    mpi->pending = 0;
}

static void progress(struct cgs_comm *comm)
{
    struct cgs_mpi *mpi = comm->self;
    int all;
    if (!comm->lost)
        cgs_mpi_note(comm, "MPI_Testall",
                     MPI_Testall(mpi->pending, mpi->requests, &all, MPI_STATUSES_IGNORE));
}

static const struct cgs_comm_ops operations = {
    .gather = gather,
    .share = share,
    .swap = swap,
    .start = start,
    .finish = finish,
    .progress = progress,
};

/* ---- start and end ---- */

void cgs_mpi_find_host(struct cgs_comm *comm)
{
    MPI_Comm host;
    const MPI_Comm all = cgs_mpi_of(comm)->comm;
    comm->on_host = 1;
    comm->host = comm->rank;
    if (!cgs_mpi_note(
            comm, "MPI_Comm_split_type",
            MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &host)))
        return;
    MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN);
    cgs_mpi_note(comm, "MPI_Comm_size", MPI_Comm_size(host, &comm->on_host));
    cgs_mpi_note(comm, "MPI_Bcast", MPI_Bcast(&comm->host, 1, MPI_INT, 0, host));
    cgs_mpi_note(comm, "MPI_Comm_free", MPI_Comm_free(&host));
}

void cgs_mpi_release(struct cgs_comm *comm)
{
    struct cgs_mpi *mpi = comm ? comm->self : NULL;
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
    struct cgs_mpi *mpi = calloc(1, sizeof *mpi);
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
    cgs_mpi_release(comm);
    return NULL;
}

struct cgs_comm *cgs_mpi_create(MPI_Comm comm)
{
    int ranks = 1, rank = 0;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    struct cgs_comm *made = alloc_all(ranks);
    if (!made)
        return NULL;
    struct cgs_mpi *mpi = made->self;
    mpi->comm = comm;
    mpi->ops = operations;
    made->ops = &mpi->ops;
    made->size = ranks;
    made->rank = rank;
    return made;
}
