/* Launch of iterations: step by step, as a recording that is replayed or that the device repeats,
 * or several in one kernel of the operator; how many are queued before the host reads the state;
 * and the caller's pause. */
#include <math.h>
#include <stddef.h>

#include "base/clock.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_iterate.h"
#include "solver/cg/cg_launch.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_steps.h"
#include "solver/cg/cg_traffic.h"
#include "solver/cg/cg_vectors.h"

enum {
    AHEAD = 16 /* iterations to expect if the energy norm may stop them, which cannot be foreseen */
};

/* ---- k iterations ---- */

/* Announces k whole iterations to the observer; k = 0: work outside iterations follows. */
static enum cgs_status tell_whole(struct cgs_cg *cg, int64_t k)
{
    const struct cgs_cg_observer *observer = cg->observer;
    if (!observer)
        return CGS_OK;
    const struct cgs_cg_step whole =
        cgs_cg_iteration(cg->op, cg->preconditioner, cg->settings.method, cg->settings.launch);
    return observer->next(observer->self, k > 0 ? &whole : NULL, k);
}

enum cgs_status cgs_cg_queue_iterations(struct cgs_cg *cg, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        CGS_TRY(cgs_cg_iterate(cg));
    return CGS_OK;
}

/* Records iterations for those launch modes that replay them, unless that is done. */
static enum cgs_status record(struct cgs_cg *cg)
{
    const struct cgs_space_ops *ops = cg->op->domain.ops;
    if (cg->recording ||
        (cg->settings.launch != CGS_LAUNCH_GRAPH && cg->settings.launch != CGS_LAUNCH_WHILE))
        return CGS_OK;
    CGS_TRY(ops->record_begin(cg->queue));
    cg->observer = NULL;
    const enum cgs_status status = cgs_cg_queue_iterations(cg, cg->recorded);
    cg->observer = cg->settings.observer;
    const enum cgs_status ended =
        cg->settings.launch == CGS_LAUNCH_WHILE
            ? ops->record_end_while(cg->queue, cg->state, cg->recorded, cg->batch, &cg->recording)
            : ops->record_end(cg->queue, &cg->recording);
    return status != CGS_OK ? status : ended;
}

static enum cgs_status replay(struct cgs_cg *cg, int64_t k)
{
    for (int64_t done = 0; done < k; done += cg->batch) {
        CGS_TRY(tell_whole(cg, cg->batch));
        CGS_TRY(cg->op->domain.ops->replay(cg->queue, cg->recording));
    }
    return CGS_OK;
}

static enum cgs_status persist(struct cgs_cg *cg, int64_t k)
{
    CGS_TRY(tell_whole(cg, k));
    return cg->op->steps->advance(cg->op->self, cg->queue, cg->state, &cg->vectors, k);
}

/* Queues at least k iterations in the launch mode of the settings. */
static enum cgs_status advance(struct cgs_cg *cg, int64_t k)
{
    CGS_TRY(record(cg)); /* done before, but in a CG that began with b and x alone */
    CGS_TRY(cg->settings.launch == CGS_LAUNCH_PERSISTENT ? persist(cg, k)
            : cg->recording                              ? replay(cg, k)
                                                         : cgs_cg_queue_iterations(cg, k));
    return tell_whole(cg, 0);
}

/* ---- recording ---- */

bool cgs_cg_can_persist(const struct cgs_operator *op, bool preconditioned)
{
    return op->steps->advance && op->steps->can_advance(op->self) && !preconditioned;
}

/* Returns what keeps CG from CGS_LAUNCH_PERSISTENT, NULL: nothing. */
static const char *why_not_persistent(const struct cgs_cg *cg)
{
    if (cg->preconditioner)
        return "it is for CG without a preconditioner";
    if (!cg->op->steps->advance)
        return "this kernel has no iterations in one kernel";
    if (cgs_cg_can_persist(cg->op, false))
        return NULL;
    return cg->queue->context->comm && cg->queue->way != CGS_WAY_STORES
               ? "GPUs of several ranks have to write to each other's memory for it"
               : "this problem is too big for one kernel";
}

