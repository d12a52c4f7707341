/* cgsolve grade FOLDER: judges all files of a class, each by `cgsolve exercise check` in a process
 * of its own, so that no file keeps another one from its row. A file's way:
 *
 *     unpacked    grade_archive.c  where FOLDER is an archive
 *     found       grade_folder.c   in FOLDER, with its hash; what is no submission is broken at once
 *     taken over  grade_csv.c      from the table of an earlier run, where the contents are the same
 *     judged      grade_run.c      first whether all are right, side by side, then how fast these are, alone
 *     told        grade_csv.c      a row of the table, after each file
 *                 grade_page.c     a page
 *                 grade_sums.c     a row of all files of its student
 *                 grade_scope.c    a test of Gradescope's results.json
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/io/format.h"
#include "core/options/options.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/grade/submission.h"

struct cgs_grade {
    struct cgs_context *context;
    const struct cgs_options *options;
    const char *given;  /* the folder or archive of the submissions, for messages */
    const char *folder; /* of the submissions */
    struct cgs_exercises exercises;
    char *of_exercise; /* owned; the folder if it is that of an exercise of ours */
    char *unpacked;    /* owned; the folder if they came in an archive, removed at the end */
    struct cgs_submission *submissions; /* in the order of their files' names */
    int count;
    char **roster; /* owned, as its names are; NULL: none */
    int roster_count;
    char *reports; /* owned; the folder of the judges' reports, removed at the end */
    double begun;  /* cgs_now */
    bool late;     /* --time-limit is over */
};
