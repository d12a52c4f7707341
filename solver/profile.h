/* The bill of a solve (--profile): what each step of the iteration took, by the device's own clock.
 *
 *     mark  product  mark  update  mark  direction  mark  product ...        on the queue
 *
 * A mark stands before each step, and before what is no step (looks): the seconds between two
 * neighbours are the step's, so nothing is counted twice and what is not counted is left over.
 * Marks are events on the queue; they are read when their places are needed again, some sixty steps
 * later, when the device has long passed them: it never waits for the host. What a mark costs the
 * device is in the step before it, and a wait for a launch in the step that is launched late.
 */
#ifndef CGS_SOLVER_PROFILE_H
#define CGS_SOLVER_PROFILE_H

#include "kernels/backend.h"
#include "solver/cg/cg.h"

struct cgs_profile_line {
    struct cgs_cg_step step;
    double bytes, written; /* that a call must move; those of them that it writes */
    int64_t calls;         /* iterations of the solve that it was done in: all */
    double seconds;        /* of these */
};

struct cgs_profile {
    struct cgs_profile_line lines[CGS_CG_STEPS]; /* in the order of an iteration */
    int count;
    /* Steps that were queued when the solve was over (nobody had looked), or that broke it off. */
    int64_t past_iterations;
    double past_seconds;
};

struct cgs_profiler; /* opaque */

/* Host memory that it takes. */
void cgs_profiler_plan(struct cgs_plan *plan, int64_t max_iterations);

/* Of CG with `op` (borrowed), whose A p moves `product`. Uses all marks of op's queue while a solve
 * runs; `backend` is that queue's. */
enum cgs_status cgs_profiler_create(const struct cgs_backend *backend,
                                    const struct cgs_operator *op,
                                    const struct cgs_traffic *product, int64_t max_iterations,
                                    struct cgs_profiler **profiler);
void cgs_profiler_release(struct cgs_profiler *profiler); /* NULL is fine */

/* For settings.observer of one CG; lives as long as the profiler. */
const struct cgs_cg_observer *cgs_profiler_observer(const struct cgs_profiler *profiler);

/* All that was observed until the loop ended last. */
struct cgs_profile cgs_profiler_result(const struct cgs_profiler *profiler);

/* Seconds of all lines, those past the end included. */
double cgs_profile_seconds(const struct cgs_profile *profile);

#endif
