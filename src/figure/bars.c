#include "src/figure/bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "src/figure/plot.h"
#include "src/io/format.h"
#include "src/io/version.h"

enum { ATTAINABLE = CGS_BAR_YOURS + 1, SERIES };

/* The figures of one panel, `count` bars each: what is drawn, its spread, the text beside it. */
struct column {
    double *y[SERIES], *low, *high;
    cgs_text *texts;
    const char **values;
};

struct drawing {
    const struct cgs_bars *of;
    int count, timed; /* bars in all; the first `timed` of them have figures */
    const char **names;
    struct column time, rate, speedup;
};

/* Timed ones by their time, then those that failed. */
static int compare_bars(const void *a, const void *b)
{
    const struct cgs_bar *first = a, *second = b;
    if (first->failed != second->failed)
        return first->failed ? 1 : -1;
    return first->median < second->median ? -1 : first->median > second->median;
}

static enum cgs_status make_column(struct cgs_context *context, int count, struct column *column)
{
    double **const arrays[] = {&column->y[CGS_BAR_OWN],
                               &column->y[CGS_BAR_VENDOR],
                               &column->y[CGS_BAR_YOURS],
                               &column->y[ATTAINABLE],
                               &column->low,
                               &column->high};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        CGS_TRY(cgs_alloc(context, count, sizeof(double), "the figure", (void **)arrays[i]));
        for (int k = 0; k < count; k++)
            (*arrays[i])[k] = NAN;
    }
    CGS_TRY(
        cgs_alloc(context, count, sizeof *column->texts, "the figure", (void **)&column->texts));
    CGS_TRY(
        cgs_alloc(context, count, sizeof *column->values, "the figure", (void **)&column->values));
    for (int k = 0; k < count; k++) {
        column->texts[k][0] = '\0';
        column->values[k] = column->texts[k];
    }
    return CGS_OK;
}

static void release_column(struct cgs_context *context, struct column *column)
{
    for (int s = 0; s < SERIES; s++)
        cgs_free(context, column->y[s]);
    cgs_free(context, column->low);
    cgs_free(context, column->high);
    cgs_free(context, column->texts);
    cgs_free(context, column->values);
}

static enum cgs_status make_drawing(struct cgs_context *context, const struct cgs_bars *bars,
                                    struct drawing *d)
{
    d->of = bars;
    d->count = bars->count;
    CGS_TRY(cgs_alloc(context, d->count, sizeof *d->names, "the figure", (void **)&d->names));
    qsort(bars->bars, (size_t)d->count, sizeof *bars->bars, compare_bars);
    for (int i = 0; i < d->count; i++) {
        d->names[i] = bars->bars[i].name;
        d->timed += !bars->bars[i].failed;
    }
    CGS_TRY(make_column(context, d->count, &d->time));
    CGS_TRY(make_column(context, d->count, &d->rate));
    return make_column(context, d->count, &d->speedup);
}

static void release_drawing(struct cgs_context *context, struct drawing *d)
{
    release_column(context, &d->time);
    release_column(context, &d->rate);
    release_column(context, &d->speedup);
    cgs_free(context, d->names);
}

/* The unit in which the median bar is a number to read. */
static double find_unit(const struct drawing *d, const char **unit)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    const double seconds = d->timed > 0 ? d->of->bars[d->timed / 2].median : 1.0;
    double scale = 1.0;
    int i = 0;
    for (; i < 3 && seconds * scale < 1.0; i++)
        scale *= 1e3;
    *unit = units[i];
    return scale;
}

static void three_digits(double x, char *text)
{
    snprintf(text, 16, x < 99.95 ? "%.3g" : "%.0f", x);
}

