/* Runs on several GPUs in a study: N of weak scaling, speedup, what is foretold. */
#pragma once

#include "lab/study/study.h"

/* Sets weak_n of the points with --scaling=weak. CGS_USAGE: they have no --gpus, or no box.
 * CGS_DEVICE: --gpus=all, and there is none. */
enum cgs_status cgs_scaling_resize(struct cgs_study *study);
/* Returns true if several values of --gpus are swept. */
bool cgs_scaling_swept(const struct cgs_study *study);
/* Measures the link between GPUs, where the points run on several. With --draw, and with
 * --resume where no link can be measured, reads what study.json has of it. */
void cgs_scaling_link(struct cgs_study *study);
/* Sets the facts speedup, efficiency and foretold of all points, against that of fewest GPUs
 * which differs in --gpus alone. */
void cgs_study_scale(struct cgs_study *study);
/* Says in a sentence what `foretold` comes from. */
void cgs_scaling_source(const struct cgs_study *study, char *text, size_t size);
