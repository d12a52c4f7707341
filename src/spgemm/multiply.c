/* The command cgsolve spgemm: checks the outputs, tries the kernels, then writes matrix and table,
 * also those of a failed run. */
#include "src/spgemm/multiply.h"

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
#include "src/report/sections.h"
#include "src/spgemm/multiply_run.h"
#include "src/spgemm/multiply_table.h"
#include "src/spgemm/traffic.h"

/* Text report of cgsolve spgemm: operands, product, memory, and the times of each kernel. */

static const char *const stage_names[CGS_SPGEMM_STAGES] = {[CGS_SPGEMM_BEGIN] = "begin",
                                                           [CGS_SPGEMM_COUNT] = "count",
                                                           [CGS_SPGEMM_ALLOC] = "alloc",
                                                           [CGS_SPGEMM_FILL] = "fill",
                                                           [CGS_SPGEMM_SORT] = "sort"};

static void write_operand(const struct cgs_page *page, const char *label,
                          const struct cgs_operand *operand)
{
    const struct cgs_matrix *facts = &operand->facts;
    char name[4096];
    cgs_text rows, columns, entries;
    cgs_page_section(page, label);
    cgs_input_name(&operand->input, name, sizeof name);
    fprintf(page->file, "%s: %s x %s, %s entries\n", name, cgs_count_text(facts->rows, rows),
            cgs_count_text(facts->columns, columns),
            cgs_short_count_text(facts->nonzeros, entries));
    cgs_page_row_lengths(page, &facts->statistics);
}

static void page_product(const struct cgs_page *page, const struct cgs_multiply *m)
{
    const struct cgs_spgemm_size *s = &m->size;
    cgs_text rows, columns, entries, products, least, gustavson;
    cgs_page_section(page, "C = A B");
    fprintf(page->file, "%s x %s, %s entries of %s products (%.2f in one on average), %s\n",
            cgs_count_text(s->rows, rows), cgs_count_text(s->columns, columns),
            cgs_short_count_text(s->entries, entries), cgs_short_count_text(s->products, products),
            s->entries > 0 ? (double)s->products / (double)s->entries : 0.0,
            cgs_option_choice(&m->options->settings, CGS_OPTION_precision));
    cgs_page_more(page);
    fprintf(page->file, "moves at least %s (A, B, C once); row by row it reads and writes %s\n",
            cgs_bytes_text(cgs_multiply_least_bytes(m), least),
            cgs_bytes_text(cgs_multiply_gustavson_bytes(m), gustavson));
}

/* Writes the row's name, with the device if rows differ in it: "cpu spgemm_rows". */
static void name_row(const struct cgs_multiply *m, const struct cgs_multiply_row *row, char *text,
                     size_t size)
{
    bool several = false;
    for (int i = 0; i < m->count; i++)
        several = several || m->rows[i].entry->device != row->entry->device;
    snprintf(text, size, "%s%s%s", several ? cgs_device_name(row->entry->device) : "",
             several ? " " : "", row->entry->name);
}

static int widest(const struct cgs_multiply *m)
{
    int width = (int)strlen("Kernel");
    for (int i = 0; i < m->count; i++) {
        char name[96];
        name_row(m, &m->rows[i], name, sizeof name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    return width;
}

static bool is_timed(const struct cgs_multiply_row *row)
{
    return row->state == CGS_TRIAL_OPEN && row->products > 0;
}

enum { COLUMNS = 9 };

static void write_times(const struct cgs_page *page, const struct cgs_multiply *m)
{
    static const struct cgs_page_column columns[COLUMNS] = {
        {"median", 9, 0}, {"least", 9, 3},  {"most", 9, 3},      {"first", 9, 4}, {"GFLOP/s", 8, 2},
        {"GB/s", 7, 0},   {"of max", 6, 1}, {"reference", 9, 2}, {"slabs", 6, 4},
    };
    const int width = widest(m), rank = cgs_page_ranks(columns, COLUMNS, 2 + width);
    fprintf(page->file, "\n  %-*s", width, "Kernel");
    cgs_page_cells(page->file, columns, COLUMNS, rank, NULL);
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        cgs_text texts[COLUMNS];
        char name[96];
        if (!is_timed(row))
            continue;
        const char *const cells[COLUMNS] = {
            cgs_seconds_text(row->median, texts[0]),
            cgs_seconds_text(row->least, texts[1]),
            cgs_seconds_text(row->most, texts[2]),
            cgs_seconds_text(row->first, texts[3]),
            cgs_number_text(row->gflops, texts[4]),
            cgs_number_text(row->gbs, texts[5]),
            cgs_percent_text(row->gbs, row->attainable_gbs, texts[6]),
            cgs_times_text(row->ratio, texts[7]),
            cgs_count_text(row->slabs, texts[8]),
        };
        name_row(m, row, name, sizeof name);
        fprintf(page->file, "  %-*s", width, name);
        cgs_page_cells(page->file, columns, COLUMNS, rank, cells);
    }
}

static void write_stages(const struct cgs_page *page, const struct cgs_multiply *m)
{
    const int width = widest(m);
    fprintf(page->file, "\n  %-*s", width, "Kernel");
    for (int s = 0; s < CGS_SPGEMM_STAGES; s++)
        fprintf(page->file, " %9s", stage_names[s]);
    fputc('\n', page->file);
    for (int i = 0; i < m->count; i++) {
        char name[96];
        if (!is_timed(&m->rows[i]))
            continue;
        name_row(m, &m->rows[i], name, sizeof name);
        fprintf(page->file, "  %-*s", width, name);
        for (int s = 0; s < CGS_SPGEMM_STAGES; s++) {
            cgs_text seconds;
            fprintf(page->file, " %9s", cgs_seconds_text(m->rows[i].stages[s], seconds));
        }
        fputc('\n', page->file);
    }
    fputs("\n  ", page->file);
    cgs_page_wrap(
        page->file,
        "median, least, most: of one product by the clock, the memory of C counted, in "
        "turn with the others; first: the one that was verified; of max: of the bandwidth "
        "measured beside it; reference: times as fast as the best of the vendor's or "
        "textbook's; stages: medians of products with marks between them",
        2);
}

/* Lists the kernels that computed C in slabs. */
static void write_slabs(const struct cgs_page *page, const struct cgs_multiply *m)
{
    bool first = true;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        char name[96];
        if (row->slabs <= 1)
            continue;
        cgs_page_item(page, "Memory", &first);
        name_row(m, row, name, sizeof name);
        fprintf(page->file, "%s: C in %d slabs of rows, one after the other", name, row->slabs);
        for (int place = 0; place < CGS_PLACES; place++) {
            cgs_text planned, there;
            if (row->planned[place] > 0)
                fprintf(page->file, "; %s of %s of the %s %s",
                        cgs_bytes_text(row->planned[place], planned),
                        cgs_bytes_text(m->room.bytes[place], there), cgs_place_name(place),
                        m->room.limited[place] ? "(--memory-limit)" : "that are free");
        }
        fputc('\n', page->file);
    }
}

