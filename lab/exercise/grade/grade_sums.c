/* The sum of a student's points: of each exercise the best file counts. */
#include <string.h>

#include "lab/exercise/grade/grade_sums.h"

double cgs_grade_best(const struct cgs_grade *grade, const char *student, const char *exercise)
{
    double best = -1.0;
    for (int i = 0; i < grade->count; i++) {
        const struct cgs_submission *s = &grade->submissions[i];
        const double points = cgs_grade_number(s, "points");
        if (s->state != CGS_EXERCISE_UNJUDGED && points > best &&
            strcmp(s->student, student) == 0 &&
            strcmp(cgs_grade_text(s, "exercise"), exercise) == 0)
            best = points;
    }
    return best;
}

double cgs_grade_sum(const struct cgs_grade *grade, const char *student)
{
    double sum = 0.0;
    for (int i = 0; i < grade->exercises.count; i++) {
        const double best = cgs_grade_best(grade, student, grade->exercises.items[i].name);
        sum += best > 0.0 ? best : 0.0;
    }
    return sum;
}

const char *cgs_grade_tried(const struct cgs_grade *grade, int which)
{
    for (int i = 0; i < grade->exercises.count; i++) {
        const char *name = grade->exercises.items[i].name;
        for (int k = 0; k < grade->count; k++)
            if (strcmp(cgs_grade_text(&grade->submissions[k], "exercise"), name) == 0) {
                if (which-- == 0)
                    return name;
                break;
            }
    }
    return NULL;
}

bool cgs_grade_is_first(const struct cgs_grade *grade, int which)
{
    for (int i = 0; i < which; i++)
        if (strcmp(grade->submissions[i].student, grade->submissions[which].student) == 0)
            return false;
    return true;
}

bool cgs_grade_adds_up(const struct cgs_grade *grade)
{
    for (int i = 0; i < grade->count; i++)
        if (!cgs_grade_is_first(grade, i))
            return true;
    return false;
}
