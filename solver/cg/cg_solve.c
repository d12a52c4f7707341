/* Conjugate gradients: the loop around the iteration (cg_iterate.c). The host launches iterations
 * until the state on the device has a reason to stop, and then looks at the true residual. */
#include "solver/cg/cg_solve.h"

#include <math.h>

#include "base/clock.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_launch.h"
#include "solver/cg/cg_residual.h"
#include "solver/cg/cg_result.h"

static enum cgs_status solve(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    bool ends, inverted;
    CGS_TRY(cgs_cg_first_residual(cg, run));       /* r = b - A x */
    /* out of b and x, if b'b would leave the range */
    CGS_TRY(cgs_cg_take_scale(cg, run));
    CGS_TRY(cgs_cg_set_threshold(cg, run));        /* tolerance ||b|| */
    cgs_cg_limit(cg, run);                         /* iterations until a pause or the end */
    cgs_stopwatch_enter(&cg->queue->context->watch, CGS_PHASE_SOLVE);
    run->began = cgs_now();
    CGS_TRY(cgs_cg_invert(cg, run, &inverted));    /* x = M b,  ||b - A x||, if M A = 1 */
    if (!inverted)
        CGS_TRY(cgs_cg_start(cg, run));            /* z = M r,  p = z */
    for (;;) {
        /* iterates until the state has a reason to stop */
        CGS_TRY(cgs_cg_launch(cg, run));
        if (cgs_cg_pause_is_due(cg, run)) {
            CGS_TRY(cgs_cg_pause(cg, run));        /* the caller looks at x and r */
            if (run->seen.reason == CGS_GOING_ON)
                continue;
        }
        CGS_TRY(cgs_cg_true_residual(cg, run));    /* r = b - A x, computed afresh */
        CGS_TRY(cgs_cg_ends(cg, run, &ends));      /* are its rows small, too? */
        if (ends)
            return CGS_OK;
        CGS_TRY(cgs_cg_replace_residual(cg, run)); /* a reliable update, or a restart */
    }
}

enum cgs_status cgs_cg_solve(struct cgs_cg *cg, struct cgs_cg_result *result)
{
    struct cgs_stopwatch *watch = &cg->queue->context->watch;
    const enum cgs_phase outer = watch->current;
    struct cgs_cg_run run = {.before = HUGE_VAL, .pause_at = cg->settings.pause_at};
    enum cgs_status status = solve(cg, &run);
    if (status == CGS_OK)
        status = cgs_cg_find_result(cg, &run, result);
    if (status == CGS_OK)
        status = cgs_cg_give_scale(cg, &run);
    cgs_stopwatch_enter(watch, outer);
    return status;
}
