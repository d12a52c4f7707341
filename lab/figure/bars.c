#include "lab/figure/bars.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/io/format.h"
#include "core/io/version.h"
#include "lab/figure/plot.h"
#include "lab/figure/plot_draw.h"

/* Timed ones by their time, then those that failed. */
static int compare_bars(const void *a, const void *b)
{
    const struct cgs_bar *first = a, *second = b;
    if (first->failed != second->failed)
        return first->failed ? 1 : -1;
    return first->median < second->median ? -1 : first->median > second->median;
}

/* The unit in which the median bar, of the `timed` first ones, is a number to read. */
static double find_unit(const struct cgs_bars *bars, int timed, const char **unit)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    const double seconds = timed > 0 ? bars->bars[timed / 2].median : 1.0;
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

/* A panel with the names of all bars, and a series for each kind of them. */
static struct cgs_plot_panel *add_panel(struct cgs_plot *plot, const struct cgs_bars *bars,
                                        const char *title, const char *label)
{
    static const char *const names[] = {"cgsolve's own", "vendor's", "yours"};
    struct cgs_plot_panel *panel = cgs_plot_add_panel(plot, title);
    panel->y_label = label;
    for (int s = 0; s <= CGS_BAR_YOURS; s++)
        cgs_plot_add_series(panel, CGS_PLOT_BARS, names[s]);
    for (int i = 0; i < bars->count; i++)
        cgs_plot_add_bar(panel, bars->bars[i].name);
    return panel;
}

static void add_times(struct cgs_plot *plot, const struct cgs_bars *bars, int timed,
                      const char *label, double scale)
{
    struct cgs_plot_panel *panel = add_panel(plot, bars, "Time by kernel", label);
    for (int i = 0; i < timed; i++) {
        const struct cgs_bar *bar = &bars->bars[i];
        cgs_plot_add_spread(&panel->series[bar->series], i, scale * bar->median, scale * bar->least,
                            scale * bar->most);
        cgs_seconds_text(bar->median, panel->bars[i].value);
    }
    panel->log_y = cgs_plot_far_apart(panel);
}

static void add_rates(struct cgs_plot *plot, const struct cgs_bars *bars, int timed)
{
    struct cgs_plot_panel *panel = add_panel(plot, bars, bars->rate_title, bars->rate_label);
    struct cgs_plot_series *levels = cgs_plot_add_series(panel, CGS_PLOT_LEVELS, "attainable");
    for (int i = 0; i < timed; i++) {
        const struct cgs_bar *bar = &bars->bars[i];
        char number[16], share[16];
        cgs_plot_add(&panel->series[bar->series], i, bar->rate);
        three_digits(bar->rate, panel->bars[i].value);
        if (!(bar->attainable > 0.0))
            continue;
        cgs_plot_add(levels, i, bar->attainable);
        three_digits(bar->rate, number);
        three_digits(100.0 * bar->rate / bar->attainable, share);
        snprintf(panel->bars[i].value, sizeof(cgs_text), "%s = %s %%", number, share);
    }
    panel->log_y = cgs_plot_far_apart(panel);
}

/* A panel that is there only if some bar has a speed-up. */
static void add_speedups(struct cgs_plot *plot, const struct cgs_bars *bars, int timed)
{
    struct cgs_plot_panel *panel = add_panel(plot, bars, bars->speedup_title, "times as fast");
    bool any = false;
    for (int i = 0; i < timed; i++) {
        const struct cgs_bar *bar = &bars->bars[i];
        if (!(bar->speedup > 0.0))
            continue;
        cgs_plot_add(&panel->series[bar->series], i, bar->speedup);
        three_digits(bar->speedup, panel->bars[i].value);
        any = true;
    }
    panel->log_y = cgs_plot_far_apart(panel);
    plot->panel_count -= !any;
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
    struct cgs_plot plot;
    const char *unit;
    char label[128];
    int timed = 0;
    if (bars->count == 0)
        return cgs_fail(context, CGS_USAGE, "nothing to draw into '%s': no kernel was tried", path);
    qsort(bars->bars, (size_t)bars->count, sizeof *bars->bars, compare_bars);
    while (timed < bars->count && !bars->bars[timed].failed)
        timed++;
    const double scale = find_unit(bars, timed, &unit);
    snprintf(label, sizeof label, "%s: median, least ... most [%s]", bars->time, unit);
    enum cgs_status status = cgs_plot_make(context, 3, bars->count, &plot);
    if (status == CGS_OK) {
        snprintf(plot.title, sizeof plot.title, "%s", bars->title);
        snprintf(plot.subtitles[0], sizeof plot.subtitles[0], "%s", bars->subtitle);
        add_times(&plot, bars, timed, label, scale);
        add_rates(&plot, bars, timed);
        add_speedups(&plot, bars, timed);
        status = cgs_plot_write(context, &plot, path);
    }
    cgs_plot_release(&plot);
    return status;
}
