/* Memory and time of a run on several ranks, which call these at once; alone they do nothing. */
#pragma once

#include "core/report/report.h"

/* Makes the report's plan and room those of the rank that needs most, or the first that lacks
 * memory: the room is its share of its host, and of its GPU. rows: of this rank; *equal: the
 * room if all needed the same. */
void cgs_planning_share(struct cgs_context *context, struct cgs_report *report, int64_t rows,
                        struct cgs_room *equal);

/* Notes the memory that each GPU's part has taken. */
void cgs_planning_peaks(struct cgs_context *context, struct cgs_report *report);

/* --plan: foretells the time of an iteration by the number of ranks, from what it measures in
 * about a second; nothing for preconditioners with grids. */
enum cgs_status cgs_planning_scale(struct cgs_context *context, struct cgs_report *report,
                                   const struct cgs_matrix *laid);
