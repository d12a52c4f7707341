/* Ghosts of x that are on their way from other ranks while a product computes the rows that read
 * none of them (solver/ranks.h). On the CPU, in a parallel region:
 *
 *     each thread    computes its rows without ghosts; thread 0 calls cgs_arrival_progress now and then
 *                    cgs_arrival_await
 *                    computes its other rows
 *
 * Rows stay with their threads, and no thread waits for another's rows. Thread 0 is the one that
 * calls the step, and alone speaks to other ranks.
 */
#pragma once

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cgs_arrival {
    void (*progress)(const void *self); /* lets messages go on; returns at once */
    void (*finish)(const void *self);   /* returns when all ghosts are there */
    const void *self;                   /* borrowed */
    atomic_bool there;                  /* false at first */
};

/* Looks at the messages before yielding: thread 0 may have no processor. */
enum { CGS_ARRIVAL_LOOKS = 100 };

/* Lets messages go on; arrival NULL, or another thread than 0: nothing. */
static inline void cgs_arrival_progress(struct cgs_arrival *arrival)
{
    if (arrival && omp_get_thread_num() == 0 &&
        !atomic_load_explicit(&arrival->there, memory_order_relaxed))
        arrival->progress(arrival->self);
}

/* Returns when the ghosts are there; NULL: at once. `reads`: this thread has rows that read
 * them. By all threads, once: thread 0 waits for the messages, and the others for it if they
 * read ghosts. */
static inline void cgs_arrival_await(struct cgs_arrival *arrival, bool reads)
{
    if (!arrival)
        return;
    if (omp_get_thread_num() == 0) {
        arrival->finish(arrival->self);
        atomic_store_explicit(&arrival->there, true, memory_order_release);
        return;
    }
    for (int look = 0; reads && !atomic_load_explicit(&arrival->there, memory_order_acquire);
         look++)
        if (look >= CGS_ARRIVAL_LOOKS)
            sched_yield();
}
