/* Writes a plot through gnuplot into a file. */
#pragma once

#include "core/options/choices.h"
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

/* Draws a figure of --report: `folder`/`name`.svg, and by CGS_FIGURES_PDF .pdf. Statuses of
 * cgs_plot_write, that of the first that fails. */
enum cgs_status cgs_plot_write_into(struct cgs_context *context, const struct cgs_plot *plot,
                                    const char *folder, const char *name, enum cgs_figures figures);
/* Removes what an earlier call has drawn there, or left as a script. */
void cgs_plot_remove(const char *folder, const char *name);
/* Returns true if `file` is such a figure or script as it is called while it is written. */
bool cgs_plot_begun(const char *file, const char *name);
