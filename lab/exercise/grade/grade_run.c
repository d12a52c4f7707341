/* Judges submissions by this program itself, in two passes:
 *
 *     cgsolve exercise check --untimed --json=REPORT -- FILE    is it right? Several at a time
 *     cgsolve exercise time --json=REPORT -- FILE               how fast is a right one? Each alone,
 *                                                               since neighbours disturb the time
 *
 * A file whose judge is ended by --time-limit or an interrupt has no verdict. */
#define _GNU_SOURCE /* asprintf */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/grade/grade_csv.h"
#include "lab/exercise/grade/grade_page.h"
#include "lab/exercise/grade/grade_run.h"
#include "lab/exercise/verdict.h"
#include "lab/io/json_read.h"
#include "lab/io/rerun.h"

/* ---- a judge ---- */

struct judge {
    struct cgs_rerun child;
    struct cgs_submission *submission; /* NULL: it has none */
    char *report;                      /* owned; the file that it writes */
};

/* Returns true if it is right, and how fast it is, is worth points and not known. Points that a
 * teacher has changed stay. */
static bool lacks_time(const struct cgs_grade *grade, const struct cgs_submission *s)
{
    const double points = cgs_grade_number(s, "points");
    struct cgs_context quiet = {0};
    int which;
    return s->state == CGS_EXERCISE_RIGHT && !json_is_true(json_object_get(s->verdict, "timed")) &&
           (points == CGS_POINTS_RIGHT || points == CGS_POINTS_ALL) &&
           cgs_exercise_find(&quiet, &grade->exercises, cgs_grade_text(s, "exercise"), &which) ==
               CGS_OK &&
           cgs_exercise_counts_speed(&grade->exercises.items[which]);
}

static bool lacks_verdict(const struct cgs_grade *grade, const struct cgs_submission *s)
{
    (void)grade;
    return !s->verdict;
}

/* Returns true once nothing more is to be judged. */
static bool is_over(struct cgs_grade *grade)
{
    const double limit = (double)grade->options->time_limit;
    grade->late = grade->late || (grade->options->settings.given[CGS_OPTION_time_limit] &&
                                  cgs_now() - grade->begun >= limit);
    return grade->late || cgs_interrupted();
}

static enum cgs_status start(struct cgs_grade *grade, struct judge *judge,
                             struct cgs_submission *submission, bool timed)
{
    const char *words[9] = {"cgsolve", "exercise", timed ? "time" : "check"};
    const char *folder = grade->options->exercises;
    char *json = NULL, *exercises = NULL;
    int count = 3;
    if (asprintf(&json, "--json=%s", judge->report) < 0)
        json = NULL;
    if (folder && asprintf(&exercises, "--exercises=%s", folder) < 0)
        exercises = NULL;
    if (!json || (folder && !exercises)) {
        free(json);
        free(exercises);
        return cgs_fail(grade->context, CGS_MEMORY, "no memory for the command line of a judge");
    }
    words[count++] = json;
    if (folder)
        words[count++] = exercises;
    if (!timed)
        words[count++] = "--untimed";
    words[count++] = "--";
    words[count++] = submission->path;
    unlink(judge->report);
    const enum cgs_status status =
        cgs_rerun_start(grade->context, (char *const *)words, false, &judge->child);
    free(json);
    free(exercises);
    if (status == CGS_OK)
        judge->submission = submission;
    return status;
}

/* Puts the file's name for its path, which begins with folders of the teacher's. */
static void shorten_path(struct cgs_submission *s, const char *key, const char *path)
{
    const size_t length = strlen(path);
    char *text = NULL;
    size_t size;
    const char *at = cgs_grade_text(s, key), *found;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return;
    for (; (found = strstr(at, path)) != NULL; at = found + length)
        fprintf(file, "%.*s%s", (int)(found - at), at, strrchr(path, '/') + 1);
    fputs(at, file);
    if (fclose(file) == 0)
        json_object_set_new(s->verdict, key, cgs_json_text(text));
    free(text);
}

/* Does so for the path as it is, and as messages have it. */
static void shorten(struct cgs_submission *s, const char *key)
{
    cgs_name plain;
    cgs_plain(s->path, plain);
    shorten_path(s, key, s->path);
    if (strcmp(plain, s->path) != 0 && strlen(plain) + 1 < sizeof plain && strchr(plain, '/'))
        shorten_path(s, key, plain);
}

