/* True residuals, restarts, and residual replacement: reliable updates of CG in mixed precision,
 * and the renewal of CG with one reduction an iteration.
 *
 * Mixed precision. The iterations run in single precision, matrix and vectors; the equation A x = b
 * is given in double. Whenever the recursive residual has fallen by DELTA, it is replaced by the
 * true one, which removes the rounding errors accumulated so far:
 *
 *     x (double) += d        d: correction computed in single precision; then d = 0
 *     t (double) = b - A x   with the double matrix
 *     r (single) = t,  r'r   z = M r,  r'z
 *     p = p - c z            c: such that r'p = r'z, as in the iteration
 *
 * Iterations continue with p. It is still A-orthogonal to earlier directions, so that convergence
 * stays superlinear; a restart would lose that (Q1, N = 31, tol 1e-10, random b: 74 iterations in
 * double, 74 here, 96 to 116 with restarts). Without c, CG would diverge if r has changed by a good
 * part of its length. If it has changed by more (a flipped bit, a matrix that single precision
 * cannot hold), CG restarts.
 *
 * Source: M. A. Clark et al., Comput. Phys. Commun. 181 (2010) 1517 (reliable updates); G. L. G.
 * Sleijpen, H. A. van der Vorst, Computing 56 (1996) 141 (when to replace the residual).
 *
 * Traffic of an update (cgs_cg_update_bytes) per unknown, s and d being the bytes of a number in
 * single and in double: the product in double; convert the correction: s + d, and set it: s; x: 3
 * d; t = b - t: 3 d; r'r, b'b, x'x: 3 d; convert t: d + s; r'p and p: 5 s; z: 3 s. With SELL and 27
 * entries a row an iteration moves 252 bytes in single, 396 in double, an update 460: with one
 * update in 20 iterations 275. (Double vectors with a single matrix: 288, as many iterations, in a
 * model.)
 *
 * CG with one reduction (cg_merged.c) keeps A p by a recurrence, whose rounding errors are
 * relative to the vectors as large as they once were. When ||r|| has fallen by FALL, r becomes
 * b - A x and all other vectors are computed anew from r and p. CG goes on with
 * beta = -q'z / p'q, for which the next direction is A-orthogonal to p as it is now. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "matrix/names.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_residual.h"
#include "solver/cg/cg_result.h"
#include "solver/cg/cg_steps.h"
#include "solver/cg/cg_vectors.h"

/* Fall of the residual between updates. Smaller values let the two residuals diverge, larger ones
 * compute true residuals in vain; 0.001 to 0.03 cost within 5 % of each other, 0.1 up to 9 % more
 * (Q1, N = 15 ... 63). */
static const double DELTA = 0.03;

/* The same in CG with one reduction (doc/theory.md). A replacement costs 3 products. */
static const double FALL = 1e-8;

enum { PATIENCE = 50 /* iterations without a smaller residual before stagnation, at least */ };

/* Root mean square entry of r below which single precision would lose digits to underflow. */
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

/* Completes `count` sums from `first` on over all owners, and reads the state. */
static enum cgs_status look(struct cgs_cg *cg, const struct cgs_space *space, enum cgs_sum first,
                            int count, struct cgs_cg_state *now)
{
    CGS_TRY(space->ops->reduce(space, cg->queue, cg->state, first, count));
    CGS_TRY(space->ops->look_start(space, cg->queue, cg->state, 0));
    return space->ops->look_finish(space, cg->queue, 0, now);
}

/* Adds the correction of the iterations to x and sets it to zero. */
static enum cgs_status collect_solution(struct cgs_cg *cg)
{
    const struct cgs_space *inner = &cg->op->domain, *outer = &cg->outer->domain;
    void *part = cg->vectors.x;
    CGS_TRY(inner->ops->convert(inner, cg->queue, NULL, part, outer, cg->residual));
    CGS_TRY(inner->ops->set(inner, cg->queue, NULL, 0.0, part));
    return outer->ops->axpy(outer, cg->queue, NULL, cgs_constant(1.0), cg->residual, cg->solution);
}

/* Sets the state's sums going again after a reason to stop. */
static enum cgs_status resume_sums(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    struct cgs_cg_state now = run->seen;
    now.reason = CGS_GOING_ON;
    return cg->outer->domain.ops->state_set(&cg->outer->domain, cg->queue, cg->state, &now);
}

