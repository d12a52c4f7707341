#include "solver/cg_range.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "solver/cg_iterate.h"

/* Whether r is zero, and not only the sum of its squares. */
static enum cgs_status is_zero(struct cgs_cg *cg, bool *zero)
{
    const struct cgs_space *space = &cg->op->domain;
    const struct cgs_space_ops *ops = space->ops;
    struct cgs_cg_vectors *v = &cg->vectors;
    struct cgs_cg_state now;
    CGS_TRY(ops->set(space, cg->queue, NULL, 0.0, v->q));
    CGS_TRY(ops->axpy(space, cg->queue, NULL, cgs_constant(0x1p1000), v->r, v->q));
    CGS_TRY(ops->dot(space, cg->queue, cg->state, v->q, v->q, CGS_SUM_SCRATCH));
    CGS_TRY(ops->reduce(space, cg->queue, cg->state, CGS_SUM_SCRATCH, CGS_SUMS));
    CGS_TRY(ops->look_start(space, cg->queue, cg->state, 0));
    CGS_TRY(ops->look_finish(space, cg->queue, 0, &now));
    *zero = now.sums[CGS_SUM_SCRATCH] == 0.0;
    return CGS_OK;
}

enum cgs_status cgs_check_underflow(struct cgs_cg *cg, double threshold, double reference2)
{
    bool zero = false;
    if (cg->op->domain.number != CGS_F64 || !(threshold < DBL_MIN))
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
