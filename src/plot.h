/* Figures by gnuplot: one module for all commands. A figure is a few series and their axes; who
 * calls says what is drawn, this says how it looks. */
#ifndef CGS_SRC_PLOT_H
#define CGS_SRC_PLOT_H

#include <stdbool.h>

#include "base/context.h"

enum cgs_plot_style { CGS_PLOT_BARS, CGS_PLOT_LINES, CGS_PLOT_POINTS };

struct cgs_plot_series {
    const char *name;
    enum cgs_plot_style style;
    int count;
    const double *x;          /* NULL for bars */
    const double *y;          /* NaN: no such point */
    const double *low, *high; /* spread of y; NULL: none */
};

struct cgs_plot_panel {
    const char *title, *x_label, *y_label; /* labels with units */
    bool log_x, log_y;
    const char *const *names; /* of the bars, `count` of them; NULL: x is a number */
    double line;              /* a level drawn across, NaN: none ... */
    const char *line_name;    /* ... and what it is */
    const struct cgs_plot_series *series;
    int series_count;
};

struct cgs_plot {
    const char *title;
    const struct cgs_plot_panel *panels; /* one below the other */
    int panel_count;
};

/* Draws into `path` (.svg, .png or .pdf), written beside and renamed.
 * CGS_USAGE: another ending. CGS_FILE: it cannot be written; or gnuplot is not there or failed: the
 * data and the script are then left in `path`.gp, and the message says so, and which package brings
 * gnuplot. */
enum cgs_status cgs_plot_write(struct cgs_context *context, const struct cgs_plot *plot,
                               const char *path);

#endif
