/* Curves of a study -> panels that lab/figure/plot.h draws, lines or bars; and all figures. */
#include "lab/study/study_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/version.h"
#include "lab/figure/plot_draw.h"
#include "lab/study/study_orders.h"
#include "lab/study/study_origin.h"
#include "lab/study/study_point.h"

static const struct cgs_point *point_of(const struct cgs_sheet *s, const struct cgs_curve *c, int i)
{
    return &s->study->points[c->points[i]];
}

/* Returns x of a point: h where orders are drawn, as they are the powers of h. */
static double x_of(const struct cgs_sheet *s, const struct cgs_point *point)
{
    const double x = cgs_curves_x(&s->curves, point);
    if (s->row->kind == CGS_DRAWN_REACHED)
        return point->facts[CGS_FACT_l2];
    return s->row->kind == CGS_DRAWN_ERROR && s->curves.axis == CGS_AXIS_N ? 1.0 / (x + 1.0) : x;
}

static double fact_of(const struct cgs_sheet *s, const struct cgs_curve *c, int i)
{
    return cgs_point_fact(point_of(s, c, i), s->row->fact);
}

/* ---- lines that curves are held against ---- */

static double median(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
            const double swap = x[k];
            x[k] = x[k - 1];
            x[k - 1] = swap;
        }
    return n > 0 ? (x[(n - 1) / 2] + x[n / 2]) / 2.0 : NAN;
}

/* Adds the attainable throughput that the runs of one backend measured: the median at each x. */
static void add_attainable(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel,
                           const char *backend, const char *device)
{
    const struct cgs_curves *c = &s->curves;
    double *at = malloc((size_t)(c->count + 1) * sizeof *at);
    char name[CGS_PLOT_NAME];
    if (!at)
        return;
    snprintf(name, sizeof name, "attainable, %s", device);
    struct cgs_plot_series *series = cgs_plot_add_series(p, CGS_PLOT_GUIDE, name);
    for (int t = 0; t < s->plot.tick_count; t++) {
        int count = 0;
        for (int k = 0; k < c->count; k++)
            for (int i = 0; i < c->curves[k].count; i++) {
                const struct cgs_point *point = point_of(s, &c->curves[k], i);
                if (c->curves[k].panel == panel && count < c->count &&
                    cgs_curves_x(c, point) == s->ticks[t] &&
                    strcmp(cgs_point_text(point, "backend"), backend) == 0 &&
                    isfinite(point->facts[CGS_FACT_attainable_gbs]))
                    at[count++] = point->facts[CGS_FACT_attainable_gbs];
            }
        if (count > 0)
            cgs_plot_add(series, s->ticks[t], median(at, count));
    }
    free(at);
}

/* A triangle of the order that is due, below the lowest curve that it is due for: over its last two
 * points that count. */
static void add_triangle(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel,
                         double theory)
{
    double x[2] = {0.0, 0.0}, least = INFINITY;
    for (int k = 0; k < s->curves.count; k++) {
        const struct cgs_curve *c = &s->curves.curves[k];
        struct cgs_order o = {0};
        cgs_drawing_order(s->study, s->row->fact, c->series, &o);
        double a = NAN, b = NAN, at_a = NAN, at_b = NAN; /* the last two that count */
        for (int i = 0; i < (o.limited >= 0 ? o.limited : c->count); i++)
            if (isfinite(fact_of(s, c, i))) {
                a = b;
                at_a = at_b;
                b = x_of(s, point_of(s, c, i));
                at_b = fact_of(s, c, i);
            }
        if (c->panel != panel || !o.expected || o.theory != theory || isnan(at_a))
            continue;
        const double low = fmin(at_a, at_b * pow(a / b, theory));
        if (low < least) {
            least = low;
            x[0] = a;
            x[1] = b;
        }
    }
    if (!isfinite(least))
        return;
    struct cgs_plot_series *series = cgs_plot_add_series(p, CGS_PLOT_GUIDE, "");
    const double high = 0.6 * least, low = high * pow(x[1] / x[0], theory);
    snprintf(series->note, sizeof series->note, "order %g", theory);
    series->note_right = x[0] < s->ticks[s->plot.tick_count - 1];
    cgs_plot_add(series, x[0], high);
    cgs_plot_add(series, x[1], low);
    cgs_plot_add(series, x[0], low);
    cgs_plot_add(series, x[0], high);
}

