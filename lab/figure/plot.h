/* Figures by gnuplot, for all commands: panels one below the other. A command fills a struct
 * cgs_plot with what is drawn; plot_script.c alone decides how it looks.
 *
 *     title                                          texts take as many lines as they need
 *     subtitles
 *     panel's title
 *     y_label [unit]                                 panels of bars lie along: long names are read
 *     name one                12.3 us                without turning one's head; bars with their
 *     |=======|                                      spread, names and values above them
 *     name two                23.4 us
 *     |///////////|
 *     +----------------------------->
 *     [] own  // vendor's                            the key
 *     panel's title                                  panels of lines: linear or logarithmic axes
 *     y_label
 *       ^   o---o
 *       +-----------> x_label
 *     o one thread                                   the key
 *     label
 *     y ^ +-------------+ | most                     an image: a colour map with its bar, axes of
 *       | |             | |                          equal scale, unless one is much longer
 *         +-------------+ | least
 *
 * Series differ by more than colour: bars by their filling, lines by marks and dashes. Colours are
 * those of M. Okabe and K. Ito, "Color Universal Design" (2008), which colour-blind readers tell
 * apart.
 *
 * All texts are drawn as they are: no character is special; control characters become spaces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"
#include "core/io/format.h"

enum {
    CGS_PLOT_WIDTH = 410, /* pixels: at 85 mm, a column of a journal, type is 7 points high */
    CGS_PLOT_TYPE = 12,
    CGS_PLOT_DIGIT = 8,   /* width of a digit, at most */
    CGS_PLOT_SERIES = 12, /* of a panel at most: more cannot be told apart */
    CGS_PLOT_NAME = 256
};

enum cgs_plot_style {
    CGS_PLOT_BARS,   /* a bar for each name: x is the number of the name */
    CGS_PLOT_LEVELS, /* a mark across a name's bar: what it could reach */
    CGS_PLOT_LINES,  /* points joined by lines */
    CGS_PLOT_POINTS, /* the same points alone */
    CGS_PLOT_STEPS,  /* a line that keeps its y up to the next point */
    CGS_PLOT_GUIDE   /* a thin dashed line without marks: a limit, the slope of an order */
};

struct cgs_plot_point {
    double x, y, low, high; /* low ... high: the spread of y; y itself where there is none */
};

/* Its place in the panel gives a series its colour, filling and mark; one without any point keeps
 * them from the others, and is not drawn. */
struct cgs_plot_series {
    char name[CGS_PLOT_NAME]; /* in the key; "": not there */
    char note[32];            /* of lines: written left of the last point but one; "": nothing */
    bool note_right;          /* right of it instead */
    enum cgs_plot_style style;
    /* of a guide: 1 + the place of the series that it belongs to, whose colour it has; 0: none */
    int of;
    struct cgs_plot_point *points;
    int count;
};

struct cgs_plot_bar {
    const char *name; /* borrowed */
    cgs_text value;   /* written at the right of the bar */
};

/* A colour map of side x side values, which lie `stride` doubles apart, rows from the bottom.
 * Axes go from 0 to width and height. */
struct cgs_plot_image {
    const double *values; /* borrowed */
    int side, stride;
    double width, height;
    double least, most;
    bool diverging;            /* colours diverge from grey at 0, as far down as up */
    char label[CGS_PLOT_NAME]; /* above the bar of colours */
};

struct cgs_plot_panel {
    char title[CGS_PLOT_NAME];     /* "": none */
    const char *x_label, *y_label; /* borrowed, with units; bars have no x_label */
    bool log_x, log_y;
    struct cgs_plot_bar *bars; /* from the top, `bar_count` of them; none: lines, or an image */
    int bar_count;
    struct cgs_plot_series series[CGS_PLOT_SERIES];
    int series_count;
    struct cgs_plot_image image; /* values: NULL for none */
};

struct cgs_plot {
    struct cgs_context *context;
    char title[512], subtitles[2][512]; /* subtitles: "" for none */
    const double *ticks; /* of lines: the only numbers at x, ascending; NULL: gnuplot's choice */
    int tick_count;
    bool tick_fractions; /* ticks are written as 1/n */
    struct cgs_plot_panel *panels;
    int panel_count;
    int room;                      /* points of a series, and bars of a panel, at most */
    struct cgs_plot_point *points; /* blocks that panels and series have parts of */
    struct cgs_plot_bar *bars;
};

/* Makes a figure without panels, with room for so many, of `room` points a series. CGS_MEMORY.
 * To be released also then. */
enum cgs_status cgs_plot_make(struct cgs_context *context, int panels, int room,
                              struct cgs_plot *plot);
void cgs_plot_release(struct cgs_plot *plot);

/* Each adds one, for which there has to be room, and returns it. */
struct cgs_plot_panel *cgs_plot_add_panel(struct cgs_plot *plot, const char *title);
struct cgs_plot_series *cgs_plot_add_series(struct cgs_plot_panel *panel, enum cgs_plot_style style,
                                            const char *name);
struct cgs_plot_bar *cgs_plot_add_bar(struct cgs_plot_panel *panel, const char *name);

/* Adds a point; a y that is not finite is left out. A spread that is not finite is none. */
void cgs_plot_add(struct cgs_plot_series *series, double x, double y);
void cgs_plot_add_spread(struct cgs_plot_series *series, double x, double y, double low,
                         double high);

/* Returns true if the panel's y are positive, and the largest is more than 30 times the smallest: a
 * linear axis would hide the small ones. */
bool cgs_plot_far_apart(const struct cgs_plot_panel *panel);
