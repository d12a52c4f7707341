#include "src/lab/laboratory.h"

#include <string.h>

#include "base/plain.h"
#include "core/io/interrupt.h"
#include "core/options/options.h"
#include "lab/figure/plot_draw.h"

enum cgs_status cgs_lab_outputs_open(struct cgs_context *context, const struct cgs_files *files,
                                     const char *what, const char *path,
                                     struct cgs_lab_outputs *outputs)
{
    *outputs = (struct cgs_lab_outputs){0};
    CGS_TRY(cgs_output_open(context, "the JSON report", files->json, 1, &outputs->json));
    CGS_TRY(cgs_output_open(context, "the table", files->csv, 0, &outputs->csv));
    CGS_TRY(cgs_plot_check(context, files->plot));
    return cgs_output_open(context, what, path, 0, &outputs->matrix);
}

void cgs_lab_outputs_write(struct cgs_context *context, const struct cgs_call *call,
                           struct cgs_lab_outputs *outputs, const struct cgs_lab_table *table)
{
    const char *plot = call->options->plot, *json = call->options->json;
    if (outputs->csv.target && table->filled &&
        cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        table->csv(outputs->csv.file, table->self);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    const bool drawn = plot && table->drawn && table->plot(context, table->self, plot) == CGS_OK;
    if (call->text && table->told && !(json && strcmp(json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, call->text);
        table->text(&page, table->self);
        if (drawn) {
            cgs_page_section(&page, "Figure");
            fprintf(page.file, "%s\n", cgs_plain(plot, (cgs_name){0}));
        }
        cgs_page_close(context, &page);
        cgs_output_flush(context, call->text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    if (outputs->json.target && cgs_output_begin(context, &outputs->json) == CGS_OK) {
        table->json(context, outputs->json.file, table->self);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
}
