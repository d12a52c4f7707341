/* Progress: a file of lines NAME,POINTS,DATE in the user's folder for states (XDG Base Directory
 * Specification). */
#pragma once

#include "lab/exercise/exercises.h"

/* Reads them; those of exercises that are not in the file are -1. `items` has one for each
 * exercise. */
void cgs_progress_read(const struct cgs_exercises *exercises, struct cgs_best *items);

/* Keeps points, if they are more than before. What can't be kept is said on `said`: no failure. */
void cgs_progress_keep(struct cgs_context *context, const struct cgs_exercises *exercises,
                       int which, int points, FILE *said);

/* Writes the file's path; false where there is none: no home, or it is not wanted. */
bool cgs_progress_path(char *path, size_t size);
