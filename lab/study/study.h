/* A study: every combination of the values that its options list, each run as `solve` would run it,
 * what the runs said, and what they say together.
 *
 *     --N=7,15,31 --format=crs,sell      6 points; the last list changes fastest
 *     series: points that differ in N alone, by ascending N     crs: 7, 15, 31; sell: 7, 15, 31
 *
 * A point is a process of its own (cgsolve solve ... --json=FILE): what one of them breaks, the
 * others do not see. Its report is the only record of it, which --resume reads again. On several
 * ranks all of them solve each point together, without new processes, and rank 0 does all else. */
#ifndef CGS_LAB_STUDY_STUDY_H
#define CGS_LAB_STUDY_STUDY_H

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

struct cgs_series {
    char *label; /* "gauss, crs": the swept values but N; "" where nothing else is swept. Owned */
    int *points; /* in cgs_study.points, by ascending N; owned */
    int count;
    struct cgs_order orders[CGS_NORMS];
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

/* ---- study_points.c ---- */
enum { CGS_POINTS_MOST = 10000 };
void cgs_study_release(struct cgs_study *study);
/* The command line of a point without --json: "cgsolve", "solve", "--N=7", ..., NULL. Owned by the
 * caller, by cgs_words_release; NULL: no memory. */
char **cgs_point_words(const struct cgs_study *study, const struct cgs_point *point);
/* The word that is added where nobody says how many solves. */
extern const char cgs_several_solves[];
void cgs_words_release(char **words);

/* Returns true for the options that say how finely the box is cut: along them errors fall. */
static inline bool cgs_study_refines(enum cgs_option_id id)
{
    return id == CGS_OPTION_n || id == CGS_OPTION_cells;
}

/* Returns the N of a cube of as many cells as --cells=20x36x50 says; NaN if it is not
 * understood. */
double cgs_point_cube(const char *cells);

/* ---- study_scaling.c ---- */
/* Returns N of weak scaling: of those nearest to gpus times as many unknowns as N = n has. nest:
 * N + 1 is a multiple of the largest power of two that leaves it within 1/64 of that, so that
 * grids of multigrid nest as far. */
int64_t cgs_scaling_weak_n(int64_t n, int gpus, bool nest);
/* Sets weak_n of the points with --scaling=weak. CGS_USAGE: they have no --gpus, or no box.
 * CGS_DEVICE: --gpus=all, and there is none. */
enum cgs_status cgs_scaling_resize(struct cgs_study *study);
/* Returns true if several values of --gpus are swept. */
bool cgs_scaling_swept(const struct cgs_study *study);
/* Measures the link between GPUs, where the points run on several. With --draw, and with
 * --resume where no link can be measured, reads what study.json has of it. */
void cgs_scaling_link(struct cgs_study *study);
/* Sets the facts speedup, efficiency and foretold of all points, against that of fewest GPUs
 * which differs in --gpus alone. */
void cgs_study_scale(struct cgs_study *study);
/* Says in a sentence what `foretold` comes from. */
void cgs_scaling_source(const struct cgs_study *study, char *text, size_t size);

/* ---- study_label.c ---- */
/* "N=31, gauss, crs": the values of a point's swept options; `but_n`: without N. */
void cgs_point_label(const struct cgs_study *study, const struct cgs_point *point, bool but_n,
                     char *text, size_t size);
/* "N31-gauss-crs": the same for a file; "point" where nothing is swept. */
void cgs_point_name(const struct cgs_study *study, const struct cgs_point *point, char *text,
                    size_t size);

/* ---- study_folder.c ---- */
/* Makes the folder of --report, or a temporary one, and names the points' files. CGS_USAGE: it
 * holds something else, or a study that is not to be resumed. CGS_FILE: it cannot be made, or
 * another study runs in it. */
enum cgs_status cgs_study_open(struct cgs_study *study);

/* ---- study_take.c ---- */
/* Reads the point's report, if there is one, and takes its facts and message. CGS_MEMORY: there is
 * none to read it with, which says nothing of the point. */
enum cgs_status cgs_point_take(struct cgs_context *context, struct cgs_point *point);
void cgs_point_forget(struct cgs_point *point);
/* Least and most of a fact that is the median of several measurements, or a rate by such seconds.
 * Returns false, and NaN, where it is neither, or was measured once. */
bool cgs_point_range(const struct cgs_point *point, enum cgs_fact fact, double *least,
                     double *most);
/* Takes points that an earlier call has finished: same version, same arguments, and no file that
 * they read is newer; with --draw the same arguments alone. *resumed: how many; *stale: reports
 * that are there, but not those. CGS_MEMORY: there is none to read one of them with. */
enum cgs_status cgs_study_resume(struct cgs_study *study, int *resumed, int *stale);
/* Returns true if a point was run. */
static inline bool cgs_point_done(const struct cgs_point *point)
{
    return point->exit_status >= 0;
}

/* ---- study_run.c ---- */
/* Runs the points that are not done, then once more those that others disturbed; says on
 * `progress` (NULL: nobody) which one, and what it took. CGS_INTERRUPTED: with those so far. */
enum cgs_status cgs_study_run(struct cgs_study *study, FILE *progress);

/* ---- study_ranks.c ---- */
/* Solves a command line on all ranks, of which the first calls this, and the others are in
 * cgs_study_follow. *outcome: its status and message. CGS_MEMORY: a rank has no room for it. */
enum cgs_status cgs_study_lead(struct cgs_study *study, char *const *words,
                               struct cgs_context *outcome);
/* Takes part in the solves of rank 0's study until that ends; returns its status. */
enum cgs_status cgs_study_follow(struct cgs_context *context, cgs_solver *solve);
/* Ends that: rank 0's last step. Alone it does nothing. */
void cgs_study_dismiss(struct cgs_context *context);

/* ---- study_table.c, study_text.c, study_json.c ---- */
void cgs_study_table(FILE *file, const struct cgs_study *study);
void cgs_study_text(const struct cgs_page *page, const struct cgs_study *study);
enum cgs_status cgs_study_json(struct cgs_study *study, FILE *file);
void cgs_study_csv(FILE *file, const struct cgs_study *study);

/* ---- study_orders.c ---- */
/* Fits the orders of all series, and holds them against theory or --expect-order. */
void cgs_study_fit(struct cgs_study *study);

/* ---- study_plot.c, study_page.c ---- */
/* The folder of --report: figures (SVG, and without gnuplot their data and a remark) and
 * report.html, which holds all of them and needs nothing beside it. The folder is there. */
enum cgs_status cgs_study_figures(struct cgs_study *study);
enum cgs_status cgs_study_page(struct cgs_study *study);

#endif
