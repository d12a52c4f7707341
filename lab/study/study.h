/* A study: every combination of the values that its options list, each run as `solve` would run it,
 * what the runs said, and what they say together.
 *
 *     --N=7,15,31 --format=crs,sell      6 points; the last list changes fastest
 *     series: points that differ in N alone, by ascending N     crs: 7, 15, 31; sell: 7, 15, 31
 *
 * A point is a process of its own (cgsolve solve ... --json=FILE): what one of them breaks, the
 * others do not see. Its report is the only record of it, which --resume reads again. On several
 * ranks all of them solve each point together, without new processes, and rank 0 does all else. */
#pragma once

#include <jansson.h>
#include <math.h>

#include "core/io/format.h"
#include "core/io/page.h"
#include "core/plan/scaling.h"
#include "lab/command_line/call.h"
#include "lab/command_line/expect.h"
#include "lab/command_line/options_list.h"

/* The numbers that a study takes from a report (study_facts.def): CGS_FACT_l2, ... */
enum cgs_fact {
#define CGS_FACT(name, path, text) CGS_FACT_##name,
#include "lab/study/study_facts.def"
#undef CGS_FACT
    CGS_FACTS
};

struct cgs_fact_row {
    const char *name; /* of a column of CSV, and of a key */
    const char *path; /* in the report: "error.l2" */
    const char *text; /* "L2 error" */
};
extern const struct cgs_fact_row cgs_facts[CGS_FACTS];

enum { CGS_POINTS_MOST = 10000 };

struct cgs_point {
    const char *values[CGS_OPTIONS]; /* of the swept options, as text; NULL: not swept. Borrowed */
    char weak_n[24]; /* --scaling=weak: its N, instead of that which is asked for; else "" */
    char *name;      /* "N31-gauss-crs": of its report, without ending; owned */
    char *file;      /* its report; owned */
    json_t *report;  /* owned; NULL: it has not been run, or left none */
    bool resumed;    /* done by an earlier call */
    int exit_status; /* of the run, 128 + n where signal n ended it; -1: not run */
    char *message;   /* why it failed, in a sentence; owned. NULL: it did not */
    double seconds;  /* of its process; of a resumed one 0 */
    double facts[CGS_FACTS]; /* NaN: not in the report; a swept N is always there */
};

/* log e = c + p log h by least squares over the points that the discretisation rules. */
struct cgs_order {
    bool fitted;   /* at least two points, all with positive errors */
    double order;  /* p */
    double half;   /* of p's 95 % confidence interval (Student's t); NaN with two points */
    double factor; /* e^c: e = factor h^p */
    int count;     /* points of the fit */
    /* index in the series of the first point that rounding (or the tolerance) rules; -1: none */
    int limited;
    bool expected; /* theory, or the person, says what it should be */
    double theory, tolerance;
    bool met; /* |p - theory| <= tolerance; true where nothing is expected */
};

/* Returns true if there is something to say of it: a fit, or that one was asked for, or the reason
 * why there is none. */
static inline bool cgs_order_said(const struct cgs_order *order)
{
    return order->fitted || !order->met || order->limited >= 0;
}

/* Returns true if the interval may be shown. Two and three points nearly always lie on a line that
 * bends little, so that "1.997 +- 0.000" of three would claim what they cannot show. */
static inline bool cgs_order_bounded(const struct cgs_order *order)
{
    return order->fitted && order->count > 3 && isfinite(order->half);
}

/* An L2 error that a series is to reach (--target-error). */
struct cgs_target {
    int place; /* in cgs_series.points: the smallest mesh that reaches it; -1: none does */
    /* Figures of that mesh, or where there is none extrapolated; NaN: it cannot be told. */
    double cells, unknowns, seconds;
    /* Why there is none, static: "time" (--time-limit), "memory", "size" (no mesh may be as fine),
     * "rounding" (or the tolerance rules the error), "failed" (a point), "not run". NULL: there is
     * one. */
    const char *why;
};

struct cgs_series {
    char *label; /* "gauss, crs": the swept values but N; "" where nothing else is swept. Owned */
    int *points; /* in cgs_study.points, by ascending N; owned */
    int count;
    struct cgs_order orders[CGS_NORMS];
    struct cgs_target *targets; /* of cgs_study.targets, in their order; owned */
};

/* How ranks solve a point: cgs_call.solve. */
typedef enum cgs_status cgs_solver(struct cgs_context *context, const struct cgs_call *call);

struct cgs_study {
    struct cgs_context *context;
    cgs_solver *solve;                 /* on several ranks; else NULL */
    const struct cgs_options *options; /* of the command `study`: texts[] hold the lists */
    int argc;
    const char *const *argv;            /* the command line; borrowed */
    struct cgs_list lists[CGS_OPTIONS]; /* the values of each option that is given; owned */
    enum cgs_option_id swept[CGS_OPTIONS];
    int swept_count;
    struct cgs_point *points;
    int count;
    struct cgs_series *series;
    int series_count;
    double *targets;  /* L2 errors to reach, the largest first; owned */
    int target_count; /* 0: points are those of the lists */
    cgs_date date;
    bool interrupted;
    struct cgs_scaling_link link; /* between GPUs, for what is foretold */
    bool linked;                  /* measured here; else that of two H200 */
    char remark[1024]; /* why a figure could not be drawn, and where its script is; "": all are */

    char *folder;   /* of --report, or a temporary one; owned */
    bool temporary; /* it goes when the study ends */
    bool made;      /* it was not there: it goes where nothing has come into it */
    bool marked;    /* its marker was not there: likewise */
    int lock;       /* descriptor that keeps a second study out of the folder; -1: none */
};

/* Returns true for the options that say how finely the box is cut: along them errors fall. */
static inline bool cgs_study_refines(enum cgs_option_id id)
{
    return id == CGS_OPTION_n || id == CGS_OPTION_cells;
}
