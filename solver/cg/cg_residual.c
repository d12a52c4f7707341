/* True residuals, restarts, and reliable updates: CG in mixed precision.
 *
 * The iterations run in single precision, matrix and vectors; the equation A x = b stands in
 * double. What rounding has put between the recursive residual and the true one is taken away as
 * soon as the recursive one has fallen by DELTA:
 *
 *     x (double) += d        d: what single precision has added to x; from now on 0
 *     t (double) = b - A x   with the double matrix
 *     r (single) = t,  r'r   z = M r,  r'z
 *     p = p - c z            c: such that r'p = r'z, as in the iteration
 *
 * and the iterations go on with p: it is still A-orthogonal to the directions before, so that
 * convergence stays superlinear, where a restart would begin it anew (on the Q1 matrix, N = 31, tol
 * 1e-10, a random b: double 74 iterations, this 74, restarts 96 to 116). Without c, CG would
 * diverge where r has changed by a good part of its length. Where it has changed by more (a wrong
 * bit, a matrix that single precision can't hold), CG restarts.
 *
 * Source: M. A. Clark et al., Comput. Phys. Commun. 181 (2010) 1517 (reliable updates); G. L. G.
 * Sleijpen, H. A. van der Vorst, Computing 56 (1996) 141 (when to replace the residual).
 *
 * Traffic an unknown (cgs_cg_update_bytes), s and d being the bytes of a number in single and in
 * double: the product in double; convert x's part: s + d, and set: s; x: 3 d; t = b - t: 3 d; r'r,
 * b'b, x'x: 3 d; convert t: d + s; r'p and p: 5 s; z: 3 s. With SELL and 27 entries a row an
 * iteration moves 252 bytes in single, 396 in double, an update 460: with one in 20 iterations 275
 * (a double iteration's vectors with a single matrix: 288, and as many iterations as here, seen in
 * a model). */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "solver/cg/cg_internal.h"

/* Smaller ones let the two residuals part, larger ones compute true residuals in vain. (Q1, N = 15 ...
 * 63: bytes to the solution differ by 5 % at most from 0.001 to 0.03, 0.1 takes up to 9 % more.) */
static const double DELTA = 0.03;

enum { PATIENCE = 50 /* iterations without a smaller residual, at least */ };

/* The mean size of a number of r that still has all its digits in single precision, and those that
 * it is added to. */
static const double LEAST_FLOAT = (double)FLT_MIN / (double)FLT_EPSILON;

double cgs_cg_update_bytes(const struct cgs_operator *outer, const struct cgs_operator *inner,
                           const struct cgs_operator *preconditioner,
                           const struct cgs_traffic *product)
{
    const bool preconditioned = cgs_preconditioning_by(preconditioner) != CGS_UNPRECONDITIONED;
    const struct cgs_moves z =
        preconditioned ? cgs_cg_precondition_moves(preconditioner) : (struct cgs_moves){0, 0, 0};
    const double d = (double)cgs_number_bytes(outer->domain.number);
    const double s = (double)cgs_number_bytes(inner->domain.number);
    return (double)(product->matrix + product->vectors) +
           (double)outer->domain.size * (11.0 * d + (8.0 + z.read + z.written) * s);
}

/* ---- the true residual ---- */

/* Completes `count` sums from `first` on over all owners, and looks at the state. */
static enum cgs_status look(struct cgs_cg *cg, const struct cgs_space *space, enum cgs_sum first,
                            int count, struct cgs_cg_state *now)
{
    CGS_TRY(space->ops->reduce(space, cg->queue, cg->state, first, count));
    CGS_TRY(space->ops->look_start(space, cg->queue, cg->state, 0));
    return space->ops->look_finish(space, cg->queue, 0, now);
}

/* x += what the iterations have added since the last time. */
static enum cgs_status collect_solution(struct cgs_cg *cg)
{
    const struct cgs_space *inner = &cg->op->domain, *outer = &cg->outer->domain;
    void *part = cg->vectors.x;
    CGS_TRY(inner->ops->convert(inner, cg->queue, NULL, part, outer, cg->residual));
    CGS_TRY(inner->ops->set(inner, cg->queue, NULL, 0.0, part));
    return outer->ops->axpy(outer, cg->queue, NULL, cgs_constant(1.0), cg->residual, cg->solution);
}

enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->outer->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_queue *queue = cg->queue;
    struct cgs_cg_state *state = cg->state, now = run->seen;
    const void *b = cg->rhs, *x = cg->solution;
    void *r = cg->residual;

    /* The one at the end is charged with the errors, those of reliable updates with the solve. */
    if (run->seen.reason != CGS_GOING_ON && run->seen.reason != CGS_REPLACEMENT_DUE)
        cgs_stopwatch_enter(&queue->context->watch, CGS_PHASE_ERRORS);
    now.reason = CGS_GOING_ON; /* or the sums would be no-ops */
    CGS_TRY(ops->state_set(space, queue, state, &now));
    if (cgs_cg_mixed(cg))
        CGS_TRY(collect_solution(cg));
    CGS_TRY(cgs_operator_apply(cg->outer, queue, NULL, x, r));
    CGS_TRY(ops->xpby(space, queue, NULL, b, cgs_constant(-1.0), r));
    CGS_TRY(ops->dot(space, queue, state, r, r, CGS_SUM_RR));
    CGS_TRY(ops->dot(space, queue, state, b, b, CGS_SUM_BB));
    CGS_TRY(ops->dot(space, queue, state, x, x, CGS_SUM_XX));
    CGS_TRY(ops->reduce(space, queue, state, CGS_SUM_RR, 1));
    CGS_TRY(look(cg, space, CGS_SUM_BB, 2, &now));
    run->true_rr = now.sums[CGS_SUM_RR];
    run->bb = now.sums[CGS_SUM_BB];
    run->xx = now.sums[CGS_SUM_XX];
    return cgs_cg_mixed(cg) ? ops->convert(space, queue, NULL, r, &cg->op->domain, cg->vectors.r)
                            : CGS_OK;
}

/* ---- the threshold ---- */

/* Sets *zero where r is zero, and not only the sum of its squares. q is overwritten. */
static enum cgs_status is_zero(struct cgs_cg *cg, bool *zero)
{
    const struct cgs_space *space = &cg->outer->domain;
    const struct cgs_space_ops *ops = space->ops;
    void *scaled =
        cgs_cg_mixed(cg) ? cg->rhs : cg->vectors.q; /* if r is 0, nobody needs b any more */
    struct cgs_cg_state now;
    CGS_TRY(ops->set(space, cg->queue, NULL, 0.0, scaled));
    CGS_TRY(ops->axpy(space, cg->queue, NULL, cgs_constant(0x1p1000), cg->residual, scaled));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, scaled, scaled, CGS_SUM_SCRATCH));
    CGS_TRY(look(cg, space, CGS_SUM_SCRATCH, 1, &now));
    *zero = now.sums[CGS_SUM_SCRATCH] == 0.0;
    return CGS_OK;
}

/* Refuses squares that underflow: those of doubles below 1e-154 do, CG would take r for zero and call x
 * a solution. Those of floats do not, they are summed in double. */
static enum cgs_status check_underflow(struct cgs_cg *cg, double threshold, double reference2)
{
    bool zero = false;
    if (cg->outer->domain.number != CGS_F64)
        return CGS_OK;
    if (cg->op->domain.number == CGS_F32 && reference2 > 0.0 && !(threshold < DBL_MIN) &&
        fmax(threshold, DBL_EPSILON * DBL_EPSILON * reference2) <
            LEAST_FLOAT * LEAST_FLOAT * (double)cg->op->domain.size)
        return cgs_fail(cg->queue->context, CGS_BREAKDOWN,
                        "the right-hand side is so small (||b|| about %.1e) that its residuals "
                        "underflow in single precision, in which mixed precision iterates: take "
                        "--precision=double, or multiply it by a power of ten, and divide the "
                        "solution by the same",
                        sqrt(reference2));
    if (!(threshold < DBL_MIN))
        return CGS_OK;
    if (reference2 == 0.0)
        CGS_TRY(is_zero(cg, &zero));
    if (zero)
        return CGS_OK;
    return cgs_fail(cg->queue->context, CGS_BREAKDOWN,
                    "the right-hand side is so small (||b|| about %.1e or less) that the squares "
                    "of its residuals underflow: multiply it by a power of ten, and divide the "
                    "solution by the same",
                    fmax(sqrt(reference2), sqrt(DBL_MIN)));
}

enum cgs_status cgs_cg_set_threshold(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_cg_settings *settings = &cg->settings;
    const double tolerance = cgs_recursion_tolerance(&cg->outer->domain, settings->tolerance);
    run->reference2 = settings->relative_to_first || run->bb == 0.0 ? run->true_rr : run->bb;
    run->seen = (struct cgs_cg_state){
        .threshold = tolerance * tolerance * run->reference2,
        .max_iterations = settings->max_iterations,
        .stagnation_window = settings->stagnation_window,
        .energy_threshold = settings->energy_tolerance * settings->energy_tolerance,
        .replacement_ratio = cgs_cg_mixed(cg) ? DELTA * DELTA : 0.0,
        .preconditioned = cgs_preconditioning_by(cg->preconditioner),
    };
    if (settings->pause && settings->pause_at < settings->max_iterations)
        run->seen.max_iterations = settings->pause_at;
    return check_underflow(cg, run->seen.threshold, run->reference2);
}

/* ---- begin, and begin again ---- */

/* z = M r, r'z. */
static enum cgs_status precondition(struct cgs_cg *cg)
{
    return cg->preconditioner ? cgs_operator_apply_dot(cg->preconditioner, cg->queue, cg->state,
                                                       cg->vectors.r, cg->vectors.z, CGS_SUM_RZ)
                              : CGS_OK;
}

enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_vectors *v = &cg->vectors;

    CGS_TRY(ops->state_set(space, cg->queue, cg->state, &run->seen));
    CGS_TRY(precondition(cg));
    CGS_TRY(ops->copy(space, cg->queue, cg->state, v->z, v->p));
    CGS_TRY(ops->begin(space, cg->queue, cg->state));
    run->seen.sums[CGS_SUM_RR] = run->true_rr;
    if (run->restarts == 0)
        run->best_rr = run->true_rr;
    return ops->wait(cg->queue);
}

/* Begins anew from the true residual; of the first restart is kept where it was, and how far the
 * recursive r'r and the true one were apart. */
static enum cgs_status restart(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    if (run->restarts++ == 0) {
        run->gap_iteration = run->first_run = run->seen.iteration;
        run->gap_rr[0] = run->seen.sums[CGS_SUM_RR];
        run->gap_rr[1] = run->true_rr;
    }
    run->seen.reason = CGS_GOING_ON;
    return cgs_cg_start(cg, run);
}

/* ---- reliable updates ---- */

/* Returns true if rounding explains a residual as small as this one. */
static bool at_the_floor(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return cgs_relative(run->true_rr, run->reference2) <=
           cgs_rounding_floor(cg->outer, run->xx, run->reference2);
}

/* Returns true if true residuals fall no more at the floor: in this update and in the one before. */
static bool stalled_there(const struct cgs_cg *cg, struct cgs_cg_run *run)
{
    if (run->true_rr < 0.25 * run->best_rr || !at_the_floor(cg, run))
        run->stalls = 0;
    else
        run->stalls++;
    return run->stalls >= 2;
}

/* The reason to stop after an update, if any. */
static int32_t judge(const struct cgs_cg *cg, struct cgs_cg_run *run, double rz)
{
    const bool stalled = stalled_there(cg, run);
    if (!isfinite(run->true_rr) || !isfinite(rz))
        return CGS_NOT_FINITE;
    if (run->true_rr <= run->seen.threshold)
        return CGS_CONVERGED;
    if (rz <= 0.0)
        return CGS_NOT_POSITIVE;
    return stalled ? CGS_STAGNATION : CGS_GOING_ON;
}

/* z, r'z and r'p from the new residual. */
static enum cgs_status look_at_residual(struct cgs_cg *cg, double *rz, double *rp)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_cg_state now;
    CGS_TRY(precondition(cg));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, v->r, v->p, CGS_SUM_SCRATCH));
    CGS_TRY(look(cg, space, CGS_SUM_SCRATCH, 1, &now));
    *rz = now.sums[cg->preconditioner ? CGS_SUM_RZ : CGS_SUM_RR];
    *rp = now.sums[CGS_SUM_SCRATCH];
    return CGS_OK;
}

/* p = p - c z, so that alpha = r'z / p'A p is the step to the least error along p again: r'p = r'z;
 * where p is made together with the product to come, that of now is the one before, and r'p = 0. */
static enum cgs_status fit_direction(struct cgs_cg *cg, double rz, double rp)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    const double wanted = cg->op->steps->direction_apply_dot && cgs_cg_fused(cg) ? 0.0 : rz;
    return space->ops->axpy(space, cg->queue, NULL, cgs_constant((wanted - rp) / rz), v->z, v->p);
}

/* Returns true if CG has to begin anew: the residuals have parted. */
static bool restart_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return cg->settings.restart &&
           cgs_residual_gap(sqrt(run->seen.sums[CGS_SUM_RR]), sqrt(run->true_rr));
}

/* Goes on with the direction that there is. */
static enum cgs_status update(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_state *seen = &run->seen;
    double rz, rp;

    run->updates++;
    CGS_TRY(look_at_residual(cg, &rz, &rp));
    seen->reason = judge(cg, run, rz);
    if (run->true_rr < run->best_rr) {
        run->best_rr = run->true_rr;
        run->best_at = seen->iteration;
    }
    if (seen->reason == CGS_GOING_ON && restart_is_due(cg, run))
        return restart(cg, run);
    if (seen->reason == CGS_GOING_ON)
        CGS_TRY(fit_direction(cg, rz, rp));
    seen->rz = rz;
    seen->sums[CGS_SUM_RR] = seen->peak = run->true_rr;
    seen->best = run->best_rr; /* the recursion's own may be too good to be true */
    seen->best_iteration = run->best_at;
    /* Nothing below the floor is worth waiting for as long again: no update may ever be due there. */
    if (at_the_floor(cg, run) && seen->iteration < seen->stagnation_window)
        seen->stagnation_window = seen->iteration > PATIENCE ? seen->iteration : PATIENCE;
    return space->ops->state_set(space, cg->queue, cg->state, seen);
}

enum cgs_status cgs_cg_replace_residual(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    cgs_stopwatch_enter(&cg->queue->context->watch, CGS_PHASE_SOLVE);
    return cgs_cg_mixed(cg) ? update(cg, run) : restart(cg, run);
}
