/* The command cgsolve spgemm: checks the outputs, tries the kernels, then writes matrix and table,
 * also those of a failed run. */
#include "src/spgemm/multiply.h"
#include "src/spgemm/multiply_run.h"
#include "src/spgemm/multiply_text.h"

#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "core/options/option_table.h"
#include "core/options/options.h"
#include "lab/figure/bars.h"
#include "lab/io/figures.h"
#include "matrix/market/market_write.h"
#include "src/spgemm/traffic.h"

/* Fails the run with a sentence on the kernels that failed. */
static void judge(struct cgs_context *context, const struct cgs_multiply *m)
{
    int failed = 0, named = 0;
    for (int i = 0; i < m->count; i++)
        failed += m->rows[i].state == CGS_TRIAL_FAILED;
    if (failed == 0 || context->status != CGS_OK)
        return;
    cgs_fail(context, CGS_NOT_CONVERGED, "%d of %d kernels failed:", failed, m->count);
    for (int i = 0; i < m->count; i++)
        if (m->rows[i].state == CGS_TRIAL_FAILED)
            cgs_fail_add(context, "%s %s: %s", named++ > 0 ? ";" : "", m->rows[i].entry->name,
                         m->rows[i].reason);
}

/* ---- the figure: a bar per row of the table ---- */

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

static enum cgs_status plot(struct cgs_context *context, const void *self, const char *path)
{
    const struct cgs_multiply *m = self;
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

/* ---- JSON and CSV: unknown values are absent, or empty ---- */

static int figures_of(const struct cgs_multiply *m, const struct cgs_multiply_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool tried = r->slabs > 0;
    const bool verified = r->state == CGS_TRIAL_OPEN, timed = verified && r->products > 0;
    const bool rated = timed && r->attainable_gbs > 0.0;
    const struct cgs_figure figures[] = {
#define CGS_KERNEL_FACT CGS_FIGURE
#include "core/facts/facts_spgemm_kernel.def"
    };
    const int count = (int)(sizeof figures / sizeof *figures);
    for (int i = 0; i < count; i++)
        out[i] = figures[i];
    return count;
}

static void write_csv(FILE *file, const void *self)
{
    const struct cgs_multiply *m = self;
    struct cgs_figure figures[CGS_FIGURES_MOST];
    for (int i = 0; i < m->count; i++) {
        const int count = figures_of(m, &m->rows[i], figures);
        if (i == 0)
            cgs_figures_csv_head(file, figures, count);
        cgs_figures_csv(file, figures, count);
    }
}

static json_t *operand(const struct cgs_multiply *m, const struct cgs_operand *operand)
{
    json_t *o = json_object();
    cgs_put_input(o, &m->options->settings, &operand->input);
    cgs_put_integer(o, "rows", operand->facts.rows);
    cgs_put_integer(o, "columns", operand->facts.columns);
    cgs_put_integer(o, "nonzeros", operand->facts.nonzeros);
    cgs_put_part(o, "row_lengths", cgs_json_row_lengths(&operand->facts.statistics));
    return o;
}

static json_t *kernels(const struct cgs_multiply *m)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    json_t *list = json_array();
    for (int i = 0; i < m->count && !m->options->settings.plan; i++)
        json_array_append_new(list, cgs_figures_json(figures, figures_of(m, &m->rows[i], figures)));
    return list;
}

/* Writes the JSON report. CGS_MEMORY: it could not be built. */
static enum cgs_status write_json(struct cgs_context *context, FILE *file, const void *self)
{
    const struct cgs_multiply *m = self;
    struct cgs_report report = cgs_report_start(context, &m->options->settings, m->argc, m->argv);
    snprintf(report.date, sizeof report.date, "%s", m->date);
    report.machine = m->machine;
    report.has_machine = m->machine.backend != NULL;
    report.has_bandwidth = m->bandwidth[m->machine.device].read_gbs > 0.0;
    report.host_bandwidth = m->bandwidth[CGS_CPU];
    report.bandwidth = m->bandwidth[m->machine.device];
    json_t *root = cgs_json_head(&report), *object;
#include "core/facts/facts_spgemm.def"
    return cgs_json_end(context, file, root);
}

static void write_product(struct cgs_context *context, struct cgs_output *output,
                          const struct cgs_multiply *m)
{
    char comment[128];
    if (!output->target || !m->collected || cgs_interrupted() ||
        cgs_output_begin(context, output) != CGS_OK)
        return;
    const struct cgs_row_source source = cgs_crs_source(&m->c);
    snprintf(comment, sizeof comment, "C = A B, written by cgsolve %s (%s), %s", cgs_version(),
             cgs_commit(), m->date);
    if (cgs_market_write(context, output->file, comment, &source) == CGS_OK)
        cgs_output_commit(context, output);
}

static void write_text(const struct cgs_page *page, const void *self)
{
    const struct cgs_multiply *m = self;
    cgs_multiply_text(page, m);
    if (m->collected) {
        cgs_page_section(page, "Written");
        fprintf(page->file, "%s\n", cgs_plain(m->options->settings.output, (cgs_name){0}));
    }
}

/* Writes product and table, in this order, so that the JSON report includes all write errors. */
static void write_all(struct cgs_multiply *m, const struct cgs_call *call,
                      struct cgs_lab_outputs *outputs)
{
    const struct cgs_lab_table table = {.self = m,
                                        .filled = m->count > 0,
                                        .drawn = m->count > 0 && !m->options->settings.plan,
                                        .told = m->entries != NULL,
                                        .csv = write_csv,
                                        .plot = plot,
                                        .text = write_text,
                                        .json = write_json};
    cgs_stopwatch_enter(&m->context->watch, CGS_PHASE_OUTPUT);
    write_product(m->context, &outputs->matrix, m);
    cgs_output_discard(&outputs->matrix);
    cgs_lab_outputs_write(m->context, call, outputs, &table);
}

static void release(struct cgs_multiply *m)
{
    struct cgs_operand *const operands[] = {&m->left, &m->right};
    for (int i = 0; i < 2; i++) {
        cgs_input_release(m->context, &operands[i]->input);
        cgs_crs_release(m->context, &operands[i]->drawn);
    }
    cgs_crs_release(m->context, &m->c);
    cgs_free(m->context, m->products);
    cgs_free(m->context, m->entries);
    m->products = m->entries = NULL;
    cgs_machine_close(&m->machine);
}

enum cgs_status cgs_multiply(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_multiply m = {
        .options = options,
        .context = context,
        .argc = call->argc,
        .argv = call->argv,
        .number = cgs_precision_value(options->settings.precision),
    };
    struct cgs_lab_outputs outputs;
    cgs_date_now(m.date);
    cgs_interrupt_catch();
    cgs_lab_outputs_open(context, &call->files, "the product", options->settings.output, &outputs);
    if (context->status == CGS_OK)
        cgs_multiply_run(&m, options->settings.verbose ? call->said : NULL);
    judge(context, &m);
    write_all(&m, call, &outputs);
    release(&m);
    return context->status;
}
