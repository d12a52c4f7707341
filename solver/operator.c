/* Operators made from kernels, and the steps composed where an operator has no fused one. */
#include "solver/operator.h"

#include "base/comm.h"
#include "solver/ranks.h"

/* Makes the operator of these rows; of a portion without what other ranks have. */
static enum cgs_status create(struct cgs_queue *queue, const struct cgs_backend *backend,
                              const struct cgs_kernel *kernel, enum cgs_precision precision,
                              const struct cgs_matrix *matrix, struct cgs_operator *op)
{
    const struct cgs_space_ops *spaces = backend->spaces[cgs_precision_real(precision)];
    const struct cgs_portion *portion = matrix->source->portion;
    struct cgs_layout domain = {.size = portion ? portion->count : matrix->columns,
                                .portion = portion};
    struct cgs_layout range = {.size = matrix->rows, .portion = portion};
    struct cgs_operator made = {.steps = &kernel->steps,
                                .capturable = kernel->capturable && queue->way != CGS_WAY_HOST,
                                .work_vectors = kernel->work_vectors};

    if (kernel->accepts)
        CGS_TRY(kernel->accepts(queue->context, matrix));
    if (kernel->layout)
        kernel->layout(matrix, &domain, &range);
    if (queue->fixed) /* where devices cut the box */
        domain.plane = range.plane = portion ? portion->source->plane : matrix->source->plane;
    CGS_TRY(spaces->create(queue, &domain, &made.domain));
    CGS_TRY(spaces->create(queue, &range, &made.range));
    CGS_TRY(kernel->prepare_user ? kernel->prepare_user(kernel, queue, matrix, &made.self)
                                 : kernel->prepare(queue, matrix, &made.self));
    if (matrix->source->norm) /* known by now: the entries have been generated */
        made.norm = matrix->source->norm(matrix->source);
    *op = made;
    return CGS_OK;
}

enum cgs_status cgs_operator_create(struct cgs_queue *queue, const struct cgs_backend *backend,
                                    const struct cgs_kernel *kernel, enum cgs_precision precision,
                                    const struct cgs_matrix *matrix, struct cgs_operator *op)
{
    const struct cgs_portion *portion = matrix->source->portion;
    struct cgs_operator made = {0};
    if (portion && backend->join)
        CGS_TRY(backend->join(queue));
    enum cgs_status status = create(queue, backend, kernel, precision, matrix, &made);
    if (portion || queue->fixed) {
        struct cgs_rank_product product = {made.steps, made.self};
        CGS_TRY(cgs_ranks_join(queue, &made.domain, portion, status, &product));
        made.steps = product.steps;
        made.self = product.self;
        made.norm = cgs_comm_most(queue->context, made.norm);
    }
    if (status == CGS_OK)
        *op = made;
    return status;
}

enum cgs_status cgs_operator_renew(struct cgs_queue *queue, const struct cgs_backend *backend,
                                   const struct cgs_kernel *kernel, enum cgs_precision precision,
                                   const struct cgs_matrix *matrix, struct cgs_operator *op)
{
    enum cgs_status status = CGS_OK;
    bool renewed = false;
    if (op->steps == &kernel->steps && op->steps->renew)
        status = op->steps->renew(op->self, queue, matrix, &renewed);
    if (renewed && matrix->source->norm)
        op->norm = matrix->source->norm(matrix->source);
    if (renewed)
        return CGS_OK;
    cgs_operator_release(op);
    return status == CGS_OK ? cgs_operator_create(queue, backend, kernel, precision, matrix, op)
                            : status;
}

struct cgs_traffic cgs_operator_traffic(const struct cgs_operator *op,
                                        const struct cgs_kernel *kernel,
                                        const struct cgs_matrix *matrix)
{
    return op->self && op->steps->moved ? op->steps->moved(op->self) : kernel->traffic(matrix);
}

void cgs_operator_release(struct cgs_operator *op)
{
    if (op->steps)
        op->steps->release(op->self);
    *op = (struct cgs_operator){0};
}

enum cgs_status cgs_operator_apply(const struct cgs_operator *op, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *x, void *y)
{
    return op->steps->apply(op->self, queue, state, x, y);
}

enum cgs_status cgs_operator_apply_part(const struct cgs_operator *op, struct cgs_queue *queue,
                                        struct cgs_cg_state *state, const void *x, void *y,
                                        enum cgs_sum sum)
{
    const struct cgs_space *space = &op->range;
    if (op->steps->apply_dot)
        return op->steps->apply_dot(op->self, queue, state, x, y, sum);
    CGS_TRY(op->steps->apply(op->self, queue, state, x, y));
    return space->ops->dot(space, queue, state, x, y, sum);
}

enum cgs_status cgs_operator_apply_dot(const struct cgs_operator *op, struct cgs_queue *queue,
                                       struct cgs_cg_state *state, const void *x, void *y,
                                       enum cgs_sum sum)
{
    const struct cgs_space *space = &op->range;
    CGS_TRY(cgs_operator_apply_part(op, queue, state, x, y, sum));
    return space->ops->reduce(space, queue, state, sum, 1);
}

enum cgs_status cgs_operator_residual(const struct cgs_operator *op, struct cgs_queue *queue,
                                      const struct cgs_cg_state *state, const void *b,
                                      const void *x, void *r)
{
    const struct cgs_space *space = &op->range;
    if (op->steps->residual)
        return op->steps->residual(op->self, queue, state, b, x, r);
    CGS_TRY(cgs_operator_apply(op, queue, state, x, r));
    return space->ops->xpby(space, queue, state, b, cgs_constant(-1.0), r);
}
