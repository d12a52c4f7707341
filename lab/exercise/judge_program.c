/* Judge in the folder of an exercise: a program, `judge = ./PROGRAM WORD...` of exercise.ini. It is
 * run as
 *
 *     PROGRAM WORD... FILE
 *
 * in an empty folder in which FILE is the learner's, contained as the compiler of a file is
 * (kernels/plugin/contain.h), and prints its verdict, lines `key = value`:
 *
 *     state    right, wrong or broken
 *     points   of 100; where it is left out, 100 if right, else 0
 *     reason   a sentence; right needs none
 *     code     a word for the kind of fault, which selects hint.CODE of exercise.ini
 *     hint     a sentence, instead of that
 *
 * If it takes too long the file is wrong, since what hangs is most likely the file. Whatever else
 * it does is its own fault, and no verdict: the command fails. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/plain.h"
#include "core/autotune/calls.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/verdict.h"
#include "lab/io/pairs.h"

enum { WORDS = 16 };

/* A run of the judge. */
struct program {
    struct cgs_context *context;
    const struct cgs_exercise *exercise;
    char name[PATH_MAX];    /* for messages */
    FILE *printed, *said;   /* its standard output and error; NULL: not there */
    struct cgs_pairs pairs; /* that it printed */
};

static enum cgs_status read_state(const struct program *o, struct cgs_verdict *verdict)
{
    const char *state = cgs_pairs_get(&o->pairs, "state");
    if (!state)
        return cgs_fail(o->context, CGS_FILE,
                        "%s has given no verdict: expected is a line 'state = right', wrong or "
                        "broken",
                        o->name);
    for (int i = 0; i < CGS_EXERCISE_UNJUDGED; i++) {
        verdict->state = (enum cgs_exercise_state)i;
        if (strcmp(state, cgs_exercise_state_name(verdict->state)) == 0)
            return CGS_OK;
    }
    return cgs_fail(o->context, CGS_FILE,
                    "%s has printed 'state = %s', should be right, wrong or broken", o->name,
                    state);
}

static enum cgs_status read_points(const struct program *o, struct cgs_verdict *verdict)
{
    char *end;
    const char *points = cgs_pairs_get(&o->pairs, "points");
    const long number = points ? strtol(points, &end, 10) : 0;
    verdict->points = verdict->state == CGS_EXERCISE_RIGHT ? CGS_POINTS_ALL : 0;
    if (!points)
        return CGS_OK;
    if (end == points || *end != '\0' || number < 0 || number > CGS_POINTS_ALL)
        return cgs_fail(o->context, CGS_FILE,
                        "%s has printed 'points = %s', should be a whole number from 0 to %d",
                        o->name, points, CGS_POINTS_ALL);
    verdict->points = (int)number;
    return CGS_OK;
}

static void copy(const struct program *o, const char *key, char *text, size_t size)
{
    const char *value = cgs_pairs_get(&o->pairs, key);
    snprintf(text, size, "%s", value ? value : "");
    cgs_make_plain(text);
}

/* Takes what the judge printed. */
static enum cgs_status read_verdict(struct program *o, struct cgs_verdict *verdict)
{
    static const char *const keys[] = {"state", "points", "reason", "code", "hint"};
    enum { KEYS = sizeof keys / sizeof *keys };
    char name[PATH_MAX + 32];
    snprintf(name, sizeof name, "what %s has printed", o->name);
    rewind(o->printed);
    CGS_TRY(cgs_pairs_read(o->context, o->printed, name, &o->pairs));
    for (int i = 0; i < o->pairs.count; i++) {
        bool known = false;
        for (int k = 0; k < KEYS; k++)
            known = known || strcmp(o->pairs.items[i].key, keys[k]) == 0;
        if (!known)
            return cgs_fail(o->context, CGS_FILE,
                            "%s, line %d: there is no key '%s'; keys are state, points, reason, "
                            "code and hint",
                            name, o->pairs.items[i].line, o->pairs.items[i].key);
    }
    CGS_TRY(read_state(o, verdict));
    CGS_TRY(read_points(o, verdict));
    copy(o, "reason", verdict->reason, sizeof verdict->reason);
    copy(o, "code", verdict->code, sizeof verdict->code);
    copy(o, "hint", verdict->hint, sizeof verdict->hint);
    return CGS_OK;
}

/* Fails where the judge has not ended well. */
static enum cgs_status check_end(const struct program *o, int status)
{
    char death[96], line[512] = "";
    if (status == 0)
        return CGS_OK;
    cgs_child_death(status, death, sizeof death);
    rewind(o->said);
    if (fgets(line, sizeof line, o->said))
        line[strcspn(line, "\n")] = '\0';
    return cgs_fail(o->context, CGS_FILE, "%s %s%s%s", o->name, death, line[0] ? ": " : "", line);
}

static enum cgs_status run(struct program *o, const struct cgs_judged *judged,
                           struct cgs_verdict *verdict)
{
    char text[PATH_MAX], path[2 * PATH_MAX], program[PATH_MAX], *words[WORDS + 1], *rest = NULL;
    int status, count = 0;
    snprintf(text, sizeof text, "%s", o->exercise->program);
    for (char *word = strtok_r(text, " ", &rest); word && count < WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    snprintf(path, sizeof path, "%s/%s", o->exercise->folder, words[0] + strlen("./"));
    if (!realpath(path, program)) /* it starts in another folder */
        return cgs_fail(o->context, CGS_FILE, "%s can't be read: %s", o->name, strerror(errno));
    words[0] = program;
    CGS_TRY(cgs_callee_judge(o->context, judged->file, words, o->exercise->seconds, o->printed,
                             o->said, &status));
    CGS_TRY(check_end(o, status));
    return read_verdict(o, verdict);
}

enum cgs_status cgs_judge_program(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct program o = {.context = judged->context,
                        .exercise = judged->exercise,
                        .printed = cgs_child_output(),
                        .said = cgs_child_output()};
    snprintf(o.name, sizeof o.name, "the judge '%.*s' of the exercise %s",
             (int)strcspn(o.exercise->program, " "), o.exercise->program, o.exercise->name);
    enum cgs_status status =
        o.printed && o.said ? run(&o, judged, verdict)
                            : cgs_fail(o.context, CGS_MEMORY, "no memory for what %s prints: %s",
                                       o.name, strerror(errno));
    cgs_pairs_release(&o.pairs);
    if (o.printed)
        fclose(o.printed);
    if (o.said)
        fclose(o.said);
    return status == CGS_NOT_CONVERGED ? cgs_verdict_of_failure(o.context, status, verdict)
                                       : status;
}