/* Computes ||x||^2, and reads the state. */
static enum cgs_status measure_x(struct cgs_cg *cg, struct cgs_cg_run *run,
                                 struct cgs_cg_state *now)
{
    const struct cgs_space *space = &cg->outer->domain;
    const void *x = cg->solution;
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, x, x, CGS_SUM_XX));
    CGS_TRY(look(cg, space, CGS_SUM_XX, 1, now));
    run->xx = now->sums[CGS_SUM_XX];
    return CGS_OK;
}

enum cgs_status cgs_cg_first_residual(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->outer->domain;
    const void *b = cg->rhs;
    struct cgs_cg_state now;
    cg->lacks_residual = cg->small;
    if (!cg->small)
        return cgs_cg_true_residual(cg, run);
    CGS_TRY(resume_sums(cg, run));
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, b, b, CGS_SUM_RR));
    CGS_TRY(space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, 1));
    CGS_TRY(measure_x(cg, run, &now));
    run->true_rr = run->bb = now.sums[CGS_SUM_RR];
    if (run->xx == 0.0)
        return CGS_OK;
    CGS_TRY(cgs_cg_alloc_rest(cg));
    return cgs_cg_true_residual(cg, run);
}

enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->outer->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_queue *queue = cg->queue;
    struct cgs_cg_state now;
    const void *b = cg->rhs, *x = cg->solution;
    void *r = cg->residual;

    /* The last true residual counts as error computation, those of reliable updates as part of the
     * solve. */
    if (run->seen.reason != CGS_GOING_ON && run->seen.reason != CGS_REPLACEMENT_DUE)
        cgs_stopwatch_enter(&queue->context->watch, CGS_PHASE_ERRORS);
    CGS_TRY(resume_sums(cg, run));
    if (run->fresh) {
        run->fresh = false;
        run->true_rr = run->seen.sums[CGS_SUM_RR];
        return measure_x(cg, run, &now);
    }
    if (cgs_cg_mixed(cg))
        CGS_TRY(collect_solution(cg));
    CGS_TRY(cgs_operator_apply(cg->outer, queue, NULL, x, r));
    CGS_TRY(ops->xpby(space, queue, NULL, b, cgs_constant(-1.0), r));
    CGS_TRY(ops->dot(space, queue, cg->state, r, r, CGS_SUM_RR));
    CGS_TRY(ops->dot(space, queue, cg->state, b, b, CGS_SUM_BB));
    CGS_TRY(ops->reduce(space, queue, cg->state, CGS_SUM_RR, 1));
    CGS_TRY(ops->reduce(space, queue, cg->state, CGS_SUM_BB, 1));
    CGS_TRY(measure_x(cg, run, &now));
    run->true_rr = now.sums[CGS_SUM_RR];
    run->bb = now.sums[CGS_SUM_BB];
    cg->lacks_residual = false;
    return cgs_cg_mixed(cg) ? ops->convert(space, queue, NULL, r, &cg->op->domain, cg->vectors.r)
                            : CGS_OK;
}

/* ---- a power of two out of b and x ---- */

/* The problem is linear in b: 2^-k b has the solution 2^-k x, to the bit unless numbers leave the
 * range. So ||b|| becomes about 1 where its square, or those of residuals, would not be a number.
 * In mixed precision, and in cycles in single, residuals r are vectors of floats, and so is M r, of
 * about r / ||A||: then ||b|| becomes about sqrt(||A||), so that both are near 1. */
enum { SCALE_BEYOND = 150, SCALE_BEYOND_FLOATS = 30, SHIFT = 600 };

/* Returns true if residuals become vectors of floats; *middle: the exponent that ||b|| should
 * have. */
static bool in_floats(const struct cgs_cg *cg, int *middle)
{
    const bool narrow = cg->preconditioner && cg->preconditioner->narrow;
    const double norm = cg->outer->norm;
    *middle = 0;
    if (!narrow && !cgs_cg_mixed(cg))
        return false;
    if (cg->preconditioner && norm > FLT_MIN && norm < FLT_MAX)
        *middle = ilogb(norm) / 2;
    return true;
}

static void *scratch_of(const struct cgs_cg *cg)
{
    return cgs_cg_mixed(cg) ? cg->residual : cg->vectors.q;
}

/* v = 2^k v. scratch: overwritten. */
static enum cgs_status shift(struct cgs_cg *cg, int k, void *v, void *scratch)
{
    const struct cgs_space *space = &cg->outer->domain;
    CGS_TRY(space->ops->set(space, cg->queue, NULL, 0.0, scratch));
    for (int part = 0; part < 2; part++) /* 2^k itself may be no double */
        CGS_TRY(space->ops->xpby(space, cg->queue, NULL, scratch,
                                 cgs_constant(ldexp(1.0, part == 0 ? k / 2 : k - k / 2)), v));
    return CGS_OK;
}

