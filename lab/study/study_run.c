/* Runs the points one after the other, each in a process of its own: this program once more; or
 * on several ranks all of them. Finds those that an earlier call has run. */
#include "lab/study/study_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/version.h"
#include "core/options/options_value.h"
#include "core/options/values.h"
#include "core/run/run_ranks.h"
#include "lab/command_line/options_parse.h"
#include "lab/io/rerun.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"

/* ---- on several ranks ----
 *
 * Rank 0 has the study, and tells the others what to solve with it.
 *
 *     rank 0     order {bytes of the words, or 0}, words     all: solve     ...     order {0, status}
 *
 * The words of a command line end with a 0 each. A point that fails does so on all ranks. */

struct order {
    int64_t bytes;  /* of the words that follow; 0: the study ends */
    int64_t status; /* then: its status */
};

static void share(struct cgs_context *context, void *memory, int64_t bytes)
{
    context->comm->ops->share(context->comm, 0, memory, bytes);
}

/* Solves a command line together with the other ranks; the first alone writes its report. */
static void solve_words(struct cgs_comm *comm, cgs_solver *solve, const char *const *words,
                        struct cgs_context *outcome)
{
    struct cgs_options options;
    int count = 0;
    while (words[count])
        count++;
    cgs_context_init(outcome);
    outcome->comm = comm;
    if (cgs_options_parse(outcome, count, words, &options) == CGS_OK)
        cgs_run_ranks_accept(outcome, &options.settings, NULL);
    if (comm->rank > 0)
        options.json = options.history = NULL;
    const struct cgs_call call = {.options = &options, .argc = count, .argv = words};
    solve(outcome, &call);
    cgs_options_release(&options);
    comm->ended = false; /* that was this point's */
}

/* Solves a command line on all ranks, of which the first calls this, and the others are in
 * cgs_study_follow. *outcome: its status and message. CGS_MEMORY: a rank has no room for it. */
static enum cgs_status lead(struct cgs_study *study, char *const *words,
                            struct cgs_context *outcome)
{
    struct cgs_context *context = study->context;
    struct order order = {0};
    char *text = NULL;
    for (int i = 0; words[i]; i++)
        order.bytes += (int64_t)strlen(words[i]) + 1;
    CGS_TRY(cgs_alloc(context, order.bytes, 1, "words of a point", (void **)&text));
    char *at = text;
    for (int i = 0; words[i]; i++)
        at = stpcpy(at, words[i]) + 1;
    share(context, &order, (int64_t)sizeof order);
    const enum cgs_status status = cgs_comm_agree(context, CGS_OK); /* all have room */
    if (status == CGS_OK) {
        share(context, text, order.bytes);
        solve_words(context->comm, study->solve, (const char *const *)words, outcome);
    }
    cgs_free(context, text);
    return status;
}

/* Receives the words of an order, and solves. */
static enum cgs_status obey(struct cgs_context *context, const struct order *order,
                            cgs_solver *solve)
{
    struct cgs_context outcome;
    const char *words[CGS_OPTIONS + 4] = {NULL}; /* as cgs_point_words makes them, and --json */
    char *text = NULL;
    int count = 0;
    const enum cgs_status status = cgs_comm_agree(
        context, cgs_alloc(context, order->bytes, 1, "words of a point", (void **)&text));
    if (status == CGS_OK) {
        share(context, text, order->bytes);
        for (const char *at = text; at < text + order->bytes; at += strlen(at) + 1)
            words[count++] = at;
        solve_words(context->comm, solve, words, &outcome);
    }
    cgs_free(context, text);
    return status;
}

enum cgs_status cgs_study_follow(struct cgs_context *context, cgs_solver *solve)
{
    struct order order;
    for (;;) {
        share(context, &order, (int64_t)sizeof order);
        if (order.bytes == 0)
            return context->status = (enum cgs_status)order.status;
        CGS_TRY(obey(context, &order, solve));
    }
}

void cgs_study_dismiss(struct cgs_context *context)
{
    struct order order = {.status = (int64_t)context->status};
    if (context->comm && !context->comm->ended)
        share(context, &order, (int64_t)sizeof order);
}

enum { SIGNALLED = 128 };

/* ---- a point's process ---- */

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
    const enum cgs_status status = lead(study, words, &outcome);
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

