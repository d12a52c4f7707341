/* `cgsolve exercise`: list, start, check, time, progress. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/autotune/calls.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/options/options.h"
#include "lab/exercise/exercise_command.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/progress.h"
#include "lab/exercise/race.h"
#include "lab/exercise/verdict.h"
#include "lab/io/folder.h"

/* ---- check FILE, time FILE: judge a file, and report as text and JSON ---- */

struct check {
    const char *file;
    const struct cgs_exercise *exercise; /* NULL: not known */
    int which;
    bool timed, right; /* as in struct cgs_judged */
    struct cgs_verdict verdict;
    double seconds;
};

static struct cgs_mistake mistake_of(const struct check *c)
{
    return cgs_mistake_of(&c->verdict, c->exercise);
}

static void write_line(FILE *file, const char *label, const char *text)
{
    enum { COLUMN = 12 };
    char head[32];
    snprintf(head, sizeof head, "  %s", label);
    if (text[0])
        cgs_page_entry(file, head, COLUMN, text);
}

/* Writes the reason: its first line is a sentence, those below are a compiler's, left as they
 * are, since their carets point at what stands above. */
static void write_reason(FILE *file, const char *label, const char *text)
{
    cgs_name plain;
    char line[2048];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    write_line(file, label, line);
    for (text += strlen(line); *text; text += strlen(line)) {
        text++;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        fprintf(file, "%s\n", cgs_plain(line, plain));
    }
}

static void write_text(const struct check *c, FILE *file)
{
    const struct cgs_verdict *v = &c->verdict;
    char text[128], moved[400];
    if (c->exercise)
        fprintf(file, "%s: exercise %d, %s\n", cgs_plain(c->file, (cgs_name){0}), c->which + 1,
                c->exercise->title);
    else
        fprintf(file, "%s\n", cgs_plain(c->file, (cgs_name){0}));
    write_reason(file, cgs_exercise_state_name(v->state),
                 v->reason[0]             ? v->reason
                 : v->slow                ? "but slow"
                 : c->timed || !v->bounds ? "well done"
                                          : "(its speed was not looked at)");
    cgs_verdict_speed(v, text, sizeof text);
    write_line(file, "speed", text);
    cgs_verdict_moved(v, moved, sizeof moved);
    write_line(file, "moved", moved);
    snprintf(text, sizeof text, "%d of 100", v->points);
    if (v->state != CGS_EXERCISE_UNJUDGED)
        write_line(file, "points", text);
    write_line(file, "calls", v->calls);
    write_line(file, "hint", mistake_of(c).hint);
    write_line(file, "see it", v->command);
    write_line(file, "read", c->exercise ? c->exercise->next : "");
}

/* Writes the bytes and the time of a call, and the likely cause where it is slow. */
static void write_moved(const struct cgs_verdict *v, json_t *root)
{
    const struct cgs_times *t = &v->times;
    char moved[400];
    cgs_verdict_moved(v, moved, sizeof moved);
    if (!moved[0])
        return;
    cgs_put_text(root, "moved", moved);
    cgs_put_text(root, "cause", v->cause ? v->cause : "");
    cgs_put_some(root, "call_seconds", t->all);
    cgs_put_some(root, "one_thread_seconds", t->alone);
    cgs_put_some(root, "eighth_seconds", t->eighth);
    cgs_put_some(root, "thread_a_row_seconds", t->thread_a_row);
    cgs_put_some(root, "busier_part", t->part);
    if (!(t->all > 0.0 && v->bytes > 0.0))
        return;
    cgs_put_real(root, "bytes", v->bytes);
    cgs_put_real(root, "gbs", 1e-9 * v->bytes / t->all);
    cgs_put_some(root, "attainable_gbs", v->attainable_gbs);
    cgs_put_text(root, "attainable_kind", v->attainable_kind);
    cgs_put_some(root, "roofline", t->share);
}

static void write_json(struct cgs_context *context, const struct check *c, FILE *file)
{
    const struct cgs_verdict *v = &c->verdict;
    json_t *root = json_object();
    char speed[128];
    cgs_verdict_speed(v, speed, sizeof speed);
    cgs_put_part(root, "file", cgs_json_text(c->file));
    cgs_put_part(root, "exercise", cgs_json_text(c->exercise ? c->exercise->name : ""));
    cgs_put_part(root, "title", cgs_json_text(c->exercise ? c->exercise->title : ""));
    cgs_put_text(root, "state", cgs_exercise_state_name(v->state));
    cgs_put_integer(root, "points", v->points);
    cgs_put_integer(root, "possible", 100);
    cgs_put_part(root, "reason", cgs_json_text(v->reason));
    cgs_put_part(root, "code", cgs_json_text(mistake_of(c).code));
    cgs_put_part(root, "hint", cgs_json_text(mistake_of(c).hint));
    cgs_put_part(root, "next", cgs_json_text(c->exercise ? c->exercise->next : ""));
    cgs_put_real(root, "attained", v->attained);
    if (v->bounds) {
        cgs_put_text(root, "speed", speed);
        cgs_put_text(root, "rival", v->bounds->rival);
        cgs_put_real(root, "full_from", v->bounds->full);
        cgs_put_real(root, "none_to", v->bounds->none);
    }
    if (v->rival_seconds > 0.0)
        cgs_put_real(root, "rival_seconds", v->rival_seconds);
    write_moved(v, root);
    cgs_put_yes(root, "timed", c->timed);
    cgs_put_text(root, "calls", v->calls);
    cgs_put_part(root, "command", cgs_json_text(v->command));
    cgs_put_real(root, "seconds", c->seconds);
    cgs_json_end(context, file, root);
}

