#include "lab/collection/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/io/json.h"
#include "core/options/options.h"

/* ---- labels ---- */

static bool is_beside(const json_t *row)
{
    return json_is_true(json_object_get(row, "beside")) &&
           !json_is_true(json_object_get(row, "reference"));
}

/* Returns true if the row is the baseline of one thread, where the others have more. */
static bool is_single(const json_t *row)
{
    return is_beside(row) && cgs_row_number(row, "threads") == 1.0 &&
           !json_is_true(json_object_get(row, "default_kernel"));
}

void cgs_summary_label(const struct cgs_collection *c, const json_t *row, char *text, size_t size)
{
    const char *device = cgs_row_text(row, "device");
    const bool other = c->machine.device != CGS_CPU && strcmp(device, c->device) != 0;
    snprintf(text, size, "%s%s%.90s%s", other ? device : "", other ? " " : "",
             cgs_row_text(row, "kernel"), is_single(row) ? ", 1 thread" : "");
}

static int find(const struct cgs_summary *s, const char *label)
{
    int k = 0;
    while (k < s->times.kernels && strcmp(s->kernels[k].label, label) != 0)
        k++;
    return k;
}

/* Lists kernels, those that are not beside first, and matrices. */
static void list(const struct cgs_collection *c, struct cgs_summary *s)
{
    size_t index;
    json_t *row, *before = NULL;
    for (int beside = 0; beside < 2; beside++) {
        json_array_foreach(c->rows, index, row)
        {
            char label[128];
            cgs_summary_label(c, row, label, sizeof label);
            if (cgs_row_text(row, "kernel")[0] && is_beside(row) == beside &&
                find(s, label) == s->times.kernels) {
                struct cgs_summary_kernel *kernel = &s->kernels[s->times.kernels++];
                *kernel = (struct cgs_summary_kernel){.beside = beside, .single = is_single(row)};
                snprintf(kernel->label, sizeof kernel->label, "%s", label);
            }
        }
        if (!beside)
            s->shown.kernels = s->times.kernels;
    }
    json_array_foreach(c->rows, index, row)
    {
        if (cgs_row_begins(row, before))
            s->matrices[s->times.matrices++] = row;
        before = row;
    }
    s->shown.matrices = s->times.matrices;
}

/* ---- times ---- */

static void take(struct cgs_summary *s, json_t *row, int matrix, int kernel)
{
    const double seconds = cgs_row_number(row, "median_seconds");
    const bool failed = strcmp(cgs_row_text(row, "state"), "failed") == 0;
    const int at = matrix * s->times.kernels + kernel;
    if (failed && !s->first_failed)
        s->first_failed = row;
    s->failed += failed;
    s->kernels[kernel].failed += failed;
    if (!(seconds > 0.0) || failed)
        return;
    s->kernels[kernel].timed += s->times.seconds[at] == 0.0;
    if (s->times.seconds[at] > 0.0 && s->times.seconds[at] <= seconds)
        return;
    s->times.seconds[at] = seconds;
    s->rows[at] = row;
    if (kernel < s->shown.kernels)
        s->shown.seconds[matrix * s->shown.kernels + kernel] = seconds;
}

static void fill(const struct cgs_collection *c, struct cgs_summary *s)
{
    int matrix = -1;
    size_t index;
    json_t *row;
    json_array_foreach(c->rows, index, row)
    {
        char label[128];
        matrix += matrix + 1 < s->times.matrices && row == s->matrices[matrix + 1];
        if (strcmp(cgs_row_text(row, "state"), "refused") == 0) {
            s->refused++;
            s->first_refused = s->first_refused ? s->first_refused : row;
            continue;
        }
        cgs_summary_label(c, row, label, sizeof label);
        take(s, row, matrix, find(s, label));
    }
    for (int m = 0; m < s->shown.matrices; m++)
        for (int k = 0; k < s->shown.kernels; k++) {
            const double seconds = s->shown.seconds[m * s->shown.kernels + k];
            s->kernels[k].fastest += seconds > 0.0 && seconds == cgs_times_best(&s->shown, m);
        }
}

/* The kernel of --baseline; else the one of CRS that a solve takes on that device, else a
 * vendor's, else one thread. */
