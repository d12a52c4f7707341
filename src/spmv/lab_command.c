/* The command cgsolve spmv: checks the outputs, tries the kernels, then writes the table, also that
 * of a failed run. */
#include "src/spmv/lab_command.h"

#include <string.h>

#include "base/plain.h"
#include "core/facts/choice.h"
#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
#include "core/options/option_table.h"
#include "lab/io/figures.h"
#include "matrix/market/market_write.h"
#include "src/report/sections.h"
#include "src/spmv/lab_plot.h"
#include "src/spmv/lab_rows.h"
#include "src/spmv/lab_run.h"

/* Text report of cgsolve spmv: the matrix, the choice of --kernel=auto with its reasons, each
 * kernel's cost before the first product, the times of a product, and the kernels that failed. */

static bool several_devices(const struct cgs_lab *lab)
{
    for (int i = 1; i < lab->count; i++)
        if (lab->rows[i].device != lab->rows[0].device)
            return true;
    return false;
}

/* Writes the row's name: "crs_row", or "cpu crs_row, 1 thread" if needed to tell rows apart. */
static void name_row(const struct cgs_lab *lab, const struct cgs_lab_row *row, char *text,
                     size_t size)
{
    const bool single = row->device == CGS_CPU && row->threads == 1 && lab->context->threads > 1;
    snprintf(text, size, "%s%s%s%s", several_devices(lab) ? cgs_device_name(row->device) : "",
             several_devices(lab) ? " " : "", row->name, single ? ", 1 thread" : "");
    cgs_make_plain(text);
}

/* Widths of the first two columns. */
struct widths {
    int name, layout;
};

static struct widths widths_of(const struct cgs_lab *lab)
{
    struct widths widths = {(int)strlen("Kernel"), (int)strlen("layout")};
    for (int i = 0; i < lab->count; i++) {
        char name[96], layout[48];
        name_row(lab, &lab->rows[i], name, sizeof name);
        cgs_lab_layout_name(&lab->rows[i], layout, sizeof layout);
        if ((int)strlen(name) > widths.name)
            widths.name = (int)strlen(name);
        if ((int)strlen(layout) > widths.layout)
            widths.layout = (int)strlen(layout);
    }
    return widths;
}

static void write_name(const struct cgs_page *page, const struct cgs_lab *lab,
                       const struct cgs_lab_row *row, struct widths widths)
{
    char name[96], layout[48];
    const bool chosen = lab->chosen >= 0 && row == &lab->rows[lab->chosen];
    name_row(lab, row, name, sizeof name);
    cgs_lab_layout_name(row, layout, sizeof layout);
    fprintf(page->file, "%c %-*s %-*s", chosen ? '*' : ' ', widths.name, name, widths.layout,
            layout);
}

static void write_matrix(const struct cgs_page *page, const struct cgs_lab *lab)
{
    const struct cgs_matrix *m = &lab->crs;
    const struct cgs_row_statistics *s = &m->statistics;
    cgs_text rows, columns, nonzeros, bytes;
    char name[4096];
    cgs_page_section(page, "Matrix");
    cgs_input_name(lab->input, name, sizeof name);
    fprintf(page->file, "%s, %s\n", name,
            cgs_option_choice(&lab->options->settings, CGS_OPTION_precision));
    cgs_page_more(page);
    fprintf(page->file, "%s x %s, %s entries, %s as CRS\n", cgs_count_text(m->rows, rows),
            cgs_count_text(m->columns, columns), cgs_short_count_text(m->nonzeros, nonzeros),
            cgs_bytes_text(lab->rows[0].bytes_before, bytes));
    cgs_page_more(page);
    fprintf(page->file, "rows of %d to %d entries, mean %.1f, deviation %.1f, %lld empty\n",
            (int)s->shortest, (int)s->longest, s->mean, s->deviation, (long long)s->empty);
    if (lab->cached) {
        cgs_page_more(page);
        fprintf(
            page->file,
            "matrix and vectors fit in the cache%s, so these figures do not measure main memory\n",
            lab->options->cold ? ", which is flushed before each product" : "");
    }
}

/* Writes the name and layout of a row, or their heads (NULL); returns the columns that they
 * take. */
