/* Progress: a file of lines NAME,POINTS,DATE in the user's folder for states (XDG Base Directory
 * Specification). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io/format.h"
#include "core/io/output.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/progress.h"

enum { PATH = 4096, EXERCISES_MOST = 64 };

bool cgs_progress_path(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && strcmp(state, "/dev/null") == 0)
        path[0] = '\0';
    else if (state && state[0] == '/')
        snprintf(path, size, "%s/cgsolve/exercises.csv", state);
    else if (home && home[0] == '/')
        snprintf(path, size, "%s/.local/state/cgsolve/exercises.csv", home);
    else
        path[0] = '\0';
    return path[0] != '\0';
}

/* Returns the exercise's number, -1: none of that name. */
static int find(const char *name)
{
    const struct cgs_exercise *exercise;
    for (int i = 0; (exercise = cgs_exercise_at(i)) != NULL; i++)
        if (strcmp(exercise->name, name) == 0)
            return i;
    return -1;
}

void cgs_progress_read(struct cgs_best *items, int count)
{
    char path[PATH], line[256], name[64], date[16];
    int points;
    for (int i = 0; i < count; i++)
        items[i] = (struct cgs_best){.points = -1};
    FILE *file = cgs_progress_path(path, sizeof path) ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^,],%d,%15[0-9-]", name, &points, date) != 3)
            continue;
        const int which = find(name);
        if (which < 0 || which >= count || points < 0 || points > 100)
            continue;
        items[which].points = points;
        snprintf(items[which].date, sizeof items[which].date, "%s", date);
    }
    if (file)
        fclose(file);
}

/* Makes the folders of a path. */
static void make_folders(const char *path)
{
    char folder[PATH];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        mkdir(folder, 0700); /* where it can't, the file can't be written either */
    }
}

static enum cgs_status write_all(struct cgs_context *context, const char *path,
                                 const struct cgs_best *items, int count)
{
    struct cgs_output output;
    CGS_TRY(cgs_output_open(context, "the progress", path, 0, &output));
    if (cgs_output_begin(context, &output) == CGS_OK) {
        for (int i = 0; i < count; i++)
            if (items[i].points >= 0)
                fprintf(output.file, "%s,%d,%s\n", cgs_exercise_at(i)->name, items[i].points,
                        items[i].date);
        cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    return context->status;
}

void cgs_progress_keep(struct cgs_context *context, int which, int points, FILE *said)
{
    struct cgs_best items[EXERCISES_MOST];
    struct cgs_context quiet = *context;
    char path[PATH];
    cgs_date now;
    int count = 0;
    while (count < EXERCISES_MOST && cgs_exercise_at(count))
        count++;
    if (!cgs_progress_path(path, sizeof path))
        return;
    cgs_progress_read(items, count);
    if (points <= items[which].points)
        return;
    cgs_date_now(now);
    items[which].points = points;
    snprintf(items[which].date, sizeof items[which].date, "%.10s", now);
    make_folders(path);
    quiet.status = CGS_OK;
    if (write_all(&quiet, path, items, count) != CGS_OK && said)
        fprintf(said, "cgsolve: progress is not kept: %s\n", quiet.message);
}
