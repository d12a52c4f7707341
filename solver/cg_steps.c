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
 * What of this is one kernel depends on what operator and space have fused. cgs_cg_steps lists the
 * steps for both; the loop queues that list, an observer (--profile) is told its entries, and the
 * bytes of an iteration are its sum. Vectors that a step reads + writes, p and q of the product
 * included (the matrix comes on top):
 *
 *     q = A p          1 + 1, p'q on the way; else p'q 2 + 0 more
 *     x, r, r'r        4 + 2 in one pass; 2 + 1, 2 + 1, 1 + 0 as axpy, axpy, dot
 *     z                2 + 1 with a diagonal preconditioner (r, 1/d; z); others say what they move,
 *                      r'z 2 + 0 more
 *     p                2 + 1
 *     x, r, r'r, p     4 + 3 where the space does both in one kernel and keeps r and p in registers;
 *                      5 + 2.5 where it does x every second time
 *     p, q, p'q        2 + 2 where the operator makes p on the way
 *
 * What an operator's own fused steps move they may say themselves, as the last line and others may
 * be less: q is not stored, x is written every second time (kernels/kernel.h, cgs_moves).
 *
 * No scalar comes to the host: alpha and beta are evaluated where they are used
 * (kernels/cg_state.h), and every step is a no-op once there is a reason to stop.
 */
#include "solver/cg_iterate.h"

#include <stddef.h>

/* ---- the steps ---- */

/* q = A p, and p'q where the operator has that fused. */
static enum cgs_status product(struct cgs_cg *cg)
{
    const struct cgs_cg_vectors *v = &cg->vectors;
    if (!cg->op->steps->apply_dot)
        return cgs_operator_apply(cg->op, cg->queue, cg->state, v->p, v->q);
    return cgs_operator_apply_dot(cg->op, cg->queue, cg->state, v->p, v->q, CGS_SUM_PQ);
}

static enum cgs_status dot_pq(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->range;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, v->p, v->q, CGS_SUM_PQ));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_PQ, 1);
}

/* p is made together with the product; `conclude` ended the iteration before. */
static enum cgs_status direction_product(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_operator *op = cg->op;
    CGS_TRY(op->steps->direction_apply_dot(op->self, cg->queue, cg->state, &cg->vectors));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_PQ, 1);
}

/* x += alpha p, r -= alpha q, r'r. */
static enum cgs_status update(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    if (cg->op->steps->update && cgs_cg_fused(cg))
        CGS_TRY(cg->op->steps->update(cg->op->self, cg->queue, cg->state, v));
    else
        CGS_TRY(space->ops->update(space, cg->queue, cg->state, v->p, v->q, v->x, v->r));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, 1);
}

/* The same, and the end of the iteration: of the operator. */
static enum cgs_status update_conclude(struct cgs_cg *cg)
{
    return cg->op->steps->update_conclude(cg->op->self, cg->queue, cg->state, &cg->vectors);
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
    const struct cgs_space *space = &cg->op->domain;
    const void *r = cg->vectors.r;
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, r, r, CGS_SUM_RR));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_RR, 1);
}

/* Whether the host can see that this iteration, of which r'r is known, is the last: nobody needs
 * its z, and cgs_cg_judge does not look at r'z then. (In mixed precision CG may go on from it.) */
static bool last_one(const struct cgs_cg *cg)
{
    return !cgs_cg_mixed(cg) && cg->op->domain.place == CGS_HOST &&
           cg->state->sums[CGS_SUM_RR] <= cg->state->threshold;
}

/* z = M r, r'z. */
static enum cgs_status precondition(struct cgs_cg *cg)
{
    if (last_one(cg))
        return CGS_OK;
    return cgs_operator_apply_dot(cg->preconditioner, cg->queue, cg->state, cg->vectors.r,
                                  cg->vectors.z, CGS_SUM_RZ);
}

/* q'z, for the flexible beta. */
static enum cgs_status dot_qz(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->dot(space, cg->queue, cg->state, v->q, v->z, CGS_SUM_QZ));
    return space->ops->reduce(space, cg->queue, cg->state, CGS_SUM_QZ, 1);
}

/* p = z + beta p, and the end of the iteration where the space has both in one. */
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

/* All that follows the product. */
static enum cgs_status update_direction(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    return space->ops->update_direction(space, cg->queue, cg->state, v->p, v->q, v->x, v->r);
}

/* ---- which of them make an iteration, and what they move ---- */

/* What an operator says of its fused step, or what is usual. */
static struct cgs_moves said(struct cgs_moves moves, struct cgs_moves usual)
{
    const bool silent = moves.read == 0.0 && moves.written == 0.0 && moves.products == 0.0;
    return silent ? usual : moves;
}

static struct cgs_cg_step second_half(const struct cgs_space *space)
{
    double written;
    const double all = space->ops->update_direction_passes(space, &written);
    return (struct cgs_cg_step){"update_direction",
                                "x += alpha p, r -= alpha q, r'r, p = r + beta p",
                                {all - written, written, 0},
                                update_direction};
}

