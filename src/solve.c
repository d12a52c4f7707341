/* A solve from outside: outputs are made sure of first, then the pipeline runs, then the facts are
 * written, those of a failed run too. */
#include "src/solve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "src/interrupt.h"
#include "src/output.h"

struct outputs {
    struct cgs_output json, history;
};

static enum cgs_status open_outputs(struct cgs_context *context, const struct cgs_options *options,
                                    struct outputs *outputs)
{
    *outputs = (struct outputs){0};
    CGS_TRY(cgs_output_open(context, "the JSON report", options->json, 1, &outputs->json));
    return cgs_output_open(context, "the history", options->history, 0, &outputs->history);
}

/* What the outcome of CG means for the run, in words. */
static enum cgs_status judge(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const long long k = (long long)r->iterations;
    const enum cgs_status status = cgs_outcome_status(r->outcome);
    const char *single =
        report->options->precision == CGS_PRECISION_F32 ? ", or take --precision=double" : "";
    switch (r->outcome) {
    case CGS_OUTCOME_ITERATION_LIMIT:
        return cgs_fail(context, status,
                        "not converged: the limit of %lld iterations was reached at a relative "
                        "residual of %.2e, tolerance %.0e; raise --max-iterations, or --tol",
                        k, r->relative_residual, report->options->tol);
    case CGS_OUTCOME_STAGNATION:
        return cgs_fail(context, status,
                        "not converged: the residual stopped falling before iteration %lld, at "
                        "%.2e, tolerance %.0e; raise --tol%s",
                        k, r->true_relative_residual, report->options->tol, single);
    case CGS_OUTCOME_RESIDUAL_GAP:
        return cgs_fail(context, status,
                        "not converged: after %lld iterations the recursion says %.2e, but the "
                        "true residual is %.2e; raise --tol%s",
                        k, r->relative_residual, r->true_relative_residual, single);
    case CGS_OUTCOME_NOT_POSITIVE:
        return cgs_fail(context, status,
                        "breakdown in iteration %lld: p'A p is not positive, so the matrix is not "
                        "symmetric positive definite",
                        k + 1);
    case CGS_OUTCOME_NOT_FINITE:
        return cgs_fail(context, status,
                        "breakdown in iteration %lld: NaN or Inf in a sum (overflow, or wrong "
                        "numbers in matrix or right-hand side)",
                        k + 1);
    default:
        return CGS_OK; /* converged or at the floor; an interrupt was said by the run */
    }
}

static bool wants_bold(FILE *file)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    return isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0 && !(plain && *plain);
}

static void write_text(FILE *file, const struct cgs_report *report)
{
    if (report->options->plan && report->has_plan)
        cgs_report_plan(file, report, wants_bold(file));
    else if (report->has_result)
        cgs_report_text(file, report, wants_bold(file));
}

/* History, text, JSON: in this order, so that the JSON file, for programs, knows of all that could
 * not be written, and of an interrupt until then; what comes after that changes nothing. */
static void write_all(struct cgs_context *context, const struct cgs_options *options,
                      struct outputs *outputs, const struct cgs_report *report, FILE *text)
{
    if (outputs->history.target && report->has_result &&
        cgs_output_begin(context, &outputs->history) == CGS_OK) {
        cgs_report_history(outputs->history.file, report);
        cgs_output_commit(context, &outputs->history);
    }
    cgs_output_discard(&outputs->history);
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    if (text && !(options->json && strcmp(options->json, "-") == 0)) {
        write_text(text, report);
        cgs_output_flush(context, text);
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

enum cgs_status cgs_solve(struct cgs_context *context, struct cgs_options *options, int argc,
                          const char *const *argv, FILE *text, FILE *verbose)
{
    struct cgs_report report = {.argc = argc, .argv = argv, .options = options, .context = context};
    struct outputs outputs;
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(report.date, sizeof report.date, "%Y-%m-%dT%H:%M:%SZ", &utc);

    cgs_interrupt_catch(); /* before there is anything that it could leave behind */
    open_outputs(context, options, &outputs);
    if (context->status == CGS_OK)
        cgs_run(context, options, verbose, &report);
    if (context->status == CGS_OK && report.has_result)
        judge(context, &report);
    write_all(context, options, &outputs, &report, text);
    cgs_free(context, report.result.history);
    return context->status;
}
