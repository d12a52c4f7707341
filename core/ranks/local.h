/* Ranks of one host without MPI: the program forks them, and they exchange through memory that they
 * share.
 *
 * All operations are turns of one primitive. In a turn each rank posts a piece of what it sends in
 * its outbox, waits until all have posted theirs, and copies from these what is meant for it:
 *
 *     rank 0    post piece 0 |               | copy | post piece 1 |      | copy
 *     rank 1         post piece 0 |          | copy |    post piece 1 |   | copy
 *                                  all there                       all there
 *
 * An outbox has room for two pieces, which turns use alternately: a rank that posts its piece of
 * turn t + 2 knows that all have posted t + 1, and so have copied t. Nobody waits twice a turn.
 *
 * Who waits spins for a moment, then sleeps (futex). A rank that has failed and that the others do
 * not come to hear ends all after CGS_RANK_SECONDS; one that dies ends all at once
 * (core/ranks/processes.h); one that is stopped is waited for.
 */
#pragma once

#include "base/comm.h"

/* Forks ranks - 1 processes and makes the communicator of all, in each of them; 2 <= ranks <=
 * CGS_LOCAL_MOST (core/ranks/processes.h). The caller has no threads, and nothing that does not
 * survive a fork. CGS_MEMORY: *comm is then NULL, and there is no other rank. */
enum cgs_status cgs_local_open(struct cgs_context *context, int ranks, struct cgs_comm **comm);

/* Waits for the other ranks, and on rank 0 for their ends; NULL is allowed. The others end next. */
void cgs_local_close(struct cgs_comm *comm);
