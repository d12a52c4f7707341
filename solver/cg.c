/* Conjugate gradients: start, loop, true residual, outcome. The loop is in cg_loop.c, the iteration
 * in cg_steps.c. */
#include "solver/cg.h"

#include <math.h>

#include "base/memory.h"
#include "solver/cg_outcome.h"
#include "solver/cg_range.h"
#include "solver/cg_update.h"
#include "solver/lanczos.h"

enum { MOST_RESTARTS = 8 };

/* Sums of the direction that broke the loop off, which is the first one of all: p, still what `start`
 * made it. (q may not hold A p: fused steps need not keep it.) */
static enum cgs_status measure_direction(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_queue *queue = cg->queue;
    struct cgs_cg_state *state = cg->state, now = run->seen;
    now.reason = CGS_GOING_ON; /* or the sums would be no-ops */
    CGS_TRY(ops->state_set(space, queue, state, &now));
    CGS_TRY(cgs_operator_apply(cg->op, queue, NULL, cg->vectors.p, cg->vectors.q));
    CGS_TRY(ops->dot(space, queue, state, cg->vectors.p, cg->vectors.p, CGS_SUM_RR));
    CGS_TRY(ops->dot(space, queue, state, cg->vectors.q, cg->vectors.q, CGS_SUM_PQ));
    CGS_TRY(ops->reduce(space, queue, state, CGS_SUM_PQ, CGS_SUMS));
    CGS_TRY(ops->look_start(space, queue, state, 0));
    CGS_TRY(ops->look_finish(space, queue, 0, &now));
    run->pp = now.sums[CGS_SUM_RR];
    run->qq = now.sums[CGS_SUM_PQ];
    return CGS_OK;
}

/* One run of the loop on the solve's clock, then the true residual on the errors'. */
static enum cgs_status run_once(struct cgs_cg *cg, struct cgs_cg_run *run, double *seconds)
{
    struct cgs_stopwatch *watch = &cg->queue->context->watch;
    CGS_TRY(run->renewed ? cgs_cg_renew(cg, run) : cgs_cg_start(cg, run));
    const enum cgs_phase outer = cgs_stopwatch_enter(watch, CGS_PHASE_SOLVE);
    const double begin = cgs_now();
    enum cgs_status status = cgs_cg_loop(cg, run);
    *seconds += cgs_now() - begin;
    cgs_stopwatch_enter(watch, CGS_PHASE_ERRORS);
    const int32_t reason = run->seen.reason;
    run->pq = run->seen.sums[CGS_SUM_PQ];
    run->rz = run->seen.rz;
    if (status == CGS_OK && reason == CGS_NOT_POSITIVE && run->seen.iteration == run->seen.first)
        status = measure_direction(cg, run);
    if (status == CGS_OK)
        status = cgs_cg_true_residual(cg, run);
    run->seen.reason = reason;
    cgs_stopwatch_enter(watch, outer);
    return status;
}

/* The first residual; from it what the residual is relative to, and the threshold. */
static enum cgs_status prepare(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_cg_settings *settings = &cg->settings;
    run->seen = (struct cgs_cg_state){
        .max_iterations = settings->max_iterations,
        .stagnation_window = settings->stagnation_window,
        .energy_threshold = settings->energy_tolerance * settings->energy_tolerance,
        .update_share = cgs_cg_update_share(cg),
        .preconditioned = cgs_preconditioning_by(cg->preconditioner),
    };
    if (settings->pause && settings->pause_at < settings->max_iterations)
        run->seen.max_iterations = settings->pause_at;
    CGS_TRY(cgs_cg_true_residual(cg, run));
    run->reference2 = settings->relative_to_first || run->bb == 0.0 ? run->true_rr : run->bb;
    const double tolerance = cgs_recursion_tolerance(&cg->outer->domain, settings->tolerance);
    run->seen.threshold = tolerance * tolerance * run->reference2;
    return cgs_check_underflow(cg, run->seen.threshold, run->reference2);
}

/* The least |p'A p| / p'M p of the last run's directions, as a part of the largest eigenvalue; the
 * direction that broke it off has no record. Of the very first one no eigenvalue is known, and the
 * norm may be one long row's alone: there A p has to vanish, or to be orthogonal to p. */
