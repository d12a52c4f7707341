/* Speed of a learner's file as a part of a rival's, a kernel of ours: both are timed in turn, round
 * after round. Others that have the processors only make times longer, so the least times count,
 * and they are believed once the third least ones give the same points, or nearly. */
#ifndef CGS_LAB_EXERCISE_RACE_H
#define CGS_LAB_EXERCISE_RACE_H

#include "lab/exercise/exercise.h"

enum cgs_runner { CGS_MINE, CGS_RIVAL, CGS_RUNNERS };

struct cgs_race {
    int processors; /* of this machine */
    /* Times a call of each runner, in seconds. *part: see cgs_plugin_note_part. */
    enum cgs_status (*time)(void *user, double seconds[CGS_RUNNERS], double *part);
    void *user;
};

/* Runs the race and makes the verdict right: 60 points, and up to 40 for speed by verdict->bounds.
 * Where the times remain disturbed, 60 points and the word that the speed was not judged. Returns
 * failures of race->time. */
enum cgs_status cgs_race_run(const struct cgs_race *race, struct cgs_verdict *verdict);

#endif
