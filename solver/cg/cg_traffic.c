/* Traffic of an iteration: the steps that cg_iterate.c queues, listed instead, and their bytes. */
#include "matrix/names.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_iterate.h"
#include "solver/cg/cg_steps.h"
#include "solver/cg/cg_traffic.h"

int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 enum cgs_cg_method method, struct cgs_cg_step steps[CGS_CG_STEPS])
{
    struct cgs_cg_list list = {.count = 0};
    struct cgs_cg cg = {.op = op,
                        .outer = op,
                        .preconditioner =
                            cgs_preconditioning_by(preconditioner) ? preconditioner : NULL,
                        .settings = {.method = method},
                        .list = &list};
    (void)cgs_cg_iterate(&cg); /* only lists: cannot fail */
    for (int i = 0; i < list.count; i++)
        steps[i] = list.steps[i];
    return list.count;
}

struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_cg_method method, enum cgs_launch launch)
{
    struct cgs_cg_step whole = {"iteration", "whole iterations", {0, 0, 0}};
    struct cgs_cg_step steps[CGS_CG_STEPS];
    const int count = cgs_cg_steps(op, preconditioner, method, steps);
    for (int i = 0; i < count; i++) {
        whole.moves.read += steps[i].moves.read;
        whole.moves.written += steps[i].moves.written;
        whole.moves.products += steps[i].moves.products;
    }
    if (launch == CGS_LAUNCH_PERSISTENT)
        whole.moves = cgs_moves_or(op->steps->advance_moves, whole.moves);
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
