/* The pipeline of a solve, as a whole and in the parts that a caller of the library repeats. */
#pragma once

#include "core/run/run.h"

/* Runs a solve and fills in the report as far as it gets; prints no report. save: opened output
 * of --save-matrix, or NULL. `begun` may be NULL. The caller frees report->result.history,
 * report->algebraic, report->columns.list and report->solution, and calls cgs_pictures_release. */
enum cgs_status cgs_run(struct cgs_context *context, struct cgs_settings *settings, FILE *verbose,
                        struct cgs_output *save, cgs_run_begun *begun, void *user,
                        struct cgs_report *report);

/* Does the work needed once for a matrix and options: from opening the machine to CG with its
 * vectors; for --plan only up to the plan. *run has context, options, report and save, and is zero
 * otherwise. It must not move, and has to be released after errors, too. */
enum cgs_status cgs_run_set_up(struct cgs_run *run, FILE *verbose);

/* Part of a set-up that is out of date: none, the solver, or the values of the rows. */
enum cgs_run_stale { CGS_RUN_FRESH, CGS_RUN_STALE_SOLVER, CGS_RUN_STALE_VALUES };

/* Rebuilds what is stale: the solver after new options of CG, or all operators after new values on
 * the same pattern. After a failure the run can only be released. */
enum cgs_status cgs_run_renew(struct cgs_run *run, enum cgs_run_stale stale);

/* Computes right-hand side and start vector, solves, and measures errors and times. May be
 * called again after success, with other vectors in report->external.caller and a fresh copy of the
 * report as left by cgs_run_set_up. */
enum cgs_status cgs_run_answer(struct cgs_run *run);

/* Releases all of a run, of one that failed, too. */
void cgs_run_release(struct cgs_run *run);
