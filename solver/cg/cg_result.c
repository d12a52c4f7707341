/* Outcome of a solve from its true residual, and estimates from its records. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "solver/cg/cg_internal.h"
#include "solver/cg/lanczos.h"

enum { MOST_RESTARTS = 8 };

/* c of the rounding floor. The residual that CG can attain is of order eps ||A|| max_k ||x_k||, with
 * a factor that grows slowly with the iterations (A. Greenbaum, SIAM J. Matrix Anal. Appl. 18
 * (1997)). On the Q1 matrix, single and double, N = 15 ... 400, it was 0.2 ... 3.7
 * (bench/results/2026-11-20-rounding.md). */
static const double FLOOR_FACTOR = 8.0;

/* A solve limited by rounding counts as done up to this true residual, and only if the floor, a
 * bound, is below the residual of x = 0: a higher floor would explain any x. */
static const double FLOOR_RESIDUAL = 1e-2, FLOOR_MOST = 1.0;

double cgs_relative(double rr, double reference2)
{
    return rr == 0.0 ? 0.0 : sqrt(rr / reference2);
}

static double epsilon(const struct cgs_space *space)
{
    return space->number == CGS_F32 ? FLT_EPSILON : DBL_EPSILON;
}

double cgs_rounding_floor(const struct cgs_operator *op, double xx, double reference2)
{
    if (!(op->norm > 0.0) || !(reference2 > 0.0))
        return 0.0;
    return FLOOR_FACTOR * epsilon(&op->domain) * (op->norm * sqrt(xx / reference2) + 1.0);
}

double cgs_recursion_tolerance(const struct cgs_space *space, double tolerance)
{
    return fmax(tolerance, epsilon(space) * epsilon(space));
}

bool cgs_residual_gap(double recursive, double true_residual)
{
    return true_residual > 2.0 * recursive;
}

/* Returns the outcome of a loop that ended for `reason` (enum cgs_reason); residuals are relative.
 * At the iteration limit rounding is the cause only if there is a residual gap. If x = 0 would be
 * better (true_residual >= 1), the outcome is the loop's own, so that a restart is tried. */
static enum cgs_outcome judge(int32_t reason, double tolerance, double recursive,
                              double true_residual, double floor)
{
    const bool gap = cgs_residual_gap(recursive, true_residual);
    switch (reason) {
    case CGS_NOT_POSITIVE:
        return CGS_OUTCOME_NOT_POSITIVE;
    case CGS_NOT_FINITE:
        return CGS_OUTCOME_NOT_FINITE;
    default:
        break;
    }
    if (reason == CGS_ACCURATE && !gap)
        return CGS_OUTCOME_DISCRETIZATION;
    if (true_residual <= 2.0 * tolerance)
        return CGS_OUTCOME_CONVERGED;
    if (true_residual <= floor && true_residual < 1.0 && reason != CGS_STOPPED &&
        (reason != CGS_ITERATION_LIMIT || gap))
        return true_residual <= FLOOR_RESIDUAL && floor < FLOOR_MOST ? CGS_OUTCOME_ROUNDING_FLOOR
                                                                     : CGS_OUTCOME_PRECISION;
    switch (reason) {
    case CGS_ITERATION_LIMIT:
        return CGS_OUTCOME_ITERATION_LIMIT;
    case CGS_STAGNATION:
        return CGS_OUTCOME_STAGNATION;
    case CGS_STOPPED:
        return CGS_OUTCOME_INTERRUPTED;
    default:
        return CGS_OUTCOME_RESIDUAL_GAP;
    }
}

/* Corrects the outcome when no restart is left: rounding may explain even a residual >= 1. */
static enum cgs_outcome judge_end(enum cgs_outcome outcome, double true_residual, double floor)
{
    switch (outcome) {
    case CGS_OUTCOME_STAGNATION:
    case CGS_OUTCOME_RESIDUAL_GAP:
        return true_residual <= floor ? CGS_OUTCOME_PRECISION : outcome;
    default:
        return outcome;
    }
}

/* Corrects the outcome for a singular matrix. least_quotient: smallest |p'A p| / p'M p of the
 * directions, relative to the largest eigenvalue. If it is 0 within rounding, the matrix is
 * singular and b has a part outside its range, or CG would have converged; then x grows without
 * bound, and the rounding floor with it. */
