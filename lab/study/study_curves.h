/* The points of a study as curves of a figure: what is at x, who belongs together, what a curve is
 * called, which curves share a panel. */
#pragma once

#include "lab/study/study.h"

enum cgs_axis {
    CGS_AXIS_N,      /* some series has two points: a curve each */
    CGS_AXIS_OPTION, /* one N: a swept option with numbers, a curve for the values of all others */
    CGS_AXIS_NAMES   /* neither: bars, one for each point */
};

enum {
    CGS_CURVES_MOST = 7, /* in a panel: more cannot be told apart */
    CGS_CURVE_LABEL = 160
};

struct cgs_curve {
    char label[CGS_CURVE_LABEL];
    const char *device; /* "CPU", "GPU", also in the label; "": the study has one alone, or sweeps
                           the backend, or the curve's points are of both */
    int *points; /* in cgs_study.points, by ascending x; in cgs_curves.indices */
    int count;
    int series; /* of cgs_study.series: whose orders it has; of the first, where several agree */
    int panel;
};

struct cgs_curves {
    struct cgs_context *context;
    enum cgs_axis axis;
    enum cgs_option_id option; /* of CGS_AXIS_OPTION */
    struct cgs_curve *curves;  /* owned */
    int count;
    int *indices; /* owned */
    int panel_count;
    char (*panels)[CGS_CURVE_LABEL]; /* owned; what the curves of each panel have in common */
};

/* From all points of the study, those without a report as well. CGS_MEMORY. */
enum cgs_status cgs_curves_make(const struct cgs_study *study, struct cgs_curves *curves);
/* The same, over a swept option. */
enum cgs_status cgs_curves_over(const struct cgs_study *study, enum cgs_option_id option,
                                struct cgs_curves *curves);

/* Curves of CGS_AXIS_N whose facts agree to 1 % at every N become one: errors do not depend on how
 * the matrix lies in memory. The label of gauss, crs and gauss, sell is "gauss" where no other
 * formats are swept, else "gauss, crs/sell". CGS_MEMORY. */
enum cgs_status cgs_curves_merge(const struct cgs_study *study, struct cgs_curves *curves,
                                 const enum cgs_fact *facts, int fact_count);

/* At most CGS_CURVES_MOST to a panel: by the values of a swept option where a few of them do,
 * else in their order. Of those alone that have a point with this fact. CGS_MEMORY. */
enum cgs_status cgs_curves_divide(const struct cgs_study *study, struct cgs_curves *curves,
                                  enum cgs_fact fact);

void cgs_curves_release(struct cgs_curves *curves);

/* The point's label by some of the swept options. */
void cgs_curves_label(const struct cgs_study *study, const struct cgs_point *point,
                      const enum cgs_option_id *options, int count, char *text, size_t size);
/* Returns the point's value on the axis x; of --gpus their number. */
double cgs_curves_x(const struct cgs_curves *curves, const struct cgs_point *point);
/* Returns true if some point of the curve has the fact. */
bool cgs_curve_has(const struct cgs_study *study, const struct cgs_curve *curve,
                   enum cgs_fact fact);
