/* A figure as a script for gnuplot >= 5.4, data included. */
#ifndef CGS_SRC_FIGURE_PLOT_SCRIPT_H
#define CGS_SRC_FIGURE_PLOT_SCRIPT_H

#include <stdio.h>

#include "src/figure/plot.h"

/* `ending` is "svg", "png" or "pdf". The script draws into `path`; NULL: to standard output. */
void cgs_plot_script(FILE *file, const struct cgs_plot *plot, const char *ending, const char *path);

/* The terminal for a figure of so many pixels, and its output, likewise. */
void cgs_plot_put_terminal(FILE *file, double width, double height, const char *ending,
                           const char *path);

#endif
