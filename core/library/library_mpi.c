/* libcgsolve_mpi: gives a handle of libcgsolve the ranks of an MPI communicator. What it needs
 * of libcgsolve is one function, cgsolve_join_ranks. */
#include <assert.h>
#include <stdio.h>

#include "core/library/join.h"
#include "core/ranks/operations.h"
#include "include/cgsolve/cgsolve_mpi.h"

static const char function[] = "cgsolve_communicator";

/* ---- what MPI allows ---- */

/* Returns why this thread cannot call MPI; NULL: it can. */
static const char *unfit(const struct cgs_comm *comm)
{
    int yes, level;
    (void)comm;
    if (MPI_Initialized(&yes) != MPI_SUCCESS || !yes)
        return "MPI is not initialised: call MPI_Init_thread first; the library never does";
    if (MPI_Finalized(&yes) != MPI_SUCCESS || yes)
        return "MPI has been finalised: destroy handles of several ranks before";
    if (MPI_Query_thread(&level) != MPI_SUCCESS || level >= MPI_THREAD_SERIALIZED)
        return NULL;
    if (MPI_Is_thread_main(&yes) == MPI_SUCCESS && !yes)
        return "MPI was initialised for calls of one thread, and this is another: call "
               "MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or the library "
               "from that thread";
    return NULL;
}

/* Returns why that communicator cannot be taken; NULL: it can. */
static const char *unfit_communicator(MPI_Comm communicator)
{
    int yes;
    if (unfit(NULL))
        return unfit(NULL);
    if (communicator == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL: this process is none of its ranks, which alone "
               "call this";
    if (MPI_Comm_test_inter(communicator, &yes) == MPI_SUCCESS && yes)
        return "the communicator is an intercommunicator: expected one of a single group";
    if (MPI_Comm_size(communicator, &yes) == MPI_SUCCESS && yes > CGS_RANKS_MOST)
        return "more ranks than 1024, the most that there can be";
    return NULL;
}

static_assert(CGS_RANKS_MOST == 1024, "the text above, and cgsolve_mpi.h, say so");

static bool one_thread(void)
{
    int level;
    return MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_SINGLE;
}

/* ---- the duplicate ---- */

static void release(struct cgs_comm *comm)
{
    int finalised;
    if (MPI_Finalized(&finalised) == MPI_SUCCESS && !finalised)
        MPI_Comm_free(&cgs_mpi_of(comm)->comm);
    cgs_mpi_release(comm);
}

/* Makes the ranks of a duplicate, which is freed on failure. NULL: a rank has no memory. */
static struct cgs_comm *make(MPI_Comm duplicate)
{
    struct cgs_comm *made = cgs_mpi_create(duplicate);
    int have = made != NULL, all_have = 0;
    if (MPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_MIN, duplicate) == MPI_SUCCESS &&
        all_have) {
        cgs_mpi_find_host(made);
        return made;
    }
    cgs_mpi_release(made);
    MPI_Comm_free(&duplicate);
    return NULL;
}

static enum cgsolve_status refuse(struct cgsolve *solver, enum cgsolve_status status,
                                  const char *why)
{
    return cgsolve_join_ranks(solver, function, status, why, NULL);
}

enum cgsolve_status cgsolve_communicator(struct cgsolve *solver, MPI_Comm communicator)
{
    MPI_Comm duplicate;
    char text[MPI_MAX_ERROR_STRING + 64] = "MPI_Comm_dup failed: ";
    const char *why = solver ? unfit_communicator(communicator) : "";
    if (why)
        return refuse(solver, CGSOLVE_USAGE, why);
    const int code = MPI_Comm_dup(communicator, &duplicate);
    if (code != MPI_SUCCESS) {
        int length;
        char *end = text + sizeof "MPI_Comm_dup failed: " - 1;
        MPI_Error_string(code, end, &length);
        return refuse(solver, CGSOLVE_LOST, text);
    }
    MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN);
    struct cgs_comm *comm = make(duplicate);
    if (!comm)
        return refuse(solver, CGSOLVE_MEMORY, "no memory on a rank for the communicator");
    if (comm->lost) {
        snprintf(text, sizeof text, "%s", comm->why);
        release(comm);
        return refuse(solver, CGSOLVE_LOST, text);
    }
    const struct cgs_join join = {.build = CGS_JOIN_BUILD,
                                  .comm = comm,
                                  .one_thread = one_thread(),
                                  .unfit = unfit,
                                  .release = release};
    const enum cgsolve_status status =
        cgsolve_join_ranks(solver, function, CGSOLVE_OK, NULL, &join);
    if (status != CGSOLVE_OK)
        release(comm);
    return status;
}
