/* The steps of an iteration. Each uses the largest fused kernel of operator or space, else it is
 * composed of several. A step that an earlier fused one has covered does nothing. Vectors read +
 * written, p and q of the product included, without the matrix:
 *
 *     q = A p          1 + 1, p'q included; a separate p'q 2 + 0 more
 *     x, r, r'r        4 + 2 in one pass; 2 + 1, 2 + 1, 1 + 0 as axpy, axpy, dot
 *     z                2 + 1 with a diagonal preconditioner (r, 1/d; z), else its `moves`;
 *                      a separate r'z 2 + 0 more
 *     p                2 + 1
 *     x, r, r'r, p     4 + 3 if the space does both in one kernel and keeps r and p in registers;
 *                      5 + 2.5 if it writes x every second time
 *     p, q, p'q        2 + 2 if the operator makes p inside the product
 *
 * Fused steps of an operator that move less state so in their cgs_moves: q is not stored, or x is
 * written every second time (kernels/kernel.h).
 */

#include "solver/cg/cg_steps.h"
#include "solver/cg/cg_internal.h"

struct cgs_moves cgs_moves_or(struct cgs_moves moves, struct cgs_moves usual)
{
    const bool silent = moves.read == 0.0 && moves.written == 0.0 && moves.products == 0.0;
    return silent ? usual : moves;
}

enum cgs_status cgs_cg_step(struct cgs_cg *cg, const char *name, const char *formula,
                            struct cgs_moves moves, enum cgs_status (*queue)(struct cgs_cg *))
{
    const struct cgs_cg_step next = {name, formula, moves};
    if (cg->list) {
        cg->list->steps[cg->list->count++] = next;
        return CGS_OK;
    }
    if (cg->observer)
        CGS_TRY(cg->observer->next(cg->observer->self, &next, 1));
    return queue(cg);
}

/* Completes a sum over all owners. In CG of one reduction it waits for the others until the end of
 * the iteration. */
static enum cgs_status complete(struct cgs_cg *cg, enum cgs_sum sum)
{
    const struct cgs_space *space = &cg->op->domain;
    return cgs_cg_merged(cg) ? CGS_OK : space->ops->reduce(space, cg->queue, cg->state, sum, 1);
}

/* sums[sum] = a'b */
static enum cgs_status dot(struct cgs_cg *cg, const void *a, const void *b, enum cgs_sum sum)
{
    const struct cgs_space *space = &cg->op->domain;
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, a, b, sum));
    return complete(cg, sum);
}

/* ---- which steps an operator and its space have ---- */

static bool preconditioned(const struct cgs_cg *cg)
{
    return cgs_preconditioning_by(cg->preconditioner) != CGS_UNPRECONDITIONED;
}

bool cgs_cg_fused(const struct cgs_cg *cg)
{
    return cgs_preconditioning_by(cg->preconditioner) != CGS_FLEXIBLE && !cgs_cg_merged(cg);
}

bool cgs_cg_direction_in_product(const struct cgs_cg *cg)
{
    return cg->op->steps->direction_apply_dot && cgs_cg_fused(cg);
}

static bool operator_updates(const struct cgs_cg *cg)
{
    return cg->op->steps->update && cgs_cg_fused(cg);
}

/* Returns true if the operator's update also ends the iteration. */
static bool update_concludes(const struct cgs_cg *cg)
{
    return cgs_cg_direction_in_product(cg) && cg->op->steps->update_conclude && !preconditioned(cg);
}

/* Returns true if one kernel of the space does everything after the product. */
static bool update_directs(const struct cgs_cg *cg)
{
    return cg->op->domain.ops->update_direction && cgs_cg_fused(cg) && !preconditioned(cg) &&
           !cg->op->steps->update && !cg->op->steps->direction_apply_dot;
}

/* ---- the first iteration by A's inverse: x = M b, r = b - A x, r'r ---- */

static enum cgs_status invert(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(
        cgs_operator_apply_dot(cg->preconditioner, cg->queue, cg->state, v->b, v->x, CGS_SUM_RZ));
    return space->ops->begin(space, cg->queue, cg->state);
}

enum cgs_status cgs_step_invert(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "invert", "x = M b, b'x", cgs_cg_precondition_moves(cg->preconditioner),
                       invert);
}

static enum cgs_status norm(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(
        cg->op->steps->residual_norm(cg->op->self, cg->queue, cg->state, v->b, v->x, CGS_SUM_RR));
    CGS_TRY(complete(cg, CGS_SUM_RR));
    return space->ops->close(space, cg->queue, cg->state);
}