/* Takes the judge's report for the verdict; false: it makes no sense, or is not what the exit
 * status says. */
static bool take(const struct cgs_grade *grade, struct cgs_submission *s, const char *path,
                 int exit_status)
{
    static const enum cgs_status statuses[CGS_STATES] = {CGS_OK, CGS_NOT_CONVERGED, CGS_FILE,
                                                         CGS_DEVICE};
    json_error_t error;
    int reason, state = 0;
    json_t *report = cgs_json_read(path, &error, &reason);
    const char *name = json_string_value(json_object_get(report, "state"));
    while (name && state < CGS_STATES && strcmp(name, cgs_exercise_state_name(state)) != 0)
        state++;
    if (!name || state == CGS_STATES || cgs_status_exit(statuses[state]) != exit_status ||
        !json_is_number(json_object_get(report, "points"))) {
        json_decref(report);
        return false;
    }
    json_decref(s->verdict);
    s->verdict = report;
    s->state = (enum cgs_exercise_state)state;
    shorten(s, "reason");
    shorten(s, "command");
    if (!grade->options->untimed && lacks_time(grade, s)) /* until it is timed */
        json_object_set_new(s->verdict, "points", json_integer(CGS_POINTS_RIGHT));
    return true;
}

/* Says why there is no report: "The judge was ended by SIGSEGV." */
static void explain(const struct judge *judge, int status, char *text, size_t size)
{
    char death[96], *said = cgs_rerun_first_line(&judge->child);
    cgs_child_death(status, death, sizeof death);
    if (WIFSIGNALED(status))
        snprintf(text, size, "The judge %s.", death);
    else
        snprintf(text, size, "The judge has no verdict: %s.", said ? said : death);
    free(said);
}

/* Gives the verdict after the judge's end. One that was ended for all of them gives none. */
static void conclude(struct cgs_grade *grade, struct judge *judge, int status)
{
    struct cgs_submission *s = judge->submission;
    char reason[2300];
    const bool ended = judge->child.asked > 0.0, was_right = s->verdict != NULL;
    enum cgs_exercise_state state = CGS_EXERCISE_UNJUDGED;
    judge->submission = NULL;
    if (ended && is_over(grade))
        return;
    s->seconds += cgs_now() - judge->child.begun;
    s->kept = false;
    cgs_date_now(s->date);
    if (!ended && WIFEXITED(status) && take(grade, s, judge->report, WEXITSTATUS(status)))
        return;
    if (ended) {
        state = CGS_EXERCISE_WRONG;
        snprintf(reason, sizeof reason, "It was not done after %lld s, and was ended.",
                 (long long)grade->options->file_limit);
    } else {
        explain(judge, status, reason, sizeof reason);
    }
    if (!was_right) {
        cgs_grade_say(s, state, reason);
        return;
    }
    cgs_grade_add(s, "Its speed could not be measured.");
    cgs_grade_add(s, reason);
}

/* ---- all of them ---- */

/* The table and the page, as soon as something is known: whatever ends us then loses nothing. */
static enum cgs_status tell(const struct cgs_grade *grade, const struct cgs_submission *s, int done,
                            int wanted, FILE *progress)
{
    cgs_text took;
    if (progress)
        fprintf(progress, "[%d of %d] %s: %s, %g points, %s\n", done, wanted,
                cgs_plain(s->file, (cgs_name){0}), cgs_exercise_state_name(s->state),
                cgs_grade_number(s, "points"), cgs_seconds_text(s->seconds, took));
    CGS_TRY(cgs_grade_csv(grade));
    return cgs_grade_page(grade, s);
}

/* Seconds that a judge may take, from its start. */
static double limit_of(const struct cgs_grade *grade, const struct judge *judge)
{
    const struct cgs_options *o = grade->options;
    const double left = grade->begun + (double)o->time_limit - judge->child.begun;
    const bool less = o->settings.given[CGS_OPTION_time_limit] && left < (double)o->file_limit;
    return !less ? (double)o->file_limit : left > 0.001 ? left : 0.001;
}

