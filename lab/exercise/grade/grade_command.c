/* `cgsolve grade` from outside: outputs are made sure of first, then submissions are found,
 * taken over, judged; table, pages and results are written, those of a run that was interrupted
 * or late, too. */
#define _GNU_SOURCE /* nftw */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/grade/copies.h"
#include "lab/exercise/grade/grade_archive.h"
#include "lab/exercise/grade/grade_command.h"
#include "lab/exercise/grade/grade_csv.h"
#include "lab/exercise/grade/grade_folder.h"
#include "lab/exercise/grade/grade_page.h"
#include "lab/exercise/grade/grade_run.h"
#include "lab/exercise/grade/grade_scope.h"
#include "lab/exercise/grade/grade_sums.h"
#include "lab/exercise/verdict.h"
#include "lab/io/folder.h"

/* ---- text ---- */

/* Returns the characters of the text on one line, and in *fits the bytes of the first `most` of
 * them. */
static int count_columns(const char *plain, int most, int *fits)
{
    uint32_t code;
    int columns = 0;
    *fits = 0;
    for (const char *at = plain; *at; columns++) {
        at += cgs_character(at, strlen(at), &code);
        if (columns < most)
            *fits = (int)(at - plain);
    }
    return columns;
}

/* Writes the text on one line into `width` columns, its end as "..." where it is longer. */
static void write_cell(FILE *file, const char *text, int width)
{
    cgs_name plain;
    int fits;
    const int columns = count_columns(cgs_plain(text, plain), width - 3, &fits);
    if (columns <= width)
        fputs(plain, file);
    else
        fprintf(file, "%.*s...", fits, plain);
    fprintf(file, "%*s", columns < width ? width - columns : 0, "");
}

/* Widths of the columns of students and exercises. */
static void measure(const struct cgs_grade *grade, int widths[2])
{
    static const int most[2] = {24, 20};
    cgs_name plain;
    int unused;
    widths[0] = (int)strlen("student");
    widths[1] = (int)strlen("exercise");
    for (int i = 0; i < grade->count; i++) {
        const struct cgs_submission *s = &grade->submissions[i];
        const char *const texts[2] = {s->student, cgs_grade_text(s, "exercise")};
        for (int k = 0; k < 2; k++) {
            const int columns = count_columns(cgs_plain(texts[k], plain), 0, &unused);
            widths[k] = columns > most[k] ? most[k] : columns > widths[k] ? columns : widths[k];
        }
    }
}

static void write_row(FILE *file, const char *const cells[5], const int widths[2])
{
    enum { STATE = 8, POINTS = 6, BLANKS = 8 };
    char reason[512];
    const int left = cgs_page_width() - widths[0] - widths[1] - STATE - POINTS - BLANKS;
    write_cell(file, cells[0], widths[0]);
    fputs("  ", file);
    write_cell(file, cells[1], widths[1]);
    fprintf(file, "  %-*s  %*s  ", STATE, cells[2], POINTS, cells[3]);
    snprintf(reason, sizeof reason, "%.*s", (int)strcspn(cells[4], "\n"), cells[4]);
    write_cell(file, reason, left > 12 ? left : 12);
    fputc('\n', file);
}

/* Names files that are copies, and those that call what no exercise needs: for the teacher, not on
 * the students' pages. */
static void write_remarks(const struct cgs_grade *grade, FILE *file)
{
    char alike[256], line[1024];
    cgs_name plain;
    for (int i = 0; i < grade->count; i++) {
        const struct cgs_submission *s = &grade->submissions[i];
        cgs_copies_of(grade, i, alike, sizeof alike);
        const char *const remarks[2][2] = {{"alike", alike}, {"calls", cgs_grade_text(s, "calls")}};
        for (int k = 0; k < 2; k++) {
            if (!remarks[k][1][0])
                continue;
            snprintf(line, sizeof line, "%s: %.500s: %s", remarks[k][0], s->file, remarks[k][1]);
            cgs_page_wrap(file, cgs_plain(line, plain), 0);
        }
    }
}

