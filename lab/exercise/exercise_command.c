/* `cgsolve exercise`: list, start, check, time, progress. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/options/options.h"
#include "lab/exercise/check.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/exercise_command.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/progress.h"
#include "lab/io/folder.h"

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
