/* Speed of a learner's file as a part of a rival's, a kernel of ours: both are timed in turn, round
 * after round. A time in which a thread waited for a processor does not count. What else disturbs
 * only makes times longer, so the least times count, and they are believed once the third least
 * ones give the same points, or nearly. */
#pragma once

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

/* ---- why a right file is slow: one likely cause, where a measurement shows it ---- */

struct cgs_callee;
struct cgs_crs;
struct cgs_plugin_note;

/* Returns a word for the likely cause, "" where none is known: it depends on the times alone.
 * text: a sentence with the times that show it. */
const char *cgs_cause_of(const struct cgs_times *times, char *text, size_t size);

/* Notes the bytes of a call, `written` of them written, and what a plain loop reaches on this
 * machine's CPU, on arrays of that many bytes times `places` (calls on other vectors in turn find
 * none in the cache); and the cause of a slow file, by verdict->times. CGS_MEMORY. */
enum cgs_status cgs_cause_find(const struct cgs_callee *callee, int64_t bytes, int64_t written,
                               int places, struct cgs_verdict *verdict);

/* Writes "21.3 MB in 2.10 ms: 10.1 GB/s, 38 % of a plain read (26.6 GB/s); likely cause: ...", as
 * far as it is known. */
void cgs_verdict_moved(const struct cgs_verdict *verdict, char *text, size_t size);

/* A learner's function by itself. crs: its matrix, NULL for `outputs` and `inputs` numbers
 * without one. */
struct cgs_lap {
    const struct cgs_callee *callee;
    const struct cgs_plugin_note *note; /* of the callee's plugin */
    const struct cgs_crs *crs;
    int64_t outputs, inputs;
    const double *x;
    double *y;
    int threads;
};

/* Lowers *seconds to the least time of some calls; 0 before, and after where others disturbed them
 * all or the function fails so: not known. CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_lap_time(const struct cgs_lap *lap, double *seconds);
