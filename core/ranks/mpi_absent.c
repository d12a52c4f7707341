/* Stands in for mpi.c in a build without MPI: a process is alone, or says what is missing. */
#include <stddef.h>

#include "core/ranks/mpi.h"
#include "core/ranks/start.h"

enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm)
{
    *comm = NULL;
    if (!cgs_ranks_started())
        return CGS_OK;
    return cgs_fail(
        context, CGS_USAGE,
        "several processes were started together, but this cgsolve was built without MPI, "
        "and each would solve the whole: install what that mpirun belongs to "
        "(libopenmpi-dev, or libmpich-dev) and run ./bootstrap again, or start one");
}

void cgs_ranks_close(struct cgs_comm *comm)
{
    (void)comm;
}