/* The product, and p'q. */
static int first_steps(const struct cgs_steps *can, struct cgs_cg_step *steps)
{
    int n = 0;
    if (can->direction_apply_dot)
        steps[n++] = (struct cgs_cg_step){"direction_product", "p = z + beta p, q = A p, p'q",
                                          said(can->direction_moves, (struct cgs_moves){2, 2, 1}),
                                          direction_product};
    else if (can->apply_dot)
        steps[n++] = (struct cgs_cg_step){"product_dot", "q = A p, p'q", {1, 1, 1}, product};
    else
        steps[n++] = (struct cgs_cg_step){"product", "q = A p", {1, 1, 1}, product};
    if (!can->direction_apply_dot && !can->apply_dot)
        steps[n++] = (struct cgs_cg_step){"dot_pq", "p'q", {2, 0, 0}, dot_pq};
    return n;
}

static const char UPDATE[] = "x += alpha p, r -= alpha q, r'r";
static const struct cgs_moves UPDATE_MOVES = {4, 2, 0};

/* x, r, r'r. */
static int update_steps(const struct cgs_steps *can, const struct cgs_space_ops *ops,
                        struct cgs_cg_step *steps)
{
    if (can->update || ops->update) {
        const struct cgs_moves moves =
            can->update ? said(can->update_moves, UPDATE_MOVES) : UPDATE_MOVES;
        steps[0] = (struct cgs_cg_step){"update", UPDATE, moves, update};
        return 1;
    }
    steps[0] = (struct cgs_cg_step){"update_x", "x += alpha p", {2, 1, 0}, update_x};
    steps[1] = (struct cgs_cg_step){"update_r", "r -= alpha q", {2, 1, 0}, update_r};
    steps[2] = (struct cgs_cg_step){"dot_rr", "r'r", {1, 0, 0}, dot_rr};
    return 3;
}

struct cgs_moves cgs_cg_precondition_moves(const struct cgs_operator *preconditioner)
{
    struct cgs_moves moves = said(preconditioner->moves, (struct cgs_moves){2, 1, 0});
    if (!preconditioner->steps->apply_dot)
        moves.read += 2.0;
    return moves;
}

int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 struct cgs_cg_step steps[CGS_CG_STEPS])
{
    const enum cgs_preconditioning how = cgs_preconditioning_by(preconditioner);
    /* A flexible beta needs q: no steps of the operator's that do without. */
    const struct cgs_steps with_q = {.apply = op->steps->apply, .apply_dot = op->steps->apply_dot};
    const struct cgs_steps *can = how == CGS_FLEXIBLE ? &with_q : op->steps;
    const struct cgs_space_ops *ops = op->domain.ops;
    int n = first_steps(can, steps);
    if (can->direction_apply_dot && can->update_conclude && how == CGS_UNPRECONDITIONED) {
        const struct cgs_moves moves = said(can->update_conclude_moves, UPDATE_MOVES);
        steps[n++] = (struct cgs_cg_step){"update_conclude", UPDATE, moves, update_conclude};
        return n;
    }
    /* In one go where nobody needs a part of it. */
    if (ops->update_direction && how == CGS_UNPRECONDITIONED && !can->update &&
        !can->direction_apply_dot) {
        steps[n++] = second_half(&op->domain);
        return n;
    }
    n += update_steps(can, ops, steps + n);
    if (how != CGS_UNPRECONDITIONED)
        steps[n++] = (struct cgs_cg_step){"precondition", "z = M r, r'z",
                                          cgs_cg_precondition_moves(preconditioner), precondition};
    if (how == CGS_FLEXIBLE)
        steps[n++] = (struct cgs_cg_step){"dot_qz", "q'z", {2, 0, 0}, dot_qz};
    if (!can->direction_apply_dot)
        steps[n++] = (struct cgs_cg_step){"direction", "p = z + beta p", {2, 1, 0}, direction};
    if (can->direction_apply_dot || !ops->direction)
        steps[n++] = (struct cgs_cg_step){"conclude", "end of the iteration", {0, 0, 0}, conclude};
    return n;
}

struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_launch launch)
{
    struct cgs_cg_step whole = {"iteration", "whole iterations", {0, 0, 0}, NULL};
    struct cgs_cg_step steps[CGS_CG_STEPS];
    const int count = cgs_cg_steps(op, preconditioner, steps);
    for (int i = 0; i < count; i++) {
        whole.moves.read += steps[i].moves.read;
        whole.moves.written += steps[i].moves.written;
        whole.moves.products += steps[i].moves.products;
    }
    if (launch == CGS_LAUNCH_PERSISTENT)
        whole.moves = said(op->steps->advance_moves, whole.moves);
    return whole;
}

static double vector_bytes(const struct cgs_operator *op)
{
    return (double)op->domain.size * (double)cgs_number_bytes(op->domain.number);
}

double cgs_cg_bytes(const struct cgs_cg_step *step, const struct cgs_operator *op,
                    const struct cgs_traffic *product)
{
    return step->moves.products * (double)product->matrix +
           (step->moves.read + step->moves.written) * vector_bytes(op);
}

double cgs_cg_bytes_written(const struct cgs_cg_step *step, const struct cgs_operator *op)
{
    return step->moves.written * vector_bytes(op);
}