enum cgs_status cgs_cg_prepare_launch(struct cgs_cg *cg)
{
    const struct cgs_space_ops *ops = cg->op->domain.ops;
    const char *name = cg->settings.launch == CGS_LAUNCH_WHILE ? "while" : "graph";
    if (cg->settings.launch == CGS_LAUNCH_PLAIN)
        return CGS_OK;
    if (cg->settings.launch == CGS_LAUNCH_PERSISTENT) {
        const char *why = why_not_persistent(cg);
        return !why ? CGS_OK
                    : cgs_fail(cg->queue->context, CGS_USAGE,
                               "launch 'persistent': %s; use 'graph' or 'plain'", why);
    }
    if (!ops->record_begin || (cg->settings.launch == CGS_LAUNCH_WHILE && !ops->record_end_while))
        return cgs_fail(cg->queue->context, CGS_USAGE,
                        "launch '%s' needs a CUDA device; on the CPU the launch is 'plain'", name);
    if (!cg->op->capturable || (cg->preconditioner && !cg->preconditioner->capturable))
        return cgs_fail(cg->queue->context, CGS_USAGE,
                        "launch '%s': this kernel can't be recorded in a graph; use 'plain'", name);
    if (cg->settings.launch == CGS_LAUNCH_WHILE && cg->queue->way == CGS_WAY_NCCL)
        return cgs_fail(
            cg->queue->context, CGS_USAGE,
            "launch 'while': what NCCL carries between GPUs can't be repeated by the device; use "
            "'graph'");
    return cg->small ? CGS_OK : record(cg);
}

/* ---- until there is a reason to stop ---- */

static struct cgs_progress progress_of(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return (struct cgs_progress){
        .iteration = run->seen.iteration,
        .max_iterations = cg->settings.max_iterations,
        .relative_residual = cgs_relative(run->seen.sums[CGS_SUM_RR], run->reference2),
        .tolerance = cg->settings.tolerance,
    };
}

/* Calls the progress callback; returns false if it asks to stop. */
static bool report_progress(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_progress progress = progress_of(cg, run);
    return !cg->settings.progress || cg->settings.progress(cg->settings.user, &progress);
}

/* Expected number of iterations after the last reading of the state, from the convergence rate so
 * far. */
static double expected(const struct cgs_cg *cg, const struct cgs_cg_run *run, int64_t first,
                       double first_rr)
{
    const double rr = run->seen.sums[CGS_SUM_RR];
    const double goal = fmax(run->seen.threshold, run->seen.replacement_ratio * run->seen.peak);
    const double left = (double)(run->seen.max_iterations - run->seen.iteration);
    const double limit = run->seen.energy_threshold > 0.0 ? fmin(left, AHEAD) : left;
    if (run->seen.iteration <= first && cg->preconditioner &&
        cg->preconditioner->prefer_short_batches)
        return 1.0; /* may be the last: fast diagonalisation's is */
    if (run->seen.iteration <= first || !(rr < first_rr) || !(goal > 0.0))
        return limit;
    const double rate = log(first_rr / rr) / (double)(run->seen.iteration - first);
    return fmin(limit, log(rr / goal) / rate);
}

/* Iterates. While the end is far, a batch is queued before the previous one's state is read, so
 * that the device never waits for the host. If the batch under way is likely to be the last, the
 * state is read first, to avoid whole batches of no-ops. */
static enum cgs_status advance_to_the_end(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const int64_t first = run->seen.iteration;
    const double first_rr = run->seen.sums[CGS_SUM_RR];
    int64_t queued = first;
    int asked = 0, answered = 0; /* readings of the state */

    while (run->seen.reason == CGS_GOING_ON) {
        const double end = (double)run->seen.iteration + expected(cg, run, first, first_rr);
        if (asked == answered || (asked < answered + 2 && (double)queued < end)) {
            const bool far = (double)(queued + 2 * cg->settings.check_every) < end;
            const int k = far ? cg->settings.check_every : cg->batch;
            CGS_TRY(advance(cg, k));
            CGS_TRY(ops->look_start(space, cg->queue, cg->state, asked++ % 2));
            queued += k;
            if (asked < answered + 2 && (double)queued < end)
                continue;
        }
        CGS_TRY(ops->look_finish(space, cg->queue, answered++ % 2, &run->seen));
        if (!report_progress(cg, run) && run->seen.reason == CGS_GOING_ON) {
            while (answered < asked) /* iterations under way still count */
                CGS_TRY(ops->look_finish(space, cg->queue, answered++ % 2, &run->seen));
            if (run->seen.reason == CGS_GOING_ON)
                run->seen.reason = CGS_STOPPED;
            CGS_TRY(ops->state_set(space, cg->queue, cg->state, &run->seen));
        }
    }
    return CGS_OK;
}

