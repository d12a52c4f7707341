/* Reports of the laboratory -> panels of lines: each point is a kernel on one matrix. */
#include "src/compare/compare_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "src/figure/plot.h"
#include "src/tune/kernel_row.h"

enum {
    CURVES = 8,    /* in a panel: more cannot be told apart; the guide comes on top */
    KERNELS = 128, /* different ones, of which the fastest are drawn */
    LABEL = 160
};

struct drawing {
    json_t **reports; /* by entries; owned, the reports themselves are not */
    int count;
    bool spgemm; /* reports of products of matrices: by products */
};

static int compare_entries(const void *a, const void *b)
{
    const double x = cgs_kernel_rows_entries(*(json_t *const *)a),
                 y = cgs_kernel_rows_entries(*(json_t *const *)b);
    return x < y ? -1 : x > y;
}

/* Points are added in the order of the reports. Of two on as many entries the faster one counts. */
static void add_point(struct cgs_plot_series *s, const struct cgs_kernel_point *p)
{
    if (s->count > 0 && s->points[s->count - 1].x == p->entries) {
        if (s->points[s->count - 1].y <= p->median)
            return;
        s->count--;
    }
    cgs_plot_add_spread(s, p->entries, p->median, p->least, p->most);
}

/* Through the fastest point of the largest matrix: what time in proportion to the entries is. */
static void add_guide(struct cgs_plot_panel *panel, const struct drawing *d)
{
    struct cgs_plot_point last = {.y = INFINITY};
    double first = INFINITY;
    for (int k = 0; k < panel->series_count; k++)
        for (int i = 0; i < panel->series[k].count; i++) {
            const struct cgs_plot_point *p = &panel->series[k].points[i];
            first = fmin(first, p->x);
            if (p->x > last.x || (p->x == last.x && p->y < last.y))
                last = *p;
        }
    if (!(first < last.x))
        return;
    struct cgs_plot_series *s = cgs_plot_add_series(
        panel, CGS_PLOT_GUIDE, d->spgemm ? "proportional to products" : "proportional to entries");
    cgs_plot_add(s, first, last.y * first / last.x);
    cgs_plot_add(s, last.x, last.y);
}

/* ---- the CPU's fastest kernel, a curve for each number of threads ---- */

/* The least number of threads above `above` that something was timed with; 0: none. */
static int next_threads(const struct drawing *d, int above)
{
    int next = 0;
    for (int i = 0; i < d->count; i++) {
        size_t index;
        json_t *row;
        struct cgs_kernel_point p;
        json_array_foreach(cgs_kernel_rows(d->reports[i]), index, row)
        {
            if (cgs_kernel_row_point(d->reports[i], row, &p) && strcmp(p.device, "cpu") == 0 &&
                p.threads > above && (next == 0 || p.threads < next))
                next = p.threads;
        }
    }
    return next;
}

static void fill_threads(struct cgs_plot_panel *panel, const struct drawing *d)
{
    snprintf(panel->title, sizeof panel->title, "CPU: the fastest kernel, by number of threads");
    for (int threads = next_threads(d, 0); threads > 0 && panel->series_count < CURVES;
         threads = next_threads(d, threads)) {
        char name[LABEL];
        snprintf(name, sizeof name, "%d thread%s", threads, threads == 1 ? "" : "s");
        struct cgs_plot_series *s = cgs_plot_add_series(panel, CGS_PLOT_LINES, name);
        for (int i = 0; i < d->count; i++) {
            struct cgs_kernel_point p, best = {.median = INFINITY};
            size_t index;
            json_t *row;
            json_array_foreach(cgs_kernel_rows(d->reports[i]), index, row)
            {
                if (cgs_kernel_row_point(d->reports[i], row, &p) && strcmp(p.device, "cpu") == 0 &&
                    p.threads == threads && p.median < best.median)
                    best = p;
            }
            if (isfinite(best.median))
                add_point(s, &best);
        }
    }
    add_guide(panel, d);
}

/* ---- a device's kernels, a curve for each ---- */

struct kernel {
    char label[LABEL];
    double entries, median; /* on the largest matrix that it was timed on */
};

/* On larger matrices first, there the fastest first. */
static int compare_kernels(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return x->median < y->median ? -1 : x->median > y->median;
}

/* Whether a row is a point of the device's panel, which has one number of threads. */
static bool belongs(json_t *report, json_t *row, const char *device, int threads,
                    struct cgs_kernel_point *p)
{
    return cgs_kernel_row_point(report, row, p) && strcmp(p->device, device) == 0 &&
           p->threads == threads;
}