static double least_quotient(const struct cgs_cg *cg, const struct cgs_cg_run *run,
                             double lambda_max)
{
    const int64_t first = run->seen.first, k = run->seen.iteration - first;
    const bool broken = run->seen.reason == CGS_NOT_POSITIVE && run->rz > 0.0;
    double growth, least = cgs_lanczos_least_quotient(cg->records + first, k, &growth);
    if (k == 0 && broken && run->qq > 0.0)
        return fmin(fabs(run->pq) / sqrt(run->pp * run->qq),
                    sqrt(run->qq / run->pp) / cg->op->norm);
    if (k == 0)
        return broken ? 0.0 : INFINITY;
    if (broken)
        least = fmin(least, fabs(run->pq) / (run->rz * growth));
    return lambda_max > 0.0 ? least / lambda_max : INFINITY;
}

/* Copies the records of the whole solve to the host and derives history, eigenvalues, and the
 * error's energy norm, of which the recursion knows nothing once it has parted from the truth. */
static enum cgs_status collect(struct cgs_cg *cg, const struct cgs_cg_run *run,
                               struct cgs_cg_result *result)
{
    const struct cgs_space *space = &cg->op->domain;
    const int64_t k = run->seen.iteration;
    CGS_TRY(space->ops->records_get(space, cg->queue, cg->state, 0, k + 1, cg->records));
    for (int64_t i = 0; i <= k; i++)
        cg->history[i] = cgs_relative(cg->records[i].rr, run->reference2);
    result->history = cg->history;
    result->records = cg->records;
    result->updates = run->updates;
    result->restarts = run->restarts;
    result->parted_iteration = run->parted_at;
    result->parted_recursive = cgs_relative(run->parted_rr[0], run->reference2);
    result->parted_true = cgs_relative(run->parted_rr[1], run->reference2);
    cgs_lanczos_extremes(cg->records, run->restarts > 0 ? run->first_run : k, &result->lambda_min,
                         &result->lambda_max);
    if (!isfinite(result->true_relative_residual) && result->outcome != CGS_OUTCOME_NOT_POSITIVE)
        result->outcome = CGS_OUTCOME_NOT_FINITE; /* x is no numbers */
    else
        result->outcome = cgs_judge_singular(
            cgs_judge_end(result->outcome, result->true_relative_residual, result->floor), space,
            least_quotient(cg, run, result->lambda_max));
    if (result->lambda_min > 0.0)
        result->condition_estimate = result->lambda_max / result->lambda_min;
    if (!cgs_parted(result->relative_residual, result->true_relative_residual))
        result->energy_error = sqrt(cgs_energy_error2(cg->records, run->seen.first, k));
    return CGS_OK;
}

/* What to do about a solution that the recursion calls converged and the truth does not: the true
 * residual is there, and takes the recursive one's place, as a reliable update or as a restart,
 * which pays as long as each one halves it. False: nothing. */
static bool go_on(const struct cgs_cg *cg, struct cgs_cg_run *run, enum cgs_outcome outcome,
                  double before)
{
    if (outcome != CGS_OUTCOME_RESIDUAL_GAP)
        return false;
    run->renewed = cgs_cg_mixed(cg);
    if (run->renewed)
        return true;
    if (!cg->settings.restart || run->restarts == MOST_RESTARTS || !(run->true_rr < 0.25 * before))
        return false;
    cgs_cg_note_restart(run, run->seen.sums[CGS_SUM_RR]);
    return true;
}

enum cgs_status cgs_cg_solve(struct cgs_cg *cg, struct cgs_cg_result *result)
{
    struct cgs_cg_run run = {0};
    struct cgs_cg_result found = {0};
    double before = HUGE_VAL;

    CGS_TRY(prepare(cg, &run));
    for (;;) {
        CGS_TRY(run_once(cg, &run, &found.seconds));
        found.relative_residual = cgs_relative(run.seen.sums[CGS_SUM_RR], run.reference2);
        found.true_relative_residual = cgs_relative(run.true_rr, run.reference2);
        found.reference = sqrt(run.reference2);
        found.floor = cgs_rounding_floor(cg->outer, run.xx, run.reference2);
        found.outcome =
            cgs_judge_outcome(run.seen.reason, cg->settings.tolerance, found.relative_residual,
                              found.true_relative_residual, found.floor);
        if (!go_on(cg, &run, found.outcome, before))
            break;
        before = run.true_rr;
        run.seen.reason = CGS_GOING_ON;
    }
    found.iterations = run.seen.iteration;
    CGS_TRY(collect(cg, &run, &found));
    *result = found;
    return CGS_OK;
}
