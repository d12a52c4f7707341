/* Curves of a study -> panels that lab/figure/plot.h draws: lines or bars. */
#include "lab/study/study_sheet.h"

#include <string.h>

#include "base/memory.h"
#include "lab/study/study_point.h"

enum { PANELS = 12, BARS = 60 }; /* of a figure, at most */

/* Drops from a label what the panel's title says: "gauss, crs, double" below "gauss" becomes
 * "crs, double". */
static void drop_title(const char *title, char *label)
{
    const size_t length = strlen(title);
    char *at = length > 0 ? strstr(label, title) : NULL;
    if (!at || (at > label && at[-1] != ' '))
        return;
    if (at[length] == ',')
        memmove(at, at + length + 2, strlen(at + length + 2) + 1);
    else if (at[length] == '\0' && at > label)
        at[-2] = '\0';
}

static void name_curve(const struct cgs_sheet *s, const struct cgs_curve *c,
                       char name[CGS_PLOT_NAME])
{
    char label[CGS_CURVE_LABEL];
    snprintf(label, sizeof label, "%s", c->label[0] ? c->label : cgs_facts[s->row->fact].text);
    drop_title(s->curves.panels[c->panel], label);
    struct cgs_order o = {0};
    if (s->row->kind == CGS_DRAWN_ERROR)
        cgs_drawing_order(s->study, s->row->fact, c->series, &o);
    if (cgs_order_bounded(&o))
        snprintf(name, CGS_PLOT_NAME, "%s: order %.*f \302\261 %.*f", label, o.half < 5e-3 ? 3 : 2,
                 o.order, o.half < 5e-3 ? 3 : 2, o.half);
    else if (o.fitted)
        snprintf(name, CGS_PLOT_NAME, "%s: order %.2f", label, o.order);
    else
        snprintf(name, CGS_PLOT_NAME, "%s", label);
}

/* Adds the fact of a point, with the range of what was measured several times. */
static void put_fact(const struct cgs_sheet *s, struct cgs_plot_series *series, double x,
                     const struct cgs_point *point)
{
    double least, most;
    cgs_point_range(point, s->row->fact, &least, &most);
    cgs_plot_add_spread(series, x, cgs_point_fact(point, s->row->fact), least, most);
}

static void add_curve(const struct cgs_sheet *s, struct cgs_plot_panel *p,
                      const struct cgs_curve *c)
{
    char name[CGS_PLOT_NAME];
    name_curve(s, c, name);
    struct cgs_plot_series *series = cgs_plot_add_series(p, CGS_PLOT_LINES, name);
    for (int i = 0; i < c->count; i++)
        put_fact(s, series, cgs_sheet_x(s, cgs_sheet_point(s, c, i)), cgs_sheet_point(s, c, i));
}

/* ---- panels ---- */

/* All x, ascending; returns how many. */
static int find_ticks(struct cgs_sheet *s)
{
    int count = 0;
    for (int k = 0; k < s->curves.count; k++)
        for (int i = 0; i < s->curves.curves[k].count; i++) {
            const double x = cgs_sheet_x(s, cgs_sheet_point(s, &s->curves.curves[k], i));
            int t = 0;
            while (t < count && s->ticks[t] < x)
                t++;
            if (!isfinite(x) || (t < count && s->ticks[t] == x))
                continue;
            memmove(s->ticks + t + 1, s->ticks + t, (size_t)(count - t) * sizeof *s->ticks);
            s->ticks[t] = x;
            count++;
        }
    return count;
}

static void add_lines(struct cgs_sheet *s, int panel)
{
    struct cgs_plot_panel *p = cgs_plot_add_panel(&s->plot, s->curves.panels[panel]);
    const enum cgs_drawing_kind kind = s->row->kind;
    const int count = s->plot.tick_count;
    for (int k = 0; k < s->curves.count; k++)
        if (s->curves.curves[k].panel == panel &&
            cgs_curve_has(s->study, &s->curves.curves[k], s->row->fact) &&
            p->series_count < CGS_CURVES_MOST)
            add_curve(s, p, &s->curves.curves[k]);
    cgs_sheet_guides(s, p, panel);
    p->x_label = s->x_label;
    p->y_label = s->row->label;
    p->log_x = count > 0 && s->ticks[0] > 0.0 &&
               (s->curves.axis == CGS_AXIS_N || s->ticks[count - 1] > 4.0 * s->ticks[0]);
    p->log_y = kind == CGS_DRAWN_ERROR || kind == CGS_DRAWN_TIME || cgs_plot_far_apart(p);
}

