/* Two JSON reports are read, their difference (lab/compare/difference.h) is made, and written as
 * text or JSON; several reports of the laboratory, or those of many matrices, make a table
 * (lab/compare/table.h) or a figure. */
#include "lab/compare/compare.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/plain.h"
#include "core/facts/report_json.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/io/version.h"
#include "core/options/options.h"
#include "lab/compare/compare_plot.h"
#include "lab/compare/difference.h"
#include "lab/compare/ranking.h"
#include "lab/compare/table.h"
#include "lab/figure/plot_draw.h"
#include "lab/io/json_read.h"

/* The page of `cgsolve compare`:
 *
 *     Compared   spmv reports
 *                A  old.json, 2026-11-20T..., commit ...
 *                B  new.json, ...
 *     Settings   host.threads                  1 -> 2
 *     Results    solver.iterations             84 -> 85
 *     Measured   crs_row, cpu   12.3 us -> 13.8 us   1.12 times as long (1.09 ... 1.15)
 *     Pays       B from 3 solves on: ...
 *     Agree      41 figures ...
 */

enum { VALUE = 512, VALUES = 20, RATIO = 35 };

/* Width of what is compared, beside two values and a ratio. */
static int width_of_what(void)
{
    const int width = cgs_page_width() - CGS_PAGE_COLUMN - VALUES - RATIO;
    return width < 14 ? 14 : width;
}

static void write_value(json_t *value, const char *unit, int digits, char text[VALUE])
{
    cgs_text number;
    if (!value)
        snprintf(text, VALUE, "none");
    else if (json_is_null(value))
        snprintf(text, VALUE, "not finite");
    else if (json_is_string(value))
        snprintf(text, VALUE, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, VALUE, "%s", json_is_true(value) ? "yes" : "no");
    else if (strcmp(unit, "s") == 0)
        snprintf(text, VALUE, "%s", cgs_seconds_text(json_number_value(value), number));
    else if (strcmp(unit, "B") == 0)
        snprintf(text, VALUE, "%s", cgs_bytes_text((int64_t)json_number_value(value), number));
    else if (json_is_number(value) && *unit)
        snprintf(text, VALUE, "%s %s", cgs_number_text(json_number_value(value), number), unit);
    else if (json_is_integer(value))
        snprintf(text, VALUE, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, VALUE, "%.*g", digits, json_real_value(value));
    else
        snprintf(text, VALUE, "%s", json_is_object(value) ? "{...}" : "[...]");
    cgs_make_plain(text);
}

/* The label where it is the section's first line. */
static void begin_line(const struct cgs_page *page, const char *label, size_t index)
{
    if (index == 0)
        cgs_page_section(page, label);
    else
        cgs_page_more(page);
}

static void write_what(const struct cgs_page *page, const char *label, size_t index,
                       const json_t *fact, int width)
{
    char what[VALUE];
    snprintf(what, sizeof what, "%s", json_string_value(json_object_get(fact, "what")));
    cgs_make_plain(what);
    begin_line(page, label, index);
    fprintf(page->file, "%-*s", width, what);
}

/* Writes a fact's name, and both values with what follows from them ("": nothing) behind it or,
 * where there is no room, below it. */
static void write_pair(const struct cgs_page *page, const char *label, size_t index,
                       const json_t *fact, const char *both, const char *after)
{
    const int length = (int)strlen(json_string_value(json_object_get(fact, "what")));
    const int width = length + 2 > width_of_what() ? length + 2 : width_of_what();
    char text[2 * VALUE + 256];
    snprintf(text, sizeof text, "%-*s%s%s", after[0] ? VALUES : 0, both, after[0] ? " " : "",
             after);
    if (CGS_PAGE_COLUMN + width + (int)strlen(text) <= cgs_page_width()) {
        write_what(page, label, index, fact, width);
        fprintf(page->file, "%s\n", text);
        return;
    }
    snprintf(text, sizeof text, "%s%s%s", both, after[0] ? "  " : "", after);
    write_what(page, label, index, fact, 0);
    fprintf(page->file, "\n%*s", CGS_PAGE_COLUMN + 4, "");
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN + 4);
}

/* Old and new, in one line or, where they are long, in lines of their own. */
static void write_exact(const struct cgs_page *page, const char *label, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        json_t *va = json_object_get(fact, "a"), *vb = json_object_get(fact, "b");
        char a[VALUE], b[VALUE], both[2 * VALUE + 8];
        int digits = 6;
        do { /* as many as show the difference */
            write_value(va, "", digits, a);
            write_value(vb, "", digits, b);
        } while (strcmp(a, b) == 0 && digits++ < 17);
        if (strlen(a) + strlen(b) + 4 <=
            (size_t)(cgs_page_width() - CGS_PAGE_COLUMN - width_of_what())) {
            snprintf(both, sizeof both, "%s -> %s", a, b);
            write_pair(page, label, index, fact, both, "");
            continue;
        }
        write_what(page, label, index, fact, 0);
        fprintf(page->file, "\n%*sA  ", CGS_PAGE_COLUMN + 4, "");
        cgs_page_wrap(page->file, a, CGS_PAGE_COLUMN + 7);
        fprintf(page->file, "%*sB  ", CGS_PAGE_COLUMN + 4, "");
        cgs_page_wrap(page->file, b, CGS_PAGE_COLUMN + 7);
    }
}

