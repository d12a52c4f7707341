/* The watch over ranks: a thread in each of them. A rank that is stopped, hangs or is gone beats no more
 * (core/ranks/beats.h), and all others would wait for it for ever, within MPI; their watches see that, one
 * says which rank it is, and ends all. Waits stay plain calls of MPI.
 *
 *     phase      ends all where
 *     starting   MPI_Init does not return
 *     running    a rank does not beat; a rank has failed and the others do not come to hear of it; all
 *                wait, and none goes on
 *     ending     MPI_Finalize does not return
 *
 * Time is no failure of its own: a rank may compute for as long as it likes, its watch beats.
 * CGSOLVE_RANK_TIMEOUT is the number of seconds; 0: never.
 */
#ifndef CGS_CORE_RANKS_WATCH_H
#define CGS_CORE_RANKS_WATCH_H

#include <mpi.h>
#include <stdint.h>

#include "base/context.h"

struct cgs_watch;

/* Starts the thread, before MPI_Init. Returns NULL if there is no memory, or no thread to be had. */
struct cgs_watch *cgs_watch_start(void);

/* Watches from now on all ranks of `all`; called by all of them at once, which then wait equally long: as
 * rank 0 says. `messages`: MPI takes calls of several threads at once. CGS_USAGE: CGSOLVE_RANK_TIMEOUT of
 * rank 0 is no number. CGS_MEMORY. */
enum cgs_status cgs_watch_run(struct cgs_context *context, struct cgs_watch *watch, MPI_Comm all,
                              bool messages);

/* Number of ranks on this host. */
int cgs_watch_on_host(const struct cgs_watch *watch);

/* Lowest of them. */
int cgs_watch_host(const struct cgs_watch *watch);

/* Marks a wait for other ranks, in which `bytes` move. */
void cgs_watch_enter(struct cgs_watch *watch, int64_t bytes);
void cgs_watch_leave(struct cgs_watch *watch);

/* Notes that this rank has failed and is about to tell the others; CGS_OK: they have heard. waited: it has waited
 * for one of them in vain already, and gives them little more time. */
void cgs_watch_fail(struct cgs_watch *watch, enum cgs_status status, const char *message,
                    bool waited);

/* Ends all ranks for a failure of this one, after which it can't go on. */
_Noreturn void cgs_watch_end_all(struct cgs_watch *watch, enum cgs_status status,
                                 const char *message);

/* Ends the watch over other ranks, by all of them at once; MPI_Finalize comes next. */
void cgs_watch_end(struct cgs_watch *watch);

/* Ends the thread; NULL is allowed. */
void cgs_watch_stop(struct cgs_watch *watch);

#endif
