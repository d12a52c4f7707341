/* The exercises' table, made of exercises/exercises.def. */
#ifndef CGS_LAB_EXERCISE_EXERCISES_H
#define CGS_LAB_EXERCISE_EXERCISES_H

#include "lab/exercise/exercise.h"

/* Returns the exercise number `which`, from 0; NULL past the last. */
const struct cgs_exercise *cgs_exercise_at(int which);

/* CGS_USAGE: there is none of that name or number; says the nearest. */
enum cgs_status cgs_exercise_find(struct cgs_context *context, const char *name, int *which);

/* Finds the exercise that a file answers, by its line "cgsolve exercise: NAME".
 * CGS_FILE: it can't be read, or has no such line; CGS_USAGE: of an exercise that there is not. */
enum cgs_status cgs_exercise_of(struct cgs_context *context, const char *file, int *which);

#endif
