/* Memory plan of a run, made before anything is allocated, and its refusal if it does not fit. The
 * report's machine is open. laid: the layout of a file's matrix; NULL: the model problem, which is
 * not generated yet. */
#pragma once

#include "core/report/report.h"

/* The file of --rhs for a matrix by rows: the number of its vectors, and the bytes that reading it
 * takes in addition to them. All 0: there is none. */
struct cgs_rhs_size {
    int64_t vectors, reading;
};

/* Fills in the report's plan and room and, for --plan or if the plan does not fit, the variants
 * that would fit. CGS_USAGE: the kernel does not take the matrix. */
enum cgs_status cgs_planning_make(struct cgs_context *context, struct cgs_report *report,
                                  const struct cgs_matrix *laid, struct cgs_rhs_size rhs);

/* CGS_MEMORY: the plan does not fit. Only a file's rows are allocated so far. */
enum cgs_status cgs_planning_check(struct cgs_context *context, const struct cgs_report *report,
                                   const struct cgs_matrix *laid);

/* Measures the bandwidths of read, copy and triad on the host and on the device. */
enum cgs_status cgs_planning_bandwidth(struct cgs_report *report);

/* Adds to the message of a run that ran out of memory that its plan had fitted. asked: by
 * --inject. */
void cgs_planning_explain(struct cgs_context *context, const struct cgs_report *report, bool asked);
