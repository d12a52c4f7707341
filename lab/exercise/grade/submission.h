/* A file of a class and its verdict. */
#pragma once

#include <jansson.h>

#include "core/io/format.h"
#include "lab/exercise/exercise.h"

enum { CGS_STATES = CGS_EXERCISE_UNJUDGED + 1 };

struct cgs_submission {
    char *path;       /* owned; FOLDER/... */
    const char *file; /* below FOLDER; within path */
    char *student;    /* owned */
    char hash[17];    /* FNV-1a of its contents, 64 bits; "": they were not read */
    uint64_t tokens;  /* cgs_copies_tokens of its contents */
    json_t *
        /* owned; keys as `cgsolve exercise check --json` writes them. NULL: not judged yet */
        verdict;
    enum cgs_exercise_state state;
    double seconds; /* that judging it took */
    cgs_date date;  /* when it was judged */
    bool kept;      /* taken over from the table */
};

/* The text or number of a verdict; "" or 0 where it has none. */
const char *cgs_grade_text(const struct cgs_submission *submission, const char *key);
double cgs_grade_number(const struct cgs_submission *submission, const char *key);
/* Gives a verdict that is not a judge's. */
void cgs_grade_say(struct cgs_submission *submission, enum cgs_exercise_state state,
                   const char *reason);
/* Adds a sentence to the reason. */
void cgs_grade_add(struct cgs_submission *submission, const char *reason);

/* Writes "30 files: 21 right, 4 wrong, 5 broken; mean of 30 judged: 71.4 points". */
void cgs_grade_counts(const struct cgs_submission *submissions, int count, char *text, size_t size);