static int write_label(const struct cgs_page *page, const struct cgs_lab *lab,
                       const struct cgs_lab_row *row)
{
    const struct widths widths = widths_of(lab);
    if (row)
        write_name(page, lab, row, widths);
    else
        fprintf(page->file, "\n  %-*s %-*s", widths.name, "Kernel", widths.layout, "layout");
    return 2 + widths.name + 1 + widths.layout;
}

enum { COUNT_BEFORE = 6, COUNT_PRODUCTS = 10 };

/* Writes the table of bytes and seconds before the first product. */
static void write_before(const struct cgs_page *page, const struct cgs_lab *lab)
{
    static const struct cgs_page_column columns[COUNT_BEFORE] = {
        {"matrix", 10, 0}, {"of CRS", 8, 2},   {"padding", 8, 3},
        {"convert", 9, 1}, {"transfer", 9, 2}, {"GB/s", 6, 3},
    };
    int count = COUNT_BEFORE - 2; /* where nothing is sent */
    for (int i = 0; i < lab->count; i++)
        count = lab->rows[i].transfer_bytes > 0 ? COUNT_BEFORE : count;
    const int rank = cgs_page_ranks(columns, count, write_label(page, lab, NULL));
    cgs_page_cells(page->file, columns, count, rank, NULL);
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        const bool sent = row->transfer_bytes > 0 && row->transfer_seconds > 0.0;
        cgs_text texts[COUNT_BEFORE];
        if (row->state == CGS_TRIAL_SKIPPED)
            continue;
        const char *const cells[COUNT_BEFORE] = {
            cgs_bytes_text(row->bytes_after, texts[0]),
            cgs_percent_text((double)row->bytes_after, (double)row->bytes_before, texts[1]),
            row->padding > 0 ? cgs_bytes_text(row->padding, texts[2]) : "-",
            cgs_seconds_text(row->convert_seconds, texts[3]),
            sent ? cgs_seconds_text(row->transfer_seconds, texts[4]) : "",
            sent ? cgs_number_text(1e-9 * (double)row->transfer_bytes / row->transfer_seconds,
                                   texts[5])
                 : "",
        };
        write_label(page, lab, row);
        cgs_page_cells(page->file, columns, count, rank, cells);
    }
}

/* Writes the table of seconds of a product, bandwidths and ratios. */
static void write_products(const struct cgs_page *page, const struct cgs_lab *lab)
{
    static const struct cgs_page_column columns[COUNT_PRODUCTS] = {
        {"median", 9, 0},    {"least", 9, 4},   {"most", 9, 4},   {"GB/s", 7, 1},
        {"of max", 6, 2},    {"default", 7, 0}, {"vendor", 7, 3}, {"1 thread", 8, 3},
        {"pays from", 9, 5}, {"GFLOP/s", 8, 2},
    };
    const bool arithmetic = lab->arithmetic[lab->machine->device] > 0.0;
    const int count = COUNT_PRODUCTS - !arithmetic;
    const int rank = cgs_page_ranks(columns, count, write_label(page, lab, NULL));
    char legend[640];
    cgs_page_cells(page->file, columns, count, rank, NULL);
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        cgs_text texts[COUNT_PRODUCTS];
        if (row->state == CGS_TRIAL_SKIPPED || row->state == CGS_TRIAL_FAILED)
            continue;
        const char *const cells[COUNT_PRODUCTS] = {
            cgs_seconds_text(row->median, texts[0]),
            cgs_seconds_text(row->least, texts[1]),
            cgs_seconds_text(row->most, texts[2]),
            cgs_number_text(row->gbs, texts[3]),
            row->limit.name ? cgs_percent_text(row->limit.share, 1.0, texts[4])
                            : cgs_percent_text(row->gbs, row->attainable_gbs, texts[4]),
            cgs_times_text(row->default_ratio, texts[5]),
            cgs_times_text(row->vendor_ratio, texts[6]),
            cgs_times_text(row->speedup, texts[7]),
            row->break_even < 0    ? "never"
            : row->break_even == 0 ? "at once"
                                   : cgs_short_count_text(row->break_even, texts[8]),
            row->gflops > 0.0 ? cgs_number_text(row->gflops, texts[9]) : "-",
        };
        write_label(page, lab, row);
        cgs_page_cells(page->file, columns, count, rank, cells);
    }
    snprintf(legend, sizeof legend,
             "median, least, most: of one product, %lld of each in turn with the others%s; of max: "
             "of the bandwidth measured beside it%s; default, vendor, 1 thread: times as fast as "
             "the default kernel of CRS, a vendor's, one thread; pays from: "
             "number of products after which the total time, conversion and transfer included, "
             "beats the best CPU kernel",
             (long long)lab->options->repeat, lab->options->cold ? ", caches flushed" : "",
             arithmetic ? ", or of operations in registers where those are the nearer limit" : "");
    fputs("\n  ", page->file);
    cgs_page_wrap(page->file, legend, 2);
}

