/* The command cgsolve spmv: checks the outputs, tries the kernels, then writes the table, also that
 * of a failed run. */
#include "src/spmv/lab_command.h"
#include "src/spmv/lab_json.h"
#include "src/spmv/lab_plot.h"
#include "src/spmv/lab_run.h"
#include "src/spmv/lab_text.h"

#include <string.h>

#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
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

static void save_matrix(struct cgs_context *context, struct cgs_output *output,
                        const struct cgs_lab *lab)
{
    if (!output->target || !lab->drawn || context->status != CGS_OK ||
        cgs_output_begin(context, output) != CGS_OK)
        return;
    if (cgs_market_write(context, output->file, "cgsolve", &lab->input->source) == CGS_OK)
        cgs_output_commit(context, output);
}

/* Writes matrix, CSV, figure, text and JSON, in this order, so that the JSON report includes the
 * write errors of the others. */
static void write_all(struct cgs_context *context, const struct cgs_options *options,
                      struct cgs_lab_outputs *outputs, const struct cgs_lab *lab, FILE *text)
{
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    save_matrix(context, &outputs->matrix, lab);
    cgs_output_discard(&outputs->matrix);
    if (outputs->csv.target && lab->count > 0 &&
        cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        cgs_lab_csv(outputs->csv.file, lab);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    const bool drawn =
        options->plot && lab->count > 0 && cgs_lab_plot(context, lab, options->plot) == CGS_OK;
    if (text && lab->count > 0 && !(options->json && strcmp(options->json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, text);
        cgs_lab_text(&page, lab);
        if (drawn) {
            cgs_page_section(&page, "Figure");
            fprintf(page.file, "%s\n", cgs_plain(options->plot, (cgs_name){0}));
        }
        cgs_page_close(context, &page);
        cgs_output_flush(context, text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    if (outputs->json.target && cgs_output_begin(context, &outputs->json) == CGS_OK) {
        cgs_lab_json(context, outputs->json.file, lab);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
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
    write_all(context, options, &outputs, &lab, call->text);
    cgs_lab_release(context, &lab);
    cgs_input_release(context, &input);
    cgs_machine_close(&machine);
    return context->status;
}
