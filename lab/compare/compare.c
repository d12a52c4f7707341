/* Two JSON reports are read, their difference (lab/compare/difference.h) is made, and written as
 * text or JSON; several reports of the laboratory, or those of many matrices, make a table
 * (lab/compare/table.h) or a figure. */
#include "lab/compare/compare.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "core/facts/report_json.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/output_same.h"
#include "core/io/version.h"
#include "core/options/options.h"
#include "lab/compare/compare_plot.h"
#include "lab/compare/compare_text.h"
#include "lab/compare/difference.h"
#include "lab/compare/table.h"
#include "lab/figure/plot_draw.h"
#include "lab/io/json_read.h"

/* `path` may be a folder of --report. */
static enum cgs_status read_json(struct cgs_context *context, const char *path, json_t **root)
{
    json_error_t error;
    int reason;
    char kept[4200];
    snprintf(kept, sizeof kept, "%.4096s/results.json", path);
    *root = cgs_json_read(access(kept, F_OK) == 0 ? kept : path, &error, &reason);
    if (*root)
        return CGS_OK;
    if (reason == EINTR)
        return cgs_fail(context, CGS_INTERRUPTED, "interrupted while the report '%s' was read",
                        path);
    if (reason == ENOMEM)
        return cgs_fail(context, CGS_MEMORY, "no memory for the report '%s'", path);
    if (reason != 0)
        return cgs_fail(context, CGS_FILE,
                        "cannot read the report '%s': %s; expected a file that --json=FILE wrote",
                        path, strerror(reason));
    return cgs_fail(
        context, CGS_FILE,
        "'%s' is no JSON: line %d, column %d: %s; expected a file that --json=FILE wrote", path,
        error.line, error.column, error.text);
}

/* A report of a command that has figures to compare. */
static enum cgs_status check_report(struct cgs_context *context, const char *path, json_t *root)
{
    const json_t *schema = json_object_get(json_object_get(root, "cgsolve"), "schema");
    const char *command = json_string_value(json_object_get(root, "command"));
    if (!json_is_integer(schema) || !command)
        return cgs_fail(context, CGS_FILE,
                        "'%s' is no report of cgsolve: it has no %s; expected a file that "
                        "--json=FILE wrote",
                        path, json_is_integer(schema) ? "command" : "cgsolve.schema");
    if (json_integer_value(schema) > CGS_SCHEMA)
        return cgs_fail(context, CGS_FILE,
                        "'%s' is of a newer cgsolve (schema %lld, this one knows %d): compare with "
                        "that one",
                        path, (long long)json_integer_value(schema), CGS_SCHEMA);
    if (strcmp(command, "solve") != 0 && strcmp(command, "spmv") != 0 &&
        strcmp(command, "spgemm") != 0)
        return cgs_fail(
            context, CGS_USAGE,
            "'%s' is a report of 'cgsolve %s': only those of solve, spmv and spgemm can "
            "be compared",
            path, command);
    return CGS_OK;
}

static const char *command_of(const json_t *root)
{
    return json_string_value(json_object_get(root, "command"));
}

static enum cgs_status check_commands(struct cgs_context *context, const struct cgs_call *call,
                                      json_t *const *reports)
{
    for (int i = 1; i < call->word_count; i++)
        if (strcmp(command_of(reports[0]), command_of(reports[i])) != 0)
            return cgs_fail(
                context, CGS_USAGE,
                "'%s' is a report of 'cgsolve %s', '%s' of 'cgsolve %s': these cannot be "
                "compared",
                call->words[0], command_of(reports[0]), call->words[i], command_of(reports[i]));
    bool many = false;
    for (int i = 0; i < call->word_count; i++)
        many = many || cgs_table_many(reports[i]);
    if (call->word_count > 2 && strcmp(command_of(reports[0]), "solve") == 0 && !call->files.plot)
        return cgs_fail(
            context, CGS_USAGE,
            "'cgsolve compare' takes two reports, A.json and B.json (of spmv and spgemm "
            "also more); %d given",
            call->word_count);
    if (call->files.plot && many)
        return cgs_fail(context, CGS_USAGE,
                        "--plot draws reports of one matrix each, these are of many: leave it out");
    if (call->files.plot && strcmp(command_of(reports[0]), "solve") == 0)
        return cgs_fail(context, CGS_USAGE,
                        "--plot draws reports of 'cgsolve spmv' and 'cgsolve spgemm', these are of "
                        "'cgsolve solve': leave it out");
    return CGS_OK;
}

