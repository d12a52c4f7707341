/* Exercises: files with a hole, which a learner fills in, and the judges of what comes back. The list is
 * exercises/exercises.def; a folder of exercises/ has the files of one. */
#ifndef CGS_LAB_EXERCISE_EXERCISE_H
#define CGS_LAB_EXERCISE_EXERCISE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"
#include "lab/command_line/call.h"

enum cgs_exercise_state {
    CGS_EXERCISE_RIGHT,
    CGS_EXERCISE_WRONG,   /* a wrong answer, a crash, a hang, a cheat */
    CGS_EXERCISE_BROKEN,  /* does not compile, or is no answer to an exercise */
    CGS_EXERCISE_UNJUDGED /* needs a device that is not here */
};

struct cgs_verdict {
    enum cgs_exercise_state state;
    int points;        /* of 100 */
    char reason[2048]; /* sentences; "" where it is right */
    char command[512]; /* a command with which one sees the same; "" if there is none */
    double attained; /* its speed as a part of the reference's, in the same run; -1: not measured */
    bool slow;       /* right, but points for speed are missing */
};

struct cgs_exercise;

/* A judge's task. */
struct cgs_judged {
    struct cgs_context *context;
    const struct cgs_exercise *exercise;
    const char *file;
    bool timed; /* false: correctness alone */
};

/* Judges a file. Statuses are of the run alone: CGS_MEMORY, CGS_INTERRUPTED, ... */
typedef enum cgs_status cgs_exercise_judge(const struct cgs_judged *judged,
                                           struct cgs_verdict *verdict);

struct cgs_exercise {
    const char *name, *title;
    const char *extension; /* of its file: "c", "cu", "txt" */
    bool device;           /* needs a GPU */
    cgs_exercise_judge *judge;
    int minutes;                        /* that a learner needs, about */
    const char *hint_wrong, *hint_slow; /* "": none */
    const char *next;                   /* what to read */
    const char *const *start;           /* lines of the file to begin with; NULL ends them */
};

/* Returns the exercise number `which`, from 0; NULL past the last. */
const struct cgs_exercise *cgs_exercise_at(int which);

/* CGS_USAGE: there is none of that name or number; says the nearest. */
enum cgs_status cgs_exercise_find(struct cgs_context *context, const char *name, int *which);

/* Finds the exercise that a file answers, by its line "cgsolve exercise: NAME".
 * CGS_FILE: it can't be read, or has no such line; CGS_USAGE: of an exercise that there is not. */
enum cgs_status cgs_exercise_of(struct cgs_context *context, const char *file, int *which);

const char *cgs_exercise_state_name(enum cgs_exercise_state state);

/* ---- judges: one line of exercises.def names one ---- */

cgs_exercise_judge cgs_judge_product, cgs_judge_warp_a_row, cgs_judge_sell, cgs_judge_matrix_free;
cgs_exercise_judge cgs_judge_sort, cgs_judge_fuse, cgs_judge_cg, cgs_judge_fourth_order,
    cgs_judge_vcycle;
cgs_exercise_judge cgs_judge_thread_a_row, cgs_judge_transfer, cgs_judge_rounding;

/* Makes the verdict wrong, worth `points`, for a reason. Returns CGS_OK. */
enum cgs_status cgs_verdict_wrong(struct cgs_verdict *verdict, int points, const char *format, ...)
    CGS_PRINTF(3, 4);

/* Makes the verdict right, all points: where time does not count. */
void cgs_verdict_solved(struct cgs_verdict *verdict);

/* Makes the verdict right: 60 points, and up to 40 for speed, from `low` of the reference's on and all from `high`.
 * attained < 0: nothing was timed. */
void cgs_verdict_right(struct cgs_verdict *verdict, double attained, double low, double high);

/* Turns a failure of the learner's file into a verdict, and clears it from the context. Returns CGS_OK then, any other
 * status as it is. */
enum cgs_status cgs_verdict_of_failure(struct cgs_context *context, enum cgs_status status,
                                       struct cgs_verdict *verdict);

/* ---- the command ---- */

/* cgsolve exercise list | start NAME | check FILE | progress. */
enum cgs_status cgs_exercise_command(struct cgs_context *context, const struct cgs_call *call);

/* Judges a file, and reports that as text and JSON. The context says so where it is not right: CGS_NOT_CONVERGED,
 * wrong; CGS_FILE, broken; CGS_DEVICE, unjudged. */
enum cgs_status cgs_exercise_check(struct cgs_context *context, const struct cgs_call *call,
                                   const char *file);

/* ---- progress: the best points of each exercise, kept in a file of the user's ---- */

struct cgs_best {
    int points;    /* -1: not tried */
    char date[16]; /* "2026-11-26" */
};

/* Reads them; those of exercises that are not in the file are -1. `items` has one for each exercise. */
void cgs_progress_read(struct cgs_best *items, int count);

/* Keeps points, if they are more than before. What can't be kept is said on `said`: no failure. */
void cgs_progress_keep(struct cgs_context *context, int which, int points, FILE *said);

/* Writes the file's path; false where there is none: no home, or it is not wanted. */
bool cgs_progress_path(char *path, size_t size);

#endif
