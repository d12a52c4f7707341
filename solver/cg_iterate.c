/* The iteration of conjugate gradients, preconditioned or not.
 *
 *     q = A p,  p'q          reads the matrix and p, writes q
 *     alpha = r'z / p'q
 *     x += alpha p           )
 *     r -= alpha q,  r'r     ) reads p, q, x, r, writes x, r: 6 vectors
 *    [z = M r,  r'z          preconditioned only]
 *     beta = r'z / old r'z
 *     p = z + beta p         reads z, p, writes p: 3 vectors
 *
 * Traffic an unknown and iteration, beside the product, which reads the matrix and p and writes q
 * (cgs_cg_vector_passes is this table):
 *
 *     p'q          nothing where the operator sums it on the way, else p, q again: 2
 *     x, r, r'r    6 in one pass; 3 + 3 + 1 as axpy, axpy, dot
 *     z            3 with a diagonal preconditioner (r, 1/d, z)
 *     p            3
 *     fused        as many as the operator says, steps->passes
 *     x, r, p      7 where the space does both in one kernel and keeps r and p in registers
 *
 * No scalar comes to the host: alpha and beta are evaluated where they are used
 * (kernels/cg_state.h), and every step is a no-op once there is a reason to stop.
 */
#include "solver/cg_iterate.h"

#include <stddef.h>

/* x += alpha p, r -= alpha q, r'r. */
static enum cgs_status update(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_queue *queue = cg->queue;

    if (cg->op->steps->update) {
        CGS_TRY(cg->op->steps->update(cg->op->self, queue, cg->state, v));
    } else if (space->ops->update) {
        CGS_TRY(space->ops->update(space, queue, cg->state, v->p, v->q, v->x, v->r));
    } else {
        CGS_TRY(space->ops->axpy(space, queue, cg->state, cgs_scalar(CGS_ALPHA), v->p, v->x));
        CGS_TRY(space->ops->axpy(space, queue, cg->state, cgs_scalar(CGS_MINUS_ALPHA), v->q, v->r));
        CGS_TRY(space->ops->dot(space, queue, cg->state, v->r, v->r, CGS_SUM_RR));
    }
    return space->ops->reduce(space, queue, cg->state, CGS_SUM_RR, 1);
}

/* p = z + beta p, and the end of the iteration. */
static enum cgs_status direction(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;

    if (cg->op->steps->direction_apply_dot) /* p is made together with the next product */
        return space->ops->conclude(space, cg->queue, cg->state);
    if (space->ops->direction)
        return space->ops->direction(space, cg->queue, cg->state, v->z, v->p);
    CGS_TRY(space->ops->xpby(space, cg->queue, cg->state, v->z, cgs_scalar(CGS_BETA), v->p));
    return space->ops->conclude(space, cg->queue, cg->state);
}

/* q = A p, p'q. */
static enum cgs_status product(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_operator *op = cg->op;

    if (!op->steps->direction_apply_dot)
        return cgs_operator_apply_dot(op, cg->queue, cg->state, cg->vectors.p, cg->vectors.q,
                                      CGS_SUM_PQ);
    CGS_TRY(op->steps->direction_apply_dot(op->self, cg->queue, cg->state, &cg->vectors));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_PQ, 1);
}

/* Whether the space does all that follows the product in one step, and nobody needs a part of it. */
static bool one_second_half(const struct cgs_operator *op, bool preconditioned)
{
    return op->domain.ops->update_direction && !preconditioned && !op->steps->update &&
           !op->steps->direction_apply_dot;
}

int cgs_cg_vector_passes(const struct cgs_operator *op, bool preconditioned)
{
    const struct cgs_space_ops *ops = op->domain.ops;
    const int dot = op->steps->apply_dot ? 0 : 2;
    if (op->steps->direction_apply_dot || op->steps->update)
        return op->steps->passes + (preconditioned ? 3 : 0);
    if (one_second_half(op, preconditioned))
        return dot + ops->update_direction_passes(&op->domain);
    return dot + (ops->update ? 6 : 7) + (preconditioned ? 3 : 0) + 3;
}

static enum cgs_status iterate(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(product(cg));
    if (one_second_half(cg->op, cg->preconditioner != NULL))
        return space->ops->update_direction(space, cg->queue, cg->state, v->p, v->q, v->x, v->r);
    CGS_TRY(update(cg));
    if (cg->preconditioner)
        CGS_TRY(cgs_operator_apply_dot(cg->preconditioner, cg->queue, cg->state, cg->vectors.r,
                                       cg->vectors.z, CGS_SUM_RZ));
    return direction(cg);
}

enum cgs_status cgs_cg_advance_plain(struct cgs_cg *cg, int64_t k)
{
    if (cg->op->steps->advance && !cg->preconditioner)
        return cg->op->steps->advance(cg->op->self, cg->queue, cg->state, &cg->vectors, k);
    for (int64_t i = 0; i < k; i++)
        CGS_TRY(iterate(cg));
    return CGS_OK;
}

enum cgs_status cgs_cg_record(struct cgs_cg *cg)
{
    const struct cgs_space_ops *ops = cg->op->domain.ops;
    CGS_TRY(ops->record_begin(cg->queue));
    const enum cgs_status status = cgs_cg_advance_plain(cg, cg->batch);
    const enum cgs_status ended = ops->record_end(cg->queue, &cg->recording);
    return status != CGS_OK ? status : ended;
}

enum cgs_status cgs_cg_advance(struct cgs_cg *cg, int64_t k)
{
    if (!cg->recording)
        return cgs_cg_advance_plain(cg, k);
    for (int64_t done = 0; done < k; done += cg->batch)
        CGS_TRY(cg->op->domain.ops->replay(cg->queue, cg->recording));
    return CGS_OK;
}
