/* Progress: a file of lines NAME,POINTS,DATE in the user's folder for states (XDG Base Directory
 * Specification). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io/format.h"
#include "core/io/output.h"
#include "lab/exercise/progress.h"

enum { PATH = 4096, LINE = 256, NAME = 64 };

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
static int find(const struct cgs_exercises *exercises, const char *name)
{
    for (int i = 0; i < exercises->count; i++)
        if (strcmp(exercises->items[i].name, name) == 0)
            return i;
    return -1;
}

void cgs_progress_read(const struct cgs_exercises *exercises, struct cgs_best *items)
{
    char path[PATH], line[LINE], name[NAME], date[16];
    int points;
    for (int i = 0; i < exercises->count; i++)
        items[i] = (struct cgs_best){.points = -1};
    FILE *file = cgs_progress_path(path, sizeof path) ? fopen(path, "re") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%63[^,],%d,%15[0-9-]", name, &points, date) != 3)
            continue;
        const int which = find(exercises, name);
        if (which < 0 || points < 0 || points > 100)
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

/* Copies the lines of exercises that are not in the list: of another folder's. */
static void copy_others(const struct cgs_exercises *exercises, const char *path, FILE *to)
{
    char line[LINE], name[NAME];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "%63[^,],%*d,%*15[0-9-]", name) == 1 && find(exercises, name) < 0)
            fputs(line, to);
    if (file)
        fclose(file);
}

static enum cgs_status write_all(struct cgs_context *context, const char *path,
                                 const struct cgs_exercises *exercises,
                                 const struct cgs_best *items)
{
    struct cgs_output output;
    CGS_TRY(cgs_output_open(context, "the progress", path, 0, &output));
    if (cgs_output_begin(context, &output) == CGS_OK) {
        for (int i = 0; i < exercises->count; i++)
            if (items[i].points >= 0)
                fprintf(output.file, "%s,%d,%s\n", exercises->items[i].name, items[i].points,
                        items[i].date);
        copy_others(exercises, path, output.file);
        cgs_output_commit(context, &output);
    }
    cgs_output_discard(&output);
    return context->status;
}

void cgs_progress_keep(struct cgs_context *context, const struct cgs_exercises *exercises,
                       int which, int points, FILE *said)
{
    struct cgs_best items[CGS_EXERCISES_MOST];
    struct cgs_context quiet = *context;
    char path[PATH];
    cgs_date now;
    if (!cgs_progress_path(path, sizeof path))
        return;
    cgs_progress_read(exercises, items);
    if (points <= items[which].points)
        return;
    cgs_date_now(now);
    items[which].points = points;
    snprintf(items[which].date, sizeof items[which].date, "%.10s", now);
    make_folders(path);
    quiet.status = CGS_OK;
    if (write_all(&quiet, path, exercises, items) != CGS_OK && said)
        fprintf(said, "cgsolve: progress is not kept: %s\n", quiet.message);
}
