#include "src/run/judge.h"

#include <float.h>
#include <math.h>

/* A diagonal whose entries span more is of rows or units of different size. */
static const double DIAGONAL_SPANS = 100.0;

/* Returns advice on preconditioners after too many iterations of plain CG. */
static const char *preconditioners(const struct cgs_options *options)
{
    if (options->precond != CGS_PRECOND_NONE)
        return "";
    if (options->foreign) /* verified with this matrix only, so not for coarse grids */
        return "; --precond=jacobi may take fewer";
    return cgs_options_box(options) ? "; --precond=mg takes fewer"
                                    : "; --precond=jacobi, or amg, may take fewer";
}

/* Returns advice if this precision cannot solve the problem: double, if its rounding would leave a
 * relative residual of at most 1e-2. */
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

bool cgs_run_blame_range(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    const bool plain = o->precision == CGS_PRECISION_F64;
    const bool cycles = cgs_precond_is(o->precond, CGS_PRECOND_CYCLES) && cgs_options_cycle(o) == CGS_F32;
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
    context->status = CGS_OK; /* drops the earlier message, which blames the matrix */
    context->message[0] = '\0';
    cgs_fail(context, ended ? CGS_NOT_CONVERGED : CGS_BREAKDOWN,
             "%s: sums overflow or underflow in %s precision%s (diagonal entries of %.1e to "
             "%.1e%s): %smultiply matrix and right-hand side by powers of two",
             ended ? "not converged" : "breakdown", cgs_number_name(number),
             !plain || !cycles ? "" : ", in which multigrid's cycles compute",
             report->least_diagonal, report->most_diagonal, norm,
             number == CGS_F64 ? ""
             : plain           ? "take --precond-precision=double, or "
                               : "take --precision=double, or ");
    return true;
}

/* Returns what helps where some rows rule ||b - A x||. */
static const char *help_for_row(const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    const bool spans =
        report->has_range && report->most_diagonal > DIAGONAL_SPANS * report->least_diagonal;
    if (report->result.iterations >= o->max_iterations)
        return "raise --max-iterations";
    if (o->precond == CGS_PRECOND_NONE && !(o->handed && o->handed->precondition) &&
        (spans || cgs_options_box(o)))
        return "take --precond=jacobi";
    if (o->precision != CGS_PRECISION_F64)
        return "take --precision=double";
    return cgs_options_box(o)
               ? "take value= instead of a large h, or units in which kappa and h are near 1"
               : "take known values out of the matrix instead of penalising them, and units in which its "
                 "diagonal entries are near each other";
}

enum cgs_status cgs_run_judge(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const long long k = (long long)r->iterations;
    const enum cgs_status status = cgs_outcome_status(r->outcome);
    if ((status == CGS_BREAKDOWN || r->outcome == CGS_OUTCOME_SINGULAR) &&
        cgs_run_blame_range(context, report))
        return context->status;
    const bool plain = report->options->precond == CGS_PRECOND_NONE;
    const char *single =
        report->options->precision != CGS_PRECISION_F64 ? ", or take --precision=double" : "";
    const bool f32 = report->options->precision == CGS_PRECISION_F32;
    cgs_row_name row;
    switch (r->outcome) {
    case CGS_OUTCOME_ROWS:
        return cgs_fail(context, status,
                        "not converged: after %lld iteration%s ||b - A x|| is %.2e of ||b||, but in %s the "
                        "residual is %.1e of its own terms |A| |x| + |b|: other rows rule the norm; %s",
                        k, k == 1 ? "" : "s", r->true_relative_residual,
                        cgs_report_row_name(report, r->rows.row, row), r->rows.worst,
                        help_for_row(report));
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
        if (cgs_options_box(report->options)) /* singular in this precision only */
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
        return CGS_OK; /* converged or at the floor; the run reports interrupts */
    }
}