static void fill_columns(struct drawing *d, double scale)
{
    for (int i = 0; i < d->count; i++) {
        const struct cgs_bar *bar = &d->of->bars[i];
        const int s = (int)bar->series;
        char number[16], share[16];
        if (bar->failed)
            continue;
        d->time.y[s][i] = scale * bar->median;
        d->time.low[i] = scale * bar->least;
        d->time.high[i] = scale * bar->most;
        cgs_seconds_text(bar->median, d->time.texts[i]);
        d->rate.y[s][i] = bar->rate;
        three_digits(bar->rate, number);
        if (bar->attainable > 0.0) {
            d->rate.y[ATTAINABLE][i] = bar->attainable;
            three_digits(100.0 * bar->rate / bar->attainable, share);
            snprintf(d->rate.texts[i], sizeof(cgs_text), "%s = %s %%", number, share);
        } else {
            snprintf(d->rate.texts[i], sizeof(cgs_text), "%s", number);
        }
        if (bar->speedup > 0.0) {
            d->speedup.y[s][i] = bar->speedup;
            three_digits(bar->speedup, d->speedup.texts[i]);
        }
    }
}

/* Whether some bar is so much longer than another one that a linear axis would hide this. */
static bool far_apart(const struct drawing *d, const struct column *column)
{
    double least = INFINITY, most = 0.0;
    for (int s = 0; s < SERIES; s++)
        for (int i = 0; i < d->count; i++)
            if (column->y[s][i] > 0.0) {
                least = fmin(least, column->y[s][i]);
                most = fmax(most, column->y[s][i]);
            }
    return most > 30.0 * least;
}

static void make_series(const struct drawing *d, const struct column *column, bool spread,
                        struct cgs_plot_series series[SERIES])
{
    static const char *const names[SERIES] = {"cgsolve's own", "vendor's", "yours", "attainable"};
    for (int s = 0; s < SERIES; s++)
        series[s] = (struct cgs_plot_series){
            .name = names[s],
            .style = s == ATTAINABLE ? CGS_PLOT_LEVELS : CGS_PLOT_BARS,
            .count = d->count,
            .y = column->y[s],
            .low = spread && s != ATTAINABLE ? column->low : NULL,
            .high = spread && s != ATTAINABLE ? column->high : NULL,
        };
}

static enum cgs_status write(struct cgs_context *context, struct drawing *d, const char *path)
{
    const char *unit;
    const double scale = find_unit(d, &unit);
    char time[128];
    struct cgs_plot_series series[3][SERIES];
    const struct column *const columns[] = {&d->time, &d->rate, &d->speedup};
    struct cgs_plot_panel panels[] = {
        {.title = "Time by kernel", .y_label = time},
        {.title = d->of->rate_title, .y_label = d->of->rate_label},
        {.title = d->of->speedup_title, .y_label = "times as fast"},
    };
    fill_columns(d, scale);
    for (int i = 0; i < 3; i++) {
        make_series(d, columns[i], i == 0, series[i]);
        panels[i].names = d->names;
        panels[i].name_count = d->count;
        panels[i].values = columns[i]->values;
        panels[i].log_y = far_apart(d, columns[i]);
        panels[i].series = series[i];
        panels[i].series_count = SERIES;
    }
    snprintf(time, sizeof time, "%s: median, least ... most [%s]", d->of->time, unit);
    bool baseline = false;
    for (int s = 0; s < ATTAINABLE; s++)
        baseline = baseline || cgs_plot_has_points(&series[2][s]);
    const struct cgs_plot plot = {.title = d->of->title,
                                  .subtitle = d->of->subtitle,
                                  .panels = panels,
                                  .panel_count = baseline ? 3 : 2};
    return cgs_plot_write(context, &plot, path);
}

void cgs_bars_describe_run(const struct cgs_machine *machine, int threads, const char *how,
                           const char *date, char *text, size_t size)
{
    const bool device = machine->device == CGS_CUDA;
    snprintf(text, size, "%s%s%s, %d thread%s; %s; cgsolve %s (%s), %.10s",
             device ? machine->info.name : "", device ? ", host " : "", machine->host.name, threads,
             threads == 1 ? "" : "s", how, cgs_version(), cgs_commit(), date);
}

enum cgs_status cgs_bars_plot(struct cgs_context *context, const struct cgs_bars *bars,
                              const char *path)
{
    struct drawing d = {0};
    if (bars->count == 0)
        return cgs_fail(context, CGS_USAGE, "nothing to draw into '%s': no kernel was tried", path);
    enum cgs_status status = make_drawing(context, bars, &d);
    if (status == CGS_OK)
        status = write(context, &d, path);
    release_drawing(context, &d);
    return status;
}
