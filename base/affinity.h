/* Processors of a process whose OpenMP binds its threads (OMP_PROC_BIND, OMP_PLACES): the runtime
 * narrows the initial thread to the first of its places before main. Every program and process that
 * this thread starts inherits that mask, and its own OpenMP then counts one place only. */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

enum { CGS_PROCESSORS_MOST = 8192 }; /* Linux's own limit on x86-64 */

/* A set of processors as the system takes it: one bit each. */
struct cgs_processors {
    unsigned long bits[CGS_PROCESSORS_MOST / (8 * sizeof(unsigned long))];
};

/* Lets the calling thread run on all of OpenMP's places, and sets *before to the processors that it
 * had. Those that taskset, a batch system or mpirun took from this process are in no place. Does
 * nothing without places. */
void cgs_affinity_widen(struct cgs_processors *before);

/* Lets the calling thread run on these alone again. Does nothing without places. */
void cgs_affinity_return(const struct cgs_processors *before);

CGS_END_C