/* Sets *k to the exponent of ||v||, whose square need not be a double; *zero: v is 0. square: of
 * ||v||, as summed. scratch: overwritten. */
static enum cgs_status exponent_of(struct cgs_cg *cg, const void *v, double square, void *scratch,
                                   int *k, bool *zero)
{
    const struct cgs_space *space = &cg->outer->domain;
    const int by = square < 0x1p-900 ? SHIFT : square > 0x1p900 ? -SHIFT : 0;
    struct cgs_cg_state now;
    if (by != 0) {
        CGS_TRY(space->ops->set(space, cg->queue, NULL, 0.0, scratch));
        CGS_TRY(space->ops->axpy(space, cg->queue, NULL, cgs_constant(ldexp(1.0, by)), v, scratch));
        CGS_TRY(space->ops->dot(space, cg->queue, cg->state, scratch, scratch, CGS_SUM_SCRATCH));
        CGS_TRY(look(cg, space, CGS_SUM_SCRATCH, 1, &now));
        square = now.sums[CGS_SUM_SCRATCH];
    }
    *zero = square == 0.0;
    *k = *zero || !isfinite(square) ? 0 : ilogb(square) / 2 - by;
    return CGS_OK;
}

enum cgs_status cgs_cg_take_scale(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    int k, of_x, middle;
    bool zero, zero_x;
    const int beyond = in_floats(cg, &middle) ? SCALE_BEYOND_FLOATS : SCALE_BEYOND;
    if (cg->outer->domain.number != CGS_F64 || isnan(run->bb) || isnan(run->xx) ||
        (run->bb >= ldexp(1.0, 2 * (middle - beyond)) &&
         run->bb <= ldexp(1.0, 2 * (middle + beyond))))
        return CGS_OK;
    CGS_TRY(cgs_cg_complete(cg));
    void *scratch = scratch_of(cg);
    CGS_TRY(exponent_of(cg, cg->rhs, run->bb, scratch, &k, &zero));
    CGS_TRY(exponent_of(cg, cg->solution, run->xx, scratch, &of_x, &zero_x));
    if (zero) /* x = 0 solves it: the start alone sets the range */
        k = zero_x ? 0 : of_x;
    else
        k -= middle;
    if (!zero && !zero_x && of_x - k > SCALE_BEYOND) /* b is nothing beside A x of the start */
        k = of_x - SCALE_BEYOND < 0 ? of_x - SCALE_BEYOND : 0;
    if (abs(k) <= beyond) {
        return cgs_cg_mixed(cg) ? cgs_cg_true_residual(cg, run) : CGS_OK;
    }
    run->scale = k;
    CGS_TRY(shift(cg, -k, cg->rhs, scratch));
    CGS_TRY(shift(cg, -k, cg->solution, scratch));
    return cgs_cg_true_residual(cg, run);
}

enum cgs_status cgs_cg_give_scale(struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->outer->domain;
    const bool mixed = cgs_cg_mixed(cg);
    if (run->scale == 0)
        return CGS_OK;
    CGS_TRY(cgs_cg_complete(cg));
    void *scratch = scratch_of(cg);
    CGS_TRY(shift(cg, run->scale, cg->solution, scratch));
    CGS_TRY(shift(cg, run->scale, cg->rhs, scratch));
    if (!mixed)
        return shift(cg, run->scale, cg->residual, scratch);
    CGS_TRY(cgs_operator_apply(cg->outer, cg->queue, NULL, cg->solution, cg->residual));
    return space->ops->xpby(space, cg->queue, NULL, cg->rhs, cgs_constant(-1.0), cg->residual);
}

/* ---- the threshold ---- */

/* Sets *zero if r itself is zero, not only the sum of its squares. Overwrites q. */
static enum cgs_status is_zero(struct cgs_cg *cg, bool *zero)
{
    const struct cgs_space *space = &cg->outer->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_state now;
    CGS_TRY(cgs_cg_complete(cg));
    void *scaled = cgs_cg_mixed(cg) ? cg->rhs : cg->vectors.q; /* b is no longer needed if r is 0 */
    CGS_TRY(ops->set(space, cg->queue, NULL, 0.0, scaled));
    CGS_TRY(ops->axpy(space, cg->queue, NULL, cgs_constant(0x1p1000), cg->residual, scaled));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, scaled, scaled, CGS_SUM_SCRATCH));
    CGS_TRY(look(cg, space, CGS_SUM_SCRATCH, 1, &now));
    *zero = now.sums[CGS_SUM_SCRATCH] == 0.0;
    return CGS_OK;
}

