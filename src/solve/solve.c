/* A solve from outside: outputs are made sure of first, then the pipeline runs, then the facts are
 * written, those of a failed run too. */
#include "src/solve/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "src/run/guard.h"
#include "src/io/interrupt.h"
#include "src/io/output.h"
#include "src/io/page.h"
#include "src/field/pictures.h"
#include "src/solve/suggest.h"
#include "src/io/version.h"
#include "src/field/vtkhdf.h"

struct outputs {
    struct cgs_output json, history, solution, matrix;
};

static enum cgs_status open_outputs(struct cgs_context *context, const struct cgs_options *options,
                                    struct outputs *outputs)
{
    *outputs = (struct outputs){0};
    CGS_TRY(cgs_output_open(context, "the JSON report", options->json, 1, &outputs->json));
    CGS_TRY(cgs_output_open(context, "the history", options->history, 0, &outputs->history));
    CGS_TRY(cgs_output_open(context, "the matrix", options->save_matrix, 0, &outputs->matrix));
    CGS_TRY(cgs_pictures_check(context, options));
    return cgs_output_open(context, "the solution",
                           cgs_vtkhdf_named(options->output) ? NULL : options->output, 0,
                           &outputs->solution);
}

/* To be tried where plain CG took too many iterations. */
static const char *preconditioners(const struct cgs_options *options)
{
    if (options->precond != CGS_PRECOND_NONE)
        return "";
    if (options->foreign) /* it takes no other matrix than the one that it was verified with */
        return "; --precond=jacobi may take fewer";
    return cgs_options_box(options) ? "; --precond=mg takes fewer"
                                    : "; --precond=jacobi, or amg, may take fewer";
}

/* Advice where this precision cannot solve the problem: double where its own rounding leaves a residual of
 * 1e-2 at most. */
static const char *better_precision(const struct cgs_report *report)
{
    if (report->options->precision == CGS_PRECISION_F32 &&
        report->result.floor * (DBL_EPSILON / FLT_EPSILON) <= 1e-2)
        return "take --precision=double";
    return "no precision here can, so look for rows or units of very different size in the matrix, or "
           "for a direction that it maps to nearly 0";
}

/* Returns true if p'A p, which begins near d ||b||^2 and falls from there, comes near an end of double
 * precision, in which it is summed. */
static bool products_leave(double d, double b)
{
    return fabs(log2(d) + 2.0 * log2(b)) > 900.0;
}

bool cgs_solve_blame_range(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    const bool plain = o->precision == CGS_PRECISION_F64;
    const bool cycles = o->precond == CGS_PRECOND_AMG && cgs_options_cycle(o) == CGS_F32;
    const enum cgs_number number = plain && !cycles ? CGS_F64 : CGS_F32;
    const double b = report->has_result ? report->result.reference : 0.0;
    char norm[48] = "";
    if (!report->has_range ||
        !(cgs_report_leaves(number, report->least_diagonal) ||
          cgs_report_leaves(number, report->most_diagonal) ||
          (b > 0.0 && (cgs_report_leaves(number, b) || products_leave(report->least_diagonal, b) ||
                       products_leave(report->most_diagonal, b)))))
        return false;
    if (b > 0.0)
        snprintf(norm, sizeof norm, ", ||b|| = %.1e", b);
    const bool ended = report->has_result && report->result.outcome == CGS_OUTCOME_SINGULAR;
    context->status = CGS_OK; /* what was said of the matrix is not known to be true */
    context->message[0] = '\0';
    cgs_fail(context, ended ? CGS_NOT_CONVERGED : CGS_BREAKDOWN,
             "%s: sums overflow or underflow in %s precision%s (diagonal entries of %.1e to "
             "%.1e%s): %smultiply matrix and right-hand side by powers of two",
             ended ? "not converged" : "breakdown", number == CGS_F32 ? "single" : "double",
             !plain || !cycles ? "" : ", in which multigrid's cycles compute",
             report->least_diagonal, report->most_diagonal, norm,
             number == CGS_F64 ? ""
             : plain           ? "take --precond-precision=double, or "
                               : "take --precision=double, or ");
    return true;
}

