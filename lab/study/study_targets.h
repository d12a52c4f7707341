/* The smallest mesh of each series that reaches each --target-error. */
#pragma once

#include "lab/study/study.h"

/* Reads the targets, and gives each point, the first of its series, the mesh that the search begins
 * with. CGS_MEMORY. */
enum cgs_status cgs_targets_begin(struct cgs_study *study);

/* CGS_USAGE: the solution of this problem is not known everywhere, so that there is no L2 error. */
enum cgs_status cgs_targets_accept(struct cgs_context *context,
                                   const struct cgs_settings *settings);

/* Adds points, and runs them or with --resume and --draw takes them, until each target lies between
 * two meshes of each series, or cannot be reached. With --draw nothing is run. */
enum cgs_status cgs_targets_seek(struct cgs_study *study, FILE *progress);

/* Says of each target which mesh reaches it and in which time, or extrapolates. */
void cgs_targets_conclude(struct cgs_study *study);

/* Returns true if no other series reaches the target, by index, in less time than this one. */
bool cgs_target_fastest(const struct cgs_study *study, const struct cgs_series *series, int target);
