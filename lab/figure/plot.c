#include "lab/figure/plot.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

enum cgs_status cgs_plot_make(struct cgs_context *context, int panels, int room,
                              struct cgs_plot *plot)
{
    static const char what[] = "the figure";
    const int64_t bars = (int64_t)panels * room;
    *plot = (struct cgs_plot){.context = context, .room = room};
    CGS_TRY(cgs_alloc(context, panels, sizeof *plot->panels, what, (void **)&plot->panels));
    CGS_TRY(cgs_alloc(context, bars, sizeof *plot->bars, what, (void **)&plot->bars));
    return cgs_alloc(context, bars * CGS_PLOT_SERIES, sizeof *plot->points, what,
                     (void **)&plot->points);
}

void cgs_plot_release(struct cgs_plot *plot)
{
    cgs_free(plot->context, plot->panels);
    cgs_free(plot->context, plot->bars);
    cgs_free(plot->context, plot->points);
}

struct cgs_plot_panel *cgs_plot_add_panel(struct cgs_plot *plot, const char *title)
{
    const int first = plot->panel_count * plot->room;
    struct cgs_plot_panel *panel = &plot->panels[plot->panel_count++];
    *panel = (struct cgs_plot_panel){.bars = plot->bars + first};
    snprintf(panel->title, sizeof panel->title, "%s", title);
    for (int k = 0; k < CGS_PLOT_SERIES; k++)
        panel->series[k].points =
            plot->points + (size_t)first * CGS_PLOT_SERIES + (size_t)k * plot->room;
    return panel;
}

struct cgs_plot_series *cgs_plot_add_series(struct cgs_plot_panel *panel, enum cgs_plot_style style,
                                            const char *name)
{
    struct cgs_plot_series *series = &panel->series[panel->series_count++];
    series->style = style;
    snprintf(series->name, sizeof series->name, "%s", name);
    return series;
}

struct cgs_plot_bar *cgs_plot_add_bar(struct cgs_plot_panel *panel, const char *name)
{
    struct cgs_plot_bar *bar = &panel->bars[panel->bar_count++];
    *bar = (struct cgs_plot_bar){.name = name};
    return bar;
}

void cgs_plot_add_spread(struct cgs_plot_series *series, double x, double y, double low,
                         double high)
{
    if (isfinite(y))
        series->points[series->count++] =
            (struct cgs_plot_point){x, y, isfinite(low) ? low : y, isfinite(high) ? high : y};
}

void cgs_plot_add(struct cgs_plot_series *series, double x, double y)
{
    cgs_plot_add_spread(series, x, y, y, y);
}

bool cgs_plot_far_apart(const struct cgs_plot_panel *panel)
{
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < panel->series_count; k++)
        for (int i = 0; i < panel->series[k].count; i++) {
            least = fmin(least, panel->series[k].points[i].y);
            most = fmax(most, panel->series[k].points[i].y);
        }
    return least > 0.0 && most > 30.0 * least;
}
