/* The command cgsolve spmv: one matrix goes to the laboratory as it is, many are a collection. */
#include <string.h>

#include "core/io/interrupt.h"
#include "core/options/options_input.h"
#include "core/options/options_rules.h"
#include "core/options/values.h"
#include "core/setup/machine_kernel.h"
#include "lab/collection/collection_figures.h"
#include "lab/collection/collection_page.h"
#include "lab/collection/collection_tables.h"
#include "lab/collection/collection_text.h"
#include "lab/collection/summary.h"
#include "src/report/sections.h"
#include "src/spmv/collection_command.h"
#include "src/spmv/collection_find.h"
#include "src/spmv/collection_folder.h"
#include "src/spmv/collection_rows.h"
#include "src/spmv/collection_run.h"
#include "src/spmv/lab_command.h"

/* Refuses options that are about one matrix, and those that miss another. */
static enum cgs_status check(struct cgs_context *context, const struct cgs_options *o, bool many)
{
    int formats, devices;
    if (o->resume && !o->report)
        return cgs_fail(context, CGS_USAGE,
                        "--resume goes on with the results in a folder: name it by --report=DIR");
    CGS_TRY(cgs_options_check_folder(context, o));
    if (o->report && !o->settings.matrix)
        return cgs_fail(context, CGS_USAGE,
                        "--report keeps results of matrices from files: name them, or their "
                        "folder, by --matrix");
    if (o->baseline && !many)
        return cgs_fail(context, CGS_USAGE,
                        "--baseline is what speed-ups over many matrices are held against: leave "
                        "it out, or name several by --matrix, or a folder by --report");
    if (!many)
        return CGS_OK;
    if (o->plot || o->settings.save_matrix)
        return cgs_fail(context, CGS_USAGE, "--%s is for one matrix: leave it out%s",
                        o->plot ? "plot" : "save-matrix",
                        o->plot ? ", --report=DIR has figures of many" : "");
    if (o->baseline && !cgs_plugin_named(o->baseline))
        CGS_TRY(cgs_machine_look_up(context, o->baseline, &formats, &devices));
    return cgs_options_check_kept(context, o);
}

struct outputs {
    struct cgs_output json, csv;
};

static enum cgs_status open_outputs(struct cgs_collection *c, struct outputs *outputs)
{
    CGS_TRY(cgs_output_open(c->context, "the JSON report", c->options->json, 1, &outputs->json));
    return cgs_output_open(c->context, "the table", c->options->csv, 0, &outputs->csv);
}

static void say_found(const struct cgs_collection *c)
{
    FILE *said = c->call->said;
    if (said)
        fprintf(said, "%d matri%s found", c->count, c->count == 1 ? "x" : "ces");
    if (said && c->options->resume)
        fprintf(said, "; %d of them are there already", cgs_collection_done(c));
    if (said)
        fputc('\n', said);
}

static enum cgs_status prepare(struct cgs_collection *c, struct outputs *outputs)
{
    struct cgs_machine machine = {0};
    enum cgs_status status = cgs_collection_open_machine(c, &machine);
    if (status == CGS_OK && c->options->report)
        status = cgs_collection_open_folder(c);
    if (status == CGS_OK)
        status = open_outputs(c, outputs);
    if (status == CGS_OK)
        say_found(c);
    if (status == CGS_OK && c->folder && json_array_size(c->ceilings) == 0)
        status = cgs_collection_measure(c, &machine);
    cgs_machine_close(&machine);
    return status;
}

static enum cgs_status draw(struct cgs_collection *c, const struct cgs_summary *s)
{
    CGS_TRY(cgs_collection_figures(c, s));
    CGS_TRY(cgs_collection_tables(c, s));
    return cgs_collection_page(c, s);
}

/* Fails the run where kernels failed, or where no matrix could be taken. */
static void judge(const struct cgs_collection *c, const struct cgs_summary *s)
{
    const json_t *first = s->first_failed;
    if (first)
        cgs_fail(c->context, CGS_NOT_CONVERGED,
                 "%d product%s failed; the first is %s of %s/%s: %.600s", s->failed,
                 s->failed == 1 ? "" : "s", cgs_row_text(first, "kernel"),
                 cgs_row_text(first, "group"), cgs_row_text(first, "name"),
                 cgs_row_text(first, "reason"));
    else if (s->refused > 0 && s->refused == s->times.matrices)
        cgs_fail(c->context, CGS_FILE, "all %d matrices were refused; the first: %.600s",
                 s->refused, cgs_row_text(s->first_refused, "reason"));
}

/* CSV, text, JSON: in this order, so that the JSON report knows of all that could not be
 * written. */
static void write_all(struct cgs_collection *c, struct outputs *outputs,
                      const struct cgs_summary *s)
{
    struct cgs_context *context = c->context;
    const bool any = json_array_size(c->rows) > 0;
    if (any && outputs->csv.target && cgs_output_begin(context, &outputs->csv) == CGS_OK) {
        cgs_collection_csv(outputs->csv.file, c);
        cgs_output_commit(context, &outputs->csv);
    }
    cgs_output_discard(&outputs->csv);
    if (any && c->call->text && !(c->options->json && strcmp(c->options->json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, c->call->text);
        cgs_page_machine(&page, &c->machine, c->context->threads, c->bandwidth);
        cgs_collection_text(&page, c, s);
        cgs_page_close(context, &page);
        cgs_output_flush(context, c->call->text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    if (outputs->json.target && cgs_output_begin(context, &outputs->json) == CGS_OK) {
        cgs_collection_json(c, outputs->json.file);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
}

static void run(struct cgs_collection *c, struct outputs *outputs)
{
    const char *json = c->options->json;
    struct cgs_summary s = {.baseline = -1};
    if (c->context->status == CGS_OK && prepare(c, outputs) == CGS_OK)
        cgs_collection_run(c);
    else if (!outputs->json.target && !(json && cgs_options_keeps(c->options, json)))
        cgs_output_open(c->context, "the JSON report", json, 1, &outputs->json);
    const bool made = cgs_summary_make(c, &s) == CGS_OK;
    if (made && c->context->status == CGS_OK && c->folder)
        draw(c, &s);
    if (made && c->context->status == CGS_OK)
        judge(c, &s);
    if (c->folder && json_array_size(c->rows) > 0 && c->context->status == CGS_NOT_CONVERGED)
        cgs_collection_save(c); /* with the exit status */
    if (made)
        write_all(c, outputs, &s);
    cgs_summary_release(&s);
}

enum cgs_status cgs_spmv(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_collection c = {.context = context, .options = options, .call = call, .lock = -1};
    struct outputs outputs = {0};
    bool one = true;
    cgs_date_now(c.date);
    cgs_interrupt_catch();
    if (options->settings.matrix)
        cgs_collection_find(&c, &one);
    if (context->status == CGS_OK)
        check(context, options, !one || options->report);
    if (context->status == CGS_OK && one && !options->report) {
        cgs_collection_release_items(&c);
        return cgs_lab(context, call);
    }
    c.settings = json_object();
    c.ceilings = json_array();
    c.rows = json_array();
    run(&c, &outputs);
    json_decref(c.settings);
    json_decref(c.ceilings);
    json_decref(c.rows);
    cgs_user_kernels_close(context, &c.user_kernels);
    cgs_collection_close_folder(&c);
    cgs_collection_release_items(&c);
    return context->status;
}
