/* A solve from outside: outputs are made sure of first, then the pipeline runs, then the facts are
 * written, those of a failed run too. */
#include "src/solve/solve.h"

#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/plain.h"
#include "core/facts/report_json.h"
#include "core/field/writer.h"
#include "core/io/interrupt.h"
#include "core/io/output.h"
#include "core/io/page.h"
#include "core/io/terminal.h"
#include "core/io/version.h"
#include "core/options/options.h"
#include "core/report/pictures.h"
#include "core/report/report.h"
#include "core/run/guard.h"
#include "core/run/judge.h"
#include "core/run/pipeline.h"
#include "lab/figure/plot.h"
#include "lab/figure/plot_draw.h"
#include "lab/figure/slice_plot.h"
#include "src/report/report_plan.h"
#include "src/report/report_text.h"

/* A table of proposals, the most rewarding first; the first three that apply are printed. Problem
 * and machine of the run are kept, and what the proposal names is changed:
 *
 *     ./bootstrap run --N=128      ./bootstrap run --N=128 --format=none --precond=mg
 */

enum { SUGGESTIONS = 3, MANY = 20 }; /* MANY: iterations that a preconditioner could spare */

/* " --NAME=VALUE" as it was given, quoted where a shell would see more than a word. */
static void write_given(FILE *text, const struct cgs_options *o, enum cgs_option_id id)
{
    const bool several = cgs_kind_repeats(cgs_option_table[id].kind);
    const char *value = o->settings.given[id] ? o->texts[id] : NULL;
    for (const char *line = value; line; line = several ? cgs_line_after(line) : NULL) {
        char *word = strndup(line, several ? (size_t)cgs_line_length(line) : strlen(line));
        fprintf(text, " --%s=", cgs_option_table[id].name);
        cgs_page_word(text, word ? word : "");
        free(word);
    }
}

/* Writes the command line behind the program's name, on the heap; NULL: no memory. */
static char *compose(const char *program, const char *change, bool same,
                     const struct cgs_options *o)
{
    static const enum cgs_option_id machine[] = {CGS_OPTION_precision, CGS_OPTION_backend,
                                                 CGS_OPTION_threads, CGS_OPTION_device,
                                                 CGS_OPTION_memory_limit};
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);
    if (!text)
        return NULL;
    fputs(program, text);
    for (int i = 0; same && i < CGS_OPTIONS; i++)
        if (cgs_option_table[i].group == CGS_GROUP_PROBLEM)
            write_given(text, o, (enum cgs_option_id)i);
    for (size_t i = 0; same && i < sizeof machine / sizeof *machine; i++)
        write_given(text, o, machine[i]);
    fprintf(text, " %s", change);
    if (!same && o->settings.matrix && strncmp(change, "spmv", 4) == 0)
        write_given(text, o, CGS_OPTION_matrix);
    fclose(text);
    if (line)
        cgs_make_plain(line);
    return line;
}

/* Returns true where the program was called by another name, such as "./bootstrap run". */
static bool is_bootstrap(const char *program)
{
    static const char end[] = " run";
    const size_t length = strlen(program);
    return length >= sizeof end && strcmp(program + length - (sizeof end - 1), end) == 0;
}

/* Up to three commands that fit what was run, each of which runs as
 * printed: argv[0], then options. The report has a result. Nothing where argv[0] does not end
 * with " run". */
static void suggest(const struct cgs_page *page, const struct cgs_options *options,
                    const struct cgs_report *report)
{
    const char *program = report->argc > 0 ? report->argv[0] : "";
    const struct cgs_settings *o = &options->settings;
    const bool many = o->precond == CGS_PRECOND_NONE && o->guess == CGS_GUESS_ZERO &&
                      report->result.iterations > MANY;
    const struct {
        bool applies, same; /* same: this problem on this machine */
        const char *change, *remark;
    } proposals[] = {
        {many && !o->matrix, true, "--format=none --precond=mg",
         "multigrid: iterations that do not grow with N"},
        {many && o->matrix, true, "--precond=amg", "algebraic multigrid: fewer iterations"},
        {!o->matrix, false, "study --N=7,15,31 --quadrature=gauss,blended --tol=1e-12",
         "orders of the errors, fitted"},
        {true, false, "spmv --kernel=all", "every kernel verified, timed in turn with the others"},
        {true, false, "doctor", "what slows this machine down, and what mends it"},
    };
    if (!is_bootstrap(program)) {
        if (!o->verbose) {
            cgs_page_section(page, "More");
            fputs("--verbose: all figures; --json=FILE: for programs; --help: options\n",
                  page->file);
        }
        return;
    }
    cgs_page_section(page, "Try next");
    for (int i = 0, count = 0;
         count < SUGGESTIONS && i < (int)(sizeof proposals / sizeof *proposals); i++) {
        if (!proposals[i].applies)
            continue;
        char *line = compose(program, proposals[i].change, proposals[i].same, options);
        if (count++ > 0)
            cgs_page_more(page);
        fprintf(page->file, "%s\n%*s%s\n", line ? line : program, CGS_PAGE_COLUMN + 4, "",
                proposals[i].remark);
        free(line);
    }
}

