/* Causes, in this order: what the preconditioner gave, what entries prove, what p'A p proves, what
 * rounding explains. A cause is said where it was measured, else that it is not known; a remedy
 * only where it is not in force already.
 */
#include "core/run/why.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/comm.h"
#include "base/random.h"
#include "core/options/option_table.h"
#include "core/options/solver_settings.h"
#include "core/run/steps.h"
#include "core/setup/external.h"
#include "matrix/definite.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_vectors.h"

/* A diagonal that spans more than this is named, and Jacobi's preconditioner proposed. */
static const double SPAN = 1e4;

/* Difference of u'F v and v'F u, over their terms, that rounding does not leave. */
static const double SKEW = 1e-8;

/* A p and the part of b along p, over the products of norms, that count as 0 and as something. */
static const double NOTHING = 1e-14, SOMETHING = 1e-8;

/* 1 / cond over the rounding of numbers, below which x has few digits of its mean, or none. */
static const double FEW = 1e3;

/* ---- measurement ---- */

/* Replaces a row's number by that of the file, where ranks renumbered them. */
static void name_row(const struct cgs_run *run, int64_t *row)
{
    const struct cgs_renumbering *r = &run->renumbered;
    if (!r->row || *row < 0)
        return;
    const bool mine = r->first <= *row && *row < r->first + r->count;
    *row = (int64_t)cgs_comm_most(run->context, mine ? (double)r->row[*row - r->first] : -1.0);
}

/* Brings b to run->host, if CG is there. *b NULL: it is not. */
static enum cgs_status bring_rhs(struct cgs_run *run, const double **b)
{
    *b = NULL;
    if (!run->cg)
        return CGS_OK;
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_rhs(run->cg))));
    *b = run->host;
    return CGS_OK;
}

/* Finds a part of the matrix on which constants solve A x = 0; ranks look at all of it alone. */
static enum cgs_status find_null_part(struct cgs_run *run, struct cgs_null_part *part)
{
    const struct cgs_definite *found = &run->report->definite;
    const double *b;
    *part = (struct cgs_null_part){0};
    if (run->context->comm ? !found->constants : !found->some)
        return CGS_OK;
    CGS_TRY(bring_rhs(run, &b));
    if (!run->context->comm)
        return cgs_matrix_find_null_part(run->context, &run->drawn, b, part);
    double sums[2] = {0.0, 0.0};
    for (int64_t i = 0; i < run->rows && b; i++) {
        sums[0] += b[i];
        sums[1] += fabs(b[i]);
    }
    const double sum = cgs_comm_sum(run->context, sums[0]);
    const double size = cgs_comm_sum(run->context, sums[1]);
    part->rows = run->report->matrix.rows;
    part->rhs = size > 0.0 ? fabs(sum) / size : 0.0;
    return CGS_OK;
}

enum cgs_status cgs_run_find_causes(struct cgs_run *run)
{
    struct cgs_report *report = run->report;
    struct cgs_definite *found = &report->definite;
    if (run->input.kind == CGS_INPUT_CALLBACK || !run->drawn.fill)
        return CGS_OK;
    if (run->drawn.mesh) /* positive definite by construction */
        return cgs_run_note_range(run);
    CGS_TRY(
        cgs_comm_agree(run->context, cgs_matrix_look_definite(run->context, &run->drawn, found)));
    report->least_diagonal = found->least;
    report->most_diagonal = found->most;
    report->has_range = report->has_definite = true;
    name_row(run, &found->least_row);
    name_row(run, &found->most_row);
    name_row(run, &found->i);
    name_row(run, &found->j);
    return find_null_part(run, &report->null_part);
}

/* Applies a function to u, random numbers from the `seed`-th on. Gives v'F u for those from the
 * `other`-th on, and ||v|| ||F u||. */