enum cgs_status cgs_step_norm(struct cgs_cg *cg)
{
    return cgs_cg_step(cg, "residual_norm", "||b - A x||^2", (struct cgs_moves){2, 0, 1}, norm);
}

/* The direction was x, should the iterations go on. */
static enum cgs_status residual(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(cgs_operator_residual(cg->op, cg->queue, cg->state, v->b, v->x, v->r));
    if (!cg->small) {
        CGS_TRY(dot(cg, v->r, v->r, CGS_SUM_RR));
        CGS_TRY(space->ops->close(space, cg->queue, cg->state));
    }
    return space->ops->copy(space, cg->queue, cg->state, v->x, v->p);
}

enum cgs_status cgs_step_residual(struct cgs_cg *cg)
{
    const double apart = cg->op->steps->residual ? 0.0 : 1.0; /* of the product and b */
    const struct cgs_moves alone = {3 + apart, 2 + apart, 1}, summed = {3 + apart, 1 + apart, 1};
    return cg->small ? cgs_cg_step(cg, "residual", "r = b - A x, p = x", alone, residual)
                     : cgs_cg_step(cg, "residual", "r = b - A x, r'r", summed, residual);
}

/* ---- q = A p, p'q ---- */

static enum cgs_status product(struct cgs_cg *cg)
{
    const struct cgs_cg_vectors *v = &cg->vectors;
    return cgs_operator_apply(cg->op, cg->queue, cg->state, v->p, v->q);
}

static enum cgs_status dot_pq(struct cgs_cg *cg)
{
    return dot(cg, cg->vectors.p, cg->vectors.q, CGS_SUM_PQ);
}

static enum cgs_status product_dot(struct cgs_cg *cg)
{
    const struct cgs_cg_vectors *v = &cg->vectors;
    return cgs_operator_apply_dot(cg->op, cg->queue, cg->state, v->p, v->q, CGS_SUM_PQ);
}

enum cgs_status cgs_step_product(struct cgs_cg *cg)
{
    const struct cgs_moves moves = {1, 1, 1};
    if (cg->op->steps->apply_dot)
        return cgs_cg_step(cg, "product_dot", "q = A p, p'q", moves, product_dot);
    CGS_TRY(cgs_cg_step(cg, "product", "q = A p", moves, product));
    return cgs_cg_step(cg, "dot_pq", "p'q", (struct cgs_moves){2, 0, 0}, dot_pq);
}

static enum cgs_status direction_product(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_operator *op = cg->op;
    CGS_TRY(op->steps->direction_apply_dot(op->self, cg->queue, cg->state, &cg->vectors));
    if (op->steps->completes)
        return CGS_OK;
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_PQ, 1);
}

enum cgs_status cgs_step_direction_product(struct cgs_cg *cg)
{
    const struct cgs_moves usual = {2, 2, 1};
    return cgs_cg_step(cg, "direction_product", "p = z + beta p, q = A p, p'q",
                       cgs_moves_or(cg->op->steps->direction_moves, usual), direction_product);
}

/* ---- x += alpha p, r -= alpha q, r'r ---- */

static enum cgs_status update_of_operator(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    CGS_TRY(cg->op->steps->update(cg->op->self, cg->queue, cg->state, &cg->vectors));
    if (cg->op->steps->completes)
        return CGS_OK;
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, 1);
}

static enum cgs_status update_of_space(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->update(space, cg->queue, cg->state, v->p, v->q, v->x, v->r));
    return complete(cg, CGS_SUM_RR);
}

static enum cgs_status update_conclude(struct cgs_cg *cg)
{
    return cg->op->steps->update_conclude(cg->op->self, cg->queue, cg->state, &cg->vectors);
}

static enum cgs_status update_direction(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    return space->ops->update_direction(space, cg->queue, cg->state, v->p, v->q, v->x, v->r);
}

static enum cgs_status update_x(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->axpy(space, cg->queue, cg->state, cgs_scalar(CGS_ALPHA), cg->vectors.p,
                            cg->vectors.x);
}

static enum cgs_status update_r(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->axpy(space, cg->queue, cg->state, cgs_scalar(CGS_MINUS_ALPHA), cg->vectors.q,
                            cg->vectors.r);
}

static enum cgs_status dot_rr(struct cgs_cg *cg)
{
    return dot(cg, cg->vectors.r, cg->vectors.r, CGS_SUM_RR);
}

enum cgs_status cgs_step_update(struct cgs_cg *cg)
{
    static const char formula[] = "x += alpha p, r -= alpha q, r'r";
    static const struct cgs_moves moves = {4, 2, 0};
    const struct cgs_steps *own = cg->op->steps;
    const struct cgs_space *space = &cg->op->domain;