/* Refuses to write over a report that is compared. */
static enum cgs_status check_outputs(struct cgs_context *context, const struct cgs_call *call)
{
    for (int i = 0; i < call->word_count; i++)
        if (call->files.json && cgs_output_same(call->files.json, call->words[i]))
            return cgs_fail(
                context, CGS_USAGE,
                "--json would write over the report '%s' that is compared: name another "
                "file",
                call->words[i]);
    return CGS_OK;
}

static enum cgs_status read_reports(struct cgs_context *context, const struct cgs_call *call,
                                    json_t **reports)
{
    for (int i = 0; i < call->word_count; i++) {
        CGS_TRY(read_json(context, call->words[i], &reports[i]));
        CGS_TRY(check_report(context, call->words[i], reports[i]));
    }
    return check_commands(context, call, reports);
}

/* {of, reports[]{file, date, commit}, what differs or the table, figure}. */
static json_t *make_comparison(struct cgs_context *context, const struct cgs_call *call,
                               json_t **reports)
{
    const bool table =
        call->word_count > 2 || cgs_table_many(reports[0]) || cgs_table_many(reports[1]);
    json_t *comparison = table ? json_object() : cgs_difference(reports[0], reports[1]);
    if (table)
        cgs_table_make(context, reports, call->word_count, comparison);
    json_t *list = json_array();
    for (int i = 0; i < call->word_count; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "file", cgs_json_text(call->words[i]));
        json_object_set(o, "date", json_object_get(reports[i], "date"));
        json_object_set(o, "commit",
                        json_object_get(json_object_get(reports[i], "cgsolve"), "commit"));
        json_array_append_new(list, o);
    }
    json_object_set_new(comparison, "of", json_string(command_of(reports[0])));
    json_object_set_new(comparison, "reports", list);
    return comparison;
}

static enum cgs_status compare(struct cgs_context *context, const struct cgs_call *call,
                               json_t **reports, json_t **comparison)
{
    CGS_TRY(cgs_plot_check(context, call->files.plot));
    CGS_TRY(read_reports(context, call, reports));
    json_t *made = make_comparison(context, call, reports);
    if (cgs_json_starved() || !made) {
        json_decref(made);
        return cgs_fail(context, CGS_MEMORY, "no memory for the comparison");
    }
    *comparison = made;
    CGS_TRY(context->status);
    if (!call->files.plot)
        return CGS_OK;
    CGS_TRY(cgs_compare_plot(context, reports, call->word_count, call->files.plot));
    cgs_put_text(*comparison, "figure", call->files.plot);
    return CGS_OK;
}

/* Text, then JSON, which knows of what could not be written. */
static void write_all(struct cgs_context *context, const struct cgs_call *call,
                      struct cgs_output *output, json_t *comparison)
{
    const struct cgs_report report =
        cgs_report_start(context, &call->options->settings, call->argc, call->argv);
    if (comparison && context->status != CGS_USAGE &&
        !(call->files.json && strcmp(call->files.json, "-") == 0)) {
        struct cgs_page page;
        cgs_page_open(&page, call->text);
        cgs_page_head(&page, report.date);
        cgs_compare_text(&page, comparison);
        cgs_page_close(context, &page);
        cgs_output_flush(context, call->text);
    }
    if (output->target && cgs_output_begin(context, output) == CGS_OK) {
        json_t *root = cgs_json_head(&report);
        if (comparison)
            json_object_set(root, "compare", comparison);
        cgs_json_end(context, output->file, root);
        cgs_output_commit(context, output);
    }
}

enum cgs_status cgs_compare(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_output output;
    json_t **reports, *comparison = NULL;
    cgs_interrupt_catch();
    CGS_TRY(check_outputs(context, call));
    CGS_TRY(cgs_output_open(context, "the JSON report", call->files.json, 1, &output));
    if (cgs_alloc(context, call->word_count, sizeof *reports, "the reports", (void **)&reports) ==
        CGS_OK) {
        memset(reports, 0, (size_t)call->word_count * sizeof *reports);
        compare(context, call, reports, &comparison);
        if (context->status == CGS_OK && cgs_interrupted())
            cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
        write_all(context, call, &output, comparison);
        for (int i = 0; i < call->word_count; i++)
            json_decref(reports[i]);
        cgs_free(context, reports);
    }
    json_decref(comparison);
    cgs_output_discard(&output);
    return context->status;
}
