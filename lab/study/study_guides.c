/* Lines that curves are held against. */
#include <stdlib.h>
#include <string.h>

#include "lab/study/study_point.h"
#include "lab/study/study_sheet.h"

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
                const struct cgs_point *point = cgs_sheet_point(s, &c->curves[k], i);
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
            if (isfinite(cgs_sheet_fact(s, c, i))) {
                a = b;
                at_a = at_b;
                b = cgs_sheet_x(s, cgs_sheet_point(s, c, i));
                at_b = cgs_sheet_fact(s, c, i);
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
            const struct cgs_point *point = cgs_sheet_point(s, curve, i);
            cgs_plot_add(series, cgs_curves_x(c, point), point->facts[CGS_FACT_foretold]);
        }
    }
}

void cgs_sheet_guides(const struct cgs_sheet *s, struct cgs_plot_panel *p, int panel)
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
