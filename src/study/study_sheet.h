/* A figure of a study while it is made: its curves as series of panels. */
#ifndef CGS_SRC_STUDY_STUDY_SHEET_H
#define CGS_SRC_STUDY_STUDY_SHEET_H

#include <math.h>

#include "src/figure/plot.h"
#include "src/io/format.h"
#include "src/study/study_drawings.h"

enum {
    CGS_SHEET_GUIDES = 4, /* of a panel, beside its curves */
    CGS_SHEET_SERIES = CGS_CURVES_MOST + CGS_SHEET_GUIDES,
    CGS_SHEET_NAME = CGS_CURVE_LABEL + 64
};

struct cgs_sheet_panel {
    char names[CGS_SHEET_SERIES][CGS_SHEET_NAME];
    struct cgs_plot_series series[CGS_SHEET_SERIES];
    int count;
    double *numbers; /* x, y, least and most of each series, `room` each */
};

struct cgs_sheet {
    const struct cgs_study *study;
    const struct cgs_drawing_row *row;
    struct cgs_curves
        curves; /* owned, as all below; those that agree are one where errors are drawn */
    struct cgs_sheet_panel *panels;
    struct cgs_plot_panel *plots;      /* what cgs_plot_write takes, curves.panel_count of them */
    const char **names, **value_texts; /* of bars */
    cgs_text *values;
    double *ticks, *numbers;
    char x_label[64];
    int tick_count, room; /* points of a series at most */
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

static inline double cgs_sheet_fact(const struct cgs_sheet *s, const struct cgs_curve *c, int i)
{
    return cgs_point_fact(cgs_sheet_point(s, c, i), s->row->fact);
}

/* A new series, without points; its name is p->names[p->count - 1]. There has to be room. */
struct cgs_plot_series *cgs_sheet_add(const struct cgs_sheet *s, struct cgs_sheet_panel *p,
                                      enum cgs_plot_style style);
void cgs_sheet_put(struct cgs_plot_series *series, double x, double y);

/* ---- study_guides.c ---- */
/* What is attainable, or triangles of the orders that are due, as the figure's kind wants. */
void cgs_sheet_guides(const struct cgs_sheet *s, struct cgs_sheet_panel *p, int panel);

#endif
