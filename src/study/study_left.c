/* How long the rest of a study will take.
 *
 * The loop of a point takes seconds in proportion to unknowns times iterations. These grow with N, but
 * with multigrid hardly at all:
 *
 *     N^4;  N^3 with --precond=mg or amg;  without N all points weigh the same
 *
 * The rate is that of the quickest point so far (others were disturbed) whose iterations grow alike;
 * all but the loop takes what it took so far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/study/study.h"

/* What is known of points whose iterations grow alike. */
struct pace {
    double rate;  /* seconds of the loop by weight, the least; INFINITY: of none yet */
    double known; /* the largest weight of a point that is done */
};
enum { GROWING, LEVEL, PACES };

static int pace_of(const struct cgs_study *study, const struct cgs_point *point)
{
    const char *precond = cgs_point_value(study, point, CGS_OPTION_precond);
    return precond && (strcmp(precond, "mg") == 0 || strcmp(precond, "amg") == 0) ? LEVEL : GROWING;
}

static double weight(const struct cgs_study *study, const struct cgs_point *point)
{
    const char *n = cgs_point_value(study, point, CGS_OPTION_n);
    return n ? pow(strtod(n, NULL), pace_of(study, point) == LEVEL ? 3.0 : 4.0) : 1.0;
}

/* Seconds of all solves of a point. */
static double loop_seconds(const struct cgs_point *point)
{
    const double solves = json_number_value(cgs_report_find(point->report, "solves.count"));
    return point->facts[CGS_FACT_solve_seconds] * fmax(solves, 1.0);
}

double cgs_study_left(const struct cgs_study *study)
{
    static const double far = 1000.0;
    struct pace paces[PACES] = {{INFINITY, 0.0}, {INFINITY, 0.0}};
    double rest = 0.0, left = 0.0;
    int done = 0;
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const double loop = loop_seconds(point), w = weight(study, point);
        const double all = point->resumed ? point->facts[CGS_FACT_total_seconds] : point->seconds;
        struct pace *pace = &paces[pace_of(study, point)];
        if (!cgs_point_done(point) || !(loop > 0.0) || !isfinite(all))
            continue;
        done++;
        rest += all - loop;
        pace->rate = fmin(pace->rate, loop / w);
        pace->known = fmax(pace->known, w);
    }
    for (int i = 0; i < study->count; i++) {
        const struct cgs_point *point = &study->points[i];
        const struct pace *pace = &paces[pace_of(study, point)];
        if (cgs_point_done(point))
            continue;
        if (!(weight(study, point) <= far * pace->known))
            return NAN;
        left += rest / done + pace->rate * weight(study, point);
    }
    return left;
}
