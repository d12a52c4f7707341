/* Reports of the laboratory -> panels of lines: each point is a kernel on one matrix. */
#include "lab/compare/compare_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lab/compare/kernel_row.h"
#include "lab/figure/plot.h"
#include "lab/figure/plot_draw.h"

enum { CURVES = 8 }; /* in a panel: more cannot be told apart; the guide comes on top */

struct row {
    struct cgs_kernel_point point;
    char label[160]; /* of the kernel */
};

struct drawing {
    json_t **reports; /* by entries; owned, the reports themselves are not */
    int report_count, count;
    bool spgemm;                /* reports of products of matrices: by products */
    struct row *rows;           /* owned: what was timed, in the order of the reports */
    const struct row **kernels; /* owned: room for one of each kernel */
};

static int compare_entries(const void *a, const void *b)
{
    const double x = cgs_kernel_rows_entries(*(json_t *const *)a),
                 y = cgs_kernel_rows_entries(*(json_t *const *)b);
    return x < y ? -1 : x > y;
}

/* Adds a point, in the order of the reports. Of those on as many entries the fastest counts. */
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

static bool belongs(const struct row *row, const char *device, int threads)
{
    return strcmp(row->point.device, device) == 0 && row->point.threads == threads;
}

/* Adds a curve of the device's fastest kernel, or of the one of that label. */
static void add_curve(struct cgs_plot_panel *panel, const struct drawing *d, const char *device,
                      int threads, const char *label, const char *name)
{
    struct cgs_plot_series *s = cgs_plot_add_series(panel, CGS_PLOT_LINES, name);
    for (int i = 0; i < d->count; i++)
        if (belongs(&d->rows[i], device, threads) &&
            (!label || strcmp(d->rows[i].label, label) == 0))
            add_point(s, &d->rows[i].point);
}

/* ---- the CPU's fastest kernel, a curve for each number of threads ---- */

/* The least number of threads above `above` that something was timed with; 0: none. */
static int next_threads(const struct drawing *d, int above)
{
    int next = 0;
    for (int i = 0; i < d->count; i++) {
        const struct cgs_kernel_point *p = &d->rows[i].point;
        if (strcmp(p->device, "cpu") == 0 && p->threads > above && (next == 0 || p->threads < next))
            next = p->threads;
    }
    return next;
}

static void fill_threads(struct cgs_plot_panel *panel, const struct drawing *d)
{
    snprintf(panel->title, sizeof panel->title, "CPU: the fastest kernel, by number of threads");
    for (int threads = next_threads(d, 0); threads > 0 && panel->series_count < CURVES;
         threads = next_threads(d, threads)) {
        char name[32];
        snprintf(name, sizeof name, "%d thread%s", threads, threads == 1 ? "" : "s");
        add_curve(panel, d, "cpu", threads, NULL, name);
    }
    add_guide(panel, d);
}

/* ---- a device's kernels, a curve for each ---- */

/* Orders kernels on larger matrices first, there the fastest first. */
static int compare_kernels(const void *a, const void *b)
{
    const struct cgs_kernel_point *x = &(*(const struct row *const *)a)->point,
                                  *y = &(*(const struct row *const *)b)->point;
    if (x->entries != y->entries)
        return x->entries > y->entries ? -1 : 1;
    return x->median < y->median ? -1 : x->median > y->median;
}

/* Finds the row of each kernel that is on the largest matrix it was timed on, its last one. */
static int find_kernels(const struct drawing *d, const char *device, int threads)
{
    int count = 0;
    for (int i = 0; i < d->count; i++) {
        int k = 0;
        if (!belongs(&d->rows[i], device, threads))
            continue;
        while (k < count && strcmp(d->kernels[k]->label, d->rows[i].label) != 0)
            k++;
        count += k == count;
        d->kernels[k] = &d->rows[i];
    }
    qsort(d->kernels, (size_t)count, sizeof *d->kernels, compare_kernels);
    return count;
}

