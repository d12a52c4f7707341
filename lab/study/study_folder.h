/* The folder of a study. */
#pragma once

#include "lab/study/study.h"

/* Makes the folder of --report, or a temporary one, and names the points' files. CGS_USAGE: it
 * holds something else, or a study that is not to be resumed. CGS_FILE: it cannot be made, or
 * another study runs in it. */
enum cgs_status cgs_study_open(struct cgs_study *study);

/* Removes a temporary folder, and one that was made for nothing; also after a failure. */
void cgs_study_close(struct cgs_study *study);
