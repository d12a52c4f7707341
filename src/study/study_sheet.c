/* Curves of a study -> panels that src/figure/plot.h draws: lines or bars. */
#include "src/study/study_sheet.h"

#include <string.h>

#include "base/memory.h"

/* Rates that differ more than this are shown on a logarithmic axis. */
static const double linear_span = 30.0;

enum { PANELS = 12, BARS = 60 }; /* of a figure, at most */
enum { NUMBERS = 4 };            /* of a point: x, y, least and most */

struct cgs_plot_series *cgs_sheet_add(const struct cgs_sheet *s, struct cgs_sheet_panel *p,
                                      enum cgs_plot_style style)
{
    double *numbers = p->numbers + (size_t)NUMBERS * s->room * p->count;
    p->series[p->count] = (struct cgs_plot_series){
        .name = p->names[p->count], .style = style, .x = numbers, .y = numbers + s->room};
    return &p->series[p->count++];
}

void cgs_sheet_put(struct cgs_plot_series *series, double x, double y)
{
    ((double *)(uintptr_t)series->x)[series->count] = x;
    ((double *)(uintptr_t)series->y)[series->count++] = y;
}

void cgs_drawing_order(const struct cgs_study *study, enum cgs_fact fact, int series,
                       struct cgs_order *order)
{
    const struct cgs_series *s = &study->series[series];
    if (fact == CGS_FACT_consistency)
        cgs_study_fit_consistency(study, s, order);
    for (int norm = 0; norm < CGS_NORMS; norm++)
        if (cgs_error_facts[norm] == fact)
            *order = s->orders[norm];
}

/* What the panel's title says already: "crs, double" of "gauss, crs, double" below "gauss". */
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
                       char name[CGS_SHEET_NAME])
{
    char label[CGS_CURVE_LABEL];
    snprintf(label, sizeof label, "%s", c->label[0] ? c->label : cgs_facts[s->row->fact].text);
    drop_title(s->curves.panels[c->panel], label);
    struct cgs_order o = {0};
    if (s->row->kind == CGS_DRAWN_ERROR)
        cgs_drawing_order(s->study, s->row->fact, c->series, &o);
    if (o.fitted && isfinite(o.half))
        snprintf(name, CGS_SHEET_NAME, "%s: order %.*f \302\261 %.*f", label, o.half < 5e-3 ? 3 : 2,
                 o.order, o.half < 5e-3 ? 3 : 2, o.half);
    else if (o.fitted)
        snprintf(name, CGS_SHEET_NAME, "%s: order %.2f", label, o.order);
    else
        snprintf(name, CGS_SHEET_NAME, "%s", label);
}

/* Returns true if the figure is of a median, and some point has several solves. */
static bool has_spread(const struct cgs_sheet *s)
{
    for (int i = 0; i < s->study->count && s->row->fact == CGS_FACT_solve_seconds; i++)
        if (isfinite(s->study->points[i].facts[CGS_FACT_solve_seconds_min]))
            return true;
    return false;
}

/* The fact of a point, with the spread of a median; a point of one solve has none. */
static void put_fact(const struct cgs_sheet *s, struct cgs_plot_series *series, double x,
                     const struct cgs_point *point)
{
    const int at = series->count;
    const double y = cgs_point_fact(point, s->row->fact);
    cgs_sheet_put(series, x, y);
    if (!has_spread(s))
        return;
    double *low = (double *)(uintptr_t)series->y + s->room, *high = low + s->room;
    const double least = point->facts[CGS_FACT_solve_seconds_min],
                 most = point->facts[CGS_FACT_solve_seconds_max];
    low[at] = isfinite(least) ? least : y;
    high[at] = isfinite(most) ? most : y;
    series->low = low;
    series->high = high;
}

static void add_curve(const struct cgs_sheet *s, struct cgs_sheet_panel *p,
                      const struct cgs_curve *c)
{
    struct cgs_plot_series *series = cgs_sheet_add(s, p, CGS_PLOT_LINES);
    name_curve(s, c, p->names[p->count - 1]);
    for (int i = 0; i < c->count; i++)
        put_fact(s, series, cgs_curves_x(&s->curves, cgs_sheet_point(s, c, i)),
                 cgs_sheet_point(s, c, i));
}

/* ---- panels ---- */

static void find_ticks(struct cgs_sheet *s)
{
    for (int k = 0; k < s->curves.count; k++)
        for (int i = 0; i < s->curves.curves[k].count; i++) {
            const double x = cgs_curves_x(&s->curves, cgs_sheet_point(s, &s->curves.curves[k], i));
            int t = 0;
            while (t < s->tick_count && s->ticks[t] < x)
                t++;
            if (!isfinite(x) || (t < s->tick_count && s->ticks[t] == x))
                continue;
            memmove(s->ticks + t + 1, s->ticks + t, (size_t)(s->tick_count - t) * sizeof *s->ticks);
            s->ticks[t] = x;
            s->tick_count++;
        }
}

/* Logarithmic where the numbers span more than `span`. */
static bool spans(const struct cgs_sheet_panel *p, double span)
{
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < p->series[k].count; i++)
            if (isfinite(p->series[k].y[i])) {
                least = fmin(least, p->series[k].y[i]);
                most = fmax(most, p->series[k].y[i]);
            }
    return least > 0.0 && most > span * least;
}