enum cgs_status cgs_study_run_point(struct cgs_study *study, struct cgs_point *point, bool again,
                                    FILE *progress)
{
    char label[256];
    if (cgs_interrupted())
        return interrupted(study);
    if (again)
        undo(point);
    cgs_point_label(study, point, false, label, sizeof label);
    if (progress) {
        char number[32];
        if (study->target_count > 0) /* more may follow */
            snprintf(number, sizeof number, "%d", study->count);
        else
            snprintf(number, sizeof number, "%d of %d", (int)(point - study->points) + 1,
                     study->count);
        fprintf(progress, "[%s%s] %s%s...", number, again ? ", again" : "", label,
                label[0] ? " " : "");
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
            CGS_TRY(cgs_study_run_point(study, &study->points[i], false, progress));
    for (int i = 0; i < study->count; i++)
        if (cgs_point_disturbed(&study->points[i]))
            CGS_TRY(cgs_study_run_point(study, &study->points[i], true, progress));
    return CGS_OK;
}

/* ---- --resume ---- */

static bool same_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

/* Returns true if the characters U+0001 ... U+00FF of the text are the bytes of the word. */
static bool same_bytes(const json_t *value, const char *word)
{
    const char *text = json_string_value(value);
    if (!text)
        return false;
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        if (byte >= 0x80 && (unsigned char)*text++ != (0xc0 | byte >> 6))
            return false;
        if ((unsigned char)*text++ != (byte < 0x80 ? byte : (0x80 | (byte & 0x3f))))
            return false;
    }
    return *text == '\0';
}

/* Returns true if the report was written with these arguments, ignoring the path of the report,
 * and `solves` unless it was given (older studies recorded it). */
static bool same_arguments(const json_t *report, char *const *words)
{
    const json_t *bytes = json_object_get(report, "arguments_bytes");
    const json_t *arguments = bytes ? bytes : json_object_get(report, "arguments");
    size_t at = 0;
    const size_t count = json_array_size(arguments);
    for (int i = 1; words[i]; i++, at++) {
        if (strcmp(words[i], cgs_several_solves) == 0 &&
            !same_text(json_array_get(arguments, at), words[i]))
            break;
        const json_t *argument = json_array_get(arguments, at);
        if (at >= count || !(bytes ? same_bytes : same_text)(argument, words[i]))
            return false;
    }
    const char *last = json_string_value(json_array_get(arguments, at));
    return at + 1 == count && last && strncmp(last, "--json=", 7) == 0;
}

/* Finished: solved, not converged, or broken down. A lack of memory or of a device, or an
 * interrupt, may be over next time. */
static bool finished(int exit_status)
{
    return exit_status == cgs_status_exit(CGS_OK) ||
           exit_status == cgs_status_exit(CGS_NOT_CONVERGED) ||
           exit_status == cgs_status_exit(CGS_BREAKDOWN);
}

/* Returns true if a file that the point reads was written after its report. */
static bool outdated(const struct cgs_study *study, const struct cgs_point *point)
{
    static const enum cgs_option_id read[] = {CGS_OPTION_matrix, CGS_OPTION_rhs, CGS_OPTION_guess,
                                              CGS_OPTION_nullspace, CGS_OPTION_kernel};
    struct stat report, input;
    if (stat(point->file, &report) != 0)
        return true;
    for (int i = 0; i < 5; i++) {
        const char *name = cgs_point_value(study, point, read[i]);
        const bool file = name && (read[i] == CGS_OPTION_kernel ? cgs_plugin_named(name)
                                   : read[i] == CGS_OPTION_rhs
                                       ? strcmp(name, "ones") != 0 && strcmp(name, "random") != 0
                                   : read[i] == CGS_OPTION_guess ? cgs_guess_names_file(name)
                                                                 : true);
        if (!file || stat(name, &input) != 0)
            continue;
        if (input.st_mtim.tv_sec > report.st_mtim.tv_sec ||
            (input.st_mtim.tv_sec == report.st_mtim.tv_sec &&
             input.st_mtim.tv_nsec > report.st_mtim.tv_nsec))
            return true;
    }
    return false;
}

static bool holds(const struct cgs_study *study, const struct cgs_point *point, char *const *words)
{
    const json_t *program = json_object_get(point->report, "cgsolve");
    const json_t *status = json_object_get(point->report, "exit_status");
    const bool ours =
        study->options->draw ||
        (same_text(json_object_get(program, "version"), cgs_version()) &&
         same_text(json_object_get(program, "commit"), cgs_commit()) && !outdated(study, point));
    return ours && json_is_integer(status) && finished((int)json_integer_value(status)) &&
           same_arguments(point->report, words);
}

enum cgs_status cgs_study_resume_point(struct cgs_study *study, struct cgs_point *point,
                                       bool *stale)
{
    *stale = false;
    CGS_TRY(cgs_point_take(study->context, point));
    if (!point->report)
        return CGS_OK;
    char **words = cgs_point_words(study, point);
    if (!words)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the options of a point");
    point->resumed = holds(study, point, words);
    cgs_words_release(words);
    *stale = !point->resumed;
    if (point->resumed)
        point->exit_status = (int)json_integer_value(json_object_get(point->report, "exit_status"));
    else
        cgs_point_forget(point);
    return CGS_OK;
}

enum cgs_status cgs_study_resume(struct cgs_study *study, int *resumed, int *stale)
{
    *resumed = *stale = 0;
    for (int i = 0; i < study->count; i++) {
        bool old;
        CGS_TRY(cgs_study_resume_point(study, &study->points[i], &old));
        *resumed += study->points[i].resumed;
        *stale += old;
    }
    return CGS_OK;
}
