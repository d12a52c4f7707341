#include "core/run/judge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/options/solver_settings.h"
#include "core/run/why.h"
#include "matrix/names.h"
#include "solver/cg/cg_result.h"

/* A diagonal whose entries span more is of rows or units of different size. */
static const double DIAGONAL_SPANS = 100.0;

/* Returns true if a function of the caller's is the matrix or the preconditioner. */
static bool asks_caller(const struct cgs_report *report)
{
    return cgs_external_product(&report->external) || cgs_external_precondition(&report->external);
}

/* Returns advice on preconditioners after too many iterations of plain CG. */
static const char *preconditioners(const struct cgs_report *report)
{
    const struct cgs_settings *settings = report->settings;
    if (settings->precond != CGS_PRECOND_NONE || cgs_external_precondition(&report->external))
        return "";
    if (cgs_external_product(&report->external)) /* which has no entries to make one of */
        return "; a preconditioner of yours may take fewer";
    if (report->external.plugin) /* verified with this matrix only, so not for coarse grids */
        return "; \1precond=jacobi may take fewer";
    if (cgs_settings_box(settings) && settings->problem->mass)
        return "; \1precond=jacobi takes fewer";
    return cgs_settings_box(settings) ? "; \1precond=mg takes fewer"
                                      : "; \1precond=jacobi, or amg, may take fewer";
}

/* Returns advice if this precision cannot solve the problem: double, if its rounding would leave a
 * relative residual of at most 1e-2. */
static const char *better_precision(const struct cgs_report *report)
{
    const char *hold = cgs_run_help_hold(report);
    if (hold)
        return hold;
    if (report->settings->precision == CGS_PRECISION_F32 &&
        report->result.floor * (DBL_EPSILON / FLT_EPSILON) <= 1e-2)
        return "take \1precision=double";
    return "no precision here can, so look for rows or units of very different size in the matrix, "
           "or "
           "for a direction that it maps to nearly 0";
}

/* Returns true if p'A p, which begins near d ||b||^2 and falls from there, comes near an end of
 * double precision, in which it is summed. */
static bool products_leave(double d, double b)
{
    return fabs(log2(d) + 2.0 * log2(b)) > 900.0;
}

/* Returns true if x, about as large as ||b|| over the diagonal's entries, loses digits to
 * underflow: then its residual parts from that of the iterations. */
static bool underflows(enum cgs_number number, const struct cgs_report *report)
{
    const double least =
        number == CGS_F32 ? (double)FLT_MIN / (double)FLT_EPSILON : DBL_MIN / DBL_EPSILON;
    return report->result.reference / report->least_diagonal < least;
}

/* Returns true if the sums of a solve show that they left the range; of a set-up that failed
 * nothing is known. */
static bool shows(enum cgs_number number, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const struct cgs_cg_direction *p = &r->direction;
    if (report->has_result && r->outcome == CGS_OUTCOME_RESIDUAL_GAP)
        return underflows(number, report);
    return !report->has_result || r->outcome == CGS_OUTCOME_NOT_FINITE || !p->measured ||
           !(p->pp > 0.0) || !(p->qq > 0.0) || p->noise == 0.0 || !isfinite(p->pp) ||
           !isfinite(p->qq) ||
           (number == CGS_F32 && (report->least_diagonal < (double)FLT_MIN ||
                                  report->most_diagonal > (double)FLT_MAX * (double)FLT_EPSILON));
}

/* Returns true if one factor brings the diagonal within the range of a type: its span fits
 * there. */
static bool one_factor_helps(enum cgs_number number, double least, double most)
{
    return !cgs_report_leaves(number, sqrt(most / least));
}

static bool is_f64(const struct cgs_report *report)
{
    return report->settings->precision == CGS_PRECISION_F64;
}

/* Returns the shortest type in which a solve, or its preconditioner, computes. */
static enum cgs_number number_of(const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    const bool cycles =
        cgs_precond_is(o->precond, CGS_PRECOND_CYCLES) && cgs_settings_cycle(o) == CGS_F32;
    return is_f64(report) && !cycles ? CGS_F64 : CGS_F32;
}

/* Says by what to multiply so that the diagonal lies around 1, and ||b|| (0: unknown) near 1, x
 * then having no larger or smaller numbers than the condition of the matrix makes. */
