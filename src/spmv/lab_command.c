/* The command cgsolve spmv: checks the outputs, tries the kernels, then writes the table, also that
 * of a failed run. */
#include "src/spmv/lab_command.h"
#include "src/spmv/lab_plot.h"
#include "src/spmv/lab_run.h"
#include "src/spmv/lab_text.h"

#include <string.h>

#include "base/plain.h"
#include "core/facts/choice.h"
#include "core/facts/facts_put.h"
#include "core/facts/report_json.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
#include "core/options/option_table.h"
#include "lab/io/figures.h"
#include "matrix/market/market_write.h"

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
    cgs_lab_text(page, self);
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