/* Says that the baseline of one thread beats all kernels, where it does. */
static void write_single(const struct cgs_page *page, const struct cgs_lab *lab)
{
    const struct cgs_lab_row *single = NULL;
    int slower = 0, timed = 0;
    for (int i = 0; i < lab->count; i++) {
        timed += lab->rows[i].speedup > 0.0;
        slower += lab->rows[i].speedup > 0.0 && lab->rows[i].speedup < 1.0;
        if (lab->rows[i].threads == 1 && lab->rows[i].beside && !lab->rows[i].standard)
            single = &lab->rows[i];
    }
    if (!single || timed < 2 || slower < timed - 1)
        return;
    fputc('\n', page->file);
    cgs_page_section(page, "Note");
    fprintf(page->file, "one thread of %s is faster than every other kernel: --threads=1\n",
            single->name);
}

static void write_others(const struct cgs_page *page, const struct cgs_lab *lab,
                         enum cgs_trial_state state, const char *label)
{
    bool first = true;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        char name[96], layout[48], text[1024];
        if (row->state != state)
            continue;
        cgs_page_item(page, label, &first);
        name_row(lab, row, name, sizeof name);
        cgs_lab_layout_name(row, layout, sizeof layout);
        snprintf(text, sizeof text, "%s (%s): %s", name, layout, row->reason);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

/* Writes how users' kernels were contained, if there are any: all alike. */
static void write_containment(const struct cgs_page *page, const struct cgs_lab *lab)
{
    char text[256];
    const struct cgs_lab_row *contained = NULL;
    for (int i = 0; i < lab->count && !contained; i++)
        contained = lab->rows[i].uncontained ? &lab->rows[i] : NULL;
    if (!contained)
        return;
    cgs_page_section(page, "Contained");
    if (contained->uncontained[0])
        snprintf(text, sizeof text,
                 "your own kernels ran without %s: doc/own-kernel.md says what that is for",
                 contained->uncontained);
    else
        snprintf(text, sizeof text,
                 "your own kernels reached no files, network or processes of yours");
    cgs_make_plain(text);
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

/* Names the users' kernels that were believed with less than all trials on small matrices. */
static void write_trials(const struct cgs_page *page, const struct cgs_lab *lab)
{
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        const struct cgs_battery_result *tried = row->tried;
        char text[512], declined[64] = "";
        if (!tried || row->state == CGS_TRIAL_FAILED || (tried->declined == 0 && !tried->late))
            continue;
        cgs_page_section(page, "Trials");
        if (tried->declined > 0)
            snprintf(declined, sizeof declined, ", %d of them declined", tried->declined);
        snprintf(text, sizeof text, "%s: %s%d small test matrices were tried%s%s", row->name,
                 tried->late ? "only " : "", tried->trials,
                 tried->late ? " before the time limit" : "", declined);
        cgs_make_plain(text);
        cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
    }
}

static void lab_text(const struct cgs_page *page, const struct cgs_lab *lab)
{
    double worst = 0.0;
    int verified = 0;
    cgs_page_machine(page, lab->machine, lab->context->threads, lab->bandwidth);
    write_matrix(page, lab);
    if (lab->has_choice)
        cgs_page_choice(page, &lab->choice);
    write_before(page, lab);
    write_products(page, lab);
    write_single(page, lab);
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        if (row->state != CGS_TRIAL_OPEN && row->state != CGS_TRIAL_DROPPED)
            continue;
        verified++;
        worst = row->worst_error > worst ? row->worst_error : worst;
    }
    fputc('\n', page->file);
    cgs_page_section(page, "Verified");
    fprintf(page->file,
            "%d kernels by rows against long double; worst error %s of what rounding allows\n",
            verified, cgs_number_text(worst, (cgs_text){0}));
    write_containment(page, lab);
    write_trials(page, lab);
    write_others(page, lab, CGS_TRIAL_DROPPED, "Dropped");
    write_others(page, lab, CGS_TRIAL_SKIPPED, "Skipped");
    write_others(page, lab, CGS_TRIAL_FAILED, "FAILED");
}

