/* Points of students. */
#pragma once

#include "lab/exercise/grade/grade.h"

/* Returns the points of a student's best file of an exercise, -1 where there is none. */
double cgs_grade_best(const struct cgs_grade *grade, const char *student, const char *exercise);
/* Returns the sum of the best of each exercise. */
double cgs_grade_sum(const struct cgs_grade *grade, const char *student);
/* Returns the name of the exercise number `which` of those that somebody handed in, in the order
 * of their list; NULL after the last one. */
const char *cgs_grade_tried(const struct cgs_grade *grade, int which);
/* Returns true if no submission before number `which` is of the same student. */
bool cgs_grade_is_first(const struct cgs_grade *grade, int which);
/* Returns true if a student has more than one file. Else rows of files tell all. */
bool cgs_grade_adds_up(const struct cgs_grade *grade);
