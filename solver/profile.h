/* Profile of a solve (--profile): time of each step of the iteration, by the device's own clock.
 *
 *     mark  product  mark  update  mark  direction  mark  product ...        on the queue
 *
 * A mark precedes each step, and everything that is no step (reading the state). The time between
 * two neighbouring marks is the step's: nothing is counted twice, and work outside steps is left
 * out. Marks are events on the queue. They are read when their slots are needed again, some sixty
 * steps later, when the device has long passed them, so that it never waits for the host. The cost
 * of a mark counts for the step before it, a late launch for the step launched late.
 */
#pragma once

#include "kernels/backend.h"
#include "solver/cg/cg.h"

struct cgs_profile_line {
    struct cgs_cg_step step;
    double bytes, written; /* bytes that a call must move, and those of them that it writes */
    int64_t calls;         /* iterations that did this step */
    double seconds;        /* of all calls */
};

struct cgs_profile {
    struct cgs_profile_line lines[CGS_CG_STEPS]; /* in the order of an iteration */
    int count;
    /* Steps queued after the end, before the host knew of it, or that broke the solve off. */
    int64_t past_iterations;
    double past_seconds;
};

struct cgs_profiler; /* opaque */

/* Adds the host memory of a profiler to the plan. */
void cgs_profiler_plan(struct cgs_plan *plan, int64_t max_iterations);

/* Creates a profiler for CG with `op` (borrowed); product: traffic of its A p. Uses all marks of
 * op's queue during a solve; `backend` must be that queue's. */
enum cgs_status cgs_profiler_create(const struct cgs_backend *backend,
                                    const struct cgs_operator *op,
                                    const struct cgs_traffic *product, int64_t max_iterations,
                                    struct cgs_profiler **profiler);
void cgs_profiler_release(struct cgs_profiler *profiler); /* NULL is allowed */

/* Returns the observer for the settings of one CG; it lives as long as the profiler. */
const struct cgs_cg_observer *cgs_profiler_observer(const struct cgs_profiler *profiler);

/* Returns the profile of all loops that have ended. */
struct cgs_profile cgs_profiler_result(const struct cgs_profiler *profiler);

/* Seconds of all steps, including those past the end. */
double cgs_profile_seconds(const struct cgs_profile *profile);