static enum cgs_outcome judge_singular(enum cgs_outcome outcome, const struct cgs_space *space,
                                       double least_quotient)
{
    switch (outcome) {
    case CGS_OUTCOME_CONVERGED:
    case CGS_OUTCOME_DISCRETIZATION:
    case CGS_OUTCOME_INTERRUPTED:
        return outcome;
    default:
        break;
    }
    return least_quotient <= FLOOR_FACTOR * epsilon(space) ? CGS_OUTCOME_SINGULAR : outcome;
}

/* ---- end or continue ---- */

bool cgs_cg_ends(const struct cgs_cg *cg, struct cgs_cg_run *run)
{
    if (run->seen.reason == CGS_REPLACEMENT_DUE)
        return false;
    run->outcome = judge(run->seen.reason, cg->settings.tolerance,
                         cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
                         cgs_relative(run->true_rr, run->reference2),
                         cgs_rounding_floor(cg->outer, run->xx, run->reference2));
    if (run->outcome != CGS_OUTCOME_RESIDUAL_GAP)
        return true;
    const bool halved = run->true_rr < 0.25 * run->before;
    run->before = run->true_rr;
    return !cgs_cg_mixed(cg) &&
           (!cg->settings.restart || run->restarts == MOST_RESTARTS || !halved);
}

/* ---- the result ---- */

/* Computes p'p and q'q of the direction that broke the loop off, if it is the first one: p as made
 * by cgs_cg_start. q is recomputed, since fused steps need not store A p. */
static enum cgs_status measure_direction(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                         double *pp, double *qq)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_cg_state now = run->seen;
    now.reason = CGS_GOING_ON; /* otherwise the sums would be no-ops */
    CGS_TRY(ops->state_set(space, cg->queue, cg->state, &now));
    CGS_TRY(cgs_operator_apply(cg->op, cg->queue, NULL, v->p, v->q));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, v->p, v->p, CGS_SUM_XX));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, v->q, v->q, CGS_SUM_BB));
    CGS_TRY(ops->reduce(space, cg->queue, cg->state, CGS_SUM_BB, 2));
    CGS_TRY(ops->look_start(space, cg->queue, cg->state, 0));
    CGS_TRY(ops->look_finish(space, cg->queue, 0, &now));
    *pp = now.sums[CGS_SUM_XX];
    *qq = now.sums[CGS_SUM_BB];
    return CGS_OK;
}

/* Smallest |p'A p| / p'M p of the last run's directions, relative to the largest eigenvalue. The
 * direction that broke the run off has no record. If it is the first one, no eigenvalue is known
 * and the norm may come from one long row; then A p must vanish or be orthogonal to p. */
static enum cgs_status find_least_quotient(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                           double lambda_max, double *quotient)
{
    const int64_t first = run->seen.first, k = run->seen.iteration - first;
    const double pq = run->seen.sums[CGS_SUM_PQ], rz = run->seen.rz;
    const bool broken = run->seen.reason == CGS_NOT_POSITIVE && rz > 0.0;
    double growth, least = cgs_lanczos_least_quotient(cg->records + first, k, &growth);
    if (broken && k > 0)
        least = fmin(least, fabs(pq) / (rz * growth));
    *quotient = k > 0 && lambda_max > 0.0 ? least / lambda_max : INFINITY;
    if (broken && k == 0) {
        double pp, qq;
        CGS_TRY(measure_direction(cg, run, &pp, &qq));
        *quotient = qq > 0.0 ? fmin(fabs(pq) / sqrt(pp * qq), sqrt(qq / pp) / cg->op->norm) : 0.0;
    }
    return CGS_OK;
}

/* Energy norm of the error; 0 (unknown) if there is a residual gap. */
static double energy_error(const struct cgs_cg *cg, const struct cgs_cg_run *run,
                           const struct cgs_cg_result *result)
{
    if (cgs_residual_gap(result->relative_residual, result->true_relative_residual))
        return 0.0;
    return sqrt(cgs_energy_error2(cg->records, run->seen.first, run->seen.iteration));
}