static enum cgs_status apply_to_random(struct cgs_run *run, const struct cgs_operator *f,
                                       uint64_t seed, uint64_t other, double *product, double *size)
{
    double sums[3] = {0.0, 0.0, 0.0};
    CGS_TRY(cgs_cg_complete(run->cg));
    for (int64_t i = 0; i < run->rows; i++)
        run->host[i] = cgs_random(seed + (uint64_t)i);
    CGS_TRY(cgs_run_put(run, cgs_cg_residual(run->cg)));
    CGS_TRY(cgs_operator_apply(f, run->machine.queue, NULL, cgs_cg_residual(run->cg),
                               cgs_cg_scratch(run->cg)));
    CGS_TRY(cgs_run_get(run, cgs_cg_scratch(run->cg)));
    for (int64_t i = 0; i < run->rows; i++) {
        const double v = cgs_random(other + (uint64_t)i), w = run->host[i];
        sums[0] += v * w;
        sums[1] += v * v;
        sums[2] += w * w;
    }
    *product = sums[0];
    *size = sqrt(sums[1]) * sqrt(sums[2]);
    return CGS_OK;
}

static enum cgs_status find_skew(struct cgs_run *run, const struct cgs_operator *f, double *skew)
{
    const uint64_t u = 1, v = 1 + (uint64_t)run->rows;
    double products[2], sizes[2];
    CGS_TRY(apply_to_random(run, f, u, v, &products[0], &sizes[0]));
    CGS_TRY(apply_to_random(run, f, v, u, &products[1], &sizes[1]));
    const double size = sizes[0] + sizes[1];
    *skew = size > 0.0 && isfinite(size) ? fabs(products[0] - products[1]) / size : 0.0;
    return CGS_OK;
}

enum cgs_status cgs_run_find_skew(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    if (!caller || !(caller->product || caller->precondition))
        return CGS_OK;
    CGS_TRY(cgs_run_take_host(run));
    if (caller->product)
        CGS_TRY(find_skew(run, &run->op, &run->report->skew_product));
    return caller->precondition ? find_skew(run, &run->precond.op, &run->report->skew_precondition)
                                : CGS_OK;
}

/* ---- words ---- */

