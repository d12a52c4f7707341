/* Jacobi: M = D^-1, D the diagonal of A: one pointwise product, fused with r'z. Traffic: 3 vectors
 * an iteration (r and 1/d read, z written). */
#include "base/memory.h"
#include "matrix/ranks/portion.h"
#include "matrix/walk.h"
#include "solver/jacobi.h"

struct jacobi {
    struct cgs_space space;
    void *inverse; /* 1 / d_i */
};

static enum cgs_status apply_dot(const void *self, struct cgs_queue *queue,
                                 struct cgs_cg_state *state, const void *x, void *y,
                                 enum cgs_sum sum)
{
    const struct jacobi *jacobi = self;
    return jacobi->space.ops->multiply(&jacobi->space, queue, state, jacobi->inverse, x, y, sum);
}

static enum cgs_status apply(const void *self, struct cgs_queue *queue,
                             const struct cgs_cg_state *state, const void *x, void *y)
{
    /* CGS_SUM_NOWHERE: the state is only read. */
    return apply_dot(self, queue, (struct cgs_cg_state *)state, x, y, CGS_SUM_NOWHERE);
}

static void release(void *self)
{
    struct jacobi *jacobi = self;
    struct cgs_context *context = jacobi->space.queue->context;
    jacobi->space.ops->free(&jacobi->space, jacobi->inverse);
    cgs_free(context, jacobi);
}

static const struct cgs_steps jacobi_steps = {
    .apply = apply,
    .apply_dot = apply_dot,
    .release = release,
};

/* Reports that the diagonal entry of `row` (counted from 0) is not positive. */
static enum cgs_status not_positive(struct cgs_context *context, int64_t row)
{
    return cgs_fail(context, CGS_BREAKDOWN,
                    "the diagonal entry of row %lld (counting from 1) is not positive",
                    (long long)row + 1);
}

/* Inverts the diagonal; fails for the first entry that is not positive. */
static enum cgs_status invert(struct cgs_context *context, const struct cgs_portion *portion,
                              int64_t n, double *diagonal)
{
    int64_t bad = n;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < n; i++) {
        if (!(diagonal[i] > 0.0 && cgs_finite(diagonal[i])) && i < bad)
            bad = i;
        diagonal[i] = diagonal[i] > 0.0 ? 1.0 / diagonal[i] : 0.0;
    }
    return bad < n ? not_positive(context, cgs_portion_global(portion, bad)) : CGS_OK;
}

enum cgs_status cgs_jacobi_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                  const struct cgs_row_source *source, struct cgs_operator *jacobi)
{
    struct cgs_context *context = queue->context;
    const struct cgs_space *space = &op->domain;
    const int64_t n = space->size;
    struct jacobi *self = NULL;
    double *diagonal = NULL;
    enum cgs_status status;

    CGS_TRY(cgs_alloc(context, 1, sizeof *self, "Jacobi", (void **)&self));
    *self = (struct jacobi){.space = *space};
    status = cgs_alloc(context, n, sizeof *diagonal, "matrix diagonal", (void **)&diagonal);
    if (status != CGS_OK)
        goto free_self;
    status = cgs_matrix_diagonal(context, source, diagonal);
    if (status == CGS_OK)
        status = invert(context, space->layout.portion, n, diagonal);
    if (status != CGS_OK)
        goto free_diagonal;
    status = space->ops->alloc(space, "inverse diagonal", &self->inverse);
    if (status != CGS_OK)
        goto free_diagonal;
    status = space->ops->put(space, diagonal, 0, n, self->inverse);
    cgs_free(context, diagonal);
    if (status != CGS_OK) {
        release(self);
        return status;
    }
    *jacobi = (struct cgs_operator){.steps = &jacobi_steps,
                                    .self = self,
                                    .domain = *space,
                                    .range = *space,
                                    .capturable = true,
                                    .moves = {2, 1, 0}};
    return CGS_OK;

free_diagonal:
    cgs_free(context, diagonal);
free_self:
    cgs_free(context, self);
    return status;
}

enum cgs_status cgs_jacobi_compute(struct cgs_queue *queue, const struct cgs_operator *op,
                                   const struct cgs_assembly_ops *box, const struct cgs_mesh *mesh,
                                   struct cgs_operator *jacobi)
{
    const struct cgs_space *space = &op->domain;
    struct jacobi *self = NULL;
    int64_t bad = -1;
    CGS_TRY(cgs_alloc(queue->context, 1, sizeof *self, "Jacobi", (void **)&self));
    *self = (struct jacobi){.space = *space};
    enum cgs_status status = space->ops->alloc(space, "inverse diagonal", &self->inverse);
    if (status == CGS_OK)
        status = box->inverse_diagonal(space, mesh, self->inverse, &bad);
    if (status == CGS_OK && bad >= 0)
        status = not_positive(queue->context, bad);
    if (status != CGS_OK) {
        release(self);
        return status;
    }
    *jacobi = (struct cgs_operator){.steps = &jacobi_steps,
                                    .self = self,
                                    .domain = *space,
                                    .range = *space,
                                    .capturable = true};
    return CGS_OK;
}

const void *cgs_jacobi_inverse(const struct cgs_operator *jacobi)
{
    return ((const struct jacobi *)jacobi->self)->inverse;
}
