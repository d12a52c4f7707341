#include "lab/exercise/grade/submission.h"
#include "lab/exercise/verdict.h"

#include "base/plain.h"
#include "core/autotune/calls.h"
#include "core/io/json.h"

const char *cgs_grade_text(const struct cgs_submission *submission, const char *key)
{
    const char *text = json_string_value(json_object_get(submission->verdict, key));
    return text ? text : "";
}

double cgs_grade_number(const struct cgs_submission *submission, const char *key)
{
    return json_number_value(json_object_get(submission->verdict, key));
}

void cgs_grade_say(struct cgs_submission *submission, enum cgs_exercise_state state,
                   const char *reason)
{
    json_decref(submission->verdict);
    submission->state = state;
    submission->verdict =
        json_pack("{ss si si si so}", "state", cgs_exercise_state_name(state), "points", 0,
                  "possible", 100, "attained", -1, "reason", cgs_json_text(reason));
    cgs_date_now(submission->date);
}

void cgs_grade_add(struct cgs_submission *submission, const char *reason)
{
    const char *before = cgs_grade_text(submission, "reason");
    json_object_set_new(submission->verdict, "reason",
                        json_sprintf("%s%s%s", before, before[0] ? " " : "", reason));
}

void cgs_grade_counts(const struct cgs_submission *submissions, int count, char *text, size_t size)
{
    int counts[CGS_STATES] = {0}, judged = 0;
    double points = 0.0;
    for (int i = 0; i < count; i++) {
        const struct cgs_submission *s = &submissions[i];
        counts[s->state]++;
        judged += s->state != CGS_EXERCISE_UNJUDGED;
        points += s->state != CGS_EXERCISE_UNJUDGED ? cgs_grade_number(s, "points") : 0.0;
    }
    snprintf(text, size, "%d file%s: ", count, count == 1 ? "" : "s");
    for (int state = 0; state < CGS_STATES; state++)
        if (state != CGS_EXERCISE_UNJUDGED || counts[state] > 0)
            cgs_append(text, size, "%s%d %s", state > 0 ? ", " : "", counts[state],
                       cgs_exercise_state_name(state));
    if (judged > 0)
        cgs_append(text, size, "; mean of %d judged: %.1f points", judged, points / judged);
    if (!cgs_callee_is_blind())
        cgs_append(text, size,
                   "; without Landlock: what was judged, and its compiler, could read your files");
}
