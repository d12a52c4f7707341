/* Rows of the laboratory's table -> panels of bars. Series: cgsolve's own kernels, the vendor's,
 * the user's; all panels have the same kernels in the same order. */
#include "src/lab_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "src/format.h"
#include "src/plot.h"
#include "src/version.h"

enum series { OWN, VENDOR, YOURS, ATTAINABLE, SERIES };
enum { NAME_MOST = 192 };

/* A row as it is drawn. */
struct bar {
    const struct cgs_lab_row *row;
    char name[NAME_MOST];
    const char *label;
};

/* The figures of one panel, `count` bars each: what is drawn, its spread, the text beside it. */
struct column {
    double *y[SERIES], *low, *high;
    cgs_text *texts;
    const char **values;
};

struct drawing {
    const struct cgs_lab *lab;
    int count, timed; /* bars in all; the first `timed` of them have figures */
    struct bar *bars;
    const char **names;
    struct column time, rate, speedup;
};

/* Timed ones by their time, then those that failed. */
static int compare_bars(const void *a, const void *b)
{
    const struct cgs_lab_row *first = ((const struct bar *)a)->row,
                             *second = ((const struct bar *)b)->row;
    if (first->state != second->state)
        return first->state == CGS_LAB_TIMED ? -1 : 1;
    return first->median < second->median ? -1 : first->median > second->median;
}

/* What tells it from the others: device and threads where they differ, the layout of SELL. */
static void name_bar(const struct cgs_lab *lab, struct bar *bar)
{
    const struct cgs_lab_row *row = bar->row;
    char sell[48] = "", threads[32] = "";
    const char *device = "";
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *other = &lab->rows[i];
        if (other->device != row->device)
            device = cgs_device_name(row->device);
        else if (other->threads != row->threads && row->device == CGS_CPU)
            snprintf(threads, sizeof threads, "%d thread%s", row->threads,
                     row->threads == 1 ? "" : "s");
    }
    if (cgs_format_chunked(row->format) && row->chunk > 0)
        snprintf(sell, sizeof sell, " %d-%d", row->chunk, row->sigma);
    snprintf(bar->name, sizeof bar->name, "%s%s%s%s%s%s%s", row->name, sell, device[0] ? ", " : "",
             device, threads[0] ? ", " : "", threads,
             row->state == CGS_LAB_FAILED ? " (FAILED)" : "");
}

static enum series series_of(const struct cgs_lab_row *row)
{
    return row->foreign ? YOURS : row->reference ? VENDOR : OWN;
}