static void fill_kernels(struct cgs_plot_panel *panel, const struct drawing *d, const char *device)
{
    const bool cpu = strcmp(device, "cpu") == 0;
    int threads = 0; /* the most; a GPU's rows have none */
    for (int next = 0; cpu && (next = next_threads(d, threads)) > 0;)
        threads = next;
    const int count = find_kernels(d, device, threads);
    int used = snprintf(panel->title, sizeof panel->title,
                        cpu ? "CPU, %d thread%s: " : "CUDA: ", threads, threads == 1 ? "" : "s");
    if (count > CURVES)
        snprintf(panel->title + used, sizeof panel->title - (size_t)used,
                 "the %d kernels of %d that are fastest on the most entries", CURVES, count);
    else
        snprintf(panel->title + used, sizeof panel->title - (size_t)used, "by kernel");
    for (int k = 0; k < count && k < CURVES; k++)
        add_curve(panel, d, device, threads, d->kernels[k]->label, d->kernels[k]->label);
    add_guide(panel, d);
}

static void fill_plot(struct cgs_plot *plot, const struct drawing *d)
{
    static const char *const devices[] = {NULL, "cpu", "cuda"};
    const char *cpu =
        json_string_value(json_object_get(json_object_get(d->reports[0], "host"), "cpu"));
    snprintf(plot->title, sizeof plot->title, "%s",
             d->spgemm ? "Time of C = A B against products a_ik b_kj"
                       : "Time of one product against entries of the matrix");
    snprintf(plot->subtitles[0], sizeof plot->subtitles[0], "%d reports%s%s", d->report_count,
             cpu ? "; " : "", cpu ? cpu : "");
    for (int i = 0; i < 3; i++) {
        struct cgs_plot_panel *panel = cgs_plot_add_panel(plot, "");
        panel->x_label = d->spgemm ? "products a_ik b_kj" : "entries of the matrix";
        panel->y_label = "one product: median, least ... most [s]";
        panel->log_x = panel->log_y = true;
        if (devices[i])
            fill_kernels(panel, d, devices[i]);
        else
            fill_threads(panel, d);
        plot->panel_count -= panel->series_count == 0;
    }
}

/* ---- all of it ---- */

static void add_rows(struct drawing *d, json_t *report)
{
    size_t index;
    json_t *row;
    json_array_foreach(cgs_kernel_rows(report), index, row)
    {
        struct row *r = &d->rows[d->count];
        cgs_kernel_row_name(row, r->label, sizeof r->label);
        d->count += cgs_kernel_row_point(report, row, &r->point);
    }
}

static enum cgs_status make_drawing(struct cgs_context *context, json_t *const *reports, int count,
                                    struct drawing *d)
{
    static const char what[] = "the figure";
    int64_t rows = 1;
    for (int i = 0; i < count; i++)
        rows += (int64_t)json_array_size(cgs_kernel_rows(reports[i]));
    CGS_TRY(cgs_alloc(context, count, sizeof *d->reports, what, (void **)&d->reports));
    CGS_TRY(cgs_alloc(context, rows, sizeof *d->rows, what, (void **)&d->rows));
    CGS_TRY(cgs_alloc(context, rows, sizeof *d->kernels, what, (void **)&d->kernels));
    memcpy(d->reports, reports, (size_t)count * sizeof *reports);
    qsort(d->reports, (size_t)count, sizeof *d->reports, compare_entries);
    for (int i = 0; i < count; i++)
        add_rows(d, d->reports[i]);
    return CGS_OK;
}

static enum cgs_status draw(struct cgs_context *context, const struct drawing *d, const char *path)
{
    struct cgs_plot plot;
    enum cgs_status status = cgs_plot_make(context, 3, d->report_count, &plot);
    if (status == CGS_OK) {
        fill_plot(&plot, d);
        status = plot.panel_count > 0
                     ? cgs_plot_write(context, &plot, path)
                     : cgs_fail(context, CGS_USAGE,
                                "nothing to draw: no report has a kernel that was timed");
    }
    cgs_plot_release(&plot);
    return status;
}

enum cgs_status cgs_compare_plot(struct cgs_context *context, json_t *const *reports, int count,
                                 const char *path)
{
    struct drawing d = {.report_count = count,
                        .spgemm = json_object_get(reports[0], "product") != NULL};
    enum cgs_status status = make_drawing(context, reports, count, &d);
    if (status == CGS_OK)
        status = draw(context, &d, path);
    cgs_free(context, d.reports);
    cgs_free(context, d.rows);
    cgs_free(context, d.kernels);
    return status;
}