/* Returns true if x is deferred, or CG may need its direction again: once the recursive residual
 * has converged, only mixed precision goes on from it. */
static bool wants_direction(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const bool ends = run->seen.reason == CGS_CONVERGED || run->seen.reason == CGS_ACCURATE;
    return run->seen.x_deferred || !ends || cgs_cg_mixed(cg);
}

/* Completes what fused steps have deferred: x, and the direction in p. */
static enum cgs_status settle(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    if (cg->op->steps->finish && cgs_cg_fused(cg) && wants_direction(cg, run))
        CGS_TRY(cg->op->steps->finish(cg->op->self, cg->queue, cg->state, v));
    else if (run->seen.x_deferred)
        CGS_TRY(space->ops->settle(space, cg->queue, cg->state, v->p, v->r, v->x));
    run->seen.x_deferred = 0;
    run->seen.parity_base = run->seen.iteration;
    return space->ops->wait(cg->queue);
}

/* Returns true if the run may begin with A's inverse: there is one, x is 0, and r is not. */
static bool can_invert(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_operator *m = cg->preconditioner;
    return m && m->inverse && !m->flexible && !cgs_cg_mixed(cg) && !cgs_cg_merged(cg) &&
           run->xx == 0.0 && run->true_rr > run->seen.threshold && isfinite(run->true_rr) &&
           run->seen.max_iterations > 0;
}

/* Makes what a second iteration needs; that is part of the set-up, whenever it happens. */
static enum cgs_status prepare_second(struct cgs_cg *cg, struct cgs_cg_run *run, double rr)
{
    struct cgs_context *context = cg->queue->context;
    const double since = cgs_now();
    const enum cgs_phase phase = context->watch.current;
    cgs_stopwatch_enter(&context->watch, CGS_PHASE_SETUP);
    enum cgs_status status = cgs_cg_alloc_rest(cg);
    if (status == CGS_MEMORY)
        cgs_fail_add(context,
                     "; a second iteration needs them, as the first one, x = M b, has left a "
                     "relative residual of %.3g: take a \1tol above that, a smaller box, or more "
                     "GPUs",
                     cgs_relative(rr, run->reference2));
    if (status == CGS_OK)
        status = record(cg);
    cgs_stopwatch_enter(&context->watch, phase);
    run->began += cgs_now() - since;
    return status;
}

/* Goes on from an iteration that was ended as if it were the last. */
static enum cgs_status go_on(struct cgs_cg *cg, struct cgs_cg_run *run, struct cgs_cg_state *now)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_record first; /* is there already */
    struct cgs_cg_state begun = run->seen;
    CGS_TRY(prepare_second(cg, run, now->sums[CGS_SUM_RR]));
    begun.records = &first;
    begun.sums[CGS_SUM_RR] = run->true_rr;
    begun.sums[CGS_SUM_RZ] = now->sums[CGS_SUM_RZ];
    cgs_cg_begin(&begun);
    CGS_TRY(ops->state_set(space, cg->queue, cg->state, &begun));
    CGS_TRY(cgs_cg_go_on_from_inverse(cg));
    CGS_TRY(tell_whole(cg, 0));
    cg->lacks_residual = false;
    CGS_TRY(ops->look_start(space, cg->queue, cg->state, 0));
    return ops->look_finish(space, cg->queue, 0, now);
}

