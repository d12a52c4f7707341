/* Exercises: files with a hole, which a learner fills in, and the judges of what comes back. Each
 * is a folder, read when the program runs: exercise.ini says what it is, start.* is the file with
 * the hole. Those of cgsolve are in exercises/; doc/teaching.md has the keys of exercise.ini. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"
#include "lab/command_line/call.h"
#include "lab/io/pairs.h"

enum cgs_exercise_state {
    CGS_EXERCISE_RIGHT,
    CGS_EXERCISE_WRONG,   /* a wrong answer, a crash, a hang, a cheat */
    CGS_EXERCISE_BROKEN,  /* does not compile, or is no answer to an exercise */
    CGS_EXERCISE_UNJUDGED /* needs a device that is not here, or had no processor */
};

enum { CGS_POINTS_RIGHT = 60, CGS_POINTS_ALL = 100 }; /* the difference is for speed */

/* The reason of a verdict whose times remained disturbed. */
#define CGS_SPEED_BUSY "speed not judged: the machine was busy"

/* Rival of a file's speed, and the parts of it that give points. */
struct cgs_bounds {
    const char *rival; /* a kernel's name, or words */
    double none, full; /* parts of its speed that give no and all points for speed */
    bool device;       /* both run on a GPU */
};

/* Part of y that one of two threads writes, at its least, where the work is not divided. */
#define CGS_PART_ALONE 0.9

/* Measurements of the learner's function, in seconds of a call; 0: not measured. */
struct cgs_times {
    double all;          /* with all its threads, or on a GPU */
    double alone;        /* on one thread */
    double eighth;       /* on an eighth of the problem */
    double thread_a_row; /* of crs_thread, a thread a row, on the same matrix and GPU */
    double part;         /* of y that the busier one of two threads writes: 0.5 to 1; 0: unknown */
    double share;        /* its bytes a second, as a share of those of a plain loop; 0: not known */
    bool device;
};

struct cgs_verdict {
    enum cgs_exercise_state state;
    int points;        /* of 100 */
    char reason[2048]; /* sentences; "" where it is right */
    char command[512]; /* a command with which one sees the same; "" if there is none */
    char code[32];     /* of an exercise's own judge: its word for the fault; "": by the reason */
    char hint[512];    /* of an exercise's own judge; "": by the code */
    char calls[160];   /* what it calls though no exercise needs it (cgs_plugin_calls); "": none */
    const struct cgs_bounds *bounds; /* NULL: time does not count */
    double attained;      /* its speed as a part of the rival's, in the same run; -1: not judged */
    double rival_seconds; /* of one call of the rival; 0: not timed */
    bool slow;            /* right, but points for speed are missing */
    struct cgs_times times;
    double bytes;                /* that a call moves, by the exercise's model; 0: not timed */
    double attainable_gbs;       /* of the plain loop whose name is attainable_kind */
    const char *attainable_kind; /* "read", "copy" or "triad" */
    const char *cause;           /* why it is slow (cgs_cause_of); NULL: not slow, or not known */
    char cause_text[160];
};

struct cgs_exercise;

/* A judge's task. */
struct cgs_judged {
    struct cgs_context *context;
    const struct cgs_exercise *exercise;
    const char *file;
    bool timed; /* false: correctness alone */
    bool right; /* it is known to be right: where speed counts, speed alone */
};

/* Judges a file. Statuses are of the run alone: CGS_MEMORY, CGS_INTERRUPTED, ... */
typedef enum cgs_status cgs_exercise_judge(const struct cgs_judged *judged,
                                           struct cgs_verdict *verdict);

/* Texts are of `pairs` or of `folder`. */
struct cgs_exercise {
    char *folder;     /* owned; its path */
    const char *name; /* the folder's */
    const char *title;
    const char *extension; /* of its file: "c", "cu", "txt" */
    bool device;           /* needs a GPU */
    cgs_exercise_judge *judge;
    const char *program;    /* command line of a judge in its folder, "./judge 7"; NULL: ours */
    int number;             /* place in the list; 0: none */
    int minutes;            /* that a learner needs, about */
    int seconds;            /* that a judge in its folder may take */
    const char *next;       /* what to read */
    struct cgs_pairs pairs; /* owned; all of exercise.ini */
    uint64_t start, model;  /* cgs_copies_tokens of its files, for `grade`; 0: not known */
};

#define CGS_EXERCISE_FILE "exercise.ini"
#define CGS_EXERCISE_HINTS "hint." /* before a code, in keys of that file */

/* ---- judges: exercise.ini names one ---- */

cgs_exercise_judge cgs_judge_product, cgs_judge_warp_a_row, cgs_judge_sell, cgs_judge_matrix_free;
cgs_exercise_judge cgs_judge_sort, cgs_judge_fuse, cgs_judge_cg, cgs_judge_fourth_order,
    cgs_judge_vcycle;
cgs_exercise_judge cgs_judge_thread_a_row, cgs_judge_transfer, cgs_judge_rounding;
cgs_exercise_judge cgs_judge_program; /* a program in the exercise's folder */

/* ---- progress: the best points of each exercise, kept in a file of the user's ---- */

struct cgs_best {
    int points;    /* -1: not tried */
    char date[16]; /* "2026-11-26" */
};
