/* Ranks as processes that one program forks: how they begin, how one that dies is found, and how
 * all end together.
 *
 *     rank 0     the program itself; a thread of it, which sleeps, sees the end of each child
 *     rank 1 ... children; they end with rank 0 (PR_SET_PDEATHSIG)
 *
 * Who finds that a rank is lost says so, once for all. That thread then ends all of them, while
 * rank 0 may compute.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/context.h"

/* Largest number of ranks. */
enum { CGS_LOCAL_MOST = 64 };

/* In memory that all of them share; zeros at first. */
struct cgs_processes {
    atomic_bool parting; /* all ranks have met for the last time: each may end */
    atomic_bool claimed; /* somebody says what happened */
    atomic_int ended;    /* then, once it is said, the exit status of all; 0: none yet */
};

/* Forks ranks - 1 children and returns in all of them, with the rank in *rank. processes:
 * shared, zeros. To be called once, by a process without threads. CGS_MEMORY: there are no more
 * processes to be had; none is left. */
enum cgs_status cgs_processes_fork(struct cgs_context *context, struct cgs_processes *processes,
                                   int ranks, int *rank);

/* Ends all ranks: prints "cgsolve: `what`", unless another rank is about to say what happened. Does
 * not return. */
_Noreturn void cgs_processes_end(struct cgs_processes *processes, enum cgs_status status,
                                 const char *what);

/* Lets the ranks end; on rank 0 waits for the others to have ended, for `seconds` at most, and then
 * kills them. All ranks have met before. */
void cgs_processes_leave(struct cgs_processes *processes, double seconds);
