/* The OpenMP threads of the host: started while a refusal is still possible. */
#ifndef CGS_CORE_IO_THREADS_H
#define CGS_CORE_IO_THREADS_H

#include "base/context.h"

enum { CGS_THREADS_MOST = 1024 /* of --threads */ };

/* Sets context->threads to `asked`, --threads, or to all where it is 0, at most CGS_THREADS_MOST,
 * and starts them. CGS_USAGE: more than OMP_THREAD_LIMIT allows. CGS_MEMORY: the system refuses
 * that many. */
enum cgs_status cgs_threads_start(struct cgs_context *context, int asked);

/* Entries of a row, for matrices whose entries are not there to be counted: those of the box. */
enum { CGS_THREADS_ROW = 27 };

/* Returns how many of `threads` compute fastest on a matrix of so many entries: all of them, or
 * one, where waking the others takes longer than they save; that is up to larger matrices where
 * cgs_threads_make_brief lets them sleep. Where OMP_NUM_THREADS says how many, it is `threads`.
 * spins: this process could not shorten how long threads spin that wait (cgs_threads_make_brief),
 * as a caller's of the library; while other processes want the processors, one is then best up to
 * larger matrices. */
int cgs_threads_helping(int threads, int64_t entries, bool spins);

/* Makes threads that wait for the others spin only briefly where other processes want the
 * processors, too: a thread that spins keeps one from the thread that it waits for. libgomp
 * decides that before main, so the program begins anew, with GOMP_SPINCOUNT set; it returns
 * where that is set, or OMP_WAIT_POLICY, where the machine is quiet, and where the program
 * cannot begin anew. To be called before there is anything to lose. */
void cgs_threads_make_brief(char **argv);

#endif
