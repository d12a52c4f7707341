/* The exercises' table, made of exercises/exercises.def. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "base/spelling.h"
#include "core/autotune/calls.h"
#include "core/io/format.h"
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

const char *cgs_exercise_state_name(enum cgs_exercise_state state)
{
    static const char *const words[] = {[CGS_EXERCISE_RIGHT] = "right",
                                        [CGS_EXERCISE_WRONG] = "wrong",
                                        [CGS_EXERCISE_BROKEN] = "broken",
                                        [CGS_EXERCISE_UNJUDGED] = "unjudged"};
    return words[state];
}

enum cgs_status cgs_judged_open(const struct cgs_judged *judged, struct cgs_verdict *verdict,
                                struct cgs_callee *callee)
{
    CGS_TRY(cgs_callee_open(judged->context, judged->file, callee));
    snprintf(verdict->calls, sizeof verdict->calls, "%s", cgs_plugin_calls(callee->plugin));
    return CGS_OK;
}

/* ---- verdicts ---- */

enum cgs_status cgs_verdict_wrong(struct cgs_verdict *verdict, int points, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(verdict->reason, sizeof verdict->reason, format, list);
    va_end(list);
    verdict->state = CGS_EXERCISE_WRONG;
    verdict->points = points;
    return CGS_OK;
}

void cgs_verdict_solved(struct cgs_verdict *verdict)
{
    verdict->state = CGS_EXERCISE_RIGHT;
    verdict->points = CGS_POINTS_ALL;
}

int cgs_bounds_points(const struct cgs_bounds *bounds, double attained)
{
    const double part = (attained - bounds->none) / (bounds->full - bounds->none);
    const double speed = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    return CGS_POINTS_RIGHT + (int)(speed * (CGS_POINTS_ALL - CGS_POINTS_RIGHT) + 0.5);
}

void cgs_verdict_right(struct cgs_verdict *verdict, double attained)
{
    verdict->state = CGS_EXERCISE_RIGHT;
    verdict->reason[0] = '\0';
    verdict->attained = attained;
    verdict->points = cgs_bounds_points(verdict->bounds, attained);
    verdict->slow = verdict->points < CGS_POINTS_ALL;
}

static void take_speed(struct cgs_verdict *verdict)
{
    verdict->state = CGS_EXERCISE_RIGHT;
    verdict->points = CGS_POINTS_RIGHT;
}

void cgs_verdict_undivided(struct cgs_verdict *verdict, double part)
{
    take_speed(verdict);
    verdict->slow = true;
    snprintf(verdict->reason, sizeof verdict->reason,
             "one of two threads writes %.0f %% of y: the work is not divided among them",
             100.0 * part);
}

void cgs_verdict_speed(const struct cgs_verdict *verdict, char *text, size_t size)
{
    const struct cgs_bounds *bounds = verdict->bounds;
    cgs_text seconds;
    text[0] = '\0';
    if (!bounds)
        return;
    if (verdict->attained >= 0.0)
        snprintf(text, size, "%.0f %%; ", 100.0 * verdict->attained);
    else
        snprintf(text, size, "not judged; ");
    cgs_append(text, size, "full points from %.0f %% of %s", 100.0 * bounds->full, bounds->rival);
    if (verdict->rival_seconds > 0.0)
        cgs_append(text, size, ", %s", cgs_seconds_text(verdict->rival_seconds, seconds));
    cgs_append(text, size, ", none up to %.0f %%", 100.0 * bounds->none);
}

void cgs_verdict_busy(struct cgs_verdict *verdict)
{
    take_speed(verdict);
    verdict->slow = false;
    verdict->times = (struct cgs_times){0};
    verdict->attained = -1.0;
    verdict->rival_seconds = 0.0;
    snprintf(verdict->reason, sizeof verdict->reason, CGS_SPEED_BUSY);
}

enum cgs_status cgs_verdict_of_failure(struct cgs_context *context, enum cgs_status status,
                                       struct cgs_verdict *verdict)
{
    static const struct {
        enum cgs_status status;
        enum cgs_exercise_state state;
    } kinds[] = {{CGS_NOT_CONVERGED, CGS_EXERCISE_WRONG},
                 {CGS_FILE, CGS_EXERCISE_BROKEN},
                 {CGS_USAGE, CGS_EXERCISE_BROKEN},
                 {CGS_DEVICE, CGS_EXERCISE_UNJUDGED}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (status == kinds[i].status) {
            verdict->state = kinds[i].state;
            verdict->points = 0;
            snprintf(verdict->reason, sizeof verdict->reason, "%s", context->message);
            context->status = CGS_OK;
            context->message[0] = '\0';
            return CGS_OK;
        }
    return status;
}
