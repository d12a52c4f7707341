/* Figures of a collection, an SVG each in its folder, and by --figures=pdf a PDF:
 *
 *     gflops    GFLOP/s of each matrix against its entries, a mark for each kernel
 *     speedup   speed-up of each kernel over the baseline: geometric mean, least ... most of all matrices
 *     profile   performance profile (Dolan and More; lab/times.h)
 *     roofline  GFLOP/s of the fastest kernel on each matrix against operations a byte, below the bandwidth of each
 *               cache and of the memory
 *
 * What cannot be drawn keeps nothing else from being done: its script and data are left, and
 * remark says why. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "core/io/interrupt.h"
#include "core/options/options.h"
#include "lab/collection/collection_figures.h"
#include "lab/collection/summary.h"
#include "lab/figure/bars.h"
#include "lab/figure/plot.h"
#include "lab/figure/plot_draw.h"

enum { CURVES = 8 }; /* in a panel: more cannot be told apart */

/* The ratio to the best at which the profile ends. */
static const double PROFILE_END = 10.0;

struct drawing {
    struct cgs_collection *c;
    const struct cgs_summary *s;
    int *order; /* owned: kernels, the fastest first */
    int curves; /* of these that are drawn */
    struct cgs_plot plot;
};

/* ---- panels ---- */

static double gflops_of(const struct drawing *d, int matrix, int kernel, double *entries,
                        double *intensity)
{
    const json_t *row = d->s->rows[matrix * d->s->times.kernels + kernel];
    *entries = cgs_row_number(row, "nonzeros");
    *intensity = cgs_row_number(row, "intensity");
    return cgs_row_number(row, "gflops");
}

/* A mark for each matrix: of each kernel at its entries, or else of the fastest at its
 * intensity. */
static void add_marks(struct drawing *d, struct cgs_plot_panel *panel, bool by_entries)
{
    const struct cgs_times *times = &d->s->shown;
    for (int i = 0; i < d->curves; i++) {
        const int k = d->order[i];
        struct cgs_plot_series *series =
            cgs_plot_add_series(panel, CGS_PLOT_POINTS, d->s->kernels[k].label);
        for (int m = 0; m < d->s->times.matrices; m++) {
            double entries, intensity;
            const double gflops = gflops_of(d, m, k, &entries, &intensity);
            const double x = by_entries ? entries : intensity;
            const bool wanted =
                by_entries || times->seconds[m * times->kernels + k] == cgs_times_best(times, m);
            if (wanted && gflops > 0.0 && x > 0.0)
                cgs_plot_add(series, x, gflops);
        }
    }
}

static void fill_gflops(struct drawing *d)
{
    struct cgs_plot_panel *panel = cgs_plot_add_panel(&d->plot, "");
    panel->x_label = "entries of the matrix";
    panel->y_label = "2 x entries / median time [GFLOP/s]";
    panel->log_x = panel->log_y = true;
    add_marks(d, panel, true);
}

