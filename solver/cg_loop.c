/* The loop of CG: how many iterations are queued before the host looks, and what comes
 * between iterations: the caller's pause, reliable updates. */
#include "solver/cg_loop.h"

#include <math.h>

#include "solver/cg_outcome.h"
#include "solver/cg_update.h"

enum {
    AHEAD = 16 /* iterations to expect where the energy norm may stop them: it can't be foreseen */
};

/* Shows the caller where we are; false where he wants to stop. */
static bool report_progress(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_progress progress = {
        .iteration = run->seen.iteration,
        .max_iterations = cg->settings.max_iterations,
        .relative_residual = cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
        .tolerance = cg->settings.tolerance,
    };
    return !cg->settings.progress || cg->settings.progress(cg->settings.user, &progress);
}

/* How many more iterations the convergence so far lets expect, counted from the last look. */
static double expected(const struct cgs_cg_run *run, int64_t first, double first_rr)
{
    const double rr = run->seen.sums[CGS_SUM_RR];
    const double goal = fmax(run->seen.threshold, run->seen.update_share * run->seen.peak);
    const double left = (double)(run->seen.max_iterations - run->seen.iteration);
    const double limit = run->seen.energy_threshold > 0.0 ? fmin(left, AHEAD) : left;
    if (run->seen.iteration <= first || !(rr < first_rr) || !(goal > 0.0))
        return limit;
    const double rate = log(first_rr / rr) / (double)(run->seen.iteration - first);
    return fmin(limit, log(rr / goal) / rate);
}

/* Iterates until there is a reason to stop, or to look at the true residual. As long as the end is
 * far, a batch is queued before the one before it is looked at, so that the device never waits for
 * the host; where the batch on its way is likely to be the last, the look comes first, or whole
 * batches would run empty. */
static enum cgs_status loop(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const struct cgs_cg_observer *observer = cg->settings.observer;
    struct cgs_cg_vectors *v = &cg->vectors;
    const int64_t first = run->seen.iteration;
    const double first_rr = run->seen.sums[CGS_SUM_RR];
    int64_t queued = first;
    int asked = 0, answered = 0; /* looks */

    while (run->seen.reason == CGS_GOING_ON) {
        const double end = (double)run->seen.iteration + expected(run, first, first_rr);
        if (asked == answered || (asked < answered + 2 && (double)queued < end)) {
            const bool far = (double)(queued + 2 * cg->settings.check_every) < end;
            const int k = far ? cg->settings.check_every : cg->batch;
            CGS_TRY(cgs_cg_advance(cg, k));
            CGS_TRY(ops->look_start(space, cg->queue, cg->state, asked++ % 2));
            queued += k;
            if (asked < answered + 2 && (double)queued < end)
                continue;
        }
        CGS_TRY(ops->look_finish(space, cg->queue, answered++ % 2, &run->seen));
        if (!report_progress(cg, run) && run->seen.reason == CGS_GOING_ON) {
            while (answered < asked) /* what is under way counts */
                CGS_TRY(ops->look_finish(space, cg->queue, answered++ % 2, &run->seen));
            if (run->seen.reason == CGS_GOING_ON)
                run->seen.reason = CGS_STOPPED;
            CGS_TRY(ops->state_set(space, cg->queue, cg->state, &run->seen));
        }
    }
    if (cg->op->steps->finish && cgs_cg_fused(cg))
        CGS_TRY(cg->op->steps->finish(cg->op->self, cg->queue, cg->state, v));
    else if (run->seen.owed)
        CGS_TRY(ops->settle(space, cg->queue, cg->state, v->p, v->r, v->x));
    run->seen.owed = 0; /* as these have made it */
    run->seen.origin = run->seen.iteration;
    CGS_TRY(ops->wait(cg->queue));
    return observer ? observer->ended(observer->self, run->seen.iteration - first) : CGS_OK;
}

/* Whether the loop has ended only because it is time for the caller's pause: until then the limit
 * of the iterations stands at pause_at. */
static bool pause_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return cg->settings.pause && !run->paused && run->seen.reason == CGS_ITERATION_LIMIT &&
           run->seen.iteration == cg->settings.pause_at;
}

/* The caller's pause, after which the limit is that of the settings. */
static enum cgs_status pause_now(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    run->paused = true;
    CGS_TRY(cg->settings.pause(cg->settings.pause_user, cg));
    run->seen.max_iterations = cg->settings.max_iterations;
    if (run->seen.iteration < run->seen.max_iterations)
        run->seen.reason = CGS_GOING_ON;
    return space->ops->state_set(space, cg->queue, cg->state, &run->seen);
}

enum cgs_status cgs_cg_loop(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    for (;;) {
        CGS_TRY(loop(cg, run));
        if (pause_is_due(cg, run)) {
            CGS_TRY(pause_now(cg, run));
        } else if (run->seen.reason == CGS_UPDATE_DUE) {
            CGS_TRY(cgs_cg_true_residual(cg, run));
            CGS_TRY(cgs_cg_renew(cg, run));
        } else {
            return CGS_OK;
        }
    }
}