/* Fails if squares of residuals underflow: entries of doubles below 1e-154 would make r'r zero and
 * x a false solution. Squares of floats are summed in double and do not underflow. */
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
                        "\1precision=double, or multiply it by a power of ten, and divide the "
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

/* Returns the fall of the residual after which it is replaced; 0: never. */
static double fall(const struct cgs_cg *cg)
{
    return cgs_cg_mixed(cg) ? DELTA : cgs_cg_merged(cg) ? FALL : 0.0;
}

enum cgs_status cgs_cg_set_threshold(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_cg_settings *settings = &cg->settings;
    const double tolerance = cgs_recursion_tolerance(&cg->outer->domain, settings->tolerance);
    const double energy = ldexp(settings->energy_tolerance, -run->scale);
    run->reference2 = settings->relative_to_first || run->bb == 0.0 ? run->true_rr : run->bb;
    run->seen = (struct cgs_cg_state){
        .threshold = tolerance * tolerance * run->reference2,
        .max_iterations = settings->max_iterations,
        .stagnation_window = settings->stagnation_window,
        .energy_threshold = energy * energy,
        .replacement_ratio = fall(cg) * fall(cg),
        .preconditioned = cgs_preconditioning_by(cg->preconditioner),
    };
    return check_underflow(cg, run->seen.threshold, run->reference2);
}

/* ---- start and restart ---- */

/* z = M r, r'z. */
static enum cgs_status precondition(struct cgs_cg *cg)
{
    if (!cg->preconditioner)
        return CGS_OK;
    CGS_TRY(cgs_centre_apply(cg->settings.centre, cg->queue, cg->vectors.r));
    return cgs_operator_apply_dot(cg->preconditioner, cg->queue, cg->state, cg->vectors.r,
                                  cg->vectors.z, CGS_SUM_RZ);
}

enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_vectors *v = &cg->vectors;

    CGS_TRY(cgs_cg_complete(cg));
    run->seen.x_zero = !cgs_cg_mixed(cg) && run->xx == 0.0;
    CGS_TRY(ops->state_set(space, cg->queue, cg->state, &run->seen));
    if (cgs_cg_merged(cg)) {
        CGS_TRY(cgs_cg_begin_merged(cg));
    } else {
        CGS_TRY(precondition(cg));
        if (!cgs_cg_direction_in_product(cg))
            CGS_TRY(ops->copy(space, cg->queue, cg->state, v->z, v->p));
        CGS_TRY(ops->begin(space, cg->queue, cg->state));
    }
    run->seen.sums[CGS_SUM_RR] = run->true_rr;
    if (run->restarts == 0)
        run->best_rr = run->true_rr;
    return ops->wait(cg->queue);
}

/* Restarts from the true residual. Records the iteration of the first restart, with the recursive
 * and the true r'r. */
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

/* Goes on from x because of a row: from the true residual, as after a restart, to the threshold
 * that cgs_cg_ends has set. */
static enum cgs_status continue_for_row(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    run->continuations++;
    run->continues = false;
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

/* Returns true if the true residual has diverged from the recursive one. */
static bool residuals_parted(const struct cgs_cg_run *run)
{
    return cgs_residual_gap(sqrt(run->seen.sums[CGS_SUM_RR]), sqrt(run->true_rr));
}

/* Returns true if at the rounding floor this update and the previous one have not reduced the true
 * residual. In double the floor, a bound, may be far above what rounding does: there the true
 * residual must have parted from the recursive one, too. */
static bool stalled_there(const struct cgs_cg *cg, struct cgs_cg_run *run)
{
    if (run->true_rr < 0.25 * run->best_rr || !at_the_floor(cg, run) ||
        (cgs_cg_merged(cg) && !residuals_parted(run)))
        run->stalls = 0;
    else
        run->stalls++;
    return run->stalls >= 2;
}

/* Returns the reason to stop after an update, if any. */
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

/* Computes z, r'z and r'p from the new residual. */
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

/* p = p - c z, with c such that r'p = r'z: then alpha = r'z / p'A p minimises the error along p. If
 * the direction is made inside the next product, p is still the previous direction and r'p = 0. */
static enum cgs_status fit_direction(struct cgs_cg *cg, double rz, double rp)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    const double wanted = cg->op->steps->direction_apply_dot && cgs_cg_fused(cg) ? 0.0 : rz;
    return space->ops->axpy(space, cg->queue, NULL, cgs_constant((wanted - rp) / rz), v->z, v->p);
}

/* Returns true if the true residual has diverged from the recursive one, so that CG must
 * restart. */
