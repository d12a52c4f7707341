/* Axes of a panel of a figure: ranges and numbers. gnuplot's own logarithmic ranges end at
 * powers of 10, and its numbers stand there alone. */
#pragma once

#include <stdio.h>

#include "lab/figure/plot.h"

/* Returns a distance between numbers, 1, 2 or 5 times a power of 10, so that a range has `count` of
 * them at most, and not more than some 8. *characters: of the longest. */
double cgs_plot_step(double least, double most, double count, double *characters);
/* The same for numbers side by side below an axis from 0 to `most`, `width` pixels wide. */
double cgs_plot_step_across(double most, double width);
/* The same, and numbers along an axis of so many pixels; 0: at the side of a panel, where a linear
 * axis has those of gnuplot. */
double cgs_plot_put_numbers(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x,
                            double width);

/* Writes both axes of a panel of lines, whose plot is `width` pixels wide. */
void cgs_plot_put_axes(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *panel,
                       double width);