enum cgs_status cgs_cg_find_result(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                   struct cgs_cg_result *result)
{
    const struct cgs_space *space = &cg->op->domain;
    const int64_t k = run->seen.iteration;
    struct cgs_cg_result found = {
        .iterations = k,
        .restarts = run->restarts,
        .updates = run->updates,
        .gap_iteration = run->gap_iteration,
        .gap_recursive = cgs_relative(run->gap_rr[0], run->reference2),
        .gap_true = cgs_relative(run->gap_rr[1], run->reference2),
        .relative_residual = cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
        .true_relative_residual = cgs_relative(run->true_rr, run->reference2),
        .reference = sqrt(run->reference2),
        .floor = cgs_rounding_floor(cg->outer, run->xx, run->reference2),
        .seconds = run->seconds,
        .records = cg->records,
        .history = cg->history,
    };
    double quotient;
    CGS_TRY(space->ops->records_get(space, cg->queue, cg->state, 0, k + 1, cg->records));
    for (int64_t i = 0; i <= k; i++)
        cg->history[i] = cgs_relative(cg->records[i].rr, run->reference2);
    cgs_lanczos_extremes(cg->records, run->restarts > 0 ? run->first_run : k, &found.lambda_min,
                         &found.lambda_max);
    if (found.lambda_min > 0.0)
        found.condition_estimate = found.lambda_max / found.lambda_min;
    found.energy_error = energy_error(cg, run, &found);
    CGS_TRY(find_least_quotient(cg, run, found.lambda_max, &quotient));
    if (!isfinite(found.true_relative_residual) && run->outcome != CGS_OUTCOME_NOT_POSITIVE)
        found.outcome = CGS_OUTCOME_NOT_FINITE; /* x has a NaN or Inf */
    else
        found.outcome = judge_singular(
            judge_end(run->outcome, found.true_relative_residual, found.floor), space, quotient);
    *result = found;
    return CGS_OK;
}

bool cgs_cg_error_history(const struct cgs_cg_result *result, double *errors)
{
    double sum = result->energy_error * result->energy_error;
    if (!(sum > 0.0) || result->restarts > 0)
        return false;
    for (int64_t k = result->iterations; k >= 0; k--) {
        errors[k] = sqrt(sum);
        sum += k > 0 ? result->records[k].energy : 0.0;
    }
    return true;
}

const char *cgs_outcome_name(enum cgs_outcome outcome)
{
    static const char *const names[CGS_OUTCOMES] = {
        [CGS_OUTCOME_CONVERGED] = "converged",
        [CGS_OUTCOME_DISCRETIZATION] = "discretization",
        [CGS_OUTCOME_ROUNDING_FLOOR] = "rounding_floor",
        [CGS_OUTCOME_PRECISION] = "precision_too_low",
        [CGS_OUTCOME_ITERATION_LIMIT] = "iteration_limit",
        [CGS_OUTCOME_STAGNATION] = "stagnation",
        [CGS_OUTCOME_RESIDUAL_GAP] = "residual_gap",
        [CGS_OUTCOME_SINGULAR] = "singular",
        [CGS_OUTCOME_NOT_ITERATED] = "not_iterated",
        [CGS_OUTCOME_NOT_POSITIVE] = "not_positive_definite",
        [CGS_OUTCOME_NOT_FINITE] = "not_finite",
        [CGS_OUTCOME_INTERRUPTED] = "interrupted",
    };
    return names[outcome];
}

enum cgs_status cgs_outcome_status(enum cgs_outcome outcome)
{
    switch (outcome) {
    case CGS_OUTCOME_CONVERGED:
    case CGS_OUTCOME_DISCRETIZATION:
    case CGS_OUTCOME_ROUNDING_FLOOR:
    case CGS_OUTCOME_NOT_ITERATED:
        return CGS_OK;
    case CGS_OUTCOME_NOT_POSITIVE:
    case CGS_OUTCOME_NOT_FINITE:
        return CGS_BREAKDOWN;
    case CGS_OUTCOME_INTERRUPTED:
        return CGS_INTERRUPTED;
    default:
        return CGS_NOT_CONVERGED;
    }
}
