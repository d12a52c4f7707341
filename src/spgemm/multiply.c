/* The command cgsolve spgemm: checks the outputs, tries the kernels, then writes matrix and table,
 * also those of a failed run. */
#include "src/spgemm/multiply.h"
#include "src/spgemm/multiply_json.h"
#include "src/spgemm/multiply_plot.h"
#include "src/spgemm/multiply_run.h"
#include "src/spgemm/multiply_text.h"

#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "core/options/options.h"
#include "matrix/market/market_write.h"

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

/* Writes product, CSV, figure, text and JSON, in this order, so that the JSON report includes the
 * write errors of the others. */
static void write_all(struct cgs_multiply *m, struct cgs_lab_outputs *outputs, FILE *text)
{
    struct cgs_context *context = m->context;
    const struct cgs_options *options = m->options;
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    write_product(context, &outputs->matrix, m);
    cgs_output_discard(&outputs->matrix);
    if (outputs->csv.target && m->count > 0 && cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        cgs_multiply_csv(outputs->csv.file, m);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    const bool drawn = options->plot && m->count > 0 && !options->settings.plan &&
                       cgs_multiply_plot(context, m, options->plot) == CGS_OK;
    if (text && m->entries && !(options->json && strcmp(options->json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, text);
        cgs_multiply_text(&page, m);
        if (m->collected) {
            cgs_page_section(&page, "Written");
            fprintf(page.file, "%s\n", cgs_plain(options->settings.output, (cgs_name){0}));
        }
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
        cgs_multiply_json(context, outputs->json.file, m);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
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
    write_all(&m, &outputs, call->text);
    release(&m);
    return context->status;
}
