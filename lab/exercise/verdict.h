/* Verdicts: made by judges, and put into words; the kind of fault that a reason tells of, with its
 * code for programs and its hint. */
#pragma once

#include "lab/exercise/exercise.h"

const char *cgs_exercise_state_name(enum cgs_exercise_state state);

struct cgs_callee;

/* Compiles the judged file, and notes what it calls. Statuses as of cgs_callee_open. */
enum cgs_status cgs_judged_open(const struct cgs_judged *judged, struct cgs_verdict *verdict,
                                struct cgs_callee *callee);

/* Makes the verdict wrong, worth `points`, for a reason. Returns CGS_OK. */
enum cgs_status cgs_verdict_wrong(struct cgs_verdict *verdict, int points, const char *format, ...)
    CGS_PRINTF(3, 4);

/* Makes the verdict right, all points: where time does not count, or is not looked at. */
void cgs_verdict_solved(struct cgs_verdict *verdict);

/* Returns the points of a right file with that part of the rival's speed. */
int cgs_bounds_points(const struct cgs_bounds *bounds, double attained);

/* Makes the verdict right: 60 points, and up to 40 for speed by verdict->bounds. */
void cgs_verdict_right(struct cgs_verdict *verdict, double attained);

/* Takes the points for speed from a right verdict: one of two threads writes that part of y. */
void cgs_verdict_undivided(struct cgs_verdict *verdict, double part);

/* Writes the speed, its rival and its bounds: "74 %; full points from 55 % of crs_row, 512 us, none
 * up to 20 %"; "" where time does not count. */
void cgs_verdict_speed(const struct cgs_verdict *verdict, char *text, size_t size);

/* Makes the verdict right, without points for speed: times remained disturbed. */
void cgs_verdict_busy(struct cgs_verdict *verdict);

/* Turns a failure of the learner's file into a verdict, and clears it from the context. Returns
 * CGS_OK then, any other status as it is. */
enum cgs_status cgs_verdict_of_failure(struct cgs_context *context, enum cgs_status status,
                                       struct cgs_verdict *verdict);

/* Returns true if a right file has points for its speed. */
bool cgs_exercise_counts_speed(const struct cgs_exercise *exercise);

/* ---- kinds of faults ---- */

struct cgs_mistake {
    const char *code; /* "race"; "" for a right answer with all points */
    const char *hint; /* a sentence; "": none */
};

/* Returns true if verdicts of our judges may have the code. */
bool cgs_mistake_is_code(const char *code);

/* Returns the kind of fault that the verdict's reason tells of. exercise: NULL where it is not
 * known. */
struct cgs_mistake cgs_mistake_of(const struct cgs_verdict *verdict,
                                  const struct cgs_exercise *exercise);