enum cgs_status cgs_solve_judge(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const long long k = (long long)r->iterations;
    const enum cgs_status status = cgs_outcome_status(r->outcome);
    if ((status == CGS_BREAKDOWN || r->outcome == CGS_OUTCOME_SINGULAR) &&
        cgs_solve_blame_range(context, report))
        return context->status;
    const bool plain = report->options->precond == CGS_PRECOND_NONE;
    const char *single =
        report->options->precision != CGS_PRECISION_F64 ? ", or take --precision=double" : "";
    const bool f32 = report->options->precision == CGS_PRECISION_F32;
    switch (r->outcome) {
    case CGS_OUTCOME_ITERATION_LIMIT:
        return cgs_fail(context, status,
                        "not converged: the limit of %lld iteration%s was reached at a relative "
                        "residual of %.2e, tolerance %.0e; raise --max-iterations, or --tol%s%s",
                        k, k == 1 ? "" : "s", r->relative_residual, report->options->tol,
                        !f32 || r->floor > 2.0 * report->options->tol ? single : "",
                        preconditioners(report->options));
    case CGS_OUTCOME_PRECISION:
        return cgs_fail(context, status,
                        "not converged: %s precision cannot solve this: after %lld iteration%s the "
                        "true relative residual is %.2e, and rounding alone may leave %.1e: %s",
                        f32 ? "single" : "double", k, k == 1 ? "" : "s", r->true_relative_residual,
                        r->floor, better_precision(report));
    case CGS_OUTCOME_STAGNATION:
        return cgs_fail(context, status,
                        "not converged: the residual stopped falling before iteration %lld, at "
                        "%.2e, tolerance %.0e; raise --tol%s",
                        k, r->true_relative_residual, report->options->tol, single);
    case CGS_OUTCOME_RESIDUAL_GAP:
        return cgs_fail(context, status,
                        "not converged: after %lld iterations the recursion says %.2e, but the "
                        "true residual is %.2e; rounding explains up to %.1e: raise --tol%s; or a "
                        "number in memory has changed: run again",
                        k, r->relative_residual, r->true_relative_residual, r->floor, single);
    case CGS_OUTCOME_SINGULAR:
        if (cgs_options_box(report->options)) /* in this precision alone, and nobody chose b */
            return cgs_fail(context, status,
                            "not converged in %lld iterations: p'A p was 0 within rounding for a "
                            "direction p, so the matrix is singular%s (true relative residual "
                            "%.2e)%s%s",
                            k, *single ? " in single precision" : "", r->true_relative_residual,
                            plain     ? ": take --precond=jacobi, or mg"
                            : *single ? ": take --precision=double"
                                      : "",
                            plain ? single : "");
        if (*single)
            return cgs_fail(context, status,
                            "not converged in %lld iterations: p'A p was 0 within rounding for a "
                            "direction p, so the matrix is singular in single precision, which cannot "
                            "solve this (true relative residual %.2e): take --precision=double, or, "
                            "where the matrix itself is singular, a b from its range",
                            k, r->true_relative_residual);
        return cgs_fail(context, status,
                        "not converged in %lld iterations: p'A p was 0 within rounding for a "
                        "direction p, so the matrix is singular, and b "
                        "has a part outside its range, which no x gives (true relative residual "
                        "%.2e): take a b from its range",
                        k, r->true_relative_residual);
    case CGS_OUTCOME_NOT_POSITIVE:
        return cgs_fail(context, status,
                        "breakdown in iteration %lld: p'A p is not positive, so the matrix is not "
                        "symmetric positive definite%s",
                        k + 1,
                        cgs_options_box(report->options) ? ""
                        : *single ? ", or is so no longer in single precision: --precision=double tells"
                        : report->options->precond == CGS_PRECOND_AMG &&
                                cgs_options_cycle(report->options) == CGS_F32
                            ? ", or multigrid's cycles in single precision are not: "
                              "--precond-precision=double tells"
                            : "");
    case CGS_OUTCOME_NOT_FINITE:
        return cgs_fail(context, status,
                        "breakdown in iteration %lld: NaN or Inf in a sum (overflow, or wrong "
                        "numbers in matrix, right-hand side or memory)%s",
                        isfinite(r->history[k]) ? k + 1 : k,
                        cgs_options_box(report->options) ? "" : single);
    default:
        return CGS_OK; /* converged or at the floor; an interrupt was said by the run */
    }
}

/* A failure on purpose says so; one that was to come and did not is a failure of the command line.
 */