static void fill_speedup(struct drawing *d)
{
    struct cgs_plot_panel *panel = cgs_plot_add_panel(&d->plot, "");
    panel->y_label = "times as fast: geometric mean, least ... most of all matrices";
    struct cgs_plot_series *series = cgs_plot_add_series(panel, CGS_PLOT_BARS, "");
    for (int i = 0; i < d->s->shown.kernels; i++) {
        const struct cgs_summary_kernel *kernel = &d->s->kernels[d->order[i]];
        if (kernel->speedup.matrices == 0)
            continue;
        struct cgs_plot_bar *bar = cgs_plot_add_bar(panel, kernel->label);
        cgs_plot_add_spread(series, panel->bar_count - 1, kernel->speedup.mean,
                            kernel->speedup.least, kernel->speedup.most);
        snprintf(bar->value, sizeof bar->value, "%.3g", kernel->speedup.mean);
    }
    panel->log_y = true;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The profile of a kernel rises at each of its ratios to the best. */
static void add_profile(struct drawing *d, struct cgs_plot_series *series, int kernel,
                        double *ratios)
{
    const struct cgs_times *times = &d->s->shown;
    int count = 0;
    for (int m = 0; m < times->matrices; m++) {
        const double seconds = times->seconds[m * times->kernels + kernel];
        const double ratio = seconds > 0.0 ? seconds / cgs_times_best(times, m) : INFINITY;
        if (ratio > 1.0 && ratio < PROFILE_END)
            ratios[count++] = ratio;
    }
    qsort(ratios, (size_t)count, sizeof *ratios, ascending);
    cgs_plot_add(series, 1.0, 100.0 * cgs_times_profile(times, kernel, 1.0));
    for (int i = 0; i < count; i++)
        if (i + 1 == count || ratios[i + 1] > 1.005 * ratios[i]) /* those between cannot be seen */
            cgs_plot_add(series, ratios[i], 100.0 * cgs_times_profile(times, kernel, ratios[i]));
    cgs_plot_add(series, PROFILE_END, 100.0 * cgs_times_profile(times, kernel, PROFILE_END));
}

static enum cgs_status fill_profile(struct drawing *d)
{
    double *ratios;
    struct cgs_plot_panel *panel = cgs_plot_add_panel(&d->plot, "");
    panel->x_label = "time / time of the fastest kernel, at most";
    panel->y_label = "matrices [%]";
    panel->log_x = true;
    CGS_TRY(cgs_alloc(d->c->context, d->s->times.matrices + 1, sizeof *ratios, "the figure",
                      (void **)&ratios));
    for (int i = 0; i < d->curves; i++) {
        const struct cgs_summary_kernel *kernel = &d->s->kernels[d->order[i]];
        if (kernel->timed > 0 || kernel->failed > 0) /* else it is not there */
            add_profile(d, cgs_plot_add_series(panel, CGS_PLOT_STEPS, kernel->label), d->order[i],
                        ratios);
    }
    cgs_free(d->c->context, ratios);
    return CGS_OK;
}

/* Lines of constant bandwidth over the range of the marks. */
static void add_ceilings(struct drawing *d, struct cgs_plot_panel *panel)
{
    double least = INFINITY, most = 0.0;
    size_t index;
    json_t *level;
    for (int k = 0; k < panel->series_count; k++)
        for (int i = 0; i < panel->series[k].count; i++) {
            least = fmin(least, panel->series[k].points[i].x);
            most = fmax(most, panel->series[k].points[i].x);
        }
    json_array_foreach(d->c->ceilings, index, level)
    {
        const double gbs = cgs_row_number(level, "read_gbs");
        if (!(most > 0.0) || panel->series_count == CGS_PLOT_SERIES)
            return;
        struct cgs_plot_series *line = cgs_plot_add_series(panel, CGS_PLOT_GUIDE, "");
        cgs_plot_add(line, least, least * gbs);
        cgs_plot_add(line, most, most * gbs);
    }
}

/* Says which line is which: beside the lines, which are close, names would cross them. */
static void name_ceilings(const struct drawing *d, char *text, size_t size)
{
    size_t index, length = (size_t)snprintf(text, size, "; dashed, reading:");
    json_t *level;
    json_array_foreach(d->c->ceilings, index, level) if (length < size) length +=
        (size_t)snprintf(text + length, size - length, "%s %.8s %.0f", index > 0 ? "," : "",
                         cgs_row_text(level, "level"), cgs_row_number(level, "read_gbs"));
    if (length < size)
        snprintf(text + length, size - length, " GB/s");
}

static void fill_roofline(struct drawing *d)
{
    struct cgs_plot_panel *panel = cgs_plot_add_panel(&d->plot, "");
    panel->x_label = "operations a byte that a product moves";
    panel->y_label = "2 x entries / median time [GFLOP/s]";
    panel->log_x = panel->log_y = true;
    add_marks(d, panel, false);
    add_ceilings(d, panel);
}

/* ---- all of them ---- */

enum { GFLOPS, SPEEDUP, PROFILE, ROOFLINE, DRAWINGS };

const char *const cgs_collection_drawings[] = {"gflops", "speedup", "profile", "roofline", NULL};

static enum cgs_status fill_drawing(struct drawing *d, int which)
{
    struct cgs_plot *plot = &d->plot;
    char shown[160] = "";
    if (which == ROOFLINE)
        name_ceilings(d, shown, sizeof shown);
    else if (d->curves < d->s->shown.kernels && which != SPEEDUP)
        snprintf(shown, sizeof shown, "; the %d fastest of %d kernels", d->curves,
                 d->s->shown.kernels);
    cgs_bars_describe_run(&d->c->machine, d->c->context->threads,
                          cgs_precision_name(d->c->options->settings.precision), d->c->date,
                          plot->subtitles[0], sizeof plot->subtitles[0]);
    snprintf(plot->subtitles[1], sizeof plot->subtitles[1], "%d matrices%s",
             cgs_times_counted(&d->s->shown), shown);
    switch (which) {
    case GFLOPS:
        snprintf(plot->title, sizeof plot->title, "Speed of a product by matrix");
        fill_gflops(d);
        return CGS_OK;
    case SPEEDUP:
        snprintf(plot->title, sizeof plot->title, "Speed-up over %s", cgs_summary_baseline(d->s));
        fill_speedup(d);
        return CGS_OK;
    case PROFILE:
        snprintf(plot->title, sizeof plot->title, "Performance profile");
        return fill_profile(d);
    default:
        snprintf(plot->title, sizeof plot->title, "Roofline, the fastest kernel on each matrix");
        fill_roofline(d);
        return CGS_OK;
    }
}

static void draw(struct drawing *d, int which)
{
    struct cgs_context apart = *d->c->context; /* no failure of the run's */
    enum cgs_status status =
        cgs_plot_make(&apart, 1, d->s->times.matrices + 2 + d->s->shown.kernels, &d->plot);
    if (status == CGS_OK)
        status = fill_drawing(d, which);
    if (status == CGS_OK)
        status = cgs_plot_write_into(&apart, &d->plot, d->c->folder, cgs_collection_drawings[which],
                                     d->c->options->figures);
    if (status != CGS_OK && d->c->remark[0] == '\0')
        snprintf(d->c->remark, sizeof d->c->remark, "%.1000s", apart.message);
    cgs_plot_release(&d->plot);
    d->c->context->host_bytes = apart.host_bytes;
}

enum cgs_status cgs_collection_figures(struct cgs_collection *c, const struct cgs_summary *s)
{
    struct drawing d = {.c = c, .s = s};
    for (int i = 0; i < DRAWINGS; i++)
        cgs_plot_remove(c->folder, cgs_collection_drawings[i]);
    if (cgs_times_counted(&s->shown) == 0)
        return CGS_OK;
    CGS_TRY(
        cgs_alloc(c->context, s->shown.kernels, sizeof *d.order, "the figure", (void **)&d.order));
    cgs_summary_order(s, d.order);
    d.curves = s->shown.kernels < CURVES ? s->shown.kernels : CURVES;
    for (int i = 0; i < DRAWINGS && !cgs_interrupted(); i++)
        if (i != SPEEDUP || s->baseline >= 0)
            draw(&d, i);
    cgs_free(c->context, d.order);
    return CGS_OK;
}