/* Returns true if an earlier row is about the same kernel with another layout or number of threads.
 * failed: only rows that failed count. */
static bool told_before(const struct cgs_lab *lab, int at, bool failed)
{
    for (int i = 0; i < at; i++)
        if (lab->rows[i].device == lab->rows[at].device &&
            lab->rows[i].beside == lab->rows[at].beside &&
            strcmp(lab->rows[i].name, lab->rows[at].name) == 0 &&
            (!failed || lab->rows[i].state == CGS_TRIAL_FAILED))
            return true;
    return false;
}

/* Fails the run with a sentence on the kernels that failed. Counts each kernel asked for once,
 * whatever its layouts, without skipped vendor kernels. */
static void judge(struct cgs_context *context, const struct cgs_lab *lab)
{
    int asked = 0, failed[2] = {0}, named = 0;
    for (int i = 0; i < lab->count; i++) {
        const struct cgs_lab_row *row = &lab->rows[i];
        const bool absent = row->reference && row->state == CGS_TRIAL_SKIPPED;
        if (!row->beside && !absent && !told_before(lab, i, false))
            asked++;
        if (row->state == CGS_TRIAL_FAILED && !told_before(lab, i, true))
            failed[row->beside]++;
    }
    if (failed[false] + failed[true] == 0 || context->status != CGS_OK)
        return;
    if (failed[false] > 0)
        cgs_fail(context, CGS_NOT_CONVERGED, "%d of %d kernel%s failed:", failed[false], asked,
                 asked == 1 ? "" : "s");
    else
        cgs_fail(context, CGS_NOT_CONVERGED,
                 "none of the %d kernel%s asked for failed, but %d that they are held against did:",
                 asked, asked == 1 ? "" : "s", failed[true]);
    for (int i = 0; i < lab->count; i++)
        if (lab->rows[i].state == CGS_TRIAL_FAILED)
            cgs_fail_add(context, "%s %s: %s", named++ > 0 ? ";" : "",
                         lab->rows[i].file ? lab->rows[i].file : lab->rows[i].name,
                         lab->rows[i].reason);
}

/* ---- JSON and CSV: unknown values are absent, or empty ---- */

static int figures_of(const struct cgs_lab *lab, const struct cgs_lab_row *r,
                      struct cgs_figure out[CGS_FIGURES_MOST])
{
    const bool sell = cgs_format_chunked(r->format), tried = r->state != CGS_TRIAL_SKIPPED;
    const bool verified = r->state == CGS_TRIAL_OPEN || r->state == CGS_TRIAL_DROPPED;
    const bool sent = r->transfer_bytes > 0 && r->transfer_seconds > 0.0;
    const struct cgs_figure figures[] = {
#define CGS_KERNEL_FACT CGS_FIGURE
#include "core/facts/facts_spmv_kernel.def"
    };
    const int count = (int)(sizeof figures / sizeof *figures);
    for (int i = 0; i < count; i++)
        out[i] = figures[i];
    return count;
}

static void write_csv(FILE *file, const void *self)
{
    const struct cgs_lab *lab = self;
    struct cgs_figure figures[CGS_FIGURES_MOST];
    for (int i = 0; i < lab->count; i++) {
        const int count = figures_of(lab, &lab->rows[i], figures);
        if (i == 0)
            cgs_figures_csv_head(file, figures, count);
        cgs_figures_csv(file, figures, count);
    }
}

