/* A figure of a study while it is made: its curves as series of panels. */
#ifndef CGS_LAB_STUDY_STUDY_SHEET_H
#define CGS_LAB_STUDY_STUDY_SHEET_H

#include <math.h>

#include "core/io/format.h"
#include "lab/figure/plot.h"
#include "lab/study/study_drawings.h"
#include "lab/study/study_point.h"

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

/* ---- parts ---- */
static inline const struct cgs_point *cgs_sheet_point(const struct cgs_sheet *s,
                                                      const struct cgs_curve *c, int i)
{
    return &s->study->points[c->points[i]];
}

/* Returns x of a point: h where orders are drawn, as they are the powers of h. */
static inline double cgs_sheet_x(const struct cgs_sheet *s, const struct cgs_point *point)
{
    const double x = cgs_curves_x(&s->curves, point);
    return s->row->kind == CGS_DRAWN_ERROR && s->curves.axis == CGS_AXIS_N ? 1.0 / (x + 1.0) : x;
}

static inline double cgs_sheet_fact(const struct cgs_sheet *s, const struct cgs_curve *c, int i)
{
    return cgs_point_fact(cgs_sheet_point(s, c, i), s->row->fact);
}

/* ---- study_guides.c ---- */
/* Adds what is attainable, triangles of the orders that are due, or what is ideal and foretold,
 * as the figure's kind wants. */
void cgs_sheet_guides(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel);

#endif
