/* The exercises' table, made of exercises/exercises.def. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/spelling.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/exercises.h"

#include "exercises/starts.inc" /* start_NAME: the lines of exercises/NAME/start.* */

static const struct cgs_exercise table[] = {
#define CGS_EXERCISE(code, name, title, extension, device, judge, minutes, wrong, slow, next)      \
    {name, title, extension, device, cgs_judge_##judge, minutes, wrong, slow, next, start_##code},
#include "exercises/exercises.def"
#undef CGS_EXERCISE
};
enum { COUNT = sizeof table / sizeof *table };

static const char *const names[COUNT] = {
#define CGS_EXERCISE(code, name, ...) name,
#include "exercises/exercises.def"
#undef CGS_EXERCISE
};

const struct cgs_exercise *cgs_exercise_at(int which)
{
    return which < COUNT ? &table[which] : NULL;
}

enum cgs_status cgs_exercise_find(struct cgs_context *context, const char *name, int *which)
{
    char *end;
    const long number = strtol(name, &end, 10);
    *which = (int)number - 1;
    if (isdigit((unsigned char)name[0]) && *end == '\0' && 1 <= number && number <= COUNT)
        return CGS_OK;
    for (*which = 0; *which < COUNT; ++*which)
        if (strcmp(name, names[*which]) == 0)
            return CGS_OK;
    const int nearest = cgs_nearest(name, names, COUNT);
    return cgs_fail(context, CGS_USAGE,
                    "there is no exercise '%s'%s%s%s; 'cgsolve exercise list' lists them", name,
                    nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}

/* Copies the name behind the mark in a line; false: there is no mark. */
static bool read_mark(const char *line, char *name, size_t size)
{
    static const char mark[] = "cgsolve exercise:";
    const char *found = strstr(line, mark);
    if (!found)
        return false;
    found += sizeof mark - 1;
    found += strspn(found, " \t");
    snprintf(name, size, "%.*s", (int)strcspn(found, " \t\r\n*"), found);
    return true;
}

enum cgs_status cgs_exercise_of(struct cgs_context *context, const char *file, int *which)
{
    struct stat about;
    char line[1024], name[64];
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode)) /* opening a pipe would block */
        return cgs_fail(context, CGS_FILE, "'%s' is no regular file", file);
    FILE *stream = fopen(file, "re");
    if (!stream)
        return cgs_fail(context, CGS_FILE, "'%s' can't be read: %s", file, strerror(errno));
    bool found = false;
    while (!found && fgets(line, sizeof line, stream))
        found = read_mark(line, name, sizeof name);
    fclose(stream);
    if (found)
        return cgs_exercise_find(context, name, which);
    return cgs_fail(context, CGS_FILE,
                    "'%s' does not say which exercise it is for: keep the line 'cgsolve exercise: "
                    "NAME' of the file that you began with, or give --exercise=NAME",
                    file);
}
