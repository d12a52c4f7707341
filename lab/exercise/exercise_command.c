/* `cgsolve exercise`: list, start, check, time, progress. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "lab/exercise/check.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/exercise_command.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/progress.h"

enum { EXERCISES_MOST = 64, COLUMN = 22 };

static enum cgs_status list(struct cgs_context *context, const struct cgs_call *call,
                            const char *word)
{
    const struct cgs_exercise *exercise;
    (void)context, (void)word;
    for (int i = 0; (exercise = cgs_exercise_at(i)) != NULL; i++) {
        char head[64], text[192];
        snprintf(head, sizeof head, "%4d  %s", i + 1, exercise->name);
        snprintf(text, sizeof text, "%s (%d minutes%s)", exercise->title, exercise->minutes,
                 exercise->device ? ", on a GPU" : "");
        cgs_page_entry(call->text, head, COLUMN, text);
    }
    cgs_page_wrap(call->text, "'cgsolve exercise start NAME' writes the file to begin with.", 0);
    return CGS_OK;
}

/* Writes the file to begin with into this folder; one that is there is kept. */
static enum cgs_status start(struct cgs_context *context, const struct cgs_call *call,
                             const char *word)
{
    char path[128];
    int which;
    struct cgs_output output;
    CGS_TRY(cgs_exercise_find(context, word, &which));
    const struct cgs_exercise *exercise = cgs_exercise_at(which);
    snprintf(path, sizeof path, "%s.%s", exercise->name, exercise->extension);
    if (access(path, F_OK) == 0)
        return cgs_fail(context, CGS_FILE,
                        "'%s' is there already: go on with it, or move it away to begin anew",
                        path);
    CGS_TRY(cgs_output_open(context, "the exercise", path, 0, &output));
    if (cgs_output_begin(context, &output) == CGS_OK) {
        for (const char *const *line = exercise->start; *line; line++)
            fputs(*line, output.file);
        cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    if (context->status == CGS_OK)
        fprintf(call->text,
                "%s: exercise %d, %s\nRead it, fill in what is marked TODO, then: cgsolve exercise "
                "check %s\n",
                path, which + 1, exercise->title, path);
    return context->status;
}

static enum cgs_status progress(struct cgs_context *context, const struct cgs_call *call,
                                const char *word)
{
    struct cgs_best items[EXERCISES_MOST];
    char path[4096];
    int count = 0, done = 0, sum = 0;
    (void)context, (void)word;
    while (count < EXERCISES_MOST && cgs_exercise_at(count))
        count++;
    cgs_progress_read(items, count);
    for (int i = 0; i < count; i++) {
        const struct cgs_exercise *exercise = cgs_exercise_at(i);
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
    fprintf(call->text, "%d of %d solved, %d points", done, count, sum);
    if (cgs_progress_path(path, sizeof path))
        fprintf(call->text, " (kept in %s)", cgs_plain(path, (cgs_name){0}));
    fputs("\n", call->text);
    return CGS_OK;
}

static const struct {
    const char *name, *argument; /* NULL: it takes none */
    enum cgs_status (*run)(struct cgs_context *, const struct cgs_call *, const char *word);
} actions[] = {{"list", NULL, list},
               {"start", "NAME", start},
               {"check", "FILE", cgs_exercise_check},
               {"time", "FILE", cgs_exercise_time},
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
        return actions[i].run(context, call, wanted == 2 ? call->words[1] : NULL);
    }
    const int nearest = cgs_nearest(word, names, ACTIONS);
    return cgs_fail(context, CGS_USAGE,
                    "'cgsolve exercise' takes list, start NAME, check FILE, time FILE or progress, "
                    "not '%s'%s%s%s",
                    word, nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}