enum cgs_status cgs_cg_invert(struct cgs_cg *cg, struct cgs_cg_run *run, bool *done)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_cg_state now;
    *done = false;
    if (!can_invert(cg, run))
        return CGS_OK;
    CGS_TRY(ops->state_set(space, cg->queue, cg->state, &run->seen));
    cg->lacks_residual = cg->small;
    CGS_TRY(cgs_cg_iterate_inverse(cg));
    CGS_TRY(tell_whole(cg, 0));
    CGS_TRY(ops->look_start(space, cg->queue, cg->state, 0));
    CGS_TRY(ops->look_finish(space, cg->queue, 0, &now));
    if (cg->small && now.iteration > 0 && now.reason != CGS_CONVERGED)
        CGS_TRY(go_on(cg, run, &now));
    if (cg->observer)
        CGS_TRY(cg->observer->ended(cg->observer->self, now.iteration));
    *done = run->inverted = now.iteration > 0;
    run->fresh = now.reason == CGS_CONVERGED;
    if (*done) {
        if (!run->fresh)
            now.parity_base = now.iteration; /* the direction is in p, and other ranks lack it */
        run->seen = now;
        return run->fresh ? CGS_OK : ops->state_set(space, cg->queue, cg->state, &now);
    }
    CGS_TRY(ops->set(space, cg->queue, NULL, 0.0, v->x));
    return cg->small ? CGS_OK : ops->copy(space, cg->queue, NULL, v->b, v->r);
}

enum cgs_status cgs_cg_launch(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_cg_observer *observer = cg->observer;
    const int64_t first = run->seen.iteration;
    cgs_stopwatch_enter(&cg->queue->context->watch, CGS_PHASE_SOLVE);
    CGS_TRY(advance_to_the_end(cg, run));
    CGS_TRY(settle(cg, run));
    if (observer)
        CGS_TRY(observer->ended(observer->self, run->seen.iteration - first));
    run->seconds = cgs_now() - run->began;
    return CGS_OK;
}

/* ---- the caller's pause ---- */

bool cgs_cg_pause_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return cg->settings.pause && run->seen.iteration == run->pause_at &&
           (run->seen.reason == CGS_ITERATION_LIMIT || cg->settings.pause_every > 0);
}

void cgs_cg_limit(const struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const int64_t most = cg->settings.max_iterations;
    const bool pauses = cg->settings.pause && run->pause_at >= 0 && run->pause_at < most;
    run->seen.max_iterations = pauses ? run->pause_at : most;
}

/* Sets *x to a vector with all of the solution. In mixed precision it is made in `residual`, which
 * is free between two true residuals. */
static enum cgs_status whole_solution(struct cgs_cg *cg, const void **x)
{
    const struct cgs_space *inner = &cg->op->domain, *outer = &cg->outer->domain;
    *x = cg->solution;
    if (!cgs_cg_mixed(cg))
        return CGS_OK;
    CGS_TRY(inner->ops->convert(inner, cg->queue, NULL, cg->vectors.x, outer, cg->residual));
    *x = cg->residual;
    return outer->ops->xpby(outer, cg->queue, NULL, cg->solution, cgs_constant(1.0), cg->residual);
}

/* Sets the reason to stop that the last iteration had, had its number not been the limit. */
static void judge_again(struct cgs_cg_run *run, bool stop)
{
    if (run->seen.reason != CGS_ITERATION_LIMIT)
        return;
    run->seen.reason = cgs_cg_give_up(&run->seen);
    if (stop && (run->seen.reason == CGS_GOING_ON || run->seen.reason == CGS_REPLACEMENT_DUE))
        run->seen.reason = CGS_STOPPED;
}

enum cgs_status cgs_cg_pause(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const double since = cgs_now();
    struct cgs_cg_pause now = {.progress = progress_of(cg, run), .scale = run->scale};
    CGS_TRY(cgs_cg_complete(cg));
    run->fresh = false; /* the caller may change x */
    CGS_TRY(whole_solution(cg, &now.x));
    CGS_TRY(cg->settings.pause(cg->settings.pause_user, cg, &now));
    run->pause_at = cg->settings.pause_every > 0 ? run->pause_at + cg->settings.pause_every : -1;
    cgs_cg_limit(cg, run);
    judge_again(run, now.stop);
    run->seen.x_zero = 0;
    run->began += cgs_now() - since; /* the caller's time is no part of the solve */
    CGS_TRY(space->ops->state_set(space, cg->queue, cg->state, &run->seen));
    /* The iteration ended with a reason to stop, so that this was a no-op. */
    return cgs_cg_merged(cg) ? space->ops->foresee(space, cg->queue, cg->state) : CGS_OK;
}
