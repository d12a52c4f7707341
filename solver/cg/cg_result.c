/* Outcome of a solve from its true residual, and estimates from its records. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_steps.h"
#include "solver/cg/lanczos.h"

enum { MOST_RESTARTS = 8 };

/* c of the rounding floor. The residual that CG can attain is of order eps ||A|| max_k ||x_k||,
 * with a factor that grows slowly with the iterations (A. Greenbaum, SIAM J. Matrix Anal. Appl.
 * 18 (1997)). On the Q1 matrix, single and double, N = 15 ... 400, it was 0.2 ... 3.7
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
        return CGS_OUTCOME_CONVERGED; /* unless judge_rows says otherwise */
    if (true_residual <= floor && true_residual < 1.0 && reason != CGS_STOPPED &&
        (reason != CGS_ITERATION_LIMIT || gap))
        return true_residual <= FLOOR_RESIDUAL ? CGS_OUTCOME_ROUNDING_FLOOR : CGS_OUTCOME_PRECISION;
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
    case CGS_OUTCOME_ROWS:
    case CGS_OUTCOME_INTERRUPTED:
        return outcome;
    default:
        break;
    }
    return least_quotient <= FLOOR_FACTOR * epsilon(space) ? CGS_OUTCOME_SINGULAR : outcome;
}

/* ---- rows ---- */

/* Ratios of a row, |r_i| / (|A| |x| + |b|)_i: above AIM CG goes on, above MOST x is no solution. A
 * large tolerance asks for no more than that multiple of it; but where a ratio is above ANY,
 * nothing has been done about the row. */
static const double ROW_AIM = 1e-5, ROW_MOST = 1e-2, ROW_TOLERANCE = 1e3, ROW_ANY = 0.5;

enum { MOST_CONTINUATIONS = 8 };

static double row_most(double tolerance)
{
    return fmin(fmax(ROW_MOST, ROW_TOLERANCE * tolerance), ROW_ANY);
}

/* Returns the ratio of a row above which CG goes on (cgs_cg_settings.rows). */
static double rows_aim(double tolerance)
{
    return fmin(fmax(ROW_AIM, ROW_TOLERANCE * tolerance), ROW_ANY);
}

double cgs_cg_rows_worst(const struct cgs_cg_rows *rows)
{
    return rows->looked || rows->proven ? rows->worst : NAN;
}

/* Returns true if CG may go on because of a row, and sets the threshold of r'r: the tolerance
 * relative to the rows that are not right yet, instead of all of b. Each time the worst ratio has
 * to be half of what it was. The recursive residual falls below what rounding leaves of the true
 * one in rows of large numbers, so that these are in no way. */
static bool may_continue(const struct cgs_cg *cg, struct cgs_cg_run *run,
                         const struct cgs_cg_rows *before)
{
    const struct cgs_cg_rows *rows = &run->rows;
    const double least = cgs_recursion_tolerance(&cg->outer->domain, 0.0);
    const double goal = cg->settings.tolerance * rows->size;
    const double wanted = fmax(fmin(goal * goal * (double)rows->count, 1e-4 * run->seen.threshold),
                               least * least * run->reference2);
    if (!rows->looked || rows->proven || run->seen.reason != CGS_CONVERGED ||
        run->seen.iteration >= run->seen.max_iterations ||
        run->continuations == MOST_CONTINUATIONS ||
        (before->looked && rows->worst > 0.5 * before->worst) || !(wanted < run->seen.threshold))
        return false;
    run->seen.threshold = wanted;
    return true;
}

/* Corrects the outcome of a residual that is small enough: by its rows, and by the rounding floor,
 * above FLOOR_MOST of which the residual of any x may be small by chance. In units of different
 * size ||A|| ||x|| is far above what rounding has to do with; the terms of the rows are not. */
static enum cgs_outcome judge_rows(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_cg_rows *rows = &run->rows;
    const struct cgs_space *space = &cg->outer->domain;
    double floor = cgs_rounding_floor(cg->outer, run->xx, run->reference2);
    if (rows->looked && rows->worst > row_most(cg->settings.tolerance))
        return CGS_OUTCOME_ROWS;
    if (rows->looked && !(floor < FLOOR_MOST))
        floor = FLOOR_FACTOR * epsilon(space) * rows->most / sqrt(run->reference2);
    return floor < FLOOR_MOST ? run->outcome : CGS_OUTCOME_PRECISION;
}

