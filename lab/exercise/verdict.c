#include "lab/exercise/verdict.h"

#include <stdarg.h>
#include <string.h>

#include "base/plain.h"
#include "core/autotune/calls.h"
#include "core/io/format.h"

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
    snprintf(verdict->calls, sizeof verdict->calls, "%s", cgs_callee_calls(callee));
    return CGS_OK;
}

/* ---- verdicts ---- */

/* Takes back the verdict on a file that was wrong, or did not compile in time, only because it got
 * no processor. */
static void excuse(struct cgs_verdict *verdict)
{
    const bool failed =
        verdict->state == CGS_EXERCISE_WRONG || verdict->state == CGS_EXERCISE_BROKEN;
    if (failed && strstr(verdict->reason, CGS_PULSE_BUSY)) {
        verdict->state = CGS_EXERCISE_UNJUDGED;
        verdict->points = 0;
    }
}

enum cgs_status cgs_verdict_wrong(struct cgs_verdict *verdict, int points, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(verdict->reason, sizeof verdict->reason, format, list);
    va_end(list);
    verdict->state = CGS_EXERCISE_WRONG;
    verdict->points = points;
    excuse(verdict);
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
            excuse(verdict);
            context->status = CGS_OK;
            context->message[0] = '\0';
            return CGS_OK;
        }
    return status;
}

/* ---- kinds of faults ---- */

/* Returns the exercise's own hint for a code, "" if it has none. */
static const char *hint_of(const struct cgs_exercise *exercise, const char *code)
{
    char key[64];
    snprintf(key, sizeof key, CGS_EXERCISE_HINTS "%s", code);
    const char *hint = cgs_pairs_get(&exercise->pairs, key);
    return hint ? hint : "";
}

bool cgs_exercise_counts_speed(const struct cgs_exercise *exercise)
{
    return !exercise->program && hint_of(exercise, "slow")[0] != '\0';
}

/* Kinds by words of the reason, the first that fits: what ends a run comes before what is wrong
 * with its numbers. hint: NULL where only exercises have one. */
static const struct {
    const char *code, *words, *hint;
} kinds[] = {
    {"compile", "does not compile",
     "Begin with the first line that says error: those below often follow from it."},
    {"memory", "got no more memory",
     "Free in each call what it has allocated, and check the sizes: n^3 numbers take 8 n^3 bytes."},
    {"input", "into x, its input", "x is the input, and may only be read."},
    {"input", "writes into its input", "x is the input, and may only be read."},
    {"input", "it changes x", "x is the input, and may only be read."},
    {"outside", "writes outside", "An index leaves y: with n numbers the last one is y[n - 1]."},
    {"crash", "ended by SIG",
     "An index or a pointer leads out of an array: print it before the line that is named. The "
     "last entry of n is number n - 1."},
    {"hang", "took longer than",
     "A loop does not end, or does far too much: does each iteration change what its condition "
     "tests?"},
    {"race", "differs from run to run",
     "Two threads write to one variable: declare it inside the loop, or make it a reduction."},
    {"nan", " is nan",
     "y holds NaN at the start: is each of its numbers set before anything is added to it? If so, "
     "look for 0/0."},
    {"nan", "is -nan",
     "y holds NaN at the start: is each of its numbers set before anything is added to it? If so, "
     "look for 0/0."},
    {"nan", "not finite",
     "NaN and infinity come from a division by 0, or from memory that was read before it was "
     "written: the output and what malloc returns contain garbage."},
    {"scale", "times what they should be",
     "All numbers are wrong by one factor: look for a missing or doubled factor such as 2, h or "
     "a weight, not for a wrong index."},
    {"remembered", "with an x of its own",
     "Every call has a new x: compute y from it, and keep nothing from the call before."},
    {"restart", "begin anew", NULL},
    {"no_help", "M does not help", NULL},
    {"undivided", "not divided among them", NULL},
    {"busy", CGS_SPEED_BUSY, ""},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool cgs_mistake_is_code(const char *code)
{
    static const char *const others[] = {"wrong", "broken", "slow"};
    bool is = false;
    for (int i = 0; i < KINDS; i++)
        is = is || strcmp(code, kinds[i].code) == 0;
    for (int i = 0; i < 3; i++)
        is = is || strcmp(code, others[i]) == 0;
    return is;
}

/* The code where no kind fits. */
static const char *code_of(const struct cgs_verdict *verdict)
{
    return verdict->state == CGS_EXERCISE_RIGHT ? (verdict->slow ? "slow" : "")
                                                : cgs_exercise_state_name(verdict->state);
}

/* The code, and the hint for all exercises; NULL: none. */
static struct cgs_mistake kind_of(const struct cgs_verdict *verdict)
{
    const char *said = verdict->code; /* by the exercise's own judge */
    for (int i = 0; i < KINDS && verdict->state != CGS_EXERCISE_UNJUDGED; i++)
        if (said[0] ? strcmp(said, kinds[i].code) == 0
                    : strstr(verdict->reason, kinds[i].words) != NULL)
            return (struct cgs_mistake){kinds[i].code, kinds[i].hint};
    return (struct cgs_mistake){said[0] ? said : code_of(verdict), NULL};
}

struct cgs_mistake cgs_mistake_of(const struct cgs_verdict *verdict,
                                  const struct cgs_exercise *exercise)
{
    struct cgs_mistake mistake = kind_of(verdict);
    const char *own = exercise ? hint_of(exercise, mistake.code) : "";
    if (verdict->hint[0])
        own = verdict->hint;
    if (own[0])
        mistake.hint = own;
    else if (!mistake.hint)
        mistake.hint = !exercise                              ? ""
                       : verdict->state == CGS_EXERCISE_WRONG ? hint_of(exercise, "wrong")
                       : verdict->slow                        ? hint_of(exercise, "slow")
                                                              : "";
    return mistake;
}
