/* Ranks as the environment tells of them before they start, and the check that all are alike. */
#pragma once

#include "base/comm.h"

/* Returns true if the environment names more than one process: that of mpirun of Open MPI and of
 * MPICH, and of srun. */
bool cgs_ranks_started(void);

/* The same environment's number of processes and of this one, before MPI has started; 1 and 0 of
 * a process alone. */
int cgs_ranks_told_count(void);
int cgs_ranks_told_rank(void);

/* CGS_USAGE: this rank's arguments, build or environment differ from rank 0's. Called by all
 * ranks at once, as the next. */
enum cgs_status cgs_ranks_compare(struct cgs_context *context, int argc, const char *const *argv,
                                  const char *build);

/* CGS_FILE: a rank reads another file under that path than rank 0, by its size or by samples of its
 * content. path: the same on all ranks; NULL: there is none. */
enum cgs_status cgs_ranks_compare_file(struct cgs_context *context, const char *path);
