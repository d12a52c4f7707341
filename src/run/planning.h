/* What a run will take, said before it takes anything: plan, room, refusal; facts of
 * the report, whose machine is open. `laid`: a file's matrix, laid out; NULL: the box, of which
 * nothing is there yet. */
#ifndef CGS_SRC_RUN_PLANNING_H
#define CGS_SRC_RUN_PLANNING_H

#include "src/run/report.h"

/* The plan, the room there is, and, for --plan and for a refusal, what else would fit. CGS_USAGE:
 * the kernel does not take such a matrix. */
enum cgs_status cgs_planning_make(struct cgs_context *context, struct cgs_report *report,
                                  const struct cgs_matrix *laid);

/* CGS_MEMORY where the plan does not fit: nothing of it is there yet but a file's rows. */
enum cgs_status cgs_planning_check(struct cgs_context *context, const struct cgs_report *report,
                                   const struct cgs_matrix *laid);

/* What read, copy and triad reach now, on the host and on the device. */
enum cgs_status cgs_planning_bandwidth(struct cgs_report *report);

/* Adds to the failure of a run that ran out of memory that its plan had fitted. `asked`: it was
 * starved on purpose. */
void cgs_planning_explain(struct cgs_context *context, const struct cgs_report *report, bool asked);

#endif
