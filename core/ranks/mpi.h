/* Ranks by MPI: the communicator of a program that mpirun or srun started several times. */
#pragma once

#include "base/comm.h"

/* Seconds that a rank that has failed waits for the others to hear of it, before it ends all. */
#define CGS_RANK_SECONDS 6.0

/* Makes the communicator of all processes that were started together, for context->comm; NULL in
 * *comm: this one is alone.
 * CGS_USAGE: more ranks than CGS_RANKS_MOST, or several processes without MPI, or by another one's
 * mpirun. Owned by the caller. */
enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm);

/* Waits for the other ranks and ends MPI; NULL is allowed. */
void cgs_ranks_close(struct cgs_comm *comm);
