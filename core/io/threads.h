/* The OpenMP threads of the host: started while a refusal is still possible. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/context.h"

enum { CGS_THREADS_MOST = 1024 /* of --threads */ };

/* Sets context->threads to `asked`, --threads, or to all where it is 0, at most CGS_THREADS_MOST,
 * and starts them. CGS_USAGE: more than OMP_THREAD_LIMIT allows. CGS_MEMORY: the system refuses
 * that many. */
enum cgs_status cgs_threads_start(struct cgs_context *context, int asked);

/* Entries of a row, for matrices whose entries are not there to be counted: those of the box. */
enum { CGS_THREADS_ROW = 27 };

/* Returns the number of threads that computes fastest on a matrix with that many entries: all of
 * `threads`, or one where waking the others takes longer than they save. While other processes want
 * the processors, one is faster up to larger matrices; whether they do is not asked where the user
 * has set OMP_WAIT_POLICY or GOMP_SPINCOUNT. With OMP_NUM_THREADS set it is `threads`. */
int cgs_threads_helping(int threads, int64_t entries);

/* Makes threads that wait for the others spin only briefly where other processes want the
 * processors, too: a thread that spins keeps one from the thread that it waits for. libgomp
 * decides that before main, so the program begins anew, with GOMP_SPINCOUNT set; it returns
 * where that is set, or OMP_WAIT_POLICY, where the machine is quiet, and where the program
 * cannot begin anew. To be called before there is anything to lose. */
void cgs_threads_make_brief(char **argv);

/* Shortens the spinning for the time of one call, in a process that cannot begin anew: the caller's
 * of the library. A waiting thread of libgomp spins only 100 times while the process has more
 * OpenMP threads than processors (libgomp's manual, GOMP_SPINCOUNT). So a second team of threads is
 * started, which sleeps until the end of the call. */
struct cgs_threads_brief {
    bool on;
    int team;
    pthread_t keeper;
    sem_t there, over;
};
/* Starts the second team, for a computation on `threads` threads, if other processes want the
 * processors, too. Does nothing otherwise, or if OMP_WAIT_POLICY or GOMP_SPINCOUNT is set. */
void cgs_threads_brief_begin(int threads, struct cgs_threads_brief *brief);
void cgs_threads_brief_end(struct cgs_threads_brief *brief);
