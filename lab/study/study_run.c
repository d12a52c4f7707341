/* Runs the points one after the other, each in a process of its own: this program once more; or
 * on several ranks (study_ranks.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "lab/io/rerun.h"
#include "lab/study/study.h"
#include "lab/study/study_fit.h"

enum { SIGNALLED = 128 };

/* ---- its process ---- */

/* Records the exit status of a point, and reads its report. */
static enum cgs_status take_report(struct cgs_context *context, struct cgs_point *point,
                                   int exit_status)
{
    point->exit_status = exit_status;
    const enum cgs_status status = cgs_point_take(context, point);
    if (status != CGS_OK) {
        cgs_point_forget(point);
        point->exit_status = -1; /* its report stays for --resume */
        return status;
    }
    if (exit_status == 0 && !point->report) {
        point->exit_status = cgs_status_exit(CGS_FILE);
        point->message = strdup("its report is gone");
    }
    return CGS_OK;
}

/* Concludes a point by its process's end. */
static enum cgs_status conclude(struct cgs_context *context, struct cgs_point *point,
                                int wait_status, const struct cgs_rerun *child)
{
    char death[96];
    CGS_TRY(take_report(context, point,
                        WIFSIGNALED(wait_status) ? SIGNALLED + WTERMSIG(wait_status)
                                                 : WEXITSTATUS(wait_status)));
    if (WIFSIGNALED(wait_status)) {
        cgs_child_death(wait_status, death, sizeof death);
        free(point->message);
        point->message = strdup(death);
    } else if (point->exit_status != 0 && !point->message) {
        point->message = cgs_rerun_first_line(child);
    }
    return CGS_OK;
}

/* Removes the point's old report, and lists the words of its command line; *listed: owned by the
 * caller, by cgs_words_release. */
static enum cgs_status list_words(const struct cgs_study *study, const struct cgs_point *point,
                                  char ***listed)
{
    const size_t size = strlen(point->file) + sizeof "--json=";
    char **words = cgs_point_words(study, point), *json = malloc(size);
    int count = 0;
    if (!words || !json) {
        cgs_words_release(words);
        free(json);
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the command line of a point");
    }
    while (words[count])
        count++;
    snprintf(json, size, "--json=%s", point->file);
    words[count] = json;
    if (unlink(point->file) != 0 && errno != ENOENT) { /* what is there then is to be this run's */
        const int error = errno;
        cgs_words_release(words);
        return cgs_fail(study->context, CGS_FILE, "cannot remove the old report '%s': %s",
                        point->file, strerror(error));
    }
    *listed = words;
    return CGS_OK;
}

/* Solves a point on all ranks. */
static enum cgs_status solve_point(struct cgs_study *study, struct cgs_point *point)
{
    struct cgs_context outcome;
    char **words;
    CGS_TRY(list_words(study, point, &words));
    const double begun = cgs_now();
    const enum cgs_status status = cgs_study_lead(study, words, &outcome);
    point->seconds = cgs_now() - begun;
    cgs_words_release(words);
    CGS_TRY(status);
    CGS_TRY(take_report(study->context, point, cgs_status_exit(outcome.status)));
    if (point->exit_status != 0 && !point->message)
        point->message = strdup(outcome.message);
    return CGS_OK;
}

static enum cgs_status run_point(struct cgs_study *study, struct cgs_point *point)
{
    if (study->solve)
        return solve_point(study, point);
    struct cgs_rerun child;
    char **words;
    CGS_TRY(list_words(study, point, &words));
    enum cgs_status status = cgs_rerun_start(study->context, words, false, &child);
    cgs_words_release(words);
    if (status == CGS_OK) {
        const double begun = child.begun;
        status = conclude(study->context, point, cgs_rerun_await(&child, 0.0), &child);
        point->seconds = cgs_now() - begun;
        cgs_rerun_release(&child);
    }
    return status;
}

/* ---- all of them ---- */

static void say_end(FILE *progress, const struct cgs_point *point)
{
    cgs_text took;
    fprintf(progress, " %s", cgs_seconds_text(point->seconds, took));
    if (point->exit_status != 0)
        fprintf(progress, ", FAILED (exit status %d)", point->exit_status);
    else if (cgs_point_disturbed(point))
        fputs(", DISTURBED", progress);
    fputc('\n', progress);
}

static enum cgs_status interrupted(struct cgs_study *study)
{
    int done = 0;
    study->interrupted = true;
    for (int i = 0; i < study->count; i++)
        done += cgs_point_done(&study->points[i]);
    return cgs_fail(study->context, CGS_INTERRUPTED, "interrupted: %d of %d points are done; %s",
                    done, study->count,
                    study->temporary ? "--report=DIR would keep them, and --resume go on"
                                     : "the same command with --resume goes on");
}

/* An interrupted point is one that was not run. */
static void undo(struct cgs_point *point)
{
    unlink(point->file);
    cgs_point_forget(point);
    point->exit_status = -1;
    point->seconds = 0.0;
    point->resumed = false;
}

/* Runs a point and says so: "[2 of 7] N=7...". */
static enum cgs_status run_and_say(struct cgs_study *study, struct cgs_point *point, bool again,
                                   FILE *progress)
{
    char label[256];
    if (cgs_interrupted())
        return interrupted(study);
    if (again)
        undo(point);
    cgs_point_label(study, point, false, label, sizeof label);
    if (progress) {
        fprintf(progress, "[%d of %d%s] %s%s...", (int)(point - study->points) + 1, study->count,
                again ? ", again" : "", label, label[0] ? " " : "");
        fflush(progress);
    }
    CGS_TRY(run_point(study, point));
    if ((cgs_interrupted() || study->solve) && point->exit_status >= SIGNALLED) {
        if (progress)
            fputc('\n', progress);
        undo(point);
        return interrupted(study);
    }
    if (progress)
        say_end(progress, point);
    return CGS_OK;
}

enum cgs_status cgs_study_run(struct cgs_study *study, FILE *progress)
{
    CGS_TRY(cgs_rerun_check(study->context));
    for (int i = 0; i < study->count; i++)
        if (!cgs_point_done(&study->points[i]))
            CGS_TRY(run_and_say(study, &study->points[i], false, progress));
    for (int i = 0; i < study->count; i++)
        if (cgs_point_disturbed(&study->points[i]))
            CGS_TRY(run_and_say(study, &study->points[i], true, progress));
    return CGS_OK;
}
