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
#ifndef CGS_LAB_EXERCISE_GRADE_GRADE_H
#define CGS_LAB_EXERCISE_GRADE_GRADE_H

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

/* ---- parts of it ---- */
/* Unpacks an archive of submissions into a folder, which is grade->folder from then on; a folder
 * stays as it is. CGS_FILE: it is no archive, or damaged. */
enum cgs_status cgs_grade_unpack(struct cgs_grade *grade);
/* Reads what exercises begin with and their models, to know copies of them; fills
 * grade->submissions. CGS_FILE: there is none. */
enum cgs_status cgs_grade_find(struct cgs_grade *grade);
/* Reads --roster, before cgs_grade_find. CGS_FILE: it can't be read, or has a name twice. */
enum cgs_status cgs_grade_roster(struct cgs_grade *grade);
/* Returns the longest name of the roster that the text begins with, NULL if there is none.
 * Borrowed. */
const char *cgs_grade_on_roster(const struct cgs_grade *grade, const char *text);
/* Adds a row for each name of the roster without a submission. */
enum cgs_status cgs_grade_absent(struct cgs_grade *grade);
enum { CGS_GRADE_LARGEST = 1 << 20 }; /* bytes of a submission */

/* Reads a submission; *text, owned by the caller, ends with a zero. Returns 0 or an errno;
 * EFBIG: it is too large for one. */
int cgs_grade_read(const char *path, char **text, size_t *size);

/* Takes rows of --csv over. CGS_FILE: that is no table of marks; CGS_USAGE: of another folder's. */
enum cgs_status cgs_grade_resume(struct cgs_grade *grade, FILE *progress);
/* Writes the rows of --csv, of files that have a verdict; nothing where it is not wanted. */
enum cgs_status cgs_grade_csv(const struct cgs_grade *grade);

/* Judges all that have no verdict yet. CGS_FILE, CGS_MEMORY: a judge can't be started, an output
 * written. */
enum cgs_status cgs_grade_run(struct cgs_grade *grade, FILE *progress);

/* Makes the folder of --pages; writes a submission's page, the table of all. Nothing where they
 * are not wanted. */
enum cgs_status cgs_grade_pages(const struct cgs_grade *grade);
enum cgs_status cgs_grade_page(const struct cgs_grade *grade,
                               const struct cgs_submission *submission);
enum cgs_status cgs_grade_index(const struct cgs_grade *grade);

/* Returns the points of a student's best file of an exercise, -1 where there is none. */
double cgs_grade_best(const struct cgs_grade *grade, const char *student, const char *exercise);
/* Returns the sum of the best of each exercise. */
double cgs_grade_sum(const struct cgs_grade *grade, const char *student);
/* Returns the name of the exercise number `which` of those that somebody handed in, in the order
 * of their list; NULL after the last one. */
const char *cgs_grade_tried(const struct cgs_grade *grade, int which);
/* Returns true if no submission before number `which` is of the same student. */
bool cgs_grade_is_first(const struct cgs_grade *grade, int which);
/* Returns true if a student has more than one file. Else rows of files tell all. */
bool cgs_grade_adds_up(const struct cgs_grade *grade);

/* Writes Gradescope's results.json. */
void cgs_grade_scope(const struct cgs_grade *grade, FILE *file);

#endif
