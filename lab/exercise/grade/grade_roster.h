/* Names of a class. */
#ifndef CGS_LAB_EXERCISE_GRADE_GRADE_ROSTER_H
#define CGS_LAB_EXERCISE_GRADE_GRADE_ROSTER_H

#include "lab/exercise/grade/grade.h"

/* Reads --roster, before cgs_grade_find. CGS_FILE: it can't be read, or has a name twice. */
enum cgs_status cgs_grade_roster(struct cgs_grade *grade);
/* Returns the longest name of the roster that the text begins with, NULL if there is none.
 * Borrowed. */
const char *cgs_grade_on_roster(const struct cgs_grade *grade, const char *text);
/* Adds a row for each name of the roster without a submission. */
enum cgs_status cgs_grade_absent(struct cgs_grade *grade);

#endif