static void say(char text[CGS_CAUSE_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(char text[CGS_CAUSE_BYTES], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, CGS_CAUSE_BYTES - used, format, arguments);
    va_end(arguments);
}

bool cgs_run_tell_entries(const struct cgs_report *report, char text[CGS_CAUSE_BYTES])
{
    const struct cgs_definite *d = &report->definite;
    text[0] = '\0';
    if (!report->has_definite)
        return false;
    const int64_t i = d->i + 1, j = d->j + 1;
    if (!(d->least > 0.0))
        say(text,
            ": a(%" PRId64 ", %" PRId64
            ") = %.3g, so the matrix is not positive definite (rows and "
            "columns counted from 1)",
            d->least_row + 1, d->least_row + 1, d->least);
    else if (d->minor <= 0)
        say(text,
            ": a(%" PRId64 ", %" PRId64 ") a(%" PRId64 ", %" PRId64 ") %s a(%" PRId64 ", %" PRId64
            ")^2 (%.6g x %.6g, %.6g squared; rows and columns counted from 1), so the matrix is "
            "not "
            "positive definite%s, and no scaling makes it so",
            i, i, j, j, d->minor < 0 ? "<" : "=", i, j, d->a_ii, d->a_jj, d->a_ij,
            d->minor < 0 ? "" : " but singular at best");
    return text[0] != '\0';
}

static bool is_single(const struct cgs_report *report)
{
    return report->settings->precision != CGS_PRECISION_F64;
}

static const char *precision_of(const struct cgs_report *report)
{
    return is_single(report) ? "single" : "double";
}

static bool preconditioned_by_caller(const struct cgs_report *report)
{
    return cgs_external_precondition(&report->external) != NULL;
}

/* Returns true if no preconditioner is in force. */
static bool is_plain(const struct cgs_report *report)
{
    return report->settings->precond == CGS_PRECOND_NONE && !preconditioned_by_caller(report);
}

/* Adds what helps against rounding in p'A p; returns false where nothing more is known to. */
static bool tell_remedies(const struct cgs_report *report, char *text)
{
    const struct cgs_definite *d = &report->definite;
    const struct cgs_settings *o = report->settings;
    const bool function = cgs_external_product(&report->external) != NULL,
               box = cgs_settings_box(o);
    const bool spans = is_plain(report) && report->has_definite && d->most > SPAN * d->least;
    const bool weak = report->hold > 0.0 && report->hold < FEW * FLT_EPSILON;
    const char *before = ": take ";
    if (spans)
        say(text, ": the diagonal spans %.1e (row %" PRId64 ") to %.1e (row %" PRId64 ")", d->least,
            d->least_row + 1, d->most, d->most_row + 1);
    if (is_plain(report) && !function && (spans || box) && !(is_single(report) && weak)) {
        say(text, "%s%s", before,
            box ? "\1precond=jacobi, or mg" : "\1precond=jacobi, which takes that out");
        before = ", or take ";
    }
    if (is_single(report)) {
        say(text, "%s\1precision=double", before);
        before = "";
    }
    return strcmp(before, ": take ") != 0;
}

/* Constants solve A x = 0 on a part of the matrix, and b does not add up to 0 there. Returns false,
 * and writes nothing, otherwise. */
static bool tell_null_part(const struct cgs_report *report, char *text)
{
    static const double ROUNDING = 1e-12;
    const struct cgs_null_part *part = &report->null_part;
    char where[96] = "";
    if (!report->has_definite || part->rows == 0 || !(part->rhs > ROUNDING))
        return false;
    if (part->rows < report->matrix.rows)
        snprintf(where, sizeof where, " on the %" PRId64 " rows that entries join to row %" PRId64,
                 part->rows, part->first + 1);
    say(text,
        ": constants%s solve A x = 0, so the matrix is singular, and b has a part outside its "
        "range, which no x gives (its numbers%s add up to %.1e of the sum of their magnitudes): "
        "take a b from its range, which adds up to 0%s, or \1nullspace=constant, which takes that "
        "part off",
        where, where[0] ? " there" : "", part->rhs, where[0] ? " there" : "");
    return true;
}

bool cgs_run_blames_matrix(const struct cgs_report *report)
{
    const struct cgs_definite *d = &report->definite;
    const bool known = report->nullspace.dimension > 0 && report->nullspace.taken;
    char text[CGS_CAUSE_BYTES];
    return (cgs_run_tell_entries(report, text) && !(known && d->least > 0.0 && d->minor == 0)) ||
           tell_null_part(report, text);
}

/* r'M r was not positive. */
static void tell_preconditioner(const struct cgs_report *report, char *text)
{
    const struct cgs_settings *o = report->settings;
    char entries[CGS_CAUSE_BYTES];
    if (preconditioned_by_caller(report))
        say(text, ": the caller's preconditioner M is not symmetric positive definite");
    else
        say(text, ": the preconditioner M of \1precond=%s is not positive definite",
            cgs_option_choice(o, CGS_OPTION_precond));
    if (cgs_run_tell_entries(report, entries)) {
        say(text, "%s", entries);
        return;
    }
    say(text, ", which says nothing of the matrix");
    if (!is_single(report) && cgs_precond_is(o->precond, CGS_PRECOND_CYCLES) &&
        cgs_settings_cycle(o) == CGS_F32)
        say(text, "; \1precond-precision=double tells whether single precision is the cause");
    else if (is_single(report))
        say(text, "; \1precision=double tells whether single precision is the cause");
    else if (!preconditioned_by_caller(report) && o->precond != CGS_PRECOND_JACOBI)
        say(text, ": take \1precond=jacobi");
}

/* p'A p was not positive, and no entry says why. */
static void tell_direction(const struct cgs_report *report, char *text)
{
    const struct cgs_cg_direction *p = &report->result.direction;
    const double value = p->pq / p->pp, noise = p->noise / p->pp;
    if (p->other && p->pq < -p->noise)
        say(text,
            ": x'A x / x'x = %.2e for x = M r, where rounding explains %.0e, so the matrix is not "
            "positive definite",
            value, noise);
    else if (!(p->pp > 0.0) || !isfinite(value) || !isfinite(noise) ||
             (p->qq > 0.0 && noise == 0.0))
        say(text, ": its sums overflow or underflow in %s precision%s", precision_of(report),
            is_single(report) ? ": take \1precision=double" : "");
    else if (p->pq < -p->noise)
        say(text,
            ": p'A p / p'p = %.2e by a plain product, too, where rounding explains %.0e, so the "
            "matrix is not positive definite",
            value, noise);
    else if (p->other) {
        if (!tell_null_part(report, text))
            say(text, ": whether that is the matrix, or rounding, is not known");
    } else if (p->pq > p->noise)
        say(text,
            ", but of that p, made again, a plain product gives p'A p / p'p = %.2e, where rounding "
            "explains %.0e: the cause is not known; run again, or with another \1kernel",
            value, noise);
    else if (!tell_null_part(report, text)) {
        say(text,
            ": p'A p / p'p = %.1e by a plain product, which is 0 within rounding in %s precision "
            "(%.0e), so that the matrix may be definite or not",
            value, precision_of(report), noise);
        tell_remedies(report, text);
    }
}

/* p'A p was 0 within rounding for a direction, and no entry says why. */
static void tell_singular(const struct cgs_report *report, char *text)
{
    const struct cgs_cg_result *r = &report->result;
    const struct cgs_cg_direction *p = &r->direction;
    const double length = sqrt(p->pp);
    if (preconditioned_by_caller(report)) {
        say(text,
            !(p->pp > 0.0) || !isfinite(p->pp) || !isfinite(p->qq)
                ? ": its sums overflow or underflow: multiply what the caller's preconditioner "
                  "M gives by a number that brings M A near 1"
                : ": whether that is the matrix, or the caller's preconditioner M, is not known; "
                  "solve without it to tell");
        return;
    }
    if (is_single(report))
        say(text, ", so the matrix is singular in single precision");
    if (tell_remedies(report, text))
        return;
    if (sqrt(p->qq) <= NOTHING * r->lambda_max * length && p->bp > SOMETHING)
        say(text,
            ": A p is 0 within rounding, too, so the matrix is singular, and b has a part outside "
            "its range, which no x gives (%.1e of it along p): take a b from its range",
            p->bp);
    else
        say(text, ": whether the matrix is singular or only close to it is not known");
}

bool cgs_run_tell_skew(const struct cgs_report *report, char text[CGS_CAUSE_BYTES])
{
    const bool product = report->skew_product > SKEW;
    text[0] = '\0';
    if (product || report->skew_precondition > SKEW)
        say(text,
            ": the caller's %s is not symmetric (u'%c v and v'%c u differ by %.1e of their terms "
            "for random u and v), and CG needs that",
            product ? "product A" : "preconditioner M", product ? 'A' : 'M', product ? 'A' : 'M',
            product ? report->skew_product : report->skew_precondition);
    return text[0] != '\0';
}

const char *cgs_run_help_hold(const struct cgs_report *report)
{
    return report->hold > 0.0 && report->hold < FEW * DBL_EPSILON
               ? "only the h of faces holds u, so weakly that rounding hides it: raise h, give a "
                 "face a value, or leave h out, so that the mean is set"
               : NULL;
}

void cgs_run_tell_cause(const struct cgs_report *report, char text[CGS_CAUSE_BYTES])
{
    const struct cgs_cg_result *r = &report->result;
    const bool direction = r->outcome == CGS_OUTCOME_NOT_POSITIVE;
    const bool preconditioner = direction && r->direction.rz <= 0.0;
    const char *hold = cgs_run_help_hold(report);
    text[0] = '\0';
    if ((!direction || preconditioner) && tell_null_part(report, text))
        return;
    if (hold) {
        say(text, ": %s", hold);
        return;
    }
    if (preconditioner)
        tell_preconditioner(report, text);
    else if (!cgs_run_tell_entries(report, text) && direction)
        tell_direction(report, text);
    else if (!text[0] && r->outcome == CGS_OUTCOME_SINGULAR)
        tell_singular(report, text);
}
