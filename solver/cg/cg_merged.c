/* Conjugate gradients with one reduction an iteration: the algorithm. A. T. Chronopoulos, C. W.
 * Gear, J. Comput. Appl. Math. 25 (1989) 153.
 *
 * Standard CG (cg_iterate.c) waits for p'A p and then for r'r (and r'z): over many ranks each is a
 * round trip through all of them. Here w = A z is the product, and q = A p = w + beta q a
 * recurrence, so that the sums of an iteration come from vectors that are there at the same time,
 * and are completed by one reduction. p'A p of the direction p = z + beta p that comes next is not
 * among these sums, but follows from them:
 *
 *     p'A p = z'A z - beta^2 (old p'A p)                        cgs_cg_foresee, kernels/cg_state.h
 *
 * Without a preconditioner z is r. A flexible preconditioner has one more sum q'z in the same
 * reduction.
 *
 * Rounding. A recurrence for A p lets r part from b - A x. Therefore the residual is replaced each
 * time that it has fallen by a factor (cg_residual.c): r = b - A x, and all other vectors are
 * computed anew from r and p (cgs_cg_renew), which keeps the direction. What is lost and what
 * replacement gives back: doc/theory.md.
 *
 * The comments give the traffic, vectors read + written: without | with a preconditioner.
 */
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_merged.h"
#include "solver/cg/cg_steps.h"

enum { ALL_SUMS = CGS_SUM_QZ - CGS_SUM_RR + 1 }; /* r'r, r'z, z'w, q'z */

/* ---- its steps; those that it shares with standard CG: cg_steps.c ---- */

static enum cgs_status directions(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_coefficient beta = cgs_scalar(CGS_NEXT_BETA);
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->xpby(space, cg->queue, cg->state, cg->w, beta, v->q));
    return space->ops->xpby(space, cg->queue, cg->state, v->z, beta, v->p);
}

/* w = A z, this owner's part of z'w. */
static enum cgs_status product_z(struct cgs_cg *cg)
{
    return cgs_operator_apply_part(cg->op, cg->queue, cg->state, cg->vectors.z, cg->w, CGS_SUM_ZW);
}

static enum cgs_status conclude(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    CGS_TRY(space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, ALL_SUMS));
    CGS_TRY(space->ops->conclude(space, cg->queue, cg->state));
    return space->ops->foresee(space, cg->queue, cg->state);
}

static enum cgs_status step_directions(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "directions", "p = z + beta p, q = w + beta q",
                       (struct cgs_moves){4, 2, 0}, directions);
}

static enum cgs_status step_product_z(struct cgs_cg *cg)
{
    const double dot = cg->op->steps->apply_dot ? 0.0 : 2.0;
    return cgs_cg_step(cg, "product_dot", "w = A z, z'w", (struct cgs_moves){1 + dot, 1, 1},
                       product_z);
}

static enum cgs_status step_conclude(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "conclude", "sums of all ranks, end of the iteration",
                       (struct cgs_moves){0, 0, 0}, conclude);
}

enum cgs_status cgs_cg_iterate_single(struct cgs_cg *cg)
{
    CGS_TRY(step_directions(cg));       /* p = z + beta p, q = w + beta q           4+2      */
    CGS_TRY(cgs_step_update(cg));       /* x += alpha p, r -= alpha q, r'r          4+2      */
    CGS_TRY(cgs_step_precondition(cg)); /* z = M r, r'z                             0 | M    */
    CGS_TRY(step_product_z(cg));        /* w = A z, z'w                         A + 1+1      */
    return step_conclude(cg);           /* reduction; record, stopping test, alpha  0        */
}

/* ---- the start, and all vectors anew ---- */

/* z = M r, w = A z, this owner's part of r'z and z'w. */
static enum cgs_status make_z_w(struct cgs_cg *cg)
{
    const struct cgs_cg_vectors *v = &cg->vectors;
    if (cg->preconditioner) {
        CGS_TRY(cgs_centre_apply(cg->settings.centre, cg->queue, v->r));
        CGS_TRY(cgs_operator_apply_part(cg->preconditioner, cg->queue, cg->state, v->r, v->z,
                                        CGS_SUM_RZ));
    }
    return product_z(cg);
}

enum cgs_status cgs_cg_begin_merged(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(make_z_w(cg));
    CGS_TRY(ops->copy(space, cg->queue, cg->state, v->z, v->p));
    CGS_TRY(ops->reduce(space, cg->queue, cg->state, CGS_SUM_RZ, 2));
    CGS_TRY(ops->begin(space, cg->queue, cg->state));
    return ops->foresee(space, cg->queue, cg->state);
}

enum cgs_status cgs_cg_renew(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(make_z_w(cg));
    CGS_TRY(cgs_operator_apply_part(cg->op, cg->queue, cg->state, v->p, v->q, CGS_SUM_PQ));
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, v->q, v->z, CGS_SUM_QZ));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_PQ, CGS_SUM_QZ - CGS_SUM_PQ + 1);
}

struct cgs_moves cgs_cg_renewal_moves(const struct cgs_operator *op,
                                      const struct cgs_operator *preconditioner)
{
    const double dot = op->steps->apply_dot ? 0.0 : 2.0; /* a separate one after a product */
    const struct cgs_moves none = {0, 0, 0};
    const struct cgs_moves z =
        cgs_preconditioning_by(preconditioner) ? cgs_cg_precondition_moves(preconditioner) : none;
    /* A x and A z, A p with dots; b - A x; r'r, b'b, x'x; q'z */
    return (struct cgs_moves){.read = 3 + 2 * dot + 2 + 3 + 2 + z.read,
                              .written = 3 + 1 + z.written,
                              .products = 3 + z.products};
}

enum cgs_status cgs_cg_measure_next(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->xpby(space, cg->queue, cg->state, v->z, cgs_scalar(CGS_NEXT_BETA), v->p));
    return cgs_operator_apply_dot(cg->op, cg->queue, cg->state, v->p, v->q, CGS_SUM_PQ);
}

/* ---- what the method needs ---- */

/* Returns "standard", "single-reduction". */
static const char *method_name(enum cgs_cg_method method)
{
    static const char *const names[] = {
        [CGS_CG_STANDARD] = "standard", [CGS_CG_SINGLE_REDUCTION] = "single-reduction"};
    return names[method];
}

enum cgs_status cgs_cg_check_method(const struct cgs_cg *cg)
{
    struct cgs_context *context = cg->queue->context;
    const char *name = method_name(cg->settings.method);
    if (!cgs_cg_merged(cg))
        return CGS_OK;
    if (!cg->op->domain.ops->foresee)
        return cgs_fail(context, CGS_USAGE,
                        "%s CG works on the CPU alone: take the standard one on this device", name);
    if (cgs_cg_mixed(cg))
        return cgs_fail(context, CGS_USAGE,
                        "%s CG has no mixed precision: take double, or standard CG", name);
    return CGS_OK;
}
