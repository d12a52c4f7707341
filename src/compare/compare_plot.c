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

struct panel {
    char title[128];
    char names[CURVES + 1][LABEL];
    struct cgs_plot_series series[CURVES + 1];
    int count;
    double *numbers; /* owned: x, y, low, high of each curve, `reports` of each */
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

static enum cgs_status start_panel(struct cgs_context *context, const struct drawing *d,
                                   struct panel *panel)
{
    panel->count = 0;
    return cgs_alloc(context, (int64_t)4 * (CURVES + 1) * d->count, sizeof(double), "the figure",
                     (void **)&panel->numbers);
}

/* An empty curve; points are added in the order of the reports. */
static struct cgs_plot_series *add_curve(struct panel *panel, const struct drawing *d,
                                         enum cgs_plot_style style, const char *name)
{
    double *numbers = panel->numbers + (size_t)4 * d->count * panel->count;
    struct cgs_plot_series *s = &panel->series[panel->count];
    snprintf(panel->names[panel->count], LABEL, "%s", name);
    *s = (struct cgs_plot_series){.name = panel->names[panel->count++],
                                  .style = style,
                                  .x = numbers,
                                  .y = numbers + d->count,
                                  .low = numbers + 2 * d->count,
                                  .high = numbers + 3 * d->count};
    return s;
}

/* Of two on as many entries the faster one counts. */
static void add_point(struct cgs_plot_series *s, const struct cgs_kernel_point *p)
{
    const int last = s->count - 1;
    const bool again = last >= 0 && s->x[last] == p->entries;
    if (again && s->y[last] <= p->median)
        return;
    const int i = again ? last : s->count++;
    ((double *)(uintptr_t)s->x)[i] = p->entries;
    ((double *)(uintptr_t)s->y)[i] = p->median;
    ((double *)(uintptr_t)s->low)[i] = p->least;
    ((double *)(uintptr_t)s->high)[i] = p->most;
}

/* Through the fastest point of the largest matrix: what time in proportion to the entries is. */
static void add_guide(struct panel *panel, const struct drawing *d)
{
    struct cgs_kernel_point ends[2] = {{.entries = INFINITY}, {.median = INFINITY}};
    for (int k = 0; k < panel->count; k++)
        for (int i = 0; i < panel->series[k].count; i++) {
            const double x = panel->series[k].x[i], y = panel->series[k].y[i];
            ends[0].entries = fmin(ends[0].entries, x);
            if (x > ends[1].entries || (x == ends[1].entries && y < ends[1].median))
                ends[1] = (struct cgs_kernel_point){.entries = x, .median = y};
        }
    if (panel->count == 0 || !(ends[0].entries < ends[1].entries))
        return;
    ends[0].median = ends[1].median * ends[0].entries / ends[1].entries;
    struct cgs_plot_series *s = add_curve(
        panel, d, CGS_PLOT_GUIDE, d->spgemm ? "proportional to products" : "proportional to entries");
    add_point(s, &ends[0]);
    add_point(s, &ends[1]);
    s->low = s->high = NULL;
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

static void fill_threads(struct panel *panel, const struct drawing *d)
{
    snprintf(panel->title, sizeof panel->title, "CPU: the fastest kernel, by number of threads");
    for (int threads = next_threads(d, 0); threads > 0 && panel->count < CURVES;
         threads = next_threads(d, threads)) {
        char name[LABEL];
        snprintf(name, sizeof name, "%d thread%s", threads, threads == 1 ? "" : "s");
        struct cgs_plot_series *s = add_curve(panel, d, CGS_PLOT_LINES, name);
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

static void fill_kernels(struct panel *panel, const struct drawing *d, const char *device,
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
        struct cgs_plot_series *s = add_curve(panel, d, CGS_PLOT_LINES, kernels[k].label);
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

static enum cgs_status draw(struct cgs_context *context, const struct drawing *d,
                            struct panel *panels, const char *path)
{
    static const char *const devices[] = {"cpu", "cuda"};
    struct cgs_plot_panel drawn[3];
    struct cgs_plot plot = {.title = d->spgemm
                                         ? "Time of C = A B against products a_ik b_kj"
                                         : "Time of one product against entries of the matrix",
                            .panels = drawn};
    struct kernel *kernels;
    char subtitle[256];
    CGS_TRY(cgs_alloc(context, KERNELS, sizeof *kernels, "the figure", (void **)&kernels));
    fill_threads(&panels[0], d);
    for (int i = 0; i < 2; i++)
        fill_kernels(&panels[1 + i], d, devices[i], kernels);
    cgs_free(context, kernels);
    for (int i = 0; i < 3; i++)
        if (panels[i].count > 0)
            drawn[plot.panel_count++] =
                (struct cgs_plot_panel){.title = panels[i].title,
                                        .x_label = d->spgemm ? "products a_ik b_kj"
                                                             : "entries of the matrix",
                                        .y_label = "one product: median, least ... most [s]",
                                        .log_x = true,
                                        .log_y = true,
                                        .series = panels[i].series,
                                        .series_count = panels[i].count};
    if (plot.panel_count == 0)
        return cgs_fail(context, CGS_USAGE,
                        "nothing to draw: no report has a kernel that was timed");
    const char *cpu =
        json_string_value(json_object_get(json_object_get(d->reports[0], "host"), "cpu"));
    snprintf(subtitle, sizeof subtitle, "%d reports%s%s", d->count, cpu ? "; " : "",
             cpu ? cpu : "");
    plot.subtitle = subtitle;
    return cgs_plot_write(context, &plot, path);
}

enum cgs_status cgs_compare_plot(struct cgs_context *context, json_t *const *reports, int count,
                                 const char *path)
{
    struct drawing d = {.count = count, .spgemm = json_object_get(reports[0], "product") != NULL};
    struct panel *panels = NULL;
    enum cgs_status status =
        cgs_alloc(context, count, sizeof *d.reports, "the figure", (void **)&d.reports);
    if (status == CGS_OK)
        status = cgs_alloc(context, 3, sizeof *panels, "the figure", (void **)&panels);
    if (status == CGS_OK) {
        memset(panels, 0, 3 * sizeof *panels);
        memcpy(d.reports, reports, (size_t)count * sizeof *reports);
        qsort(d.reports, (size_t)count, sizeof *d.reports, compare_entries);
        for (int i = 0; i < 3 && status == CGS_OK; i++)
            status = start_panel(context, &d, &panels[i]);
        if (status == CGS_OK)
            status = draw(context, &d, panels, path);
        for (int i = 0; i < 3; i++)
            cgs_free(context, panels[i].numbers);
    }
    cgs_free(context, panels);
    cgs_free(context, d.reports);
    return status;
}
