/* The table of marks. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Takes rows of --csv over. CGS_FILE: that is no table of marks; CGS_USAGE: of another folder's. */
enum cgs_status cgs_grade_resume(struct cgs_grade *grade, FILE *progress);
/* Writes the rows of --csv, of files that have a verdict; nothing where it is not wanted. */
enum cgs_status cgs_grade_csv(const struct cgs_grade *grade);
