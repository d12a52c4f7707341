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

/* ---- kinds of faults ---- */

/* Kinds by words of the reason, the first that fits: what ends a run comes before what is wrong
 * with its numbers. exercise: of that one alone, where a fault has a usual cause. hint: NULL for
 * the exercise's own. */
static const struct {
    const char *code, *words, *exercise, *hint;
} kinds[] = {
    {"compile", "does not compile", NULL,
     "Begin with the first line that says error: those below often follow from it."},
    {"memory", "got no more memory", NULL,
     "What is allocated in a call has to be freed in it; and look at the sizes: n^3 numbers are "
     "8 n^3 bytes."},
    {"input", "into x, its input", NULL, "x is the input, and may only be read."},
    {"input", "writes into its input", NULL, "x is the input, and may only be read."},
    {"input", "it changes x", NULL, "x is the input, and may only be read."},
    {"outside", "writes outside", NULL,
     "An index leaves y: with n numbers the last one is y[n - 1]."},
    {"crash", "ended by SIG", NULL,
     "An index or a pointer leads out of an array: print it before the line that is named. The "
     "last "
     "entry of n is number n - 1."},
    {"hang", "took longer than", "cg",
     "The residual never gets small enough: is beta the new r'r divided by the old one, not the "
     "other way round, and does the loop that begins anew give up at some time?"},
    {"hang", "took longer than", NULL,
     "A loop does not end, or does far too much: does each pass change what its condition tests?"},
    {"race", "differs from run to run", NULL,
     "Two threads write to one variable: declare it inside the loop, or make it a reduction."},
    {"nan", " is nan", NULL,
     "y holds NaN at the start: is each number of it written, and none added to before? Else look "
     "for 0/0."},
    {"nan", "is -nan", NULL,
     "y holds NaN at the start: is each number of it written, and none added to before? Else look "
     "for 0/0."},
    {"nan", "not finite", NULL,
     "NaN and infinity come from a division by 0, or from memory that was read before it was "
     "written: malloc and the output hold rubbish."},
    {"scale", "times what they should be", NULL,
     "All numbers are wrong by one factor: look for a missing or doubled factor, as 2, h or a "
     "weight, rather than for a wrong index."},
    {"remembered", "with an x of its own", NULL,
     "Every call has a new x: compute y from it, and keep nothing from the call before."},
    {"restart", "begin anew", NULL,
     "When r says that it is done, compute t = b - A x; where ||t|| is too large still, go on from "
     "r = p = t."},
    {"no_help", "M does not help", NULL,
     "On the box Jacobi alone multiplies r by a number. What makes the iterations fewer is the "
     "coarse grid: restriction, the cycle there, interpolation."},
    {"undivided", "not divided among them", NULL, NULL},
    {"busy", CGS_SPEED_BUSY, NULL, ""},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The code where no kind fits. */
static const char *code_of(const struct cgs_verdict *verdict)
{
    return verdict->state == CGS_EXERCISE_RIGHT ? (verdict->slow ? "slow" : "")
                                                : cgs_exercise_state_name(verdict->state);
}

/* The exercise's own hint. */
static const char *hint_of(const struct cgs_verdict *verdict, const struct cgs_exercise *exercise)
{
    if (!exercise)
        return "";
    return verdict->state == CGS_EXERCISE_WRONG ? exercise->hint_wrong
           : verdict->slow                      ? exercise->hint_slow
                                                : "";
}

struct cgs_mistake cgs_mistake_of(const struct cgs_verdict *verdict,
                                  const struct cgs_exercise *exercise)
{
    for (int i = 0; i < KINDS && verdict->state != CGS_EXERCISE_UNJUDGED; i++) {
        if (!strstr(verdict->reason, kinds[i].words) ||
            (kinds[i].exercise && (!exercise || strcmp(kinds[i].exercise, exercise->name) != 0)))
            continue;
        return (struct cgs_mistake){kinds[i].code,
                                    kinds[i].hint ? kinds[i].hint : hint_of(verdict, exercise)};
    }
    return (struct cgs_mistake){code_of(verdict), hint_of(verdict, exercise)};
}
