/* The communicator of the program. All traffic is on duplicates of MPI_COMM_WORLD, by the thread
 * that initialised MPI, which ends all ranks when one of its calls fails. A rank that dies is
 * mpirun's affair, which ends the others, and so is one that is stopped or hangs: the others
 * wait for it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/ranks/mpi.h"
#include "core/ranks/operations.h"
#include "core/ranks/start.h"

/* struct cgs_mpi.user. */
struct program {
    MPI_Comm votes; /* a rank that has failed comes here, wherever the others are */
};

/* Ends all ranks for a failure of this one. MPI's own abort needs an MPI that works; should it
 * hang, the alarm ends this process, and mpirun the others. */
static _Noreturn void end_all(const struct cgs_comm *comm, enum cgs_status status,
                              const char *message)
{
    fprintf(stderr, "cgsolve: rank %d: %s\n", comm->rank, message);
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    MPI_Abort(MPI_COMM_WORLD, cgs_status_exit(status));
    abort(); /* not reached */
}

/* Waits for the vote of all. The others of a rank that has failed may be late, or wait for it in
 * another operation: after `seconds` it ends all. */
static void await_votes(const struct cgs_comm *comm, MPI_Request *request, enum cgs_status mine,
                        const char *message, double seconds)
{
    static const struct timespec rest = {0, 1000000};
    const double begin = cgs_now();
    int there = 0;
    while (MPI_Test(request, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !there) {
        if (cgs_now() - begin > seconds)
            end_all(comm, mine, message);
        nanosleep(&rest, NULL);
    }
}

/* Exchanges the statuses of all ranks. A rank that has failed ends all if it hears nothing of the
 * others for CGS_RANK_SECONDS; if its GPU waited for another rank in vain, after a second, and a
 * quarter more for each rank before it, so that one reports. */
static void vote(struct cgs_comm *comm, enum cgs_status mine, const char *message, double *all)
{
    static const double LITTLE = 1.0, APART = 0.25;
    const struct program *program = cgs_mpi_of(comm)->user;
    const double number = mine;
    const int silent = mine != CGS_OK && comm->silent ? (int)*comm->silent : -1;
    MPI_Request request;
    if (silent == comm->rank || silent == CGS_SOME_RANK)
        end_all(comm, mine, message);
    MPI_Iallgather(&number, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, program->votes, &request);
    if (mine == CGS_OK)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        await_votes(comm, &request, mine, message,
                    silent >= 0 ? LITTLE + APART * comm->rank : CGS_RANK_SECONDS);
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
    int ranks = 1, level;
    *comm = NULL;
    if (!cgs_ranks_started()) /* MPI's start takes a second, and sockets */
        return CGS_OK;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1 || ranks > CGS_RANKS_MOST) {
        MPI_Finalize();
        return ranks == 1 ? refuse_alone(context)
                          : cgs_fail(context, CGS_USAGE, "%d ranks: there can be %d", ranks,
                                     CGS_RANKS_MOST);
    }
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    struct cgs_comm *made = cgs_mpi_create(all);
    struct program *program = calloc(1, sizeof *program);
    if (!made || !program)
        abort_all();
    MPI_Comm_dup(MPI_COMM_WORLD, &program->votes);
    struct cgs_mpi *mpi = cgs_mpi_of(made);
    mpi->user = program;
    mpi->ops.vote = vote;
    cgs_mpi_find_host(made);
    *comm = made;
    return CGS_OK;
}

void cgs_ranks_close(struct cgs_comm *comm)
{
    if (!comm)
        return;
    struct cgs_mpi *mpi = cgs_mpi_of(comm);
    struct program *program = mpi->user;
    MPI_Barrier(mpi->comm); /* rank 0 may be writing */
    MPI_Comm_free(&program->votes);
    MPI_Comm_free(&mpi->comm);
    free(program);
    cgs_mpi_release(comm);
    MPI_Finalize();
}
