/* A figure as a script for gnuplot >= 5.4, data included. */
#pragma once

#include <stdio.h>

#include "lab/figure/plot.h"

/* `ending` is "svg", "png" or "pdf". The script draws into `path`; NULL: to standard output. */
void cgs_plot_script(FILE *file, const struct cgs_plot *plot, const char *ending, const char *path);

/* Writes 'text' in single quotes, in which gnuplot expands nothing; what uses it says
 * noenhanced. */
void cgs_plot_put_text(FILE *file, const char *text);
/* The same for the name of a file: nothing is replaced that a picture could not hold. */
void cgs_plot_put_path(FILE *file, const char *path);