static bool restart_is_due(const struct cgs_cg *cg, const struct cgs_cg_run *run)
{
    return cg->settings.restart && residuals_parted(run);
}

/* Sets what the state knows of the residual to that of the true one. */
static void take_residual(const struct cgs_cg *cg, struct cgs_cg_run *run, double rz)
{
    struct cgs_cg_state *seen = &run->seen;
    seen->rz = rz;
    seen->sums[CGS_SUM_RR] = seen->peak = run->true_rr;
    seen->best = run->best_rr; /* the best recursive residual may be smaller than any true one */
    seen->best_iteration = run->best_at;
    /* At the rounding floor, shorten the stagnation window: the residual may never fall enough for
     * another update. */
    if (at_the_floor(cg, run) && seen->iteration < seen->stagnation_window)
        seen->stagnation_window = seen->iteration > PATIENCE ? seen->iteration : PATIENCE;
}

/* Judges a replacement, and remembers the smallest true residual. */
static void judge_replacement(const struct cgs_cg *cg, struct cgs_cg_run *run, double rz)
{
    run->updates++;
    run->seen.reason = judge(cg, run, rz);
    if (run->true_rr < run->best_rr) {
        run->best_rr = run->true_rr;
        run->best_at = run->seen.iteration;
    }
}

/* Replaces the residual and keeps the direction, or restarts. */
static enum cgs_status update(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    double rz, rp;
    CGS_TRY(look_at_residual(cg, &rz, &rp));
    judge_replacement(cg, run, rz);
    if (run->seen.reason == CGS_GOING_ON && restart_is_due(cg, run))
        return restart(cg, run);
    if (run->seen.reason == CGS_GOING_ON)
        CGS_TRY(fit_direction(cg, rz, rp));
    take_residual(cg, run, rz);
    return space->ops->state_set(space, cg->queue, cg->state, &run->seen);
}

/* ---- CG with one reduction ---- */

/* Goes on, or ends, after p'A p of the next direction turned out not to be positive even from new
 * vectors: rounding, after which CG restarts, or a matrix that is not positive definite. */
static enum cgs_status settle_next(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_state now = run->seen;
    now.reason = CGS_GOING_ON; /* otherwise the sums would be no-ops */
    CGS_TRY(space->ops->state_set(space, cg->queue, cg->state, &now));
    CGS_TRY(cgs_cg_measure_next(cg));
    CGS_TRY(look(cg, space, CGS_SUM_PQ, 1, &now));
    if (now.sums[CGS_SUM_PQ] > 0.0)
        return restart(cg, run);
    run->seen.sums[CGS_SUM_PQ] = now.sums[CGS_SUM_PQ];
    run->seen.reason = isfinite(now.sums[CGS_SUM_PQ]) ? CGS_NOT_POSITIVE : CGS_NOT_FINITE;
    return space->ops->state_set(space, cg->queue, cg->state, &run->seen);
}

/* Replaces the residual and all vectors that follow from it and from p, or restarts. */
static enum cgs_status renew(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_state now;
    CGS_TRY(cgs_cg_renew(cg));
    CGS_TRY(look(cg, space, CGS_SUM_PQ, 1, &now));
    const double rz = cgs_cg_new_rz(&now), pq = now.sums[CGS_SUM_PQ];
    judge_replacement(cg, run, rz);
    if (run->seen.reason == CGS_GOING_ON && (restart_is_due(cg, run) || !(pq > 0.0)))
        return restart(cg, run);
    take_residual(cg, run, rz);
    run->seen.beta = -now.sums[CGS_SUM_QZ] / pq;
    CGS_TRY(space->ops->state_set(space, cg->queue, cg->state, &run->seen));
    CGS_TRY(space->ops->foresee(space, cg->queue, cg->state));
    CGS_TRY(look(cg, space, CGS_SUM_PQ, 1, &now));
    run->seen.sums[CGS_SUM_PQ] = now.sums[CGS_SUM_PQ];
    run->seen.reason = now.reason;
    return now.reason == CGS_REPLACEMENT_DUE ? settle_next(cg, run) : CGS_OK;
}

enum cgs_status cgs_cg_replace_residual(struct cgs_cg *cg, struct cgs_cg_run *run)
{
    cgs_stopwatch_enter(&cg->queue->context->watch, CGS_PHASE_SOLVE);
    if (run->continues)
        return continue_for_row(cg, run);
    if (cgs_cg_mixed(cg))
        return update(cg, run);
    return cgs_cg_merged(cg) && run->seen.reason == CGS_REPLACEMENT_DUE ? renew(cg, run)
                                                                        : restart(cg, run);
}
