/* Gradescope's results.json. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Writes Gradescope's results.json. */
void cgs_grade_scope(const struct cgs_grade *grade, FILE *file);
