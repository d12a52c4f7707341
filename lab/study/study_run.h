/* Runs of the points of a study. */
#pragma once

#include "lab/study/study.h"

/* Runs the points that are not done, then once more those that others disturbed; says on
 * `progress` (NULL: nobody) which one, and what it took. CGS_INTERRUPTED: with those so far. */
enum cgs_status cgs_study_run(struct cgs_study *study, FILE *progress);

/* Takes points that an earlier call has finished: same version, same arguments, and no file that
 * they read is newer; with --draw the same arguments alone. *resumed: how many; *stale: reports
 * that are there, but not those. CGS_MEMORY: there is none to read one of them with. */
enum cgs_status cgs_study_resume(struct cgs_study *study, int *resumed, int *stale);

/* Runs a point and says so: "[2 of 7] N=7 ...". `again`: it is done, and what it left goes. */
enum cgs_status cgs_study_run_point(struct cgs_study *study, struct cgs_point *point, bool again,
                                    FILE *progress);
/* Takes a point as cgs_study_resume does. *stale: a report is there, but not that. */
enum cgs_status cgs_study_resume_point(struct cgs_study *study, struct cgs_point *point,
                                       bool *stale);

/* Takes part in the solves of rank 0's study until that ends; returns its status. */
enum cgs_status cgs_study_follow(struct cgs_context *context, cgs_solver *solve);
/* Ends that: rank 0's last step. Alone it does nothing. */
void cgs_study_dismiss(struct cgs_context *context);
