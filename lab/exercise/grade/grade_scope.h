/* Gradescope's results.json. */
#ifndef CGS_LAB_EXERCISE_GRADE_GRADE_SCOPE_H
#define CGS_LAB_EXERCISE_GRADE_GRADE_SCOPE_H

#include "lab/exercise/grade/grade.h"

/* Writes Gradescope's results.json. */
void cgs_grade_scope(const struct cgs_grade *grade, FILE *file);

#endif
