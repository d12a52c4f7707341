/* Figures by gnuplot: one module for all commands. A figure is panels one below the other; who
 * calls says what is drawn, this says how it looks.
 *
 *     title                                          panels of bars lie along: long names are read
 *     subtitle                                       without turning one's head
 *     panel's title        [] own  // vendor's
 *     name one  |=======|                12.3 us     names, bars with their spread, values
 *     name two  |///////////|            23.4 us
 *               +--------------------->
 *                 y_label [unit]
 *     panel's title                                  panels of lines: linear or logarithmic axes
 *     y_label ^   o---o      o one thread            narrow: the keys are above
 *             +--------> x_label
 *
 * Series differ by more than colour: bars by their filling, lines by marks and dashes. Colours are
 * those of M. Okabe and K. Ito, "Color Universal Design" (2008), which colour-blind readers tell
 * apart.
 */
#ifndef CGS_SRC_FIGURE_PLOT_H
#define CGS_SRC_FIGURE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

enum cgs_plot_style {
    CGS_PLOT_BARS,   /* a bar for each name */
    CGS_PLOT_LEVELS, /* a mark across each name's bar: what it could reach */
    CGS_PLOT_LINES,  /* points joined by lines */
    CGS_PLOT_POINTS,
    CGS_PLOT_GUIDE /* a thin dashed line without marks: a limit, the slope of an order */
};

/* Its place in the panel gives it colour, filling and mark; one without any point keeps them from
 * the others, and is not drawn. */
struct cgs_plot_series {
    const char *name; /* in the key; NULL: not there */
    enum cgs_plot_style style;
    int count;
    const double *x;          /* NULL for bars and levels: entry i belongs to name i */
    const double *y;          /* NaN: no such point */
    const double *low, *high; /* spread of y; NULL: none */
    const char *note;         /* of lines: written left of the last point but one; NULL: nothing */
};

/* Whether there is at least one point to draw. */
bool cgs_plot_has_points(const struct cgs_plot_series *series);

struct cgs_plot_panel {
    const char *title, *x_label, *y_label; /* labels with units; bars have no x_label; title: NULL
                                              for none */
    bool log_x, log_y;
    const double *x_ticks; /* of lines: the only numbers at x; NULL: gnuplot's choice */
    int x_tick_count;
    const char *const *names;  /* of bars, from the top, `name_count` of them; NULL: lines */
    const char *const *values; /* what is written at the right of each bar; NULL: nothing */
    int name_count;
    const struct cgs_plot_series *series;
    int series_count;
};

/* All texts are taken as they are: no character is special; control characters become spaces. */
struct cgs_plot {
    const char *title, *subtitle; /* subtitle: NULL for none */
    const struct cgs_plot_panel *panels;
    int panel_count;
    bool narrow; /* keys of lines above their panel instead of right of it: for pages */
};

/* What draws by a script of its own (src/figure/slice_script.c): */
struct cgs_script {
    /* Writes the script, data included, for `ending` "svg", "png" or "pdf", that draws into `path`;
     * NULL: to standard output. */
    void (*write)(FILE *file, const void *self, const char *ending, const char *path);
    const void *self;
};

/* Before any work: whether `path` can become a figure; NULL is none. CGS_USAGE: its ending is not
 * .svg, .png or .pdf. CGS_FILE: it cannot be written. */
enum cgs_status cgs_plot_check(struct cgs_context *context, const char *path);

/* Draws into `path` (.svg, .png or .pdf), written beside and renamed. CGS_USAGE: another ending.
 * CGS_FILE: it cannot be written; or gnuplot is not there, failed, or took too long: script and
 * data are then left in `path`.gp, and the message says so, and what brings gnuplot. Where the run
 * has failed already, that is added to its message. */
enum cgs_status cgs_plot_write(struct cgs_context *context, const struct cgs_plot *plot,
                               const char *path);
enum cgs_status cgs_script_draw(struct cgs_context *context, const struct cgs_script *drawing,
                                  const char *path);

#endif