static enum cgs_status make_column(struct cgs_context *context, int count, struct column *column)
{
    double **const arrays[] = {&column->y[OWN],        &column->y[VENDOR], &column->y[YOURS],
                               &column->y[ATTAINABLE], &column->low,       &column->high};
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

static enum cgs_status make_drawing(struct cgs_context *context, const struct cgs_lab *lab,
                                    struct drawing *d)
{
    d->lab = lab;
    CGS_TRY(cgs_alloc(context, lab->count, sizeof *d->bars, "the figure", (void **)&d->bars));
    CGS_TRY(cgs_alloc(context, lab->count, sizeof *d->names, "the figure", (void **)&d->names));
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        if (row->state == CGS_LAB_TIMED || row->state == CGS_LAB_FAILED)
            d->bars[d->count++].row = row;
        d->timed += row->state == CGS_LAB_TIMED;
    }
    qsort(d->bars, (size_t)d->count, sizeof *d->bars, compare_bars);
    for (int i = 0; i < d->count; i++) {
        name_bar(lab, &d->bars[i]);
        d->names[i] = d->bars[i].name;
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
    cgs_free(context, d->bars);
    cgs_free(context, d->names);
}

/* The unit in which the median bar is a number to read. */
static double find_unit(const struct drawing *d, const char **unit)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    const double seconds = d->timed > 0 ? d->bars[d->timed / 2].row->median : 1.0;
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
        const struct cgs_lab_row *row = d->bars[i].row;
        const enum series s = series_of(row);
        char number[16], share[16];
        if (row->state != CGS_LAB_TIMED)
            continue;
        d->time.y[s][i] = scale * row->median;
        d->time.low[i] = scale * row->least;
        d->time.high[i] = scale * row->most;
        cgs_seconds_text(row->median, d->time.texts[i]);
        d->rate.y[s][i] = row->gbs;
        three_digits(row->gbs, number);
        if (row->attainable_gbs > 0.0) {
            d->rate.y[ATTAINABLE][i] = row->attainable_gbs;
            three_digits(100.0 * row->gbs / row->attainable_gbs, share);
            snprintf(d->rate.texts[i], sizeof(cgs_text), "%s = %s %%", number, share);
        } else {
            snprintf(d->rate.texts[i], sizeof(cgs_text), "%s", number);
        }
        if (row->speedup > 0.0) {
            d->speedup.y[s][i] = row->speedup;
            three_digits(row->speedup, d->speedup.texts[i]);
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

static void describe_matrix(const struct cgs_lab *lab, char *text, size_t size)
{
    const struct cgs_options *o = lab->options;
    char name[NAME_MOST] = "";
    cgs_text rows, entries;
    if (lab->input->kind == CGS_INPUT_FILE) {
        const char *slash = strrchr(o->matrix, '/');
        snprintf(name, sizeof name, "%s", slash ? slash + 1 : o->matrix);
    } else if (lab->input->kind == CGS_INPUT_RANDOM) {
        cgs_random_write(&o->random, name + snprintf(name, sizeof name, "random matrix "),
                         sizeof name - 32);
    } else {
        snprintf(name, sizeof name, "Q1 matrix, N = %lld", (long long)o->n);
    }
    snprintf(text, size, "%s: %s rows, %s entries, %s precision%s", name,
             cgs_short_count_text(lab->crs.rows, rows),
             cgs_short_count_text(lab->crs.nonzeros, entries), cgs_precision_name(lab->precision),
             lab->cached ? ", in cache" : "");
}

/* On what, how often, by which program. */
static void describe_run(const struct cgs_lab *lab, char *text, size_t size)
{
    const struct cgs_machine *m = lab->machine;
    const bool device = m->device == CGS_CUDA;
    snprintf(text, size, "%s%s%s, %d thread%s; %s; cgsolve %s (%s), %.10s",
             device ? m->info.name : "", device ? ", host " : "", m->host.name,
             lab->context->threads, lab->context->threads == 1 ? "" : "s",
             lab->options->cold ? "caches flushed before each product" : "caches as they are",
             cgs_version(), cgs_commit(), lab->date);
}

static enum cgs_status write(struct cgs_context *context, struct drawing *d, const char *path)
{
    const char *unit;
    const double scale = find_unit(d, &unit);
    char time[96], title[256], subtitle[512];
    struct cgs_plot_series series[3][SERIES];
    const struct column *const columns[] = {&d->time, &d->rate, &d->speedup};
    struct cgs_plot_panel panels[] = {
        {.title = "Time by kernel", .y_label = time},
        {.title = "Bandwidth, and what the memory attains",
         .y_label = "bytes of one product / median time [GB/s]"},
        {.title = "Speed-up against one thread of the CPU", .y_label = "times as fast"},
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
    snprintf(time, sizeof time, "one product: median, least ... most [%s]", unit);
    describe_matrix(d->lab, title, sizeof title);
    describe_run(d->lab, subtitle, sizeof subtitle);
    bool baseline = false;
    for (int s = 0; s < ATTAINABLE; s++)
        baseline = baseline || cgs_plot_has_points(&series[2][s]);
    const struct cgs_plot plot = {title, subtitle, panels, baseline ? 3 : 2};
    return cgs_plot_write(context, &plot, path);
}

enum cgs_status cgs_lab_plot(struct cgs_context *context, const struct cgs_lab *lab,
                             const char *path)
{
    struct drawing d = {0};
    enum cgs_status status = make_drawing(context, lab, &d);
    if (status == CGS_OK && d.count == 0)
        status =
            cgs_fail(context, CGS_USAGE, "nothing to draw into '%s': no kernel was tried", path);
    if (status == CGS_OK)
        status = write(context, &d, path);
    release_drawing(context, &d);
    return status;
}