static enum cgs_status judge(struct cgs_context *context, const struct cgs_options *options,
                             const struct cgs_exercises *exercises, struct check *c)
{
    enum cgs_status status =
        options->exercise ? cgs_exercise_find(context, exercises, options->exercise, &c->which)
                          : cgs_exercise_of(context, exercises, c->file, &c->which);
    if (status != CGS_OK)
        return options->exercise ? status : cgs_verdict_of_failure(context, status, &c->verdict);
    c->exercise = &exercises->items[c->which];
    const struct cgs_judged judged = {.context = context,
                                      .exercise = c->exercise,
                                      .file = c->file,
                                      .timed = c->timed,
                                      .right = c->right};
    return c->exercise->judge(&judged, &c->verdict);
}

/* The exit status of the program follows from the verdict. */
static void conclude(struct cgs_context *context, const struct check *c)
{
    static const enum cgs_status statuses[] = {[CGS_EXERCISE_RIGHT] = CGS_OK,
                                               [CGS_EXERCISE_WRONG] = CGS_NOT_CONVERGED,
                                               [CGS_EXERCISE_BROKEN] = CGS_FILE,
                                               [CGS_EXERCISE_UNJUDGED] = CGS_DEVICE};
    const enum cgs_status status = statuses[c->verdict.state];
    if (status != CGS_OK)
        cgs_fail(context, status, "%s is %s", c->file, cgs_exercise_state_name(c->verdict.state));
}

static enum cgs_status run(struct cgs_context *context, const struct cgs_call *call,
                           const struct cgs_exercises *exercises, const char *file, bool right)
{
    struct check c = {.file = file,
                      .timed = !call->options->untimed,
                      .right = right,
                      .verdict = {.attained = -1.0}};
    struct cgs_output json;
    const int threads = context->threads;
    const double begun = cgs_now();
    cgs_interrupt_catch();
    cgs_callee_alone();
    CGS_TRY(cgs_output_open(context, "the JSON report", call->files.json, true, &json));
    const enum cgs_status status = judge(context, call->options, exercises, &c);
    context->threads = threads;
    c.seconds = cgs_now() - begun;
    if (status == CGS_OK) {
        if (!(call->files.json && strcmp(call->files.json, "-") == 0))
            write_text(&c, call->text);
        if (c.timed && !c.right && c.exercise && c.verdict.state <= CGS_EXERCISE_WRONG)
            cgs_progress_keep(context, exercises, c.which, c.verdict.points, call->said);
        conclude(context, &c);
    } else {
        c.verdict.state = CGS_EXERCISE_UNJUDGED;
        snprintf(c.verdict.reason, sizeof c.verdict.reason, "%s", context->message);
    }
    if (json.target && cgs_output_begin(context, &json) == CGS_OK) {
        write_json(context, &c, json.file);
        cgs_output_commit(context, &json);
    }
    cgs_output_discard(&json);
    return context->status;
}

/* Judges a file, and reports that as text and JSON. The context says so where it is not right:
 * CGS_NOT_CONVERGED, wrong; CGS_FILE, broken; CGS_DEVICE, unjudged. */
static enum cgs_status check_file(struct cgs_context *context, const struct cgs_call *call,
                                   const struct cgs_exercises *exercises, const char *file)
{
    return run(context, call, exercises, file, false);
}

/* The same for a file that is known to be right: where speed counts, its speed alone is judged. */
static enum cgs_status time_file(struct cgs_context *context, const struct cgs_call *call,
                                  const struct cgs_exercises *exercises, const char *file)
{
    return call->options->untimed
               ? cgs_fail(context, CGS_USAGE, "'cgsolve exercise time' and --untimed contradict")
               : run(context, call, exercises, file, true);
}

/* ---- the actions ---- */

enum { COLUMN = 22 };

static enum cgs_status list(struct cgs_context *context, const struct cgs_call *call,
                            const struct cgs_exercises *exercises, const char *word)
{
    (void)context, (void)word;
    for (int i = 0; i < exercises->count; i++) {
        const struct cgs_exercise *exercise = &exercises->items[i];
        char head[64], text[192];
        snprintf(head, sizeof head, "%4d  %s", i + 1, exercise->name);
        snprintf(text, sizeof text, "%s (%d minutes%s)", exercise->title, exercise->minutes,
                 exercise->device ? ", on a GPU" : "");
        cgs_page_entry(call->text, head, COLUMN, text);
    }
    cgs_page_wrap(call->text, "'cgsolve exercise start NAME' writes the file to begin with.", 0);
    if (exercises->shipped)
        fprintf(call->text, "Those of cgsolve are in %s\n",
                cgs_plain(exercises->shipped, (cgs_name){0}));
    return CGS_OK;
}