static void tell_factors(double least, double most, double b, char *text, size_t size)
{
    const int of_matrix = -(int)lround(0.5 * (log2(least) + log2(most)));
    const int of_rhs = b > 0.0 && isfinite(b) ? -ilogb(b) : 0;
    if (!(b > 0.0))
        snprintf(
            text, size,
            "multiply the matrix by 2^%d and the right-hand side by a 2^k that brings it near 1: "
            "x is 2^(%d - k) times what solves these",
            of_matrix, of_matrix);
    else if (of_matrix == of_rhs)
        snprintf(text, size, "multiply matrix and right-hand side by 2^%d", of_matrix);
    else
        snprintf(
            text, size,
            "multiply the matrix by 2^%d and the right-hand side by 2^%d: x is 2^%d times what "
            "solves these",
            of_matrix, of_rhs, of_matrix - of_rhs);
}

bool cgs_run_blame_range(struct cgs_context *context, const struct cgs_report *report)
{
    const bool plain = is_f64(report);
    const enum cgs_number number = number_of(report);
    const bool cycles = plain && number == CGS_F32;
    const double least = report->least_diagonal, most = report->most_diagonal;
    const double b = report->has_result ? report->result.reference : 0.0;
    char norm[48] = "", factors[160], entries[CGS_CAUSE_BYTES];
    if (!report->has_range ||
        !(cgs_report_leaves(number, least) || cgs_report_leaves(number, most) ||
          (b > 0.0 && (cgs_report_leaves(number, b) || products_leave(least, b) ||
                       products_leave(most, b)))) ||
        !shows(number, report) || cgs_run_tell_entries(report, entries))
        return false;
    if (b > 0.0)
        snprintf(norm, sizeof norm, ", ||b|| = %.1e", b);
    const bool overflows = report->has_result && report->result.overflows;
    const bool small = report->has_result && report->result.outcome == CGS_OUTCOME_RESIDUAL_GAP;
    const bool ended =
        small || (report->has_result && report->result.outcome == CGS_OUTCOME_SINGULAR);
    tell_factors(least, most, b, factors, sizeof factors);
    context->status = CGS_OK; /* drops the earlier message, which blames the matrix */
    context->message[0] = '\0';
    cgs_fail(
        context, ended ? CGS_NOT_CONVERGED : CGS_BREAKDOWN,
        "%s: %s in %s precision%s (diagonal entries of %.1e to %.1e%s): %s%s",
        ended ? "not converged" : "breakdown",
        overflows ? "x overflows"
        : small   ? "x underflows"
                  : "sums overflow or underflow",
        cgs_number_name(number), !plain || !cycles ? "" : ", in which multigrid's cycles compute",
        least, most, norm,
        number == CGS_F64 ? ""
        : plain           ? "take \1precond-precision=double, or "
                          : "take \1precision=double, or ",
        cgs_settings_box(report->settings)
            ? "take units in which kappa, h and the source are near 1"
        : one_factor_helps(number, least, most)
            ? factors
            : "give the unknowns units in which the diagonal spans less: no factor of the whole "
              "matrix helps");
    return true;
}

/* Returns true if the start vector is so large that its residual overflows; that of zero is b. */
static bool starts_beyond(const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const double most = is_f64(report) ? DBL_MAX : (double)FLT_MAX;
    return r->outcome == CGS_OUTCOME_NOT_FINITE && r->history[0] > 1.0 &&
           r->history[0] * r->reference > most;
}

/* Returns what helps where some rows rule ||b - A x||. */
static const char *help_for_row(const struct cgs_report *report)
{
    const struct cgs_settings *o = report->settings;
    const bool spans =
        report->has_range && report->most_diagonal > DIAGONAL_SPANS * report->least_diagonal;
    if (o->precond == CGS_PRECOND_NONE && !cgs_external_precondition(&report->external) &&
        (spans || cgs_settings_box(o)))
        return "take \1precond=jacobi";
    if (report->result.iterations >= o->max_iterations)
        return "raise \1max-iterations";
    if (o->precision != CGS_PRECISION_F64)
        return "take \1precision=double";
    return cgs_settings_box(o)
               ? "take value= instead of a large h, or units in which kappa and h are near 1"
               : "take known values out of the matrix instead of penalising them, and units in "
                 "which its diagonal entries are near each other";
}