static int find_baseline(const struct cgs_collection *c, const struct cgs_summary *s)
{
    const struct cgs_kernel_entry *entry;
    struct cgs_context apart = *c->context;
    const char *asked = c->options->baseline;
    if (asked) {
        const int k = find(s, cgs_user_kernels_name(&c->user_kernels, asked));
        return k < s->times.kernels ? k : -1;
    }
    if (cgs_kernel_find(&apart, "auto", c->machine.device, CGS_CRS, &entry) == CGS_OK) {
        const int k = find(s, entry->name);
        if (k < s->times.kernels && s->kernels[k].timed > 0)
            return k;
    }
    for (int i = 0; i < s->times.matrices * s->times.kernels; i++)
        if (s->rows[i] && json_is_true(json_object_get(s->rows[i], "reference")))
            return i % s->times.kernels;
    for (int k = s->shown.kernels; k < s->times.kernels; k++)
        if (s->kernels[k].timed > 0)
            return k;
    return -1;
}

static enum cgs_status allocate(const struct cgs_collection *c, struct cgs_summary *s)
{
    const int64_t rows = (int64_t)json_array_size(c->rows);
    CGS_TRY(
        cgs_alloc(s->context, rows + 1, sizeof *s->kernels, "the summary", (void **)&s->kernels));
    CGS_TRY(
        cgs_alloc(s->context, rows + 1, sizeof *s->matrices, "the summary", (void **)&s->matrices));
    list(c, s);
    const int64_t cells = (int64_t)s->times.matrices * s->times.kernels + 1;
    CGS_TRY(
        cgs_alloc(s->context, cells, sizeof(double), "the summary", (void **)&s->times.seconds));
    CGS_TRY(
        cgs_alloc(s->context, cells, sizeof(double), "the summary", (void **)&s->shown.seconds));
    CGS_TRY(cgs_alloc(s->context, cells, sizeof *s->rows, "the summary", (void **)&s->rows));
    memset(s->times.seconds, 0, (size_t)cells * sizeof(double));
    memset(s->shown.seconds, 0, (size_t)cells * sizeof(double));
    memset(s->rows, 0, (size_t)cells * sizeof *s->rows);
    return CGS_OK;
}

enum cgs_status cgs_summary_make(const struct cgs_collection *c, struct cgs_summary *s)
{
    *s = (struct cgs_summary){.context = c->context, .baseline = -1};
    const enum cgs_status status = allocate(c, s);
    if (status != CGS_OK) {
        cgs_summary_release(s);
        return status;
    }
    fill(c, s);
    s->baseline = find_baseline(c, s);
    for (int k = 0; k < s->times.kernels && s->baseline >= 0; k++)
        s->kernels[k].speedup = cgs_times_speedup(&s->times, k, s->baseline);
    return CGS_OK;
}

void cgs_summary_release(struct cgs_summary *s)
{
    cgs_free(s->context, s->kernels);
    cgs_free(s->context, s->matrices);
    cgs_free(s->context, s->times.seconds);
    cgs_free(s->context, s->shown.seconds);
    cgs_free(s->context, s->rows);
    *s = (struct cgs_summary){.baseline = -1};
}

const char *cgs_summary_baseline(const struct cgs_summary *s)
{
    return s->baseline >= 0 ? s->kernels[s->baseline].label : "";
}

void cgs_summary_say_single(const struct cgs_summary *s, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = s->shown.kernels; k < s->times.kernels; k++) {
        int won = 0, both = 0;
        for (int m = 0; m < s->shown.matrices && s->kernels[k].single; m++) {
            const double seconds = s->times.seconds[m * s->times.kernels + k];
            const double best = cgs_times_best(&s->shown, m);
            both += seconds > 0.0 && best > 0.0;
            won += seconds > 0.0 && seconds < best;
        }
        if (2 * won > both)
            snprintf(text, size,
                     "%s, is faster than every other kernel on %d of %d matrices: --threads=1 "
                     "gives all kernels one thread",
                     s->kernels[k].label, won, both);
    }
}

json_t *cgs_summary_json(const struct cgs_summary *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->times.kernels; k++) {
        const struct cgs_summary_kernel *kernel = &s->kernels[k];
        json_t *o = json_pack("{ss si si si}", "kernel", kernel->label, "matrices", kernel->timed,
                              "fastest", kernel->fastest, "failed", kernel->failed);
        if (kernel->speedup.matrices > 0)
            cgs_put_part(o, "speedup",
                         json_pack("{sf sf sf}", "geometric_mean", kernel->speedup.mean, "least",
                                   kernel->speedup.least, "most", kernel->speedup.most));
        json_array_append_new(list, o);
    }
    return list;
}

void cgs_summary_order(const struct cgs_summary *s, int *order)
{
    for (int k = 0; k < s->shown.kernels; k++) {
        int at = k;
        for (; at > 0 && s->kernels[order[at - 1]].speedup.mean < s->kernels[k].speedup.mean; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}
