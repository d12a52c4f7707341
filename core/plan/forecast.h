/* Memory plan of a run before anything is allocated. One function serves --plan, the check that the
 * run fits, the variants that fit (fitting.h) and the report. */
#pragma once

#include "base/plan.h"
#include "core/setup/spec.h"

/* 1 / CGS_RESERVE of the host's free memory is left unused: the system only estimates what is free,
 * other processes allocate, and the system kills processes without a message when memory runs
 * out. */
enum { CGS_RESERVE = 32 };

/* Memory available: what is free (less the reserve) or --memory-limit, whichever is less. */
struct cgs_room {
    int64_t bytes[CGS_PLACES];
    bool limited[CGS_PLACES]; /* --memory-limit is less */
};

/* Checks that the kernels of the run accept the matrix; returns the kernel's error if not. */
enum cgs_status cgs_plan_accepts(struct cgs_context *context,
                                     const struct cgs_spec *forecast);
/* Returns true if cgs_plan_accepts succeeds. */
bool cgs_plan_accepted(const struct cgs_spec *forecast);

/* Plans the memory held at the peak. */
void cgs_plan_run(const struct cgs_spec *forecast, struct cgs_plan *plan);

/* Measures the memory available. limit: bytes of --memory-limit for each memory, INT64_MAX: none.
 * Host memory that the process holds already (rows that were read, queues) counts as free, since
 * plans include it. */
enum cgs_status cgs_room_measure(const struct cgs_machine *machine, int64_t limit,
                                 struct cgs_room *room);