/* Judges those that lack something, `jobs` at a time. */
static enum cgs_status run_pass(struct cgs_grade *grade, struct judge *judges, int jobs, bool timed,
                                FILE *progress)
{
    bool (*const lacks)(const struct cgs_grade *, const struct cgs_submission *) =
        timed ? lacks_time : lacks_verdict;
    int next = 0, running = 0, done = 0, wanted = 0;
    for (int i = 0; i < grade->count; i++)
        wanted += lacks(grade, &grade->submissions[i]);
    if (progress && wanted > 0)
        fprintf(progress,
                timed ? "The speed of %d, one after the other\n"
                      : "Whether %d are right, %d at a time\n",
                wanted, jobs);
    do {
        for (int i = 0; i < jobs; i++) {
            int status;
            struct judge *judge = &judges[i];
            if (judge->submission &&
                cgs_rerun_ended(&judge->child, 0.0, limit_of(grade, judge), &status)) {
                const struct cgs_submission *s = judge->submission;
                running--;
                conclude(grade, judge, status);
                cgs_rerun_release(&judge->child);
                if (s->verdict)
                    CGS_TRY(tell(grade, s, ++done, wanted, progress));
            }
            while (next < grade->count && !lacks(grade, &grade->submissions[next]))
                next++;
            if (!judge->submission && next < grade->count && !is_over(grade)) {
                CGS_TRY(start(grade, judge, &grade->submissions[next++], timed));
                running++;
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    } while (running > 0 || (next < grade->count && !is_over(grade)));
    return CGS_OK;
}

/* Those that were not reached. */
static void say_missed(struct cgs_grade *grade)
{
    const char *why = grade->late ? "the time limit was over" : "it was interrupted";
    char reason[160];
    if (!is_over(grade))
        return;
    for (int i = 0; i < grade->count; i++) {
        struct cgs_submission *s = &grade->submissions[i];
        snprintf(reason, sizeof reason, "%s: %s; --resume goes on.",
                 s->verdict ? "Its speed is not measured yet" : "Not judged yet", why);
        if (!s->verdict)
            cgs_grade_say(s, CGS_EXERCISE_UNJUDGED, reason);
        else if (lacks_time(grade, s))
            cgs_grade_add(s, reason);
    }
}

/* Judges side by side get processors / jobs threads each, at least two so that data races show.
 * Their threads wait passively: a spinning one would starve the other judges and look like a
 * hang. */
static enum cgs_status run_shared(struct cgs_grade *grade, struct judge *judges, int jobs,
                                  int processors, FILE *progress)
{
    char text[16];
    const bool threads = jobs > 1 && !getenv("OMP_NUM_THREADS");
    const bool waits = !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT");
    snprintf(text, sizeof text, "%d", processors / jobs > 2 ? processors / jobs : 2);
    if (threads)
        setenv("OMP_NUM_THREADS", text, 1);
    if (waits)
        setenv("OMP_WAIT_POLICY", "passive", 1);
    const enum cgs_status status = run_pass(grade, judges, jobs, false, progress);
    if (threads)
        unsetenv("OMP_NUM_THREADS");
    if (waits)
        unsetenv("OMP_WAIT_POLICY");
    return status;
}

enum cgs_status cgs_grade_run(struct cgs_grade *grade, FILE *progress)
{
    const struct cgs_options *o = grade->options;
    const int processors = omp_get_num_procs();
    const int jobs = o->settings.given[CGS_OPTION_jobs] ? (int)o->jobs
                     : processors > 3                   ? processors / 2
                                                        : 1;
    struct judge *judges = calloc((size_t)jobs, sizeof *judges);
    bool there = judges != NULL;
    for (int i = 0; i < jobs && there; i++)
        if (asprintf(&judges[i].report, "%s/%d.json", grade->reports, i) < 0) {
            judges[i].report = NULL;
            there = false;
        }
    if (!there)
        cgs_fail(grade->context, CGS_MEMORY, "no memory for the judges");
    setenv("XDG_STATE_HOME", "/dev/null", 1); /* the class's points are not the teacher's */
    if (there)
        run_shared(grade, judges, jobs, processors, progress);
    if (grade->context->status == CGS_OK && !o->untimed && !is_over(grade))
        run_pass(grade, judges, 1, true, progress);
    for (int i = 0; i < jobs && judges; i++) {
        cgs_rerun_release(&judges[i].child);
        if (judges[i].report)
            unlink(judges[i].report);
        free(judges[i].report);
    }
    free(judges);
    say_missed(grade);
    return grade->context->status;
}
