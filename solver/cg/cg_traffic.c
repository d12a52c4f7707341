/* Traffic of an iteration: the steps that cg_iterate.c queues, listed instead, and their bytes. */
#include "solver/cg/cg_traffic.h"
#include "matrix/names.h"
#include "solver/cg/cg_internal.h"
#include "solver/cg/cg_iterate.h"
#include "solver/cg/cg_steps.h"
#include "solver/cg/cg_vectors.h"

/* Lists the steps that `queue` queues. */
static void list_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                       enum cgs_cg_method method, enum cgs_status (*queue)(struct cgs_cg *cg),
                       struct cgs_cg_list *list)
{
    const struct cgs_cg_settings settings = {.method = method};
    struct cgs_cg cg = {.op = op,
                        .outer = op,
                        .preconditioner =
                            cgs_preconditioning_by(preconditioner) ? preconditioner : NULL,
                        .settings = settings,
                        .small = cgs_cg_begins_small(op, preconditioner, &settings),
                        .list = list};
    list->count = 0;
    (void)queue(&cg); /* only lists: cannot fail */
}

static void add_moves(const struct cgs_cg_list *list, struct cgs_moves *all)
{
    for (int i = 0; i < list->count; i++) {
        all->read += list->steps[i].moves.read;
        all->written += list->steps[i].moves.written;
        all->products += list->steps[i].moves.products;
    }
}

int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 enum cgs_cg_method method, struct cgs_cg_step steps[CGS_CG_STEPS])
{
    struct cgs_cg_list list;
    list_steps(op, preconditioner, method, cgs_cg_iterate, &list);
    for (int i = 0; i < list.count; i++)
        steps[i] = list.steps[i];
    return list.count;
}

struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_cg_method method, enum cgs_launch launch)
{
    struct cgs_cg_step whole = {"iteration", "whole iterations", {0, 0, 0}};
    struct cgs_cg_list list;
    list_steps(op, preconditioner, method, cgs_cg_iterate, &list);
    add_moves(&list, &whole.moves);
    if (launch == CGS_LAUNCH_PERSISTENT)
        whole.moves = cgs_moves_or(op->steps->advance_moves, whole.moves);
    return whole;
}

static enum cgs_status inversion(struct cgs_cg *cg)
{
    CGS_TRY(cgs_step_invert(cg));
    return cg->small ? cgs_step_norm(cg) : cgs_step_residual(cg);
}

static enum cgs_status inversion_and_more(struct cgs_cg *cg)
{
    CGS_TRY(inversion(cg));
    return cg->small ? cgs_step_residual(cg) : CGS_OK;
}

struct cgs_cg_step cgs_cg_inversion(const struct cgs_operator *op,
                                    const struct cgs_operator *inverse, bool more)
{
    struct cgs_cg_step whole = {"inversion", "x = M b, ||b - A x||", {0, 0, 0}};
    struct cgs_cg_list list;
    list_steps(op, inverse, CGS_CG_STANDARD, more ? inversion_and_more : inversion, &list);
    add_moves(&list, &whole.moves);
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