struct outputs {
    struct cgs_output json, history, line, solution, matrix;
};

static enum cgs_status open_outputs(struct cgs_context *context, const struct cgs_options *options,
                                    struct outputs *outputs)
{
    struct cgs_slice_request slice;
    *outputs = (struct outputs){0};
    if (!cgs_comm_first(context)) /* the first rank writes all */
        return CGS_OK;
    CGS_TRY(cgs_output_open(context, "the JSON report", options->json, 1, &outputs->json));
    CGS_TRY(cgs_output_open(context, "the history", options->history, 0, &outputs->history));
    CGS_TRY(cgs_output_open(context, "the line", options->settings.line.file, 0, &outputs->line));
    CGS_TRY(
        cgs_output_open(context, "the matrix", options->settings.save_matrix, 0, &outputs->matrix));
    CGS_TRY(cgs_pictures_check(context, &options->settings));
    for (const char *left = options->settings.slice; cgs_slice_next(&left, &slice);)
        CGS_TRY(cgs_plot_check(context, slice.file));
    return cgs_output_open(context, "the solution",
                           cgs_settings_fields(&options->settings) ? NULL
                                                                   : options->settings.output,
                           0, &outputs->solution);
}

/* Adds the fault that was injected, and of several ranks the one that it was. */
static void add_injected(struct cgs_context *context, const struct cgs_report *report,
                         const char *fault)
{
    cgs_fail_add(context, "; injected by --inject=%s", fault);
    if (report->injected_rank >= 0)
        cgs_fail_add(context, " on rank %d", report->injected_rank);
}

/* A failure on purpose says so; one that was to come and did not is a failure of the command line.
 */
static void confess(struct cgs_context *context, const struct cgs_report *report)
{
    char fault[64];
    if (report->settings->inject.kind == CGS_FAULT_NONE)
        return;
    cgs_fault_write(&report->settings->inject, fault, sizeof fault);
    if (context->status == CGS_OK && report->has_result && !report->injected)
        cgs_fail(
            context, CGS_USAGE,
            "--inject=%s: the fault was to come after iteration %lld, but CG ended after %lld%s",
            fault, (long long)report->settings->inject.at, (long long)report->result.iterations,
            report->settings->inject.at > 0 ? ": take a smaller number" : "");
    else if (report->has_result && !report->injected)
        cgs_fail_add(context, "; the fault of --inject=%s was to come later", fault);
    else if (context->status != CGS_OK && report->injected)
        add_injected(context, report, fault);
}

/* Text of the report, of which a terminal shows what is known before the solve. */
struct telling {
    struct cgs_context *context;
    const struct cgs_options *options;
    FILE *text; /* NULL: nothing is told */
    bool begun;
};

static void tell_begin(void *user, const struct cgs_report *report)
{
    struct telling *telling = user;
    struct cgs_page page;
    if (!telling->text || !cgs_terminal_shows(telling->text) || report->settings->plan)
        return;
    cgs_page_open(&page, telling->text);
    cgs_report_begin(&page, report);
    cgs_page_close(telling->context, &page);
    cgs_output_flush(telling->context, telling->text);
    telling->begun = true;
}

static void write_text(const struct telling *telling, const struct cgs_report *report,
                       enum cgs_status status)
{
    struct cgs_page page;
    cgs_page_open(&page, telling->text);
    if (report->settings->plan && report->has_plan) {
        cgs_report_plan(&page, report);
    } else if (report->has_result) {
        if (!telling->begun)
            cgs_report_begin(&page, report);
        cgs_report_end(&page, report);
    }
    if (report->has_result && status == CGS_OK)
        suggest(&page, telling->options, report);
    cgs_page_close(telling->context, &page);
}

/* --output: a solution that is none is not written, and does not replace one that was. */
static void write_solution(struct cgs_context *context, struct cgs_output *output,
                           const struct cgs_report *report)
{
    char comment[256];
    if (!output->target || !report->has_result)
        return;
    if (context->status != CGS_OK) {
        cgs_fail_add(context, "; '%s' is not written", report->settings->output);
        return;
    }
    snprintf(comment, sizeof comment,
             "solution by cgsolve %s (%s), %s: true relative residual %.3e", cgs_version(),
             cgs_commit(), report->date, report->result.true_relative_residual);
    if (cgs_output_begin(context, output) != CGS_OK)
        return;
    if (cgs_writer(cgs_settings_file_type(report->settings)->id)
            ->vector(context, output->file, comment, report->matrix.rows,
                     report->columns.count > 1 ? report->columns.count : 1,
                     report->solution) == CGS_OK)
        cgs_output_commit(context, output);
}

