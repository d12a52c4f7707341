#include "solver/cg_range.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "solver/cg_iterate.h"

/* The mean size of a number of r that still has all its digits in single precision, and those that
 * it is added to. */
static const double LEAST_FLOAT = (double)FLT_MIN / (double)FLT_EPSILON;

/* Whether r is zero, and not only the sum of its squares. */
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
    CGS_TRY(ops->reduce(space, cg->queue, cg->state, CGS_SUM_SCRATCH, CGS_SUMS));
    CGS_TRY(ops->look_start(space, cg->queue, cg->state, 0));
    CGS_TRY(ops->look_finish(space, cg->queue, 0, &now));
    *zero = now.sums[CGS_SUM_SCRATCH] == 0.0;
    return CGS_OK;
}

enum cgs_status cgs_check_underflow(struct cgs_cg *cg, double threshold, double reference2)
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