/* Adds what is ideal, from the fewest GPUs on, and what is foretold of each curve. */
static void add_foretold(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel)
{
    const struct cgs_curves *c = &s->curves;
    struct cgs_plot_series *ideal = cgs_plot_add_series(p, CGS_PLOT_GUIDE, "ideal");
    int count = 1, drawn = 0; /* guides, and the panel's curves so far */
    for (int t = 0; t < s->plot.tick_count; t++)
        cgs_plot_add(ideal, s->ticks[t], s->ticks[t] / s->ticks[0]);
    for (int k = 0; k < c->count && count < CGS_SHEET_GUIDES; k++) {
        const struct cgs_curve *curve = &c->curves[k];
        char name[CGS_PLOT_NAME];
        if (curve->panel != panel || !cgs_curve_has(s->study, curve, s->row->fact))
            continue;
        drawn++; /* as add_lines has them */
        snprintf(name, sizeof name, "model%s%s", curve->label[0] ? ": " : "", curve->label);
        struct cgs_plot_series *series = cgs_plot_add_series(p, CGS_PLOT_GUIDE, name);
        series->of = drawn;
        count++;
        for (int i = 0; i < curve->count; i++) {
            const struct cgs_point *point = point_of(s, curve, i);
            cgs_plot_add(series, cgs_curves_x(c, point), point->facts[CGS_FACT_foretold]);
        }
    }
}

/* Adds what is attainable, triangles of the orders that are due, or what is ideal and foretold,
 * as the figure's kind wants. */
static void add_guides(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel)
{
    static const char *const backends[] = {"cpu", "cuda"}, *const devices[] = {"CPU", "GPU"};
    double done[CGS_SHEET_GUIDES];
    int count = 0;
    if (s->row->kind == CGS_DRAWN_SCALED)
        add_foretold(s, p, panel);
    for (size_t i = 0; i < 2 && s->row->kind == CGS_DRAWN_ATTAINED; i++)
        add_attainable(s, p, panel, backends[i], devices[i]);
    for (int k = 0; k < s->curves.count && s->row->kind == CGS_DRAWN_ERROR; k++) {
        struct cgs_order o = {0};
        cgs_drawing_order(s->study, s->row->fact, s->curves.curves[k].series, &o);
        bool again = !o.expected || s->curves.curves[k].panel != panel || count == CGS_SHEET_GUIDES;
        for (int i = 0; i < count; i++)
            again = again || done[i] == o.theory;
        if (!again)
            add_triangle(s, p, panel, done[count++] = o.theory);
    }
}

/* ---- curves ---- */

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
        put_fact(s, series, x_of(s, point_of(s, c, i)), point_of(s, c, i));
}

/* ---- panels ---- */