/* --line=...,FILE: likewise. */
static void write_line(struct cgs_context *context, struct cgs_output *output,
                       const struct cgs_report *report)
{
    if (!output->target || !report->has_result)
        return;
    if (context->status != CGS_OK) {
        cgs_fail_add(context, "; '%s' is not written", report->settings->line.file);
        return;
    }
    if (cgs_output_begin(context, output) != CGS_OK)
        return;
    cgs_report_line(output->file, report);
    cgs_output_commit(context, output);
}

static void draw_slice(struct cgs_context *context, struct cgs_report *report,
                       struct cgs_slice *slice)
{
    struct cgs_plot plot;
    slice->drawn = cgs_slice_plot(context, report, slice, &plot) == CGS_OK &&
                   cgs_plot_write(context, &plot, slice->request.file) == CGS_OK;
    cgs_plot_release(&plot);
    report->has_drawn = report->has_drawn || slice->drawn;
}

/* The fields of --output, written by the run; --slice. */
static void draw_pictures(struct cgs_context *context, struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    struct cgs_slice_request slice;
    if (!report->has_result)
        return;
    if (context->status != CGS_OK)
        for (const char *left = o->slice; cgs_slice_next(&left, &slice);)
            cgs_fail_add(context, "; '%s' is not drawn", slice.file);
    else
        for (int i = 0; i < report->slice_count; i++) /* each, even where one cannot be drawn */
            draw_slice(context, report, &report->slices[i]);
    if (cgs_settings_fields(o) && !report->has_fields && context->status != CGS_FILE)
        cgs_fail_add(context, "; '%s' is not written", o->output);
}

/* Solution, pictures, history, text, JSON: in this order, so that the JSON file, for programs,
 * knows of all that could not be written, and of an interrupt until then; what comes after that
 * changes nothing. */
static void write_all(struct cgs_context *context, struct outputs *outputs,
                      struct cgs_report *report, const struct telling *telling)
{
    write_solution(context, &outputs->solution, report);
    draw_pictures(context, report);
    write_line(context, &outputs->line, report);
    cgs_output_discard(&outputs->line);
    cgs_output_discard(&outputs->solution);
    cgs_output_discard(&outputs->matrix);
    if (outputs->history.target && report->has_result &&
        cgs_output_begin(context, &outputs->history) == CGS_OK) {
        cgs_report_history(outputs->history.file, report);
        cgs_output_commit(context, &outputs->history);
    }
    cgs_output_discard(&outputs->history);
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    if (telling->text) {
        write_text(telling, report, context->status);
        cgs_output_flush(context, telling->text);
    }
    if (context->status == CGS_OK && cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted when all had been computed");
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    if (outputs->json.target && cgs_output_begin(context, &outputs->json) == CGS_OK) {
        cgs_report_json(context, outputs->json.file, report);
        cgs_output_commit(context, &outputs->json);
    }
    cgs_output_discard(&outputs->json);
}

enum cgs_status cgs_solve(struct cgs_context *context, const struct cgs_call *call)
{
    struct cgs_options *options = call->options;
    struct cgs_report report =
        cgs_report_start(context, &options->settings, call->argc, call->argv);
    if (call->external)
        report.external = *call->external;
    struct outputs outputs;
    const bool json_alone = options->json && strcmp(options->json, "-") == 0;
    struct telling telling = {
        .context = context, .options = options, .text = json_alone ? NULL : call->text};

    cgs_interrupt_catch(); /* before there is anything that it could leave behind */
    open_outputs(context, options, &outputs);
    if (cgs_comm_agree(context, context->status) == CGS_OK) {
        cgs_guard_lend(report.external.pulse);
        cgs_run(context, &options->settings, call->said, &outputs.matrix, tell_begin, &telling,
                &report);
        cgs_guard_take_back(report.external.pulse);
    }
    if (context->status == CGS_OK && report.has_result)
        cgs_run_judge(context, &report);
    if (context->status != CGS_OK && report.columns.count > 1)
        cgs_fail_add(context, " (right-hand side %lld of 1 ... %lld)",
                     (long long)report.columns.solved + (report.has_result ? 0 : 1),
                     (long long)report.columns.count);
    confess(context, &report);
    write_all(context, &outputs, &report, &telling);
    cgs_free(context, report.result.history);
    cgs_free(context, report.algebraic);
    cgs_free(context, report.columns.list);
    cgs_free(context, report.solution);
    cgs_free(context, report.probes);
    cgs_pictures_release(context, &report);
    return context->status;
}
