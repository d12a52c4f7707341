/* Ranks as processes that one program forks: how they begin, how one that dies is found, and how all end
 * together.
 *
 *     rank 0     the program itself; its handler of SIGCHLD finds children that have died, whatever it does
 *     rank 1 ... children; they end with rank 0 (PR_SET_PDEATHSIG)
 *
 * Who finds that a rank is lost says so, once for all, and rank 0 then ends the others and itself, in that same
 * handler: it may compute meanwhile.
 */
#ifndef CGS_CORE_RANKS_PROCESSES_H
#define CGS_CORE_RANKS_PROCESSES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/context.h"

enum { CGS_PROCESSES_MOST = 64 };

/* In memory that all of them share; zeros at first. */
struct cgs_processes {
    int count;
    atomic_int pid[CGS_PROCESSES_MOST]; /* by rank; 0: not there yet */
    atomic_bool
        done[CGS_PROCESSES_MOST]; /* the rank has met the others for the last time: it may end */
    atomic_bool claimed;          /* somebody says what happened */
    atomic_int ended;             /* then the exit status of all; 0: none yet */
};

/* Forks count - 1 children and returns in all of them, with the rank in *rank. processes: shared, zeros. To be
 * called once, by a process without threads. CGS_MEMORY: there are no more processes to be had; none is left. */
enum cgs_status cgs_processes_fork(struct cgs_context *context, struct cgs_processes *processes,
                                   int count, int *rank);

/* Ends all ranks: prints "cgsolve: `what`", unless another rank is about to say what happened. Does not
 * return. */
_Noreturn void cgs_processes_end(struct cgs_processes *processes, enum cgs_status status,
                                 const char *what);

/* Marks that this rank may end; on rank 0 waits for the others to have ended, as long as `seconds`, and then
 * ends them. All ranks have met before. */
void cgs_processes_leave(struct cgs_processes *processes, int rank, double seconds);

#endif