static void confess(struct cgs_context *context, const struct cgs_report *report)
{
    char fault[64];
    if (report->options->inject.kind == CGS_FAULT_NONE)
        return;
    cgs_fault_write(&report->options->inject, fault, sizeof fault);
    if (context->status == CGS_OK && report->has_result && !report->injected)
        cgs_fail(
            context, CGS_USAGE,
            "--inject=%s: the fault was to come after iteration %lld, but CG ended after %lld%s",
            fault, (long long)report->options->inject.at, (long long)report->result.iterations,
            report->options->inject.at > 0 ? ": take a smaller number" : "");
    else if (report->has_result && !report->injected)
        cgs_fail_add(context, "; the fault of --inject=%s was to come later", fault);
    else if (context->status != CGS_OK && report->injected)
        cgs_fail_add(context, "; injected by --inject=%s", fault);
}

static void write_text(FILE *file, const struct cgs_report *report, enum cgs_status status)
{
    if (report->options->plan && report->has_plan)
        cgs_report_plan(file, report, cgs_page_bold(file));
    else if (report->has_result)
        cgs_report_text(file, report, cgs_page_bold(file));
    if (report->has_result && status == CGS_OK)
        cgs_suggest(file, report, cgs_page_bold(file));
}

/* --output: a solution that is none is not written, and does not replace one that was. */
static void write_solution(struct cgs_context *context, struct cgs_output *output,
                           const struct cgs_report *report)
{
    char comment[256];
    if (!output->target || !report->has_result)
        return;
    if (context->status != CGS_OK) {
        cgs_fail_add(context, "; '%s' is not written", report->options->output);
        return;
    }
    snprintf(comment, sizeof comment,
             "solution by cgsolve %s (%s), %s: true relative residual %.3e", cgs_version(),
             cgs_commit(), report->date, report->result.true_relative_residual);
    if (cgs_output_begin(context, output) != CGS_OK)
        return;
    if (cgs_market_write_vector(context, output->file, comment, report->matrix.rows,
                                report->solution) == CGS_OK)
        cgs_output_commit(context, output);
}

/* --output=FILE.vtkhdf, written by the run; --slice. */
static void draw_pictures(struct cgs_context *context, struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    if (!report->has_result)
        return;
    if (context->status == CGS_OK)
        cgs_pictures_draw(context, report);
    else if (o->slice.file)
        cgs_fail_add(context, "; '%s' is not drawn", o->slice.file);
    if (cgs_vtkhdf_named(o->output) && !report->has_vtkhdf && context->status != CGS_FILE)
        cgs_fail_add(context, "; '%s' is not written", o->output);
}

/* Solution, pictures, history, text, JSON: in this order, so that the JSON file, for programs, knows of all
 * that could not be written, and of an interrupt until then; what comes after that changes nothing.
 */
static void write_all(struct cgs_context *context, const struct cgs_options *options,
                      struct outputs *outputs, struct cgs_report *report, FILE *text)
{
    write_solution(context, &outputs->solution, report);
    draw_pictures(context, report);
    cgs_output_discard(&outputs->solution);
    cgs_output_discard(&outputs->matrix);
    if (outputs->history.target && report->has_result &&
        cgs_output_begin(context, &outputs->history) == CGS_OK) {
        cgs_report_history(outputs->history.file, report);
        cgs_output_commit(context, &outputs->history);
    }
    cgs_output_discard(&outputs->history);
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_OUTPUT);
    if (text && !(options->json && strcmp(options->json, "-") == 0)) {
        write_text(text, report, context->status);
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
    struct cgs_report report = cgs_report_start(context, options, argc, argv);
    struct outputs outputs;

    cgs_interrupt_catch(); /* before there is anything that it could leave behind */
    open_outputs(context, options, &outputs);
    if (context->status == CGS_OK) {
        cgs_guard_lend(options);
        cgs_run(context, options, verbose, &outputs.matrix, &report);
        cgs_guard_take_back(options);
    }
    if (context->status == CGS_OK && report.has_result)
        cgs_solve_judge(context, &report);
    confess(context, &report);
    write_all(context, options, &outputs, &report, text);
    cgs_free(context, report.result.history);
    cgs_free(context, report.algebraic);
    cgs_free(context, report.solution);
    cgs_slice_release(&report.slice);
    return context->status;
}
