/* Stands in for mpi.c in a build without MPI: each process is alone. */
#include <stddef.h>

#include "src/ranks/ranks.h"

enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm)
{
    (void)context;
    *comm = NULL;
    return CGS_OK;
}

void cgs_ranks_close(struct cgs_comm *comm)
{
    (void)comm;
}