/* A row a student: points of each exercise, as far as their columns fit, and their sum. */
static void write_sums(const struct cgs_grade *grade, FILE *file, int width)
{
    enum { SUM = 5, GAP = 2 };
    const char *exercise;
    int columns = width + GAP + SUM;
    for (int i = 0; (exercise = cgs_grade_tried(grade, i)) != NULL; i++)
        columns += GAP + (int)strlen(exercise);
    const bool fits = columns <= cgs_page_width();
    fputc('\n', file);
    write_cell(file, "student", width);
    fprintf(file, "  %*s", SUM, "sum");
    for (int i = 0; fits && (exercise = cgs_grade_tried(grade, i)) != NULL; i++)
        fprintf(file, "  %s", exercise);
    fputc('\n', file);
    for (int k = 0; k < grade->count; k++) {
        const char *student = grade->submissions[k].student;
        if (!cgs_grade_is_first(grade, k))
            continue;
        write_cell(file, student, width);
        fprintf(file, "  %*g", SUM, cgs_grade_sum(grade, student));
        for (int i = 0; fits && (exercise = cgs_grade_tried(grade, i)) != NULL; i++) {
            const double best = cgs_grade_best(grade, student, exercise);
            if (best >= 0.0)
                fprintf(file, "  %*g", (int)strlen(exercise), best);
            else
                fprintf(file, "  %*s", (int)strlen(exercise), "-");
        }
        fputc('\n', file);
    }
    fputc('\n', file);
}

static void write_text(const struct cgs_grade *grade, FILE *text)
{
    struct cgs_page page;
    char counts[256], points[32];
    int widths[2];
    measure(grade, widths);
    cgs_page_open(&page, text);
    write_row(page.file, (const char *[]){"student", "exercise", "state", "points", "reason"},
              widths);
    for (int i = 0; i < grade->count; i++) {
        const struct cgs_submission *s = &grade->submissions[i];
        snprintf(points, sizeof points, "%g", cgs_grade_number(s, "points"));
        write_row(page.file,
                  (const char *[]){s->student, cgs_grade_text(s, "exercise"),
                                   cgs_exercise_state_name(s->state), points,
                                   cgs_grade_text(s, "reason")},
                  widths);
    }
    cgs_grade_counts(grade->submissions, grade->count, counts, sizeof counts);
    if (cgs_grade_adds_up(grade))
        write_sums(grade, page.file, widths[0]);
    write_remarks(grade, page.file);
    fprintf(page.file, "%s\n", counts);
    cgs_page_close(grade->context, &page);
    cgs_output_flush(grade->context, text);
}

/* ---- the run ---- */

/* A folder of its own for the judges' reports, and what is unpacked: nobody else knows their
 * names. */
static enum cgs_status make_reports(struct cgs_grade *grade)
{
    static const char name[] = "/cgsolve-grade-XXXXXX";
    const char *named = getenv("TMPDIR"), *above = named && *named ? named : "/tmp";
    const size_t size = strlen(above) + sizeof name;
    char *path = malloc(size);
    if (!path)
        return cgs_fail(grade->context, CGS_MEMORY, "no memory for the name of a folder");
    snprintf(path, size, "%s%s", above, name);
    if (mkdtemp(path)) {
        grade->reports = path;
        return CGS_OK;
    }
    cgs_fail(grade->context, CGS_FILE,
             "cannot make a folder in '%s': %s; name another one by $TMPDIR", above,
             strerror(errno));
    free(path);
    return grade->context->status;
}

/* Takes the folder of an exercise that comes with the program, exercises/NAME, where there is none
 * of that name here: grade can be tried wherever it is installed. */
static enum cgs_status take_folder(struct cgs_grade *grade)
{
    static const char name[] = "exercises";
    const size_t length = sizeof name - 1;
    const char *given = grade->given, *shipped = grade->exercises.shipped;
    if (!shipped || access(given, F_OK) == 0 || strncmp(given, name, length) != 0 ||
        (given[length] != '\0' && given[length] != '/'))
        return CGS_OK;
    grade->of_exercise = cgs_folder_join(shipped, given + length, "");
    grade->folder = grade->of_exercise;
    return grade->folder ? CGS_OK
                         : cgs_fail(grade->context, CGS_MEMORY, "no memory for a folder's name");
}