static enum cgs_status look_at_rows(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_cg_settings *s = &cg->settings;
    const double floor = cgs_rounding_floor(cg->outer, run->xx, run->reference2);
    const struct cgs_cg_norms norms = {sqrt(run->true_rr), sqrt(run->xx), !(floor < FLOOR_MOST)};
    if (!s->rows ||
        run->bb == 0.0) /* b = 0: x is what is left of the start, of no size of its own */
        return CGS_OK;
    return s->rows(s->rows_user, cg, &norms, rows_aim(s->tolerance), &run->rows);
}

/* Corrects the outcome of a CG that went on because of a row and got no further: it is that
 * row's. */
static enum cgs_status judge_continued(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    if (run->outcome == CGS_OUTCOME_INTERRUPTED || run->outcome == CGS_OUTCOME_DISCRETIZATION ||
        !isfinite(run->true_rr))
        return CGS_OK;
    CGS_TRY(look_at_rows(cg, run));
    if (run->rows.looked && run->rows.worst > row_most(cg->settings.tolerance))
        run->outcome = CGS_OUTCOME_ROWS;
    return CGS_OK;
}

/* ---- end or continue ---- */

/* Returns the reason of the loop's end. A breakdown of what CG does because of a row, from an x
 * that was a success before, is the end of progress. */
static int32_t reason_of(const struct cgs_cg_run *run)
{
    const int32_t reason = run->seen.reason;
    return run->continuations > 0 && (reason == CGS_NOT_POSITIVE || reason == CGS_NOT_FINITE)
               ? CGS_STAGNATION
               : reason;
}

enum cgs_status cgs_cg_ends(struct cgs_cg *cg, struct cgs_cg_run *run, bool *ends)
{
    const struct cgs_cg_rows before = run->rows;
    const double floor = cgs_rounding_floor(cg->outer, run->xx, run->reference2);
    *ends = false;
    if (run->seen.reason == CGS_REPLACEMENT_DUE)
        return CGS_OK;
    run->outcome = judge(reason_of(run), cg->settings.tolerance,
                         cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
                         cgs_relative(run->true_rr, run->reference2), floor);
    if (run->outcome == CGS_OUTCOME_CONVERGED || run->outcome == CGS_OUTCOME_ROUNDING_FLOOR) {
        CGS_TRY(look_at_rows(cg, run));
        run->continues = may_continue(cg, run, &before);
        run->outcome = judge_rows(cg, run);
        *ends = !run->continues;
        return CGS_OK;
    }
    *ends = run->outcome != CGS_OUTCOME_RESIDUAL_GAP;
    if (*ends)
        return run->continuations > 0 ? judge_continued(cg, run) : CGS_OK;
    const bool halved = run->true_rr < 0.25 * run->before;
    run->before = run->true_rr;
    *ends =
        !cgs_cg_mixed(cg) && (!cg->settings.restart || run->restarts == MOST_RESTARTS || !halved);
    return CGS_OK;
}

/* ---- the result ---- */

/* Makes the direction that broke CG off again. In the first iteration it is z. A product that makes
 * directions itself has left the one before it in p. Otherwise p is one step further: that
 * iteration's alpha was 0, so that z was made as before, beta was 1 and p became z + p; with a
 * flexible preconditioner beta was 0, and p is lost. Where z is r it is now the true residual. */
static enum cgs_status make_direction_again(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    const bool first = run->seen.iteration == run->seen.first;
    if (cgs_cg_direction_in_product(cg))
        return first ? space->ops->copy(space, cg->queue, NULL, v->z, v->p)
                     : space->ops->xpby(space, cg->queue, NULL, v->z, cgs_constant(run->seen.beta),
                                        v->p);
    if (cgs_cg_merged(cg) || first)
        return CGS_OK;
    return run->seen.preconditioned == CGS_FLEXIBLE || run->seen.sums[CGS_SUM_PQ] > 0.0
               ? CGS_OK
               : space->ops->axpy(space, cg->queue, NULL, cgs_constant(-1.0), v->z, v->p);
}

