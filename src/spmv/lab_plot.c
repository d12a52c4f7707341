/* Figure of cgsolve spmv: a bar per row of the table. */
#include "src/spmv/lab_plot.h"
#include "base/memory.h"
#include "core/io/format.h"
#include "lab/figure/bars.h"

/* Names a bar: kernel, layout of SELL, and device and threads if they differ between rows. */
static void name_bar(const struct cgs_lab *lab, const struct cgs_lab_row *row, struct cgs_bar *bar)
{
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
             device, threads[0] ? ", " : "", threads, bar->failed ? " (FAILED)" : "");
}

static int make_bars(const struct cgs_lab *lab, struct cgs_bar *bars)
{
    int count = 0;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        if (row->state != CGS_TRIAL_OPEN && row->state != CGS_TRIAL_FAILED)
            continue;
        struct cgs_bar *bar = &bars[count++];
        *bar = (struct cgs_bar){.series = row->plugin      ? CGS_BAR_YOURS
                                          : row->reference ? CGS_BAR_VENDOR
                                                           : CGS_BAR_OURS,
                                .failed = row->state == CGS_TRIAL_FAILED,
                                .median = row->median,
                                .least = row->least,
                                .most = row->most,
                                .rate = row->gbs,
                                .attainable = row->attainable_gbs,
                                .speedup = row->speedup};
        name_bar(lab, row, bar);
    }
    return count;
}

static void describe_matrix(const struct cgs_lab *lab, char *text, size_t size)
{
    char name[192];
    cgs_text rows, entries;
    cgs_input_title(lab->input, name, sizeof name);
    snprintf(text, size, "%s: %s rows, %s entries, %s precision%s", name,
             cgs_short_count_text(lab->crs.rows, rows),
             cgs_short_count_text(lab->crs.nonzeros, entries), cgs_precision_name(lab->precision),
             lab->cached ? ", in cache" : "");
}

enum cgs_status cgs_lab_plot(struct cgs_context *context, const struct cgs_lab *lab,
                             const char *path)
{
    char title[256], subtitle[512];
    struct cgs_bars bars = {.title = title,
                            .subtitle = subtitle,
                            .time = "one product",
                            .rate_title = "Bandwidth, and what the memory attains",
                            .rate_label = "bytes of one product / median time [GB/s]",
                            .speedup_title = "Speed-up against one thread of the CPU"};
    CGS_TRY(cgs_alloc(context, lab->count, sizeof *bars.bars, "the figure", (void **)&bars.bars));
    bars.count = make_bars(lab, bars.bars);
    describe_matrix(lab, title, sizeof title);
    cgs_bars_describe_run(lab->machine, lab->context->threads,
                          lab->options->cold ? "caches flushed before each product"
                                             : "caches as they are",
                          lab->date, subtitle, sizeof subtitle);
    const enum cgs_status status = cgs_bars_plot(context, &bars, path);
    cgs_free(context, bars.bars);
    return status;
}
