/* What scripts of figures say of texts and series. */
#ifndef CGS_SRC_FIGURE_PLOT_SERIES_H
#define CGS_SRC_FIGURE_PLOT_SERIES_H

#include <stdio.h>

#include "src/figure/plot.h"

/* 'text' in single quotes, in which gnuplot expands nothing; whoever uses it says noenhanced. */
void cgs_plot_put_text(FILE *file, const char *text);
/* The same for the name of a file: nothing is replaced that a picture could not hold. */
void cgs_plot_put_path(FILE *file, const char *path);

/* Datablock $dP_S of series S of panel P: x (of bars: their number), y, low, high. */
void cgs_plot_put_data(FILE *file, const struct cgs_plot_series *series, int panel, int number);

/* A bar or a level for the key, between two corners in parts of the screen. */
void cgs_plot_put_sample(FILE *file, const struct cgs_plot_series *series, int number, double x1,
                         double x2, double y1, double y2);

/* An element of `plot`. Bars lie along from *floor; lines have none. */
void cgs_plot_put_series(FILE *file, const struct cgs_plot_series *series, int panel, int number,
                         const double *floor);

#endif
