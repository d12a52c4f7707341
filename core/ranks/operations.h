/* The operations of a communicator (base/comm.h) by MPI: of the program (mpi.c) and of the
 * library (core/library/library_mpi.c). Needs nothing of ours but headers, so that
 * libcgsolve_mpi can have it to itself. */
#pragma once

#include <mpi.h>

#include "base/comm.h"

/* Offsets and counts of a gathering, and the requests of an exchange: room for all ranks.
 * cgs_comm.self. */
struct cgs_mpi {
    MPI_Comm comm;         /* the caller's to make and to free; all operations are on it */
    MPI_Request *requests; /* two a rank */
    int pending;
    int *offsets, *more_offsets; /* one a rank */
    struct cgs_comm_ops ops;     /* cgs_comm.ops; the caller may add `vote` */
    void *user;                  /* the caller's */
};

/* Makes the communicator of the ranks of `comm`, without on_host and host. Where a call of MPI
 * returns a failure, it is lost (cgs_comm.lost). NULL: there is no memory. */
struct cgs_comm *cgs_mpi_create(MPI_Comm comm);
struct cgs_mpi *cgs_mpi_of(const struct cgs_comm *comm);
/* Notes what a call of MPI has returned. Returns false if it failed, and the communicator is
 * lost. */
bool cgs_mpi_note(struct cgs_comm *comm, const char *call, int code);
/* Sets on_host and host. Called by all ranks at once. */
void cgs_mpi_find_host(struct cgs_comm *comm);
void cgs_mpi_release(struct cgs_comm *comm); /* NULL is allowed */
