/* Figure of cgsolve spgemm: a bar per row of the table. */
#include "src/spgemm/multiply_plot.h"
#include "core/io/format.h"
#include "core/options/option_table.h"
#include "core/options/options.h"
#include "lab/figure/bars.h"

static int make_bars(const struct cgs_multiply *m, struct cgs_bar bars[CGS_MULTIPLY_ROWS])
{
    int count = 0;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        const bool failed = row->state == CGS_TRIAL_FAILED;
        if (!failed && (row->state != CGS_TRIAL_OPEN || row->products == 0))
            continue;
        struct cgs_bar *bar = &bars[count++];
        *bar = (struct cgs_bar){.series = row->kernel->reference ? CGS_BAR_VENDOR : CGS_BAR_OURS,
                                .failed = failed,
                                .median = row->median,
                                .least = row->least,
                                .most = row->most,
                                .rate = row->gflops,
                                .speedup = row->ratio};
        snprintf(bar->name, sizeof bar->name, "%s, %s%s", row->entry->name,
                 cgs_device_name(row->entry->device), failed ? " (FAILED)" : "");
    }
    return count;
}

static void describe_product(const struct cgs_multiply *m, char *text, size_t size)
{
    char a[192], b[192] = "A";
    cgs_text entries, products;
    cgs_input_title(&m->a->input, a, sizeof a);
    if (m->b != m->a)
        cgs_input_title(&m->b->input, b, sizeof b);
    snprintf(text, size, "A %s, A = %s: %s products, %s entries, %s precision", b, a,
             cgs_short_count_text(m->size.products, products),
             cgs_short_count_text(m->size.entries, entries),
             cgs_option_choice(&m->options->settings, CGS_OPTION_precision));
}

enum cgs_status cgs_multiply_plot(struct cgs_context *context, const struct cgs_multiply *m,
                                  const char *path)
{
    char title[512], subtitle[512];
    struct cgs_bar all[CGS_MULTIPLY_ROWS];
    describe_product(m, title, sizeof title);
    cgs_bars_describe_run(&m->machine, m->context->threads, "the memory of C counted", m->date,
                          subtitle, sizeof subtitle);
    const struct cgs_bars bars = {.title = title,
                                  .subtitle = subtitle,
                                  .time = "one product of matrices",
                                  .rate_title = "Operations, two a product",
                                  .rate_label = "GFLOP/s",
                                  .speedup_title = "Against the best reference",
                                  .bars = all,
                                  .count = make_bars(m, all)};
    return cgs_bars_plot(context, &bars, path);
}