/* Copies the file to begin with. */
static enum cgs_status copy_start(struct cgs_context *context, const struct cgs_exercise *exercise,
                                  FILE *to)
{
    char *path = cgs_folder_join(exercise->folder, "start.", exercise->extension);
    FILE *from = path ? fopen(path, "re") : NULL;
    if (!from)
        cgs_fail(context, CGS_FILE, "the exercise %s lacks its file to begin with, '%s': %s",
                 exercise->name, path ? path : "start", strerror(errno));
    for (int c; from && (c = getc(from)) != EOF;)
        putc(c, to);
    if (from)
        fclose(from);
    free(path);
    return context->status;
}

/* Writes the file to begin with into this folder; one that is there is kept. */
static enum cgs_status start(struct cgs_context *context, const struct cgs_call *call,
                             const struct cgs_exercises *exercises, const char *word)
{
    char path[128];
    int which;
    struct cgs_output output;
    CGS_TRY(cgs_exercise_find(context, exercises, word, &which));
    const struct cgs_exercise *exercise = &exercises->items[which];
    snprintf(path, sizeof path, "%s.%s", exercise->name, exercise->extension);
    if (access(path, F_OK) == 0)
        return cgs_fail(context, CGS_FILE,
                        "'%s' is there already: go on with it, or move it away to begin again",
                        path);
    CGS_TRY(cgs_output_open(context, "the exercise", path, 0, &output));
    if (cgs_output_begin(context, &output) == CGS_OK &&
        copy_start(context, exercise, output.file) == CGS_OK)
        cgs_output_commit(context, &output);
    cgs_output_discard(&output);
    if (context->status == CGS_OK)
        fprintf(call->text,
                "%s: exercise %d, %s\nRead it, fill in what is marked TODO, then: cgsolve exercise "
                "check %s\n",
                path, which + 1, exercise->title, path);
    return context->status;
}

static enum cgs_status progress(struct cgs_context *context, const struct cgs_call *call,
                                const struct cgs_exercises *exercises, const char *word)
{
    struct cgs_best items[CGS_EXERCISES_MOST];
    char path[4096];
    int done = 0, sum = 0;
    (void)context, (void)word;
    cgs_progress_read(exercises, items);
    for (int i = 0; i < exercises->count; i++) {
        const struct cgs_exercise *exercise = &exercises->items[i];
        char head[64], text[192];
        snprintf(head, sizeof head, "%4d  %s", i + 1, exercise->name);
        if (items[i].points < 0)
            snprintf(text, sizeof text, "-");
        else
            snprintf(text, sizeof text, "%3d of 100, %s", items[i].points, items[i].date);
        cgs_page_entry(call->text, head, COLUMN, text);
        done += items[i].points >= 60;
        sum += items[i].points > 0 ? items[i].points : 0;
    }
    fprintf(call->text, "%d of %d solved, %d points", done, exercises->count, sum);
    if (cgs_progress_path(path, sizeof path))
        fprintf(call->text, " (kept in %s)", cgs_plain(path, (cgs_name){0}));
    fputs("\n", call->text);
    return CGS_OK;
}

static const struct {
    const char *name, *argument; /* NULL: it takes none */
    enum cgs_status (*run)(struct cgs_context *, const struct cgs_call *,
                           const struct cgs_exercises *, const char *word);
} actions[] = {{"list", NULL, list},
               {"start", "NAME", start},
               {"check", "FILE", check_file},
               {"time", "FILE", time_file},
               {"progress", NULL, progress}};
enum { ACTIONS = sizeof actions / sizeof *actions };

enum cgs_status cgs_exercise_command(struct cgs_context *context, const struct cgs_call *call)
{
    const char *names[ACTIONS], *word = call->word_count > 0 ? call->words[0] : "list";
    for (int i = 0; i < ACTIONS; i++) {
        names[i] = actions[i].name;
        if (strcmp(word, actions[i].name) != 0)
            continue;
        const int wanted = actions[i].argument ? 2 : 1;
        if (call->word_count > wanted || (call->word_count < wanted && wanted == 2))
            return cgs_fail(context, CGS_USAGE, "it is 'cgsolve exercise %s%s%s'", word,
                            wanted == 2 ? " " : "", wanted == 2 ? actions[i].argument : "");
        struct cgs_exercises exercises;
        if (cgs_exercises_read(context, call->options->exercises, &exercises) == CGS_OK)
            actions[i].run(context, call, &exercises, wanted == 2 ? call->words[1] : NULL);
        cgs_exercises_release(&exercises);
        return context->status;
    }
    const int nearest = cgs_nearest(word, names, ACTIONS);
    return cgs_fail(context, CGS_USAGE,
                    "'cgsolve exercise' takes list, start NAME, check FILE, time FILE or progress, "
                    "not '%s'%s%s%s",
                    word, nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}