    if (update_concludes(cg))
        return cgs_cg_step(cg, "update_conclude", formula,
                           cgs_moves_or(own->update_conclude_moves, moves), update_conclude);
    if (update_directs(cg)) {
        double written;
        const double all = space->ops->update_direction_passes(space, &written);
        return cgs_cg_step(cg, "update_direction",
                           "x += alpha p, r -= alpha q, r'r, p = r + beta p",
                           (struct cgs_moves){all - written, written, 0}, update_direction);
    }
    if (operator_updates(cg))
        return cgs_cg_step(cg, "update", formula, cgs_moves_or(own->update_moves, moves),
                           update_of_operator);
    if (space->ops->update)
        return cgs_cg_step(cg, "update", formula, moves, update_of_space);
    CGS_TRY(cgs_cg_step(cg, "update_x", "x += alpha p", (struct cgs_moves){2, 1, 0}, update_x));
    CGS_TRY(cgs_cg_step(cg, "update_r", "r -= alpha q", (struct cgs_moves){2, 1, 0}, update_r));
    return cgs_cg_step(cg, "dot_rr", "r'r", (struct cgs_moves){1, 0, 0}, dot_rr);
}

/* ---- z = M r, r'z ---- */

/* Returns true if z = M r is spared where r'r shows that the iteration is the last. In mixed
 * precision CG may continue from z; with one reduction r'r is not complete yet. On a device it is
 * one more kernel, which only a strong preconditioner is worth. */
static bool spares_last(const struct cgs_cg *cg)
{
    return !cgs_cg_mixed(cg) && !cgs_cg_merged(cg) &&
           (cg->op->domain.place == CGS_HOST || cg->preconditioner->prefer_short_batches);
}

static enum cgs_status precondition(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    if (spares_last(cg))
        CGS_TRY(space->ops->close(space, cg->queue, cg->state));
    if (space->place == CGS_HOST && !cgs_cg_going_on(cg->state))
        return CGS_OK;
    CGS_TRY(cgs_centre_apply(cg->settings.centre, cg->queue, cg->vectors.r));
    CGS_TRY(cgs_operator_apply_part(cg->preconditioner, cg->queue, cg->state, cg->vectors.r,
                                    cg->vectors.z, CGS_SUM_RZ));
    return complete(cg, CGS_SUM_RZ);
}

/* q'z for the flexible beta. */
static enum cgs_status dot_qz(struct cgs_cg *cg)
{
    return dot(cg, cg->vectors.q, cg->vectors.z, CGS_SUM_QZ);
}

struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner)
{
    struct cgs_moves moves = cgs_moves_or(preconditioner->moves, (struct cgs_moves){2, 1, 0});
    if (!preconditioner->steps->apply_dot)
        moves.read += 2.0;
    return moves;
}

enum cgs_status cgs_step_precondition(struct cgs_cg *cg)
{
    if (!preconditioned(cg))
        return CGS_OK;
    CGS_TRY(cgs_cg_step(cg, "precondition", "z = M r, r'z",
                        cgs_cg_precondition_moves(cg->preconditioner), precondition));
    return cgs_preconditioning_by(cg->preconditioner) == CGS_FLEXIBLE
               ? cgs_cg_step(cg, "dot_qz", "q'z", (struct cgs_moves){2, 0, 0}, dot_qz)
               : CGS_OK;
}

/* ---- p = z + beta p, and the end of the iteration ---- */

static enum cgs_status direction(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    if (space->ops->direction)
        return space->ops->direction(space, cg->queue, cg->state, v->z, v->p);
    return space->ops->xpby(space, cg->queue, cg->state, v->z, cgs_scalar(CGS_BETA), v->p);
}

static enum cgs_status conclude(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    return space->ops->conclude(space, cg->queue, cg->state);
}

enum cgs_status cgs_step_direction(struct cgs_cg *cg)
{
    if (update_directs(cg))
        return CGS_OK;
    return cgs_cg_step(cg, "direction", "p = z + beta p", (struct cgs_moves){2, 1, 0}, direction);
}

enum cgs_status cgs_step_conclude(struct cgs_cg *cg)
{
    const bool direction_concludes =
        cg->op->domain.ops->direction && !cgs_cg_direction_in_product(cg);
    if (update_concludes(cg) || update_directs(cg) || direction_concludes)
        return CGS_OK;
    return cgs_cg_step(cg, "conclude", "end of the iteration", (struct cgs_moves){0, 0, 0},
                       conclude);
}