/* Measures the last direction. q is computed again, since fused steps need not store A p. */
static enum cgs_status measure_direction(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                         struct cgs_cg_direction *direction)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_queue *queue = cg->queue;
    struct cgs_cg_state *state = cg->state, now = run->seen;
    now.reason = CGS_GOING_ON; /* otherwise the sums would be no-ops */
    CGS_TRY(ops->state_set(space, queue, state, &now));
    if (run->seen.reason == CGS_NOT_POSITIVE)
        CGS_TRY(make_direction_again(cg, run));
    CGS_TRY(cgs_operator_apply(cg->op, queue, NULL, v->p, v->q));
    CGS_TRY(ops->dot(space, queue, state, v->p, v->q, CGS_SUM_QZ));
    CGS_TRY(
        ops->dot(space, queue, state, cgs_cg_mixed(cg) ? v->p : cg->rhs, v->p, CGS_SUM_SCRATCH));
    CGS_TRY(ops->dot(space, queue, state, v->q, v->q, CGS_SUM_BB));
    CGS_TRY(ops->dot(space, queue, state, v->p, v->p, CGS_SUM_XX));
    CGS_TRY(ops->reduce(space, queue, state, CGS_SUM_QZ, CGS_SUM_XX - CGS_SUM_QZ + 1));
    CGS_TRY(ops->look_start(space, queue, state, 0));
    CGS_TRY(ops->look_finish(space, queue, 0, &now));
    const double pp = now.sums[CGS_SUM_XX], qq = now.sums[CGS_SUM_BB];
    *direction = (struct cgs_cg_direction){
        .measured = true,
        .other = run->seen.preconditioned == CGS_FLEXIBLE && run->seen.iteration > run->seen.first,
        .pp = pp,
        .pq = now.sums[CGS_SUM_QZ],
        .qq = qq,
        .bp = cgs_cg_mixed(cg) ? 0.0 : fabs(now.sums[CGS_SUM_SCRATCH]) / sqrt(run->bb * pp),
        .noise = FLOOR_FACTOR * epsilon(space) *
                 (cg->op->norm > 0.0 ? cg->op->norm * pp : sqrt(pp) * sqrt(qq)),
        .rz = cgs_cg_new_rz(&run->seen),
    };
    return CGS_OK;
}

/* Largest eigenvalue where CG broke off at a direction, whose p'A p completes T: of a singular
 * matrix of few distinct eigenvalues, that row alone may show it. */
static double find_largest(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const int64_t k = run->seen.iteration;
    const double pq = fabs(run->seen.sums[CGS_SUM_PQ]), rz = run->seen.rz;
    double least, largest;
    cg->records[k + 1] = cg->records[k];
    cg->records[k + 1].alpha = rz / fmax(pq, 0x1p-900 * rz);
    cgs_lanczos_extremes(cg->records, k + 1, &least, &largest);
    return largest;
}

/* Smallest |p'A p| / p'M p of the last run's directions, relative to the largest eigenvalue. The
 * direction that broke the run off has no record. If it is the first one, no eigenvalue is known
 * and the norm may come from one long row; then A p must vanish or be orthogonal to p. */
static double find_least_quotient(const struct cgs_cg *cg, const struct cgs_cg_run *run,
                                  double lambda_max, const struct cgs_cg_direction *direction)
{
    const int64_t first = run->seen.first, k = run->seen.iteration - first;
    const double pq = run->seen.sums[CGS_SUM_PQ], rz = run->seen.rz;
    const bool broken = run->seen.reason == CGS_NOT_POSITIVE && rz > 0.0;
    double growth, least = cgs_lanczos_least_quotient(cg->records + first, k, &growth);
    if (broken && k > 0)
        least = fmin(least, fabs(pq) / (rz * growth));
    if (broken && k == 0) {
        const double pp = direction->pp, qq = direction->qq;
        return qq > 0.0 ? fmin(fabs(pq) / sqrt(pp * qq), sqrt(qq / pp) / cg->op->norm) : 0.0;
    }
    return k > 0 && lambda_max > 0.0 ? least / lambda_max : INFINITY;
}

