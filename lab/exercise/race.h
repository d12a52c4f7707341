/* Speed of a learner's file as a part of a rival's, a kernel of ours: both are timed in turn, round
 * after round. A time in which a thread waited for a processor does not count. What else disturbs
 * only makes times longer, so the least times count, and they are believed once the third least
 * ones give the same points, or nearly. */
#ifndef CGS_LAB_EXERCISE_RACE_H
#define CGS_LAB_EXERCISE_RACE_H

#include "lab/exercise/exercise.h"

enum cgs_runner { CGS_MINE, CGS_RIVAL, CGS_RUNNERS };

struct cgs_race {
    int processors; /* of this machine */
    /* Times a call of each runner, in seconds: INFINITY where a thread had to wait for a processor
     * meanwhile. *part: see struct cgs_plugin_note. */
    enum cgs_status (*time)(void *user, double seconds[CGS_RUNNERS], double *part);
    void *user;
};

/* Runs the race and makes the verdict right: 60 points, and up to 40 for speed by verdict->bounds.
 * Where the times remain disturbed, 60 points and the word that the speed was not judged. Returns
 * failures of race->time. */
enum cgs_status cgs_race_run(const struct cgs_race *race, struct cgs_verdict *verdict);

/* Returns the seconds since `begun`, INFINITY where threads of this process waited for a processor
 * meanwhile. waited: cgs_contention_waited(getpid()) when they began. */
double cgs_race_seconds(double begun, double waited);

/* Lets the threads of processes that are started from now on spin while they wait for each other,
 * even where this program's own ones sleep soon (cgs_threads_make_brief): then they leave a
 * processor to others alone, which struct cgs_plugin_note tells. */
void cgs_race_wake(void);

#endif