static void add_bars(struct cgs_sheet *s)
{
    struct cgs_plot_panel *p = cgs_plot_add_panel(&s->plot, s->curves.panels[0]);
    struct cgs_plot_series *bars = cgs_plot_add_series(p, CGS_PLOT_BARS, ""), *levels = NULL;
    if (s->row->kind == CGS_DRAWN_ATTAINED)
        levels = cgs_plot_add_series(p, CGS_PLOT_LEVELS, "attainable");
    for (int k = 0; k < s->curves.count; k++) {
        const struct cgs_point *point = cgs_sheet_point(s, &s->curves.curves[k], 0);
        const double value = cgs_point_fact(point, s->row->fact);
        char *text = cgs_plot_add_bar(p, s->curves.curves[k].label)->value;
        if (!isfinite(value))
            snprintf(text, sizeof(cgs_text), "-");
        else if (s->row->kind == CGS_DRAWN_TIME)
            cgs_seconds_text(value, text);
        else
            cgs_number_text(value, text);
        put_fact(s, bars, k, point);
        if (levels)
            cgs_plot_add(levels, k, point->facts[CGS_FACT_attainable_gbs]);
    }
    p->y_label = s->row->label;
    p->log_y = cgs_plot_far_apart(p);
}

/* Figures end somewhere: what is left out, titles say. */
static void limit_panels(struct cgs_sheet *s)
{
    if (s->curves.axis == CGS_AXIS_NAMES && s->curves.count > BARS) {
        snprintf(s->curves.panels[0], CGS_CURVE_LABEL, "the first %d of %d", BARS, s->curves.count);
        s->curves.count = BARS;
    }
    if (s->curves.panel_count > PANELS)
        s->curves.panel_count = PANELS;
}

static enum cgs_status take_memory(struct cgs_sheet *s)
{
    struct cgs_context *context = s->study->context;
    CGS_TRY(cgs_alloc(context, s->study->count + 1, sizeof *s->ticks, "the figure",
                      (void **)&s->ticks));
    const int count = find_ticks(s), bars = s->curves.axis == CGS_AXIS_NAMES ? s->curves.count : 0,
              most = count > bars ? count : bars;
    CGS_TRY(cgs_plot_make(context, s->curves.panel_count, most > 4 ? most : 4, /* of a triangle */
                          &s->plot));
    s->plot.ticks = s->ticks;
    s->plot.tick_count = count;
    s->plot.tick_fractions = s->row->kind == CGS_DRAWN_ERROR && s->curves.axis == CGS_AXIS_N;
    return CGS_OK;
}

enum cgs_status cgs_sheet_make(const struct cgs_study *study, enum cgs_drawing drawing,
                               struct cgs_sheet *s)
{
    *s = (struct cgs_sheet){
        .study = study, .row = &cgs_drawings[drawing], .plot.context = study->context};
    CGS_TRY(s->row->kind == CGS_DRAWN_SCALED ? cgs_curves_over(study, CGS_OPTION_gpus, &s->curves)
                                             : cgs_curves_make(study, &s->curves));
    if (s->row->kind == CGS_DRAWN_ERROR)
        CGS_TRY(cgs_curves_merge(study, &s->curves, cgs_error_facts, CGS_ERROR_FACTS));
    if (s->row->kind == CGS_DRAWN_COUNT)
        CGS_TRY(cgs_curves_merge(study, &s->curves, &s->row->fact, 1));
    CGS_TRY(cgs_curves_divide(study, &s->curves, s->row->fact));
    limit_panels(s);
    CGS_TRY(take_memory(s));
    const bool boxes = study->points[0].values[CGS_OPTION_cells] != NULL;
    const bool orders = s->row->kind == CGS_DRAWN_ERROR;
    snprintf(s->x_label, sizeof s->x_label, "%s%s", s->curves.axis == CGS_AXIS_N ? "" : "--",
             s->curves.axis != CGS_AXIS_N ? cgs_option_table[s->curves.option].name
             : boxes && orders            ? "h of the cube of as many cells"
             : boxes                      ? "N of the cube of as many cells"
             : orders                     ? "h = 1/(N + 1)"
                                          : "N, unknowns in each direction");
    for (int i = 0; i < s->curves.panel_count && s->curves.axis != CGS_AXIS_NAMES; i++)
        add_lines(s, i);
    if (s->curves.axis == CGS_AXIS_NAMES)
        add_bars(s);
    return CGS_OK;
}

void cgs_sheet_release(struct cgs_sheet *s)
{
    cgs_plot_release(&s->plot);
    cgs_free(s->study->context, s->ticks);
    cgs_curves_release(&s->curves);
}