enum cgs_status cgs_run_judge(struct cgs_context *context, const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const long long k = (long long)r->iterations;
    const enum cgs_status status = cgs_outcome_status(r->outcome);
    if (starts_beyond(report))
        return cgs_fail(
            context, status,
            "breakdown: the residual of the start vector overflows in %s precision: take a "
            "start that is nearer to the solution, or none%s",
            is_f64(report) ? "double" : "single", is_f64(report) ? "" : ", or \1precision=double");
    if ((status == CGS_BREAKDOWN || r->outcome == CGS_OUTCOME_SINGULAR ||
         r->outcome == CGS_OUTCOME_RESIDUAL_GAP) &&
        cgs_run_blame_range(context, report))
        return context->status;
    char cause[CGS_CAUSE_BYTES];
    if (status == CGS_NOT_CONVERGED && cgs_run_tell_skew(report, cause))
        return cgs_fail(
            context, status,
            "not converged: after %lld iteration%s the true relative residual is %.2e%s", k,
            k == 1 ? "" : "s", r->true_relative_residual, cause);
    const char *single =
        report->settings->precision != CGS_PRECISION_F64 ? ", or take \1precision=double" : "";
    const bool f32 = report->settings->precision == CGS_PRECISION_F32;
    cgs_row_name row;
    switch (r->outcome) {
    case CGS_OUTCOME_ROWS:
        return cgs_fail(
            context, status,
            "not converged: after %lld iteration%s ||b - A x|| is %.2e of ||b||, but in %s the "
            "residual is %.1e of its own terms |A| |x| + |b|: other rows rule the norm; %s",
            k, k == 1 ? "" : "s", r->true_relative_residual,
            cgs_report_row_name(report, r->rows.row, row), r->rows.worst, help_for_row(report));
    case CGS_OUTCOME_ITERATION_LIMIT:
        return cgs_fail(context, status,
                        "not converged: the limit of %lld iteration%s was reached at a relative "
                        "residual of %.2e, tolerance %.0e; raise \1max-iterations, or \1tol%s%s",
                        k, k == 1 ? "" : "s", r->relative_residual, report->settings->tol,
                        !f32 || r->floor > 2.0 * report->settings->tol ? single : "",
                        preconditioners(report));
    case CGS_OUTCOME_PRECISION:
        return cgs_fail(context, status,
                        "not converged: %s precision cannot solve this: after %lld iteration%s the "
                        "true relative residual is %.2e, and rounding alone may leave %.1e: %s",
                        f32 ? "single" : "double", k, k == 1 ? "" : "s", r->true_relative_residual,
                        r->floor, better_precision(report));
    case CGS_OUTCOME_STAGNATION:
        return cgs_fail(context, status,
                        "not converged: the residual stopped falling before iteration %lld, at "
                        "%.2e, tolerance %.0e; raise \1tol%s%s",
                        k, r->true_relative_residual, report->settings->tol, single,
                        preconditioners(report));
    case CGS_OUTCOME_RESIDUAL_GAP:
        return cgs_fail(context, status,
                        "not converged: after %lld iterations the recursion says %.2e, but the "
                        "true residual is %.2e; rounding explains up to %.1e: raise \1tol%s; or a "
                        "number in memory has changed: run again",
                        k, r->relative_residual, r->true_relative_residual, r->floor, single);
    case CGS_OUTCOME_SINGULAR:
        cgs_run_tell_cause(report, cause);
        return cgs_fail(
            context, status,
            "not converged in %lld iterations (true relative residual %.2e): p'A p was 0 within "
            "rounding for a direction p%s",
            k, r->true_relative_residual, cause);
    case CGS_OUTCOME_NOT_POSITIVE:
        cgs_run_tell_cause(report, cause);
        return cgs_fail(context, status, "breakdown in iteration %lld: %s is not positive%s", k + 1,
                        r->direction.rz <= 0.0 ? "r'M r" : "p'A p", cause);
    case CGS_OUTCOME_NOT_FINITE:
        cgs_run_tell_cause(report, cause);
        return cgs_fail(context, status, "breakdown in iteration %lld: NaN or Inf in a sum%s%s",
                        isfinite(r->history[k]) ? k + 1 : k,
                        cause[0] ? cause
                        : asks_caller(report)
                            ? " (overflow, or wrong numbers in the matrix, the right-hand side, "
                              "what the caller's function gives, or memory)"
                            : " (overflow, or wrong numbers in matrix, right-hand side or memory)",
                        cause[0] || cgs_settings_box(report->settings) ? "" : single);
    default:
        return CGS_OK; /* converged or at the floor; the run reports interrupts */
    }
}