static int find_kernels(const struct drawing *d, const char *device, int threads,
                        struct kernel kernels[KERNELS])
{
    int count = 0;
    for (int i = 0; i < d->count; i++) {
        size_t index;
        json_t *row;
        struct cgs_kernel_point p;
        json_array_foreach(cgs_kernel_rows(d->reports[i]), index, row)
        {
            char label[LABEL];
            int k = 0;
            if (!belongs(d->reports[i], row, device, threads, &p))
                continue;
            cgs_kernel_row_name(row, label, sizeof label);
            while (k < count && strcmp(kernels[k].label, label) != 0)
                k++;
            if (k == KERNELS)
                continue;
            if (k == count)
                memcpy(kernels[count++].label, label, sizeof label);
            kernels[k].entries = p.entries; /* reports come by entries */
            kernels[k].median = p.median;
        }
    }
    qsort(kernels, (size_t)count, sizeof *kernels, compare_kernels);
    return count;
}

static void fill_kernels(struct cgs_plot_panel *panel, const struct drawing *d, const char *device,
                         struct kernel *kernels)
{
    const bool cpu = strcmp(device, "cpu") == 0;
    int threads = 0; /* the most; a GPU's rows have none */
    for (int next = 0; cpu && (next = next_threads(d, threads)) > 0;)
        threads = next;
    const int count = find_kernels(d, device, threads, kernels);
    int used = snprintf(panel->title, sizeof panel->title,
                        cpu ? "CPU, %d thread%s: " : "CUDA: ", threads, threads == 1 ? "" : "s");
    if (count > CURVES)
        snprintf(panel->title + used, sizeof panel->title - (size_t)used,
                 "the %d kernels of %d that are fastest on the most entries", CURVES, count);
    else
        snprintf(panel->title + used, sizeof panel->title - (size_t)used, "by kernel");
    for (int k = 0; k < count && k < CURVES; k++) {
        struct cgs_plot_series *s = cgs_plot_add_series(panel, CGS_PLOT_LINES, kernels[k].label);
        for (int i = 0; i < d->count; i++) {
            size_t index;
            json_t *row;
            struct cgs_kernel_point p;
            char label[LABEL];
            json_array_foreach(cgs_kernel_rows(d->reports[i]), index, row)
            {
                if (belongs(d->reports[i], row, device, threads, &p) &&
                    strcmp(cgs_kernel_row_name(row, label, sizeof label), kernels[k].label) == 0)
                    add_point(s, &p);
            }
        }
    }
    add_guide(panel, d);
}

static void fill_plot(struct cgs_plot *plot, const struct drawing *d, struct kernel *kernels)
{
    static const char *const devices[] = {NULL, "cpu", "cuda"};
    const char *cpu =
        json_string_value(json_object_get(json_object_get(d->reports[0], "host"), "cpu"));
    snprintf(plot->title, sizeof plot->title, "%s",
             d->spgemm ? "Time of C = A B against products a_ik b_kj"
                       : "Time of one product against entries of the matrix");
    snprintf(plot->subtitles[0], sizeof plot->subtitles[0], "%d reports%s%s", d->count,
             cpu ? "; " : "", cpu ? cpu : "");
    for (int i = 0; i < 3; i++) {
        struct cgs_plot_panel *panel = cgs_plot_add_panel(plot, "");
        panel->x_label = d->spgemm ? "products a_ik b_kj" : "entries of the matrix";
        panel->y_label = "one product: median, least ... most [s]";
        panel->log_x = panel->log_y = true;
        if (devices[i])
            fill_kernels(panel, d, devices[i], kernels);
        else
            fill_threads(panel, d);
        plot->panel_count -= panel->series_count == 0;
    }
}

static enum cgs_status draw(struct cgs_context *context, const struct drawing *d, const char *path)
{
    struct kernel *kernels;
    struct cgs_plot plot;
    CGS_TRY(cgs_alloc(context, KERNELS, sizeof *kernels, "the figure", (void **)&kernels));
    enum cgs_status status = cgs_plot_make(context, 3, d->count, &plot);
    if (status == CGS_OK)
        fill_plot(&plot, d, kernels);
    if (status == CGS_OK && plot.panel_count == 0)
        status =
            cgs_fail(context, CGS_USAGE, "nothing to draw: no report has a kernel that was timed");
    if (status == CGS_OK)
        status = cgs_plot_write(context, &plot, path);
    cgs_plot_release(&plot);
    cgs_free(context, kernels);
    return status;
}

enum cgs_status cgs_compare_plot(struct cgs_context *context, json_t *const *reports, int count,
                                 const char *path)
{
    struct drawing d = {.count = count, .spgemm = json_object_get(reports[0], "product") != NULL};
    CGS_TRY(cgs_alloc(context, count, sizeof *d.reports, "the figure", (void **)&d.reports));
    memcpy(d.reports, reports, (size_t)count * sizeof *reports);
    qsort(d.reports, (size_t)count, sizeof *d.reports, compare_entries);
    const enum cgs_status status = draw(context, &d, path);
    cgs_free(context, d.reports);
    return status;
}