static json_t *kernels(const struct cgs_lab *lab)
{
    struct cgs_figure figures[CGS_FIGURES_MOST];
    json_t *list = json_array();
    for (int i = 0; i < lab->count; i++)
        json_array_append_new(list,
                              cgs_figures_json(figures, figures_of(lab, &lab->rows[i], figures)));
    return list;
}

static json_t *matrix(const struct cgs_lab *lab)
{
    json_t *o = json_object();
    cgs_put_input(o, &lab->options->settings, lab->input);
    cgs_put_integer(o, "rows", lab->crs.rows);
    cgs_put_integer(o, "columns", lab->crs.columns);
    cgs_put_integer(o, "nonzeros", lab->crs.nonzeros);
    if (lab->count > 0)
        cgs_put_integer(o, "bytes_crs", lab->rows[0].bytes_before);
    cgs_put_part(o, "row_lengths", cgs_json_row_lengths(&lab->crs.statistics));
    return o;
}

/* Writes the JSON report. CGS_MEMORY: it could not be built; write errors show in ferror(file). */
static enum cgs_status write_json(struct cgs_context *context, FILE *file, const void *self)
{
    const struct cgs_lab *lab = self;
    struct cgs_report report =
        cgs_report_start(context, &lab->options->settings, lab->argc, lab->argv);
    snprintf(report.date, sizeof report.date, "%s", lab->date);
    report.machine = *lab->machine;
    report.has_machine = lab->machine->backend != NULL;
    report.has_bandwidth = lab->bandwidth[CGS_CPU].read_gbs > 0.0;
    report.host_bandwidth = lab->bandwidth[CGS_CPU];
    report.bandwidth = lab->bandwidth[lab->machine->device];
    json_t *root = cgs_json_head(&report), *object;
    if (lab->has_choice)
        cgs_put_part(root, "choice", cgs_json_choice(&lab->choice));
#include "core/facts/facts_spmv.def"
    return cgs_json_end(context, file, root);
}

static void save_matrix(struct cgs_context *context, struct cgs_output *output,
                        const struct cgs_lab *lab)
{
    if (!output->target || !lab->drawn || context->status != CGS_OK ||
        cgs_output_begin(context, output) != CGS_OK)
        return;
    if (cgs_market_write(context, output->file, "cgsolve", &lab->input->source) == CGS_OK)
        cgs_output_commit(context, output);
}

static enum cgs_status plot(struct cgs_context *context, const void *self, const char *path)
{
    return cgs_lab_plot(context, self, path);
}

static void write_text(const struct cgs_page *page, const void *self)
{
    lab_text(page, self);
}

/* Writes matrix and table, in this order, so that the JSON report includes all write errors. */
static void write_all(struct cgs_context *context, const struct cgs_call *call,
                      struct cgs_lab_outputs *outputs, const struct cgs_lab *lab)
{
    const bool filled = lab->count > 0;
    const struct cgs_lab_table table = {.self = lab,
                                        .filled = filled,
                                        .drawn = filled,
                                        .told = filled,
                                        .csv = write_csv,
                                        .plot = plot,
                                        .text = write_text,
                                        .json = write_json};
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    save_matrix(context, &outputs->matrix, lab);
    cgs_output_discard(&outputs->matrix);
    cgs_lab_outputs_write(context, call, outputs, &table);
}

enum cgs_status cgs_lab(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_lab lab = {.argc = call->argc,
                          .argv = call->argv,
                          .options = options,
                          .context = context,
                          .precision = options->settings.precision,
                          .chosen = -1};
    struct cgs_machine machine = {0};
    struct cgs_input input = {0};
    struct cgs_lab_outputs outputs;
    cgs_date_now(lab.date);
    lab.machine = &machine;
    lab.input = &input;
    cgs_interrupt_catch();
    cgs_lab_outputs_open(context, &call->files, "the matrix", options->settings.save_matrix,
                         &outputs);
    if (context->status == CGS_OK)
        cgs_lab_run(context, options, options->settings.verbose ? call->said : NULL, &machine,
                    &input, &lab);
    judge(context, &lab);
    write_all(context, call, &outputs, &lab);
    cgs_lab_release(context, &lab);
    cgs_input_release(context, &input);
    cgs_machine_close(&machine);
    return context->status;
}
