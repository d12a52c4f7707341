/* The list of exercises, read from their folders; verdicts. */
#pragma once

#include "lab/exercise/exercise.h"

enum { CGS_EXERCISES_MOST = 64 };

struct cgs_exercises {
    char *shipped; /* owned; the folder of those that come with the program; NULL: not found */
    int count;
    struct cgs_exercise items[CGS_EXERCISES_MOST]; /* by number, those without one last, by name */
};

/* Reads the exercises that come with the program, then those of the folder `more` (NULL: none),
 * which take the places of others of their names. Released in any case. CGS_FILE: a folder or file
 * can't be read, has none, or says what makes no sense. */
enum cgs_status cgs_exercises_read(struct cgs_context *context, const char *more,
                                   struct cgs_exercises *exercises);
void cgs_exercises_release(struct cgs_exercises *exercises);

/* CGS_USAGE: there is none of that name or number, from 1; says the nearest. */
enum cgs_status cgs_exercise_find(struct cgs_context *context,
                                  const struct cgs_exercises *exercises, const char *name,
                                  int *which);

/* Finds the exercise that a file answers, by its line "cgsolve exercise: NAME".
 * CGS_FILE: it can't be read, or has no such line; CGS_USAGE: of an exercise that there is not. */
enum cgs_status cgs_exercise_of(struct cgs_context *context, const struct cgs_exercises *exercises,
                                const char *file, int *which);
