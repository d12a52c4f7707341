/* Writes a plot through gnuplot into a file. */
#ifndef CGS_LAB_FIGURE_PLOT_DRAW_H
#define CGS_LAB_FIGURE_PLOT_DRAW_H

#include "lab/figure/plot.h"

/* Tests before any work that `path` can become a figure; NULL is none. CGS_USAGE: its ending is not
 * .svg, .png or .pdf. CGS_FILE: it cannot be written. */
enum cgs_status cgs_plot_check(struct cgs_context *context, const char *path);

/* Draws into `path` (.svg, .png or .pdf), written beside and renamed. CGS_USAGE: another ending.
 * CGS_FILE: it cannot be written; or gnuplot is not there, failed, or took too long: script and
 * data are then left in `path`.gp, and the message says so, and what brings gnuplot. Where the run
 * has failed already, that is added to its message. */
enum cgs_status cgs_plot_write(struct cgs_context *context, const struct cgs_plot *plot,
                               const char *path);

#endif
