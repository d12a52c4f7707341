/* A figure of a study while it is made: its curves as series of panels. */
#pragma once

#include "lab/figure/plot.h"
#include "lab/study/study_drawings.h"

enum { CGS_SHEET_GUIDES = 5 }; /* of a panel at most, beyond its curves */
_Static_assert(CGS_CURVES_MOST + CGS_SHEET_GUIDES <= CGS_PLOT_SERIES, "a panel has room for all");

struct cgs_sheet {
    const struct cgs_study *study;
    const struct cgs_drawing_row *row;
    struct cgs_curves curves; /* owned; those that agree are one where errors are drawn */
    struct cgs_plot plot;     /* owned; curves.panel_count panels */
    double *ticks;            /* owned: plot.ticks */
    char x_label[64];
};

/* All of the figure. CGS_MEMORY. To be released also then. */
enum cgs_status cgs_sheet_make(const struct cgs_study *study, enum cgs_drawing drawing,
                               struct cgs_sheet *sheet);
void cgs_sheet_release(struct cgs_sheet *sheet);

/* Draws all figures into the folder of --report, which is there: SVG, and without gnuplot their
 * data and a remark. */
enum cgs_status cgs_study_figures(struct cgs_study *study);
