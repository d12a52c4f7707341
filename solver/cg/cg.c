/* Conjugate gradients: the algorithm. M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
 *
 * Vectors: x r p q, and z with a preconditioner; without one z is r. alpha = r'z / p'q,
 * beta = r'z / old r'z and the stopping test are evaluated where the vectors are, from the sums in
 * cg->state (kernels/cg_state.h): no scalar comes to the host. Once the state has a reason to stop
 * every step is a no-op, so that a solve ends at the exact iteration however many were queued.
 * Iterations with one reduction over all ranks, instead of two or three: cg_merged.c.
 *
 * The comments of the steps give their traffic, vectors read + written: composed of single vector
 * operations | fused by operator or space (cg_steps.c).
 */
#include "solver/cg/cg.h"

#include <math.h>
#include <stddef.h>

#include "solver/cg/cg_internal.h"

static enum cgs_status iterate(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_product(cg));       /* q = A p,  p'q                    A + 3+1 | A + 1+1 */
    CGS_TRY(cgs_step_update(cg));        /* x += alpha p, r -= alpha q, r'r      5+2 | 4+2     */
    CGS_TRY(cgs_step_precondition(cg));  /* z = M r,  r'z                    M + 2+0 | M       */
    CGS_TRY(cgs_step_direction(cg));     /* p = z + beta p                       2+1 | 0+1     */
    return cgs_step_conclude(cg);        /* record, count, stopping test           0 | 0       */
}

/* The same iteration for operators that make p inside the product (matrix-free). It begins with the
 * step that ends the iteration above. */
static enum cgs_status iterate_rotated(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_direction_product(cg)); /* p = z + beta p, q = A p, p'q         | 2+1     */
    CGS_TRY(cgs_step_update(cg));            /* x += alpha p, r -= alpha q, r'r  5+2 | 3+2     */
    CGS_TRY(cgs_step_precondition(cg));      /* z = M r,  r'z                M + 2+0 | M       */
    return cgs_step_conclude(cg);            /* record, count, stopping test       0 | 0       */
}

enum cgs_status cgs_cg_iterate(struct cgs_cg *cg)
{
    if (cg->settings.method == CGS_CG_SINGLE_REDUCTION)
        return cgs_cg_iterate_single(cg);
    return cgs_cg_direction_in_product(cg) ? iterate_rotated(cg) : iterate(cg);
}

/* ---- the loop around it ---- */

static enum cgs_status solve(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    bool ends;
    CGS_TRY(cgs_cg_true_residual(cg, run));        /* r = b - A x */
    CGS_TRY(cgs_cg_take_scale(cg, run));           /* out of b and x, if b'b would leave the range */
    CGS_TRY(cgs_cg_set_threshold(cg, run));        /* tolerance ||b|| */
    CGS_TRY(cgs_cg_start(cg, run));                /* z = M r,  p = z */
    for (;;) {
        CGS_TRY(cgs_cg_launch(cg, run));           /* iterates until the state has a reason to stop */
        if (cgs_cg_pause_is_due(cg, run)) {
            CGS_TRY(cgs_cg_pause(cg, run));        /* the caller looks at x and r */
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
    struct cgs_cg_run run = {.before = HUGE_VAL};
    enum cgs_status status = solve(cg, &run);
    if (status == CGS_OK)
        status = cgs_cg_find_result(cg, &run, result);
    if (status == CGS_OK)
        status = cgs_cg_give_scale(cg, &run);
    cgs_stopwatch_enter(watch, outer);
    return status;
}

/* ---- traffic of an iteration: the same steps, listed instead of queued ---- */

int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 enum cgs_cg_method method, struct cgs_cg_step steps[CGS_CG_STEPS])
{
    struct cgs_cg_list list = {.count = 0};
    struct cgs_cg cg = {.op = op,
                        .outer = op,
                        .preconditioner =
                            cgs_preconditioning_by(preconditioner) ? preconditioner : NULL,
                        .settings = {.method = method},
                        .list = &list};
    (void)cgs_cg_iterate(&cg); /* only lists: cannot fail */
    for (int i = 0; i < list.count; i++)
        steps[i] = list.steps[i];
    return list.count;
}

struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_cg_method method, enum cgs_launch launch)
{
    struct cgs_cg_step whole = {"iteration", "whole iterations", {0, 0, 0}};
    struct cgs_cg_step steps[CGS_CG_STEPS];
    const int count = cgs_cg_steps(op, preconditioner, method, steps);
    for (int i = 0; i < count; i++) {
        whole.moves.read += steps[i].moves.read;
        whole.moves.written += steps[i].moves.written;
        whole.moves.products += steps[i].moves.products;
    }
    if (launch == CGS_LAUNCH_PERSISTENT)
        whole.moves = cgs_moves_or(op->steps->advance_moves, whole.moves);
    return whole;
}
