/* Several ranks in one process: a thread each, with a context and a communicator of its own,
 * whose operations copy memory between the threads. For what base/comm.h promises, without MPI. */
#pragma once

#include "base/comm.h"

enum { TEAM_MOST = 8 };

/* Runs `work` on that many ranks at once, each with its own context (one OpenMP thread, comm
 * set; comm NULL for a single rank), and waits for all. */
void team_run(int ranks, void (*work)(struct cgs_context *context, void *user), void *user);
