/* Axes of a panel of a figure: ranges and numbers. gnuplot's own logarithmic ranges end at
 * powers of 10, and its numbers stand there alone. */
#ifndef CGS_LAB_FIGURE_PLOT_AXIS_H
#define CGS_LAB_FIGURE_PLOT_AXIS_H

#include <stdio.h>

#include "lab/figure/plot.h"

/* Writes the range of x or else y (and its spread) along gnuplot's `axis`, with some air. Returns
 * where it begins: for bars at 0, or below the shortest of them. */
double cgs_plot_put_range(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x);

/* Writes both axes of a panel of lines, whose plot is `width` pixels wide. */
void cgs_plot_put_axes(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *panel,
                       double width);

#endif
