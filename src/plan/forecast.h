/* What a run will hold, before it holds it: --plan, the refusal, the nearest
 * choices that fit (fitting.h) and the report's planned figures are one function. */
#ifndef CGS_SRC_PLAN_FORECAST_H
#define CGS_SRC_PLAN_FORECAST_H

#include "base/plan.h"
#include "src/setup/spec.h"

/* Of the host's free memory one part in so many is left alone: what is free is an estimate of the
 * system's, other processes move, and who takes the last page is killed without a word. */
enum { CGS_RESERVE = 32 };

/* Bytes that may be taken: what is free (less the reserve), or less by --memory-limit. */
struct cgs_room {
    int64_t bytes[CGS_PLACES];
    bool limited[CGS_PLACES]; /* by --memory-limit */
};

/* CGS_OK, or why a kernel of the run cannot take the matrix. */
enum cgs_status cgs_plan_accepts(struct cgs_context *context,
                                     const struct cgs_spec *forecast);
/* Whether they take that matrix. */
bool cgs_plan_accepted(const struct cgs_spec *forecast);

/* Everything held at the peak. */
void cgs_plan_run(const struct cgs_spec *forecast, struct cgs_plan *plan);

/* Measures the room there is; limit: bytes of each memory that may be taken, INT64_MAX: all. What the process
 * holds already (rows that were read, queues) counts as free: plans count it, too. */
enum cgs_status cgs_room_measure(const struct cgs_machine *machine, int64_t limit,
                                 struct cgs_room *room);

#endif
