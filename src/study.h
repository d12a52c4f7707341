/* A study: every combination of the values that its options list, each run as `solve` would run it,
 * what the runs said, and what they say together.
 *
 *     --N=7,15,31 --format=crs,sell      6 points; the last list changes fastest
 *     series: points that differ in N alone, by ascending N     crs: 7, 15, 31; sell: 7, 15, 31
 *
 * A point is a process of its own (cgsolve solve ... --json=FILE): what one of them breaks, the
 * others do not see. Its report is the only record of it, which --resume reads again. */
#ifndef CGS_SRC_STUDY_H
#define CGS_SRC_STUDY_H

#include <jansson.h>

#include "src/expect.h"
#include "src/options.h"

/* The numbers that a study takes from a report (study_facts.def): CGS_FACT_l2, ... */
enum cgs_fact {
#define CGS_FACT(name, path, unit, text) CGS_FACT_##name,
#include "src/study_facts.def"
#undef CGS_FACT
    CGS_FACTS
};

struct cgs_fact_row {
    const char *name; /* of a column of CSV, and of a key */
    const char *path; /* in the report: "error.l2" */
    const char *unit; /* "s", "GB/s", ""; for labels */
    const char *text; /* "L2 error" */
};
extern const struct cgs_fact_row cgs_facts[CGS_FACTS];

struct cgs_point {
    const char *values[CGS_OPTIONS]; /* of the swept options, as text; NULL: not swept. Borrowed */
    char *name;                      /* "N31-gauss-crs": of its report, without ending; owned */
    char *file;                      /* its report; owned */
    json_t *report;                  /* owned; NULL: it has not been run, or left none */
    bool resumed;                    /* done by an earlier call */
    int exit_status;                 /* of the run, 128 + n where signal n ended it; -1: not run */
    char *message;                   /* why it failed, in a sentence; owned. NULL: it did not */
    double seconds;                  /* of its process; of a resumed one 0 */
    double facts[CGS_FACTS];         /* NaN: not in the report */
};

/* log e = c + p log h by least squares over the points that the discretisation rules. */
struct cgs_order {
    bool fitted;   /* at least two points, all with positive errors */
    double order;  /* p */
    double half;   /* of p's 95 % confidence interval (Student's t); NaN with two points */
    double factor; /* e^c: e = factor h^p */
    int count;     /* points of the fit, the coarsest `skipped` left out, then `count` */
    int skipped;   /* coarse ones before the error falls regularly */
    int limited; /* index in the series of the first point that rounding (or the tolerance) rules; -1: none */
    bool expected; /* theory, or the person, says what it should be */
    double theory, tolerance;
    bool met; /* |p - theory| <= tolerance; true where nothing is expected */
};

struct cgs_series {
    char *label; /* "gauss, crs": the swept values but N; "" where nothing else is swept. Owned */
    int *points; /* in cgs_study.points, by ascending N; owned */
    int count;
    struct cgs_order orders[CGS_NORMS];
};

struct cgs_study {
    struct cgs_context *context;
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
    char date[32];
    bool interrupted;
};

/* ---- study.c ---- */
/* Runs the study, prints its table, writes its files. CGS_USAGE: lists that make no sense.
 * CGS_NOT_CONVERGED: a run failed, or an order is not as expected. CGS_INTERRUPTED: with the points
 * so far; --resume takes them up. */
enum cgs_status cgs_study(struct cgs_context *context, struct cgs_options *options, int argc,
                          const char *const *argv, FILE *text, FILE *progress);

/* ---- study_orders.c ---- */
/* Fits the orders of all series, and holds them against theory or --expect-order. */
void cgs_study_fit(struct cgs_study *study);

/* ---- study_plot.c, study_page.c ---- */
/* The folder of --report: figures (SVG, and without gnuplot their data and a remark) and
 * report.html, which holds all of them and needs nothing beside it. The folder is there. */
enum cgs_status cgs_study_figures(struct cgs_study *study, const char *folder);
enum cgs_status cgs_study_page(struct cgs_study *study, const char *folder);

#endif
