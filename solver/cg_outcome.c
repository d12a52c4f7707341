#include "solver/cg_outcome.h"

#include <float.h>
#include <math.h>

/* c of the rounding floor. The residual that CG can attain is of order eps ||A|| max_k ||x_k||, with
 * a factor that grows slowly with the iterations (A. Greenbaum, SIAM J. Matrix Anal. Appl. 18
 * (1997)). On the Q1 matrix, single and double, N = 15 ... 400, it was 0.2 ... 3.7
 * (bench/results/2026-11-20-rounding.md). */
static const double FLOOR_FACTOR = 8.0;

/* A solve that rounding ends counts as done up to this true residual, and where the floor, which is a
 * bound, lies below the residual of x = 0: a higher one would explain any x. */
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

bool cgs_parted(double recursive, double true_residual)
{
    return true_residual > 2.0 * recursive;
}

enum cgs_outcome cgs_judge_outcome(int32_t reason, double tolerance, double recursive,
                                   double true_residual, double floor)
{
    const bool parted = cgs_parted(recursive, true_residual);
    switch (reason) {
    case CGS_NOT_POSITIVE: return CGS_OUTCOME_NOT_POSITIVE;
    case CGS_NOT_FINITE: return CGS_OUTCOME_NOT_FINITE;
    default: break;
    }
    if (reason == CGS_ACCURATE && !parted)
        return CGS_OUTCOME_DISCRETIZATION;
    if (true_residual <= 2.0 * tolerance)
        return CGS_OUTCOME_CONVERGED;
    if (true_residual <= floor && true_residual < 1.0 && reason != CGS_STOPPED &&
        (reason != CGS_ITERATION_LIMIT || parted))
        return true_residual <= FLOOR_RESIDUAL && floor < FLOOR_MOST ? CGS_OUTCOME_ROUNDING_FLOOR
                                                                     : CGS_OUTCOME_PRECISION;
    switch (reason) {
    case CGS_ITERATION_LIMIT: return CGS_OUTCOME_ITERATION_LIMIT;
    case CGS_STAGNATION: return CGS_OUTCOME_STAGNATION;
    case CGS_STOPPED: return CGS_OUTCOME_INTERRUPTED;
    default: return CGS_OUTCOME_RESIDUAL_GAP;
    }
}

enum cgs_outcome cgs_judge_end(enum cgs_outcome outcome, double true_residual, double floor)
{
    switch (outcome) {
    case CGS_OUTCOME_STAGNATION:
    case CGS_OUTCOME_RESIDUAL_GAP:
        return true_residual <= floor ? CGS_OUTCOME_PRECISION : outcome;
    default: return outcome;
    }
}

enum cgs_outcome cgs_judge_singular(enum cgs_outcome outcome, const struct cgs_space *space,
                                    double least_quotient)
{
    switch (outcome) {
    case CGS_OUTCOME_CONVERGED:
    case CGS_OUTCOME_DISCRETIZATION:
    case CGS_OUTCOME_INTERRUPTED: return outcome;
    default: break;
    }
    return least_quotient <= FLOOR_FACTOR * epsilon(space) ? CGS_OUTCOME_SINGULAR : outcome;
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
    case CGS_OUTCOME_NOT_ITERATED: return CGS_OK;
    case CGS_OUTCOME_NOT_POSITIVE:
    case CGS_OUTCOME_NOT_FINITE: return CGS_BREAKDOWN;
    case CGS_OUTCOME_INTERRUPTED: return CGS_INTERRUPTED;
    default: return CGS_NOT_CONVERGED;
    }
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