static void write_verified(const struct cgs_page *page, const struct cgs_multiply *m)
{
    double worst = 0.0, projected = 0.0;
    int verified = 0;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        if (row->state != CGS_TRIAL_OPEN)
            continue;
        verified++;
        worst = row->worst_error > worst ? row->worst_error : worst;
        projected = row->projected > projected ? row->projected : projected;
    }
    if (verified == 0)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Verified");
    fprintf(page->file,
            "%d kernel%s, every entry of C: worst error %s of what rounding allows; C x = A (B x): "
            "%s\n",
            verified, verified == 1 ? "" : "s", cgs_number_text(worst, (cgs_text){0}),
            cgs_number_text(projected, (cgs_text){0}));
}

static void write_others(const struct cgs_page *page, const struct cgs_multiply *m,
                         enum cgs_trial_state state, const char *label)
{
    bool first = true;
    for (int i = 0; i < m->count; i++) {
        const struct cgs_multiply_row *row = &m->rows[i];
        char name[96], text[768];
        if (row->state != state)
            continue;
        cgs_page_item(page, label, &first);
        name_row(m, row, name, sizeof name);
        snprintf(text, sizeof text, "%s: %s", name, row->reason);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

/* Writes consecutive arrays of one name, from line i on, as one line; returns their number. */
static int write_plan_line(const struct cgs_page *page, const struct cgs_plan *plan, int i)
{
    const struct cgs_plan_line *first = &plan->lines[i];
    int64_t bytes = 0;
    int count = 0;
    cgs_text text;
    for (; i + count < plan->count && first[count].place == first->place &&
           strcmp(first[count].what, first->what) == 0;
         count++)
        bytes += first[count].bytes;
    cgs_page_more(page);
    fprintf(page->file, "%-28s %-6s %10s\n", first->what, cgs_place_name(first->place),
            cgs_bytes_text(bytes, text));
    return count;
}

/* Writes the memory plan of --plan, instead of a table. */
static void write_plan(const struct cgs_page *page, const struct cgs_multiply *m)
{
    if (!m->planned)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Memory");
    if (m->plan_slabs == 0) {
        fprintf(page->file, "it does not fit\n");
        return;
    }
    fprintf(page->file, "%s, in %d slab%s of rows:\n", m->planned->entry->name, m->plan_slabs,
            m->plan_slabs == 1 ? "" : "s");
    for (int i = 0; i < m->plan.count;)
        i += write_plan_line(page, &m->plan, i);
    for (int place = 0; place < CGS_PLACES; place++) {
        cgs_text all, there;
        if (m->plan.total[place] == 0)
            continue;
        cgs_page_more(page);
        fprintf(page->file, "%-28s %-6s %10s of %s %s\n", "in all", cgs_place_name(place),
                cgs_bytes_text(m->plan.total[place], all),
                cgs_bytes_text(m->room.bytes[place], there),
                m->room.limited[place] ? "(--memory-limit)" : "free");
    }
}

static void multiply_text(const struct cgs_page *page, const struct cgs_multiply *m)
{
    bool timed = false;
    if (!m->options->settings.plan)
        cgs_page_machine(page, &m->machine, m->context->threads, m->bandwidth);
    write_operand(page, "A", m->a);
    if (m->b != m->a)
        write_operand(page, "B", m->b);
    page_product(page, m);
    if (m->options->settings.plan) {
        write_plan(page, m);
        return;
    }
    for (int i = 0; i < m->count; i++)
        timed = timed || is_timed(&m->rows[i]);
    if (timed) {
        write_times(page, m);
        write_stages(page, m);
    }
    write_slabs(page, m);
    write_verified(page, m);
    write_others(page, m, CGS_TRIAL_SKIPPED, "Skipped");
    write_others(page, m, CGS_TRIAL_FAILED, "FAILED");
}

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
    multiply_text(page, m);
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