static void write_measured(const struct cgs_page *page, const char *label, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        const char *unit = json_string_value(json_object_get(fact, "unit"));
        const double ratio = json_number_value(json_object_get(fact, "ratio"));
        const double least = json_number_value(json_object_get(fact, "ratio_least"));
        const double most = json_number_value(json_object_get(fact, "ratio_most"));
        const bool seconds = strcmp(unit, "s") == 0, fast = seconds && ratio < 1.0;
        char a[VALUE], b[VALUE], both[2 * VALUE + 8], after[256] = "";
        cgs_text one, low, high;
        write_value(json_object_get(fact, "a"), unit, 3, a);
        write_value(json_object_get(fact, "b"), unit, 3, b);
        snprintf(both, sizeof both, "%s -> %s", a, b);
        cgs_append(after, sizeof after, "%s", cgs_change_text(seconds, ratio, one));
        if (least > 0.0)
            cgs_append(after, sizeof after, " (%s ... %s)",
                       cgs_number_text(fast ? 1.0 / most : least, low),
                       cgs_number_text(fast ? 1.0 / least : most, high));
        write_pair(page, label, index, fact, both, after);
    }
}

/* Says why the figures above are unclear. */
static void write_unclear(const struct cgs_page *page, json_t *comparison)
{
    json_t *disturbed = json_object_get(comparison, "disturbed");
    if (json_array_size(json_object_get(comparison, "overlapping")) == 0)
        return;
    cgs_page_more(page);
    if (json_array_size(disturbed) == 0)
        fprintf(page->file, "(apart, but their spreads overlap: measure again)\n");
    else
        fprintf(page->file, "(other processes used the CPUs during %s: measure again)\n",
                json_array_size(disturbed) == 2                                     ? "both runs"
                : strcmp(json_string_value(json_array_get(disturbed, 0)), "a") == 0 ? "run A"
                                                                                    : "run B");
}

static void write_only(const struct cgs_page *page, json_t *list)
{
    size_t index;
    json_t *fact;
    json_array_foreach(list, index, fact)
    {
        const bool in_a = strcmp(json_string_value(json_object_get(fact, "in")), "a") == 0;
        write_pair(page, "In one", index, fact, in_a ? "only in A" : "only in B", "");
    }
}

static void write_reports(const struct cgs_page *page, json_t *comparison)
{
    json_t *list = json_object_get(comparison, "reports"), *report;
    size_t index;
    cgs_page_section(page, "Compared");
    fprintf(page->file, "%zu reports of 'cgsolve %s'\n", json_array_size(list),
            json_string_value(json_object_get(comparison, "of")));
    json_array_foreach(list, index, report)
    {
        char file[VALUE], date[VALUE], commit[VALUE];
        write_value(json_object_get(report, "file"), "", 6, file);
        write_value(json_object_get(report, "date"), "", 6, date);
        write_value(json_object_get(report, "commit"), "", 6, commit);
        cgs_page_more(page);
        if (index < 26)
            fprintf(page->file, "%c  ", (char)('A' + index));
        fprintf(page->file, "%s: %s, commit %s\n", file, date, commit);
    }
}

static void write_agreement(const struct cgs_page *page, json_t *comparison)
{
    const long long agreed = json_integer_value(json_object_get(comparison, "agreed"));
    size_t changed = 0;
    static const char *const lists[] = {"settings", "results", "measured", "overlapping", "only"};
    char text[512];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        changed += json_array_size(json_object_get(comparison, lists[i]));
    cgs_page_section(page, changed == 0 ? "Unchanged" : "Agree");
    snprintf(text, sizeof text,
             "%s%lld figure%s agree%s: exactly, or within noise, which is %g %%; of figures with a "
             "spread in both, ranges (least ... most) that overlap, or %g %%",
             changed == 0 ? "all " : "", agreed, agreed == 1 ? "" : "s", agreed == 1 ? "s" : "",
             100.0 * CGS_NOISE, 100.0 * CGS_NOISE_SPREAD);
    cgs_page_wrap(page->file, text, CGS_PAGE_COLUMN);
}

/* `comparison` is that of lab/compare/difference.h, with of, reports[]{file, date, commit} and,
 * where one was drawn, figure. */
static void compare_text(const struct cgs_page *page, json_t *comparison)
{
    const char *figure = json_string_value(json_object_get(comparison, "figure"));
    write_reports(page, comparison);
    if (json_object_get(comparison, "agreed")) {
        write_exact(page, "Settings", json_object_get(comparison, "settings"));
        write_exact(page, "Results", json_object_get(comparison, "results"));
        write_measured(page, "Measured", json_object_get(comparison, "measured"));
        write_measured(page, "Unclear", json_object_get(comparison, "overlapping"));
        write_unclear(page, comparison);
        write_only(page, json_object_get(comparison, "only"));
        write_agreement(page, comparison);
    }
    if (json_object_get(comparison, "ranking"))
        cgs_ranking_text(page, comparison);
    else if (json_object_get(comparison, "table"))
        cgs_table_text(page, comparison);
    if (figure) {
        cgs_page_section(page, "Figure");
        fprintf(page->file, "%s\n", cgs_plain(figure, (cgs_name){0}));
    }
}

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
        compare_text(&page, comparison);
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