/* Energy norm of the error; 0 (unknown) if there is a residual gap. */
static double energy_error(const struct cgs_cg *cg, const struct cgs_cg_run *run,
                           const struct cgs_cg_result *result)
{
    if (cgs_residual_gap(result->relative_residual, result->true_relative_residual))
        return 0.0;
    return ldexp(sqrt(cgs_energy_error2(cg->records, run->seen.first, run->seen.iteration)),
                 run->scale);
}

/* Eigenvalues from the records of one run: the first, which a gap has ended, or the last, where CG
 * went on because of a row. */
static void find_spectrum(const struct cgs_cg *cg, const struct cgs_cg_run *run,
                          struct cgs_cg_result *found)
{
    const int64_t k = run->seen.iteration, first = run->continuations > 0 ? run->seen.first : 0;
    const int64_t last = run->restarts > 0 && run->continuations == 0 ? run->first_run : k;
    cgs_lanczos_extremes(cg->records + first, last - first, &found->lambda_min, &found->lambda_max);
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
        .continuations = run->continuations,
        .rows = run->rows,
        .gap_iteration = run->gap_iteration,
        .gap_recursive = cgs_relative(run->gap_rr[0], run->reference2),
        .gap_true = cgs_relative(run->gap_rr[1], run->reference2),
        .relative_residual = cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
        .true_relative_residual = cgs_relative(run->true_rr, run->reference2),
        .reference = ldexp(sqrt(run->reference2), run->scale),
        .scale = run->scale,
        .overflows = run->scale > 0 && !isfinite(ldexp(sqrt(run->xx), run->scale)),
        .floor = cgs_rounding_floor(cg->outer, run->xx, run->reference2),
        .seconds = run->seconds,
        .inverted = run->inverted,
        .records = cg->records,
        .history = cg->history,
    };
    CGS_TRY(space->ops->records_get(space, cg->queue, cg->state, 0, k + 1, cg->records));
    for (int64_t i = 0; i <= k; i++)
        cg->history[i] = cgs_relative(cg->records[i].rr, run->reference2);
    find_spectrum(cg, run, &found);
    if (run->seen.reason == CGS_NOT_POSITIVE && run->restarts == 0 && run->continuations == 0 &&
        run->seen.rz > 0.0 && k > 0 && k < cg->settings.max_iterations)
        found.lambda_max = fmax(found.lambda_max, find_largest(cg, run));
    if (found.lambda_min > 0.0)
        found.condition_estimate = found.lambda_max / found.lambda_min;
    found.energy_error = energy_error(cg, run, &found);
    if (run->seen.reason == CGS_NOT_POSITIVE)
        CGS_TRY(measure_direction(cg, run, &found.direction));
    found.least_quotient = find_least_quotient(cg, run, found.lambda_max, &found.direction);
    if ((!isfinite(found.true_relative_residual) || found.overflows) &&
        run->outcome != CGS_OUTCOME_NOT_POSITIVE)
        found.outcome =
            CGS_OUTCOME_NOT_FINITE; /* x has a NaN or Inf, or will have with its scale */
    else
        found.outcome =
            judge_singular(judge_end(run->outcome, found.true_relative_residual, found.floor),
                           space, found.least_quotient);
    if (found.outcome == CGS_OUTCOME_SINGULAR && !found.direction.measured)
        CGS_TRY(measure_direction(cg, run, &found.direction));
    *result = found;
    return CGS_OK;
}

bool cgs_cg_error_history(const struct cgs_cg_result *result, double *errors)
{
    const double last = ldexp(result->energy_error, -result->scale);
    double sum = last * last;
    if (!(sum > 0.0) || result->restarts + result->continuations > 0)
        return false;
    for (int64_t k = result->iterations; k >= 0; k--) {
        errors[k] = ldexp(sqrt(sum), result->scale);
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
        [CGS_OUTCOME_ROWS] = "row_not_solved",
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
