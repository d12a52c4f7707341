#include "solver/cg/cg_vectors.h"

#include "base/comm.h"
#include "base/memory.h"
#include "solver/cg/cg_internal.h"

enum { LATER = 4 }; /* r, z, p, q */

bool cgs_cg_begins_small(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                         const struct cgs_cg_settings *settings)
{
    return preconditioner && preconditioner->inverse && !preconditioner->flexible &&
           op->steps->residual_norm && op->steps->direction_apply_dot && !settings->inner &&
           settings->method == CGS_CG_STANDARD;
}

int64_t cgs_cg_later_bytes(int64_t vector_bytes, int work_vectors)
{
    return cgs_bytes(LATER + work_vectors, vector_bytes);
}

/* Vectors of the iterations other than x. */
static enum cgs_status alloc_iterated(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(space->ops->alloc(space, "vector r", &v->r));
    CGS_TRY(space->ops->alloc(space, "vector p", &v->p));
    CGS_TRY(space->ops->alloc(space, "vector q", &v->q));
    if (!cgs_cg_mixed(cg))
        cg->residual = v->r;
    v->z = v->r;
    if (cg->preconditioner)
        CGS_TRY(space->ops->alloc(space, "vector z", &v->z));
    if (cgs_cg_merged(cg))
        CGS_TRY(space->ops->alloc(space, "vector w", &cg->w));
    for (int i = 0; i < cg->op->work_vectors; i++)
        CGS_TRY(space->ops->alloc(space, "vector of fused steps", &v->work[i]));
    cg->complete = true;
    return CGS_OK;
}

static void free_iterated(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    space->ops->free(space, cg->w);
    if (v->z != v->r)
        space->ops->free(space, v->z);
    for (int i = 0; i < cg->op->work_vectors; i++) {
        space->ops->free(space, v->work[i]);
        v->work[i] = NULL;
    }
    space->ops->free(space, v->q);
    space->ops->free(space, v->p);
    space->ops->free(space, v->r);
    cg->w = v->z = v->q = v->p = v->r = NULL;
}

enum cgs_status cgs_cg_alloc_first(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain, *outer = &cg->outer->domain;
    struct cgs_cg_vectors *v = &cg->vectors;
    CGS_TRY(outer->ops->alloc(outer, "vector b", &cg->rhs));
    if (cgs_cg_mixed(cg)) {
        CGS_TRY(outer->ops->alloc(outer, "vector x", &cg->solution));
        CGS_TRY(outer->ops->alloc(outer, "vector b - A x", &cg->residual));
    } else {
        v->b = cg->rhs;
    }
    CGS_TRY(space->ops->alloc(space, "vector x", &v->x));
    if (!cgs_cg_mixed(cg))
        cg->solution = v->x;
    return cg->small ? CGS_OK : alloc_iterated(cg);
}

static enum cgs_status alloc_within(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain;
    const int64_t bytes = cgs_cg_later_bytes(space->footprint, cg->op->work_vectors);
    const int64_t spare = cg->settings.spare;
    if (spare > 0 && bytes > spare)
        return cgs_fail(cg->queue->context, CGS_MEMORY,
                        "vectors r, z, p, q of %.3g GB do not fit beside b and x: %.3g GB of %s "
                        "memory are left",
                        1e-9 * (double)bytes, 1e-9 * (double)spare, cgs_place_name(space->place));
    return alloc_iterated(cg);
}

enum cgs_status cgs_cg_alloc_rest(struct cgs_cg *cg)
{
    if (cg->complete)
        return CGS_OK;
    enum cgs_status status = alloc_within(cg);
    if (cg->outer->domain.layout.portion) /* before a step waits for all ranks */
        status = cgs_comm_agree(cg->queue->context, status);
    if (status == CGS_OK)
        return CGS_OK;
    free_iterated(cg);
    cg->complete = false;
    cg->wanted_more = true;
    return status;
}

enum cgs_status cgs_cg_complete(struct cgs_cg *cg)
{
    if (!cg->lacks_residual)
        return CGS_OK;
    CGS_TRY(cgs_cg_alloc_rest(cg));
    CGS_TRY(cgs_operator_residual(cg->op, cg->queue, NULL, cg->vectors.b, cg->vectors.x,
                                  cg->vectors.r));
    cg->lacks_residual = false;
    return CGS_OK;
}

bool cgs_cg_wanted_more(const struct cgs_cg *cg)
{
    return cg && cg->wanted_more;
}

void cgs_cg_free_vectors(struct cgs_cg *cg)
{
    const struct cgs_space *space = &cg->op->domain, *outer = &cg->outer->domain;
    free_iterated(cg);
    space->ops->free(space, cg->vectors.x);
    if (cgs_cg_mixed(cg)) {
        outer->ops->free(outer, cg->residual);
        outer->ops->free(outer, cg->solution);
    }
    outer->ops->free(outer, cg->rhs);
}
