/* Ranks by MPI: the communicator of a program that mpirun or srun started several times. */
#ifndef CGS_CORE_RANKS_RANKS_H
#define CGS_CORE_RANKS_RANKS_H

#include "base/comm.h"

/* Returns true if the environment names more than one process: that of mpirun of Open MPI and of MPICH, and
 * of srun. */
bool cgs_ranks_started(void);

/* The same environment's number of processes and of this one, before MPI has started; 1 and 0 of a process
 * alone. */
int cgs_ranks_told_count(void);
int cgs_ranks_told_rank(void);

/* Seconds that a rank that has failed waits for the others to hear of it, before it ends all. */
#define CGS_RANK_SECONDS 6.0

/* Makes the communicator of all processes that were started together, for context->comm; NULL in
 * *comm: this one is alone.
 * CGS_USAGE: more ranks than CGS_RANKS_MOST, or several processes without MPI, or by another one's
 * mpirun. Owned by the caller. */
enum cgs_status cgs_ranks_open(struct cgs_context *context, struct cgs_comm **comm);

/* Waits for the other ranks and ends MPI; NULL is allowed. */
void cgs_ranks_close(struct cgs_comm *comm);

/* CGS_USAGE: this rank's arguments, build or environment differ from rank 0's. Called by all ranks at
 * once, as the next. */
enum cgs_status cgs_ranks_compare(struct cgs_context *context, int argc, const char *const *argv,
                                  const char *build);

/* CGS_FILE: a rank reads another file under that path than rank 0, by its size or by samples of its
 * content. path: the same on all ranks; NULL: there is none. */
enum cgs_status cgs_ranks_compare_file(struct cgs_context *context, const char *path);

#endif
