/* The steps of CG with one reduction an iteration (cg_merged.c), composed of single operations of space
 * and operator, and of the space's fused update. Their sums are this owner's parts until
 * cgs_step_conclude_merged completes all of them at once. Vectors read + written, as in cg_steps.c:
 *
 *     y = x + beta y, y -= alpha x   2 + 1 each
 *     x, r, r'r                      4 + 2 in one pass; 2 + 1, 2 + 1, 1 + 0 as axpy, axpy, dot
 *     a separate sum                 2 + 0
 *     the product                    1 + 1, with its z'w where the operator has both in one pass
 */
#include <stddef.h>

#include "solver/cg/cg_internal.h"

enum { ALL_SUMS = CGS_SUM_QZ - CGS_SUM_RR + 1 }; /* r'r, r'z, z'w, q'z */

static bool preconditioned(const struct cgs_cg *cg)
{
    return cgs_preconditioning_by(cg->preconditioner) != CGS_UNPRECONDITIONED;
}

/* y = x + beta y */
static enum cgs_status follow(struct cgs_cg *cg, const void *x, void *y)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->xpby(space, cg->queue, cg->state, x, cgs_scalar(CGS_NEXT_BETA), y);
}

/* y = y + factor x */
static enum cgs_status add(struct cgs_cg *cg, enum cgs_factor_kind factor, const void *x, void *y)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->axpy(space, cg->queue, cg->state, cgs_scalar(factor), x, y);
}

static enum cgs_status dot(struct cgs_cg *cg, const void *a, const void *b, enum cgs_sum sum)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->dot(space, cg->queue, cg->state, a, b, sum);
}

/* ---- directions ---- */

static enum cgs_status directions(struct cgs_cg *cg)
{
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(follow(cg, cg->w, v->q));
    return follow(cg, v->z, v->p);
}

enum cgs_status cgs_step_directions(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "directions", "p = z + beta p, q = w + beta q",
                       (struct cgs_moves){4, 2, 0}, directions);
}

/* ---- x += alpha p, r -= alpha q, r'r ---- */

static enum cgs_status update_fused(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    return space->ops->update(space, cg->queue, cg->state, v->p, v->q, v->x, v->r);
}

static enum cgs_status update_x(struct cgs_cg *cg)
{
    return add(cg, CGS_ALPHA, cg->vectors.p, cg->vectors.x);
}

static enum cgs_status update_r(struct cgs_cg *cg)
{
    CGS_TRY(add(cg, CGS_MINUS_ALPHA, cg->vectors.q, cg->vectors.r));
    return dot(cg, cg->vectors.r, cg->vectors.r, CGS_SUM_RR);
}

enum cgs_status cgs_step_update_merged(struct cgs_cg *cg)
{
    if (cg->op->domain.ops->update)
        return cgs_cg_step(cg, "update", "x += alpha p, r -= alpha q, r'r",
                           (struct cgs_moves){4, 2, 0}, update_fused);
    CGS_TRY(cgs_cg_step(cg, "update_x", "x += alpha p", (struct cgs_moves){2, 1, 0}, update_x));
    return cgs_cg_step(cg, "update_r", "r -= alpha q, r'r", (struct cgs_moves){3, 1, 0}, update_r);
}

/* ---- z = M r, w = A z ---- */

static enum cgs_status precondition_r(struct cgs_cg *cg)
{
    return cgs_operator_apply_part(cg->preconditioner, cg->queue, cg->state, cg->vectors.r,
                                   cg->vectors.z, CGS_SUM_RZ);
}

/* q'z for the flexible beta. */
static enum cgs_status dot_qz(struct cgs_cg *cg)
{
    return dot(cg, cg->vectors.q, cg->vectors.z, CGS_SUM_QZ);
}

enum cgs_status cgs_step_precondition_r(struct cgs_cg *cg)
{
    if (!preconditioned(cg))
        return CGS_OK;
    CGS_TRY(cgs_cg_step(cg, "precondition", "z = M r, r'z",
                        cgs_cg_precondition_moves(cg->preconditioner), precondition_r));
    return cgs_preconditioning_by(cg->preconditioner) == CGS_FLEXIBLE
               ? cgs_cg_step(cg, "dot_qz", "q'z", (struct cgs_moves){2, 0, 0}, dot_qz)
               : CGS_OK;
}

static enum cgs_status product_z(struct cgs_cg *cg)
{
    return cgs_operator_apply_part(cg->op, cg->queue, cg->state, cg->vectors.z, cg->w, CGS_SUM_ZW);
}

enum cgs_status cgs_step_product_z(struct cgs_cg *cg)
{
    const double dot = cg->op->steps->apply_dot ? 0.0 : 2.0;
    return cgs_cg_step(cg, "product_dot", "w = A z, z'w", (struct cgs_moves){1 + dot, 1, 1},
                       product_z);
}

/* ---- the reduction, and the end of the iteration ---- */

static enum cgs_status conclude(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    CGS_TRY(space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, ALL_SUMS));
    CGS_TRY(space->ops->conclude(space, cg->queue, cg->state));
    return space->ops->foresee(space, cg->queue, cg->state);
}

enum cgs_status cgs_step_conclude_merged(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "conclude", "sums of all ranks, end of the iteration",
                       (struct cgs_moves){0, 0, 0}, conclude);
}
