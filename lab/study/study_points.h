/* The points of a study, made of its lists of values. */
#pragma once

#include "lab/study/study.h"

/* Lists, points, their names and series, from the options. CGS_USAGE: `solve` refuses a
 * combination, or there are too many. To be released also then. */
enum cgs_status cgs_study_make(struct cgs_study *study);
void cgs_study_release(struct cgs_study *study);