/* All x, ascending; returns how many. */
static int find_ticks(struct cgs_sheet *s)
{
    int count = 0;
    for (int k = 0; k < s->curves.count; k++)
        for (int i = 0; i < s->curves.curves[k].count; i++) {
            const double x = x_of(s, point_of(s, &s->curves.curves[k], i));
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
    add_guides(s, p, panel);
    p->x_label = s->x_label;
    p->y_label = s->row->label;
    p->log_x = count > 0 && s->ticks[0] > 0.0 &&
               (s->curves.axis == CGS_AXIS_N || kind == CGS_DRAWN_REACHED ||
                s->ticks[count - 1] > 4.0 * s->ticks[0]);
    p->log_y = kind == CGS_DRAWN_ERROR || kind == CGS_DRAWN_TIME || kind == CGS_DRAWN_REACHED ||
               cgs_plot_far_apart(p);
}

static void add_bars(struct cgs_sheet *s)
{
    struct cgs_plot_panel *p = cgs_plot_add_panel(&s->plot, s->curves.panels[0]);
    struct cgs_plot_series *bars = cgs_plot_add_series(p, CGS_PLOT_BARS, ""), *levels = NULL;
    if (s->row->kind == CGS_DRAWN_ATTAINED)
        levels = cgs_plot_add_series(p, CGS_PLOT_LEVELS, "attainable");
    for (int k = 0; k < s->curves.count; k++) {
        const struct cgs_point *point = point_of(s, &s->curves.curves[k], 0);
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
    s->plot.ticks = s->row->kind == CGS_DRAWN_REACHED ? NULL : s->ticks; /* powers of 10 */
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
    const bool boxes =
        study->points[0].values[CGS_OPTION_cells] != NULL && study->target_count == 0;
    const bool orders = s->row->kind == CGS_DRAWN_ERROR,
               reached = s->row->kind == CGS_DRAWN_REACHED;
    snprintf(s->x_label, sizeof s->x_label, "%s%s",
             s->curves.axis == CGS_AXIS_N || reached ? "" : "--",
             reached                        ? "L2 error"
             : s->curves.axis != CGS_AXIS_N ? cgs_option_table[s->curves.option].name
             : boxes && orders              ? "h of the cube of as many cells"
             : boxes                        ? "N of the cube of as many cells"
             : orders                       ? "h = 1/(N + 1)"
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

/* ---- the figures: an SVG each in the study's folder, and by --figures=pdf a PDF ----
 *
 * What cannot be drawn keeps nothing else from being done: its script and data are left, and
 * study->remark says why. */

enum { LONG = 40 }; /* a name of a machine that leaves no room beside it */

static enum cgs_status draw(struct cgs_study *study, enum cgs_drawing drawing)
{
    char machines[256], days[32];
    struct cgs_sheet sheet;
    struct cgs_context apart = *study->context; /* no failure of the study's */
    struct cgs_plot *plot = &sheet.plot;
    if (cgs_sheet_make(study, drawing, &sheet) == CGS_OK) {
        const size_t size = sizeof plot->subtitles[0];
        cgs_study_machines(study, machines, sizeof machines);
        cgs_study_days(study, days, sizeof days);
        snprintf(plot->title, sizeof plot->title, "%s", cgs_drawings[drawing].title);
        if (strlen(machines) < LONG)
            snprintf(plot->subtitles[0], size, "%s; cgsolve %s, %s", machines, cgs_version(), days);
        else
            snprintf(plot->subtitles[0], size, "%s; %s", machines, days);
        if (cgs_plot_write_into(&apart, plot, study->folder, cgs_drawings[drawing].file,
                                study->options->figures) != CGS_OK &&
            study->remark[0] == '\0')
            snprintf(study->remark, sizeof study->remark, "%.1000s", apart.message);
    }
    cgs_sheet_release(&sheet);
    return study->context->status;
}

enum cgs_status cgs_study_figures(struct cgs_study *study)
{
    struct cgs_curves curves;
    for (int i = 0; i < CGS_DRAWINGS; i++) /* of an earlier call, perhaps of fewer points */
        cgs_plot_remove(study->folder, cgs_drawings[i].file);
    CGS_TRY(cgs_curves_make(study, &curves));
    for (int i = 0; i < CGS_DRAWINGS && !cgs_interrupted(); i++) {
        char why[256];
        if (cgs_drawing_wanted(study, &curves, (enum cgs_drawing)i, why, sizeof why) &&
            draw(study, (enum cgs_drawing)i) != CGS_OK)
            break;
    }
    if (cgs_interrupted())
        snprintf(study->remark, sizeof study->remark,
                 "the study was interrupted; --resume draws them");
    cgs_curves_release(&curves);
    return study->context->status;
}
