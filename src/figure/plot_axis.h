/* Axes of a panel of a figure: ranges, numbers, labels. */
#ifndef CGS_SRC_FIGURE_PLOT_AXIS_H
#define CGS_SRC_FIGURE_PLOT_AXIS_H

#include "src/figure/plot_key.h"

/* The panel's x (its values where `x` is false) along gnuplot's `axis`, with some air; returns
 * where it begins: for bars at 0, or below the shortest of them. */
double cgs_plot_put_axis(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x,
                         bool bars);

/* Both axes of a panel of lines, and where its key is; `right`, `high`: the plot's edges in parts of
 * the screen. */
void cgs_plot_put_axes(FILE *file, const struct cgs_plot_frame *frame,
                       const struct cgs_plot_panel *panel, double right, double high);

#endif
