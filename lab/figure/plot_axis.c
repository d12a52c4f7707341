#include "lab/figure/plot_axis.h"

#include <math.h>

enum {
    X_NUMBER = 34, /* pixels of a number at x, at least */
    SPAN = 100     /* of an axis with fine numbers */
};

struct range {
    double least, most;
};

/* The range of all that is drawn: x, or else y and its spread; a logarithmic axis has no place
 * for 0. */
static struct range find_range(const struct cgs_plot_panel *panel, bool x)
{
    const bool logarithmic = x ? panel->log_x : panel->log_y;
    struct range r = {INFINITY, -INFINITY};
    for (int k = 0; k < panel->series_count; k++)
        for (int i = 0; i < panel->series[k].count; i++) {
            const struct cgs_plot_point *p = &panel->series[k].points[i];
            const double low = x ? p->x : p->low;
            if (logarithmic && !(low > 0.0))
                continue;
            r.least = fmin(r.least, low);
            r.most = fmax(r.most, x ? p->x : p->high);
        }
    return r.least <= r.most ? r : (struct range){1.0, 1.0};
}

double cgs_plot_put_range(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x)
{
    const bool bars = panel->bar_count > 0;
    const struct range r = find_range(panel, x);
    const bool logarithmic = x ? panel->log_x : panel->log_y;
    double least = bars || r.least >= 0.0 ? 0.0 : r.least - 0.05 * (r.most - r.least);
    double most = r.most > 0.0 ? 1.05 * r.most : least < 0.0 ? 0.0 : 1.0;
    if (logarithmic) {
        least = r.least / (bars ? 2.0 : 1.25);
        most = fmax(1.25 * r.most, 10.0 * least); /* a decade, so that there are numbers */
    }
    fprintf(file, "%s logscale %c\nset format %c '%s'\nset %crange [%.9g:%.9g]\n",
            logarithmic ? "set" : "unset", axis, axis,
            logarithmic && (r.least < 1e-3 || r.most > 1e5) ? "10^{%L}" : "%g", axis, least, most);
    return least;
}

/* "1/16", or three digits where the denominator is no whole number. */
static void put_number(FILE *file, double x, bool fraction)
{
    const double shown = fraction ? 1.0 / x : x;
    const bool whole = fabs(shown - rint(shown)) < 1e-9 * fabs(shown) || shown == 0.0;
    fprintf(file, "'%s%.*g'", fraction ? "1/" : "", whole ? 6 : 3, shown);
}

/* Numbers of its own at x; where they would touch, they are left out, and their marks stay. */
static void put_x_ticks(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *p,
                        double width)
{
    const struct range r = find_range(p, true);
    const double least = p->log_x ? r.least / 1.15 : r.least - 0.05 * (r.most - r.least),
                 most = p->log_x ? r.most * 1.15 : r.most + 0.05 * (r.most - r.least),
                 span = p->log_x ? log(most / least) : most - least;
    const char *comma = "";
    double last = -INFINITY;
    if (r.least < r.most)
        fprintf(file, "set xrange [%.9g:%.9g]\n", least, most);
    fputs("set xtics (", file);
    for (int i = 0; i < plot->tick_count; i++) {
        const double x = plot->ticks[i], at = p->log_x ? log(x / least) : x - least,
                     place = r.least < r.most ? at / span * width : 0.0;
        if (!isfinite(place))
            continue;
        const bool room = place - last >= X_NUMBER;
        fputs(comma, file);
        if (room)
            put_number(file, x, plot->tick_fractions);
        else
            fputs("''", file);
        fprintf(file, " %.9g", x);
        last = room ? place : last;
        comma = ", ";
    }
    fputs(")\nunset mxtics\n", file);
}

/* A logarithmic axis of less than two decades has numbers at 1, 2, 5 times powers of 10. */
static void put_fine_ticks(FILE *file, struct range r)
{
    const char *comma = "";
    if (!(r.most < SPAN * r.least))
        return;
    const double least = r.least / 1.3, most = 1.3 * r.most;
    fprintf(file, "set yrange [%.9g:%.9g]\nset ytics (", least, most);
    for (int power = (int)floor(log10(least)); pow(10.0, power) < most; power++)
        for (int i = 0; i < 3; i++) {
            static const int steps[] = {1, 2, 5};
            const double y = steps[i] * pow(10.0, power);
            if (y < least || y > most)
                continue;
            if (power >= -3 && power < 5)
                fprintf(file, "%s'%g' %.9g", comma, y, y);
            else if (steps[i] == 1)
                fprintf(file, "%s'10^{%d}' %.9g", comma, power, y);
            else
                fprintf(file, "%s'%d\302\26710^{%d}' %.9g", comma, steps[i], power, y);
            comma = ", ";
        }
    fputs(")\nunset mytics\n", file);
}

void cgs_plot_put_axes(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *p,
                       double width)
{
    cgs_plot_put_range(file, 'x', p, true);
    if (plot->ticks)
        put_x_ticks(file, plot, p, width);
    cgs_plot_put_range(file, 'y', p, false);
    if (plot->narrow && p->log_y)
        put_fine_ticks(file, find_range(p, false));
}
