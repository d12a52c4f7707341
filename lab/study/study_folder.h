/* The folder of a study. */
#pragma once

#include "lab/study/study.h"

/* Makes the folder of --report, or a temporary one, and names the points' files. CGS_USAGE: it
 * holds something else, or a study that is not to be resumed. CGS_FILE: it cannot be made, or
 * another study runs in it. */
enum cgs_status cgs_study_open(struct cgs_study *study);

/* Names the file of a point's report. CGS_MEMORY. */
enum cgs_status cgs_study_place(const struct cgs_study *study, struct cgs_point *point);

/* Removes a temporary folder, and one that was made for nothing; also after a failure. */
void cgs_study_close(struct cgs_study *study);
