/* The communicator of the program. All traffic is on duplicates of MPI_COMM_WORLD, by the thread that initialised
 * MPI. MPI itself ends all ranks when one of its calls fails; core/ranks/watch.h, where one does not return. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ranks/operations.h"
#include "core/ranks/ranks.h"
#include "core/ranks/watch.h"

/* struct cgs_mpi.user. */
struct program {
    MPI_Comm votes; /* a rank that has failed comes here, wherever the others are */
    struct cgs_watch *watch;
};

static void enter(void *watch, int64_t bytes)
{
    cgs_watch_enter(watch, bytes);
}

static void leave(void *watch)
{
    cgs_watch_leave(watch);
}

static void vote(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all)
{
    const struct program *program = cgs_mpi_of(comm)->user;
    struct cgs_watch *watch = program->watch;
    const double number = mine;
    const int silent = mine != CGS_OK && comm->silent ? (int)*comm->silent : -1;
    if (silent == comm->rank || silent == CGS_SOME_RANK)
        cgs_watch_end_all(watch, mine, message);
    cgs_watch_fail(watch, mine, message, silent >= 0);
    cgs_watch_enter(watch, 0);
    MPI_Allgather(&number, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, program->votes);
    cgs_watch_leave(watch);
    cgs_watch_fail(watch, CGS_OK, NULL, false);
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

/* The mpirun of another MPI starts processes that do not find each other. */
static enum cgs_status refuse_alone(struct cgs_context *context)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\t\n")] = '\0';
    return cgs_fail(
        context, CGS_USAGE,
        "%d processes were started together, but MPI (%s) finds this one alone, and each "
        "would solve the whole: start them by the mpirun of that MPI, or start one",
        cgs_ranks_told_count(), version);
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
        return ranks == 1 ? refuse_alone(context)
                          : cgs_fail(context, CGS_USAGE, "%d ranks: there can be %d", ranks,
                                     CGS_RANKS_MOST);
    }
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    struct cgs_comm *made = cgs_mpi_create(all);
    struct program *program = calloc(1, sizeof *program);
    if (!made || !program || !watch)
        abort_all();
    program->watch = watch;
    MPI_Comm_dup(MPI_COMM_WORLD, &program->votes);
    struct cgs_mpi *mpi = cgs_mpi_of(made);
    mpi->user = program;
    mpi->watcher = (struct cgs_mpi_watcher){watch, enter, leave};
    mpi->ops.vote = vote;
    const enum cgs_status status = cgs_watch_run(context, watch, all, threads);
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
    struct cgs_mpi *mpi = cgs_mpi_of(comm);
    struct program *program = mpi->user;
    struct cgs_watch *watch = program->watch;
    cgs_watch_enter(watch, 0);
    MPI_Barrier(mpi->comm); /* under the watch still: rank 0 may be writing */
    cgs_watch_leave(watch);
    cgs_watch_end(watch);
    MPI_Comm_free(&program->votes);
    MPI_Comm_free(&mpi->comm);
    free(program);
    cgs_mpi_release(comm);
    MPI_Finalize();
    cgs_watch_stop(watch);
}