static void make_lines(struct cgs_sheet *s, int panel)
{
    struct cgs_sheet_panel *p = &s->panels[panel];
    const enum cgs_drawing_kind kind = s->row->kind;
    const double first = s->tick_count > 0 ? s->ticks[0] : 0.0,
                 last = s->tick_count > 0 ? s->ticks[s->tick_count - 1] : 0.0;
    for (int k = 0; k < s->curves.count; k++)
        if (s->curves.curves[k].panel == panel &&
            cgs_curve_has(s->study, &s->curves.curves[k], s->row->fact) &&
            p->count < CGS_CURVES_MOST)
            add_curve(s, p, &s->curves.curves[k]);
    cgs_sheet_guides(s, p, panel);
    s->plots[panel] = (struct cgs_plot_panel){
        .title = s->curves.panels[panel][0] ? s->curves.panels[panel] : NULL,
        .x_label = s->x_label,
        .y_label = s->row->label,
        .log_x = first > 0.0 && (s->curves.axis == CGS_AXIS_N || last > 4.0 * first),
        .log_y = kind == CGS_DRAWN_ERROR || kind == CGS_DRAWN_TIME || spans(p, linear_span),
        .x_ticks = s->ticks,
        .x_tick_count = s->tick_count,
        .series = p->series,
        .series_count = p->count};
}

static void make_bars(struct cgs_sheet *s)
{
    struct cgs_sheet_panel *p = &s->panels[0];
    struct cgs_plot_series *bars = cgs_sheet_add(s, p, CGS_PLOT_BARS), *levels = NULL;
    bars->name = NULL;
    if (s->row->kind == CGS_DRAWN_ATTAINED) {
        levels = cgs_sheet_add(s, p, CGS_PLOT_LEVELS);
        levels->name = "attainable";
    }
    for (int k = 0; k < s->curves.count; k++) {
        const struct cgs_point *point = cgs_sheet_point(s, &s->curves.curves[k], 0);
        const double value = cgs_point_fact(point, s->row->fact);
        s->names[k] = s->curves.curves[k].label;
        s->value_texts[k] = s->values[k];
        if (!isfinite(value))
            snprintf(s->values[k], sizeof *s->values, "-");
        else if (s->row->kind == CGS_DRAWN_TIME)
            cgs_seconds_text(value, s->values[k]);
        else
            snprintf(s->values[k], sizeof *s->values, value < 999.5 ? "%.4g" : "%.0f", value);
        put_fact(s, bars, k, point);
        if (levels)
            cgs_sheet_put(levels, k, point->facts[CGS_FACT_attainable_gbs]);
    }
    bars->x = NULL;
    if (levels)
        levels->x = NULL;
    s->plots[0] =
        (struct cgs_plot_panel){.title = s->curves.panels[0][0] ? s->curves.panels[0] : NULL,
                                .y_label = s->row->label,
                                .log_y = spans(p, linear_span),
                                .names = s->names,
                                .values = s->value_texts,
                                .name_count = s->curves.count,
                                .series = p->series,
                                .series_count = p->count};
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
    const int panels = s->curves.panel_count, count = s->curves.count + 1;
    static const char what[] = "the figure";
    CGS_TRY(cgs_alloc(context, s->study->count + 1, sizeof *s->ticks, what, (void **)&s->ticks));
    find_ticks(s);
    s->room = s->tick_count > 4 ? s->tick_count : 4; /* a triangle has four */
    s->room = s->curves.axis == CGS_AXIS_NAMES && count > s->room ? count : s->room;
    const int64_t numbers = (int64_t)NUMBERS * s->room * CGS_SHEET_SERIES;
    CGS_TRY(cgs_alloc(context, panels, sizeof *s->panels, what, (void **)&s->panels));
    CGS_TRY(cgs_alloc(context, panels, sizeof *s->plots, what, (void **)&s->plots));
    CGS_TRY(cgs_alloc(context, count, sizeof *s->names, what, (void **)&s->names));
    CGS_TRY(cgs_alloc(context, count, sizeof *s->value_texts, what, (void **)&s->value_texts));
    CGS_TRY(cgs_alloc(context, count, sizeof *s->values, what, (void **)&s->values));
    CGS_TRY(cgs_alloc(context, numbers * panels, sizeof *s->numbers, what, (void **)&s->numbers));
    for (int i = 0; i < panels; i++) {
        s->panels[i].count = 0;
        s->panels[i].numbers = s->numbers + numbers * i;
    }
    return CGS_OK;
}

enum cgs_status cgs_sheet_make(const struct cgs_study *study, enum cgs_drawing drawing,
                               struct cgs_sheet *s)
{
    *s = (struct cgs_sheet){.study = study, .row = &cgs_drawings[drawing]};
    CGS_TRY(cgs_curves_make(study, &s->curves));
    if (s->row->kind == CGS_DRAWN_ERROR)
        CGS_TRY(cgs_curves_merge(study, &s->curves, cgs_error_facts, CGS_ERROR_FACTS));
    if (s->row->kind == CGS_DRAWN_COUNT)
        CGS_TRY(cgs_curves_merge(study, &s->curves, &s->row->fact, 1));
    CGS_TRY(cgs_curves_divide(study, &s->curves, s->row->fact));
    limit_panels(s);
    CGS_TRY(take_memory(s));
    snprintf(s->x_label, sizeof s->x_label, "%s%s", s->curves.axis == CGS_AXIS_N ? "" : "--",
             s->curves.axis == CGS_AXIS_N ? "N, unknowns in each direction"
                                          : cgs_option_table[s->curves.option].name);
    for (int i = 0; i < s->curves.panel_count && s->curves.axis != CGS_AXIS_NAMES; i++)
        make_lines(s, i);
    if (s->curves.axis == CGS_AXIS_NAMES)
        make_bars(s);
    return CGS_OK;
}

void cgs_sheet_release(struct cgs_sheet *s)
{
    struct cgs_context *context = s->study->context;
    void *const blocks[] = {s->panels, s->plots, s->names,  s->value_texts,
                            s->values, s->ticks, s->numbers};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        cgs_free(context, blocks[i]);
    cgs_curves_release(&s->curves);
}