static enum cgs_status open_all(struct cgs_grade *grade, struct cgs_output *scope, FILE *progress)
{
    struct cgs_output csv;
    const struct cgs_options *o = grade->options;
    CGS_TRY(cgs_exercises_read(grade->context, o->exercises, &grade->exercises));
    CGS_TRY(take_folder(grade));
    CGS_TRY(cgs_grade_roster(grade));
    CGS_TRY(make_reports(grade));
    CGS_TRY(cgs_grade_unpack(grade));
    CGS_TRY(cgs_grade_find(grade));
    CGS_TRY(cgs_grade_resume(grade, progress));
    CGS_TRY(cgs_grade_pages(grade));
    CGS_TRY(cgs_output_open(grade->context, "the table of marks", o->csv, 0, &csv));
    cgs_output_discard(&csv); /* it is written again and again */
    return cgs_output_open(grade->context, "the results", o->gradescope, 0, scope);
}

/* Tells of submissions without a verdict, too. */
static void write_all(struct cgs_grade *grade, struct cgs_output *scope, FILE *text)
{
    struct cgs_context *context = grade->context;
    cgs_grade_csv(grade);
    for (int i = 0; i < grade->count && context->status == CGS_OK; i++)
        cgs_grade_page(grade, &grade->submissions[i]);
    if (context->status == CGS_OK)
        cgs_grade_index(grade);
    if (scope->target && cgs_output_begin(context, scope) == CGS_OK) {
        cgs_grade_scope(grade, scope->file);
        cgs_output_commit(context, scope);
    }
    write_text(grade, text);
}

/* Fails where not all could be judged. */
static void judge_run(const struct cgs_grade *grade)
{
    const char *goes_on = grade->options->csv ? "the same command with --resume goes on"
                                              : "--csv=FILE would keep them, and --resume go on";
    int done = 0;
    for (int i = 0; i < grade->count; i++)
        done += grade->submissions[i].state != CGS_EXERCISE_UNJUDGED;
    if (grade->late)
        cgs_fail(grade->context, CGS_INTERRUPTED,
                 "the time limit of %lld seconds is over: %d of %d files are judged; %s",
                 (long long)grade->options->time_limit, done, grade->count, goes_on);
    else if (cgs_interrupted())
        cgs_fail(grade->context, CGS_INTERRUPTED, "interrupted: %d of %d files are judged; %s",
                 done, grade->count, goes_on);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void release(struct cgs_grade *grade)
{
    for (int i = 0; i < grade->count; i++) {
        free(grade->submissions[i].path);
        free(grade->submissions[i].student);
        json_decref(grade->submissions[i].verdict);
    }
    free(grade->submissions);
    for (int i = 0; i < grade->roster_count; i++)
        free(grade->roster[i]);
    free(grade->roster);
    if (grade->reports)
        nftw(grade->reports, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(grade->reports);
    free(grade->unpacked);
    free(grade->of_exercise);
    cgs_exercises_release(&grade->exercises);
}

enum cgs_status cgs_grade(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_output scope = {0};
    struct cgs_grade grade = {.context = context, .options = call->options, .begun = cgs_now()};
    char *folder = strdup(call->words[0]);
    if (!folder)
        return cgs_fail(context, CGS_MEMORY, "no memory for the name of the folder");
    for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--)
        folder[end - 1] = '\0';
    grade.folder = grade.given = folder;
    cgs_interrupt_catch();
    if (open_all(&grade, &scope, call->said) == CGS_OK) {
        cgs_interrupt_hold(); /* the reports' folder goes */
        if (cgs_grade_run(&grade, call->said) == CGS_OK) {
            write_all(&grade, &scope, call->text);
            judge_run(&grade);
        }
        cgs_interrupt_let();
    }
    cgs_output_discard(&scope);
    release(&grade);
    free(folder);
    return context->status;
}
