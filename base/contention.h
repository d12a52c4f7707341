/* Contention: what other processes take from this one. Its threads wait for a processor that
 * others have, or a hypervisor keeps the processor for other machines. Times measured meanwhile
 * say little. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

/* Counters of the system since this process, or the machine, began; 0 where they cannot be read. */
struct cgs_contention_counters {
    double seconds;        /* cgs_now */
    int64_t ran, waited;   /* nanoseconds of all its threads on a processor, and ready for one */
    int64_t stolen, ticks; /* of all processors: kept by a hypervisor, and in all */
    int64_t switches;      /* involuntary context switches */
};

struct cgs_contention {
    struct cgs_contention_counters start;
    double load;      /* the system's load average over the minute before the start */
    double waited;    /* share of the time that the threads waited for a processor, 0 ... 1 */
    double stolen;    /* share of the processors' time that a hypervisor kept, 0 ... 1 */
    double missing;   /* processors that the threads had to do without, on average over the time */
    int64_t switches; /* involuntary context switches */
};

/* Begins to count. root: before /proc, "" but for tests. */
void cgs_contention_start(const char *root, struct cgs_contention *contention);

/* Sets what was counted since the start. Threads that have ended meanwhile count no more. */
void cgs_contention_stop(const char *root, struct cgs_contention *contention);

/* The share of this process's time that others had. */
double cgs_contention_share(const struct cgs_contention *contention);

/* Returns true if measured times mean little: a team is as slow as its slowest thread, so what
 * counts is whether a thread was missing, be they two or a hundred. Where more threads run than
 * there are processors for them, they wait for each other, which says nothing of others. */
bool cgs_contention_disturbs(const struct cgs_contention *contention, int threads);

/* Returns true if so many threads and those of other processes that run now need more processors
 * than the machine has. */
bool cgs_contention_crowded(const char *root, int threads);

/* Returns the seconds that the threads of a process, summed, were ready and had no processor; 0
 * where the system does not tell. Those of threads that have ended are missing. */
double cgs_contention_waited(int process);

/* Returns the seconds that they had one, likewise. */
double cgs_contention_ran(int process);

/* Returns true if the processes of a group, which have lived for `passed` seconds, had a processor
 * for less than half of that time and were ready for one for at least half of it. False where the
 * system does not tell; what sleeps waits for no processor. */
bool cgs_contention_starved(int group, double passed);

/* Waits until each thread of the context's team has a processor of its own, at most 20 ms:
 * threads that have just started or woken up share some until the system's next ticks. For what
 * is timed in less time. After three waits in vain others are known to keep the processors: it
 * waits no more. */
void cgs_contention_spread(struct cgs_context *context);

CGS_END_C
