/* Judging of the submissions. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Judges all that have no verdict yet. CGS_FILE, CGS_MEMORY: a judge can't be started, an output
 * written. */
enum cgs_status cgs_grade_run(struct cgs_grade *grade, FILE *progress);
