#include "lab/figure/plot_axis.h"

#include <math.h>

enum {
    DIGIT = CGS_PLOT_DIGIT, /* pixels, at most */
    APART = 10,             /* from a number to the next at x, at least */
    SPAN = 100              /* of an axis with fine numbers */
};

/* An exponent is raised, but no smaller: at 85 mm it has to be read, too. */
static const char power_format[] = "10^{/=12 %L}";

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

/* Writes the range of x or else y (and its spread) along gnuplot's `axis`, with some air. Returns
 * where it begins: for bars at 0, or below the shortest of them. */
static double put_range(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x)
{
    const bool bars = panel->bar_count > 0;
    const struct range r = find_range(panel, x);
    const bool logarithmic = x ? panel->log_x : panel->log_y;
    double least = bars || r.least >= 0.0 ? 0.0 : r.least - 0.05 * (r.most - r.least);
    double most = r.most > 0.0 ? 1.05 * r.most : least < 0.0 ? 0.0 : 1.0;
    if (logarithmic) {
        least = r.least / (bars ? 2.0 : 1.25);
        most = fmax(1.25 * r.most, 5.0 * least); /* so that there are two numbers */
    }
    fprintf(file, "%s logscale %c\nset format %c '%s'\nset %crange [%.9g:%.9g]\n",
            logarithmic ? "set" : "unset", axis, axis,
            logarithmic && (r.least < 1e-3 || r.most > 1e5) ? power_format : "%g", axis, least,
            most);
    return least;
}

/* "1/16", or three digits where the denominator is no whole number. */
static int write_number(double x, bool fraction, char *text, size_t size)
{
    const double shown = fraction ? 1.0 / x : x;
    const bool whole = fabs(shown - rint(shown)) < 1e-9 * fabs(shown) || shown == 0.0;
    return snprintf(text, size, "%s%.*g", fraction ? "1/" : "", whole ? 6 : 3, shown);
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
        char text[32];
        const double half = 0.5 * DIGIT * write_number(x, plot->tick_fractions, text, sizeof text);
        const bool room = place - half >= last;
        fprintf(file, "%s'%s' %.9g", comma, room ? text : "", x);
        last = room ? place + half + APART : last;
        comma = ", ";
    }
    fputs(")\nunset mxtics\n", file);
}

/* A logarithmic axis of less than two decades has numbers at 1, 2, 5 times powers of 10: at x
 * (width > 0) as many as stand beside each other. */
static void put_fine_ticks(FILE *file, char axis, double least, double most, double width)
{
    const char *comma = "";
    double last = -APART;
    if (!(most < SPAN * least))
        return;
    fprintf(file, "set %ctics (", axis);
    for (int power = (int)floor(log10(least)); pow(10.0, power) < most; power++)
        for (int i = 0; i < 3; i++) {
            static const int steps[] = {1, 2, 5};
            const double x = steps[i] * pow(10.0, power),
                         place = width * log(x / least) / log(most / least);
            char number[48];
            int count; /* characters that are seen */
            if (power >= -3 && power < 5)
                count = snprintf(number, sizeof number, "%g", x);
            else
                count = snprintf(number, sizeof number, "%.0d%s10^{/=%d %d}",
                                 steps[i] == 1 ? 0 : steps[i], steps[i] == 1 ? "" : "\302\267",
                                 CGS_PLOT_TYPE, power) -
                        7;
            const double half = 0.5 * DIGIT * count;
            if (x < least || x > most ||
                (width > 0.0 && (place - half < last || place + half > width + APART)))
                continue;
            fprintf(file, "%s'%s' %.9g", comma, number, x);
            last = place + half + APART;
            comma = ", ";
        }
    fprintf(file, ")\nunset m%ctics\n", axis);
}

double cgs_plot_step(double least, double most, double count, double *characters)
{
    const double closest = (most - least) / fmin(fmax(count, 1.0), 8.0);
    const double power = pow(10.0, floor(log10(closest)));
    const double step = power * (closest <= power         ? 1.0
                                 : closest <= 2.0 * power ? 2.0
                                 : closest <= 5.0 * power ? 5.0
                                                          : 10.0);
    *characters = 0.0;
    for (int i = 0; i < 9; i++)
        *characters = fmax(*characters, snprintf(NULL, 0, "%g", (ceil(least / step) + i) * step));
    return step;
}

double cgs_plot_step_across(double most, double width)
{
    double step = most, characters;
    for (int count = 8; count >= 1; count--) {
        step = cgs_plot_step(0.0, most, count, &characters);
        if (DIGIT * characters + APART <= width * step / most)
            return step;
    }
    return step;
}

double cgs_plot_put_numbers(FILE *file, char axis, const struct cgs_plot_panel *panel, bool x,
                            double width)
{
    const struct range r = find_range(panel, x);
    const double least = put_range(file, axis, panel, x), most = fmax(1.25 * r.most, 5.0 * least);
    if (x ? panel->log_x : panel->log_y)
        put_fine_ticks(file, axis, least, most, width);
    else if (width > 0.0 && r.most > 0.0)
        fprintf(file, "set %ctics %.9g\n", axis,
                cgs_plot_step_across(1.05 * (r.most - fmin(r.least, 0.0)), width));
    return least;
}

void cgs_plot_put_axes(FILE *file, const struct cgs_plot *plot, const struct cgs_plot_panel *p,
                       double width)
{
    cgs_plot_put_numbers(file, 'x', p, true, width);
    if (plot->ticks)
        put_x_ticks(file, plot, p, width);
    cgs_plot_put_numbers(file, 'y', p, false, 0.0);
}
