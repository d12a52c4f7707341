/* Near-null vectors that amg's set-up finds by itself (--adaptive): random vectors, relaxed on
 * A x = 0 by sweeps of the smoother, after which what A nearly annihilates is left of them.
 * M. Brezina, R. Falgout, S. MacLachlan, T. Manteuffel, S. McCormick, J. Ruge, SIAM J. Sci. Comput.
 * 25 (2004) 1896-1920, its first grid alone. T takes the space that they span, on each aggregate,
 * so that they need not be orthogonal.
 *
 * Traffic: SWEEPS times DEGREE products of the finest grid for each vector.
 */
#include "core/precond/amg_adaptive.h"

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/precond/amg_coarsen.h"
#include "matrix/ranks/portion.h"
#include "solver/jacobi.h"
#include "solver/smoother.h"

/* Sweeps of the smoother, of an even degree so that each ends where it began. */
enum { SWEEPS = 4, DEGREE = 8 };

/* Vectors of the finest grid. */
struct work {
    void *x[2], *zero, *product;
};

static void release(const struct cgs_space *space, struct work *w)
{
    space->ops->free(space, w->x[0]);
    space->ops->free(space, w->x[1]);
    space->ops->free(space, w->zero);
    space->ops->free(space, w->product);
}

static enum cgs_status take(const struct cgs_space *space, struct work *w)
{
    static const char what[] = "near-null vectors";
    CGS_TRY(space->ops->alloc(space, what, &w->x[0]));
    CGS_TRY(space->ops->alloc(space, what, &w->x[1]));
    CGS_TRY(space->ops->alloc(space, what, &w->zero));
    return space->ops->alloc(space, what, &w->product);
}

/* Relaxes a random vector, and leaves it in `column`. numbers: of the whole before its first. */
static enum cgs_status relax(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                             const struct work *w, uint64_t numbers, double *column)
{
    const struct cgs_space *space = &smoother->op->domain;
    for (int64_t i = 0; i < space->size; i++)
        column[i] = cgs_random(numbers + (uint64_t)i);
    CGS_TRY(space->ops->put(space, column, 0, space->size, w->x[0]));
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        CGS_TRY(cgs_smoother_apply(smoother, queue, NULL, w->zero, false, w->x));
    return space->ops->get(space, w->x[0], 0, space->size, column);
}

static enum cgs_status find(struct cgs_amg_setup *setup, const struct cgs_portion *portion,
                            int count, const struct work *w, double *columns)
{
    struct cgs_amg_level *level = &setup->amg->level[0];
    struct cgs_queue *queue = setup->by.machine->queue;
    struct cgs_smoother smoother = {.op = &level->op,
                                    .inverse = cgs_jacobi_inverse(&level->jacobi),
                                    .scale = 1.0,
                                    .product = w->product};
    const int64_t rows = level->op.domain.size, whole = portion ? portion->whole : rows;
    CGS_TRY(cgs_amg_find_bound(setup, level));
    cgs_smoother_coefficients(&smoother, CGS_SMOOTH, DEGREE, 0.0, level->high);
    for (int k = 0; k < count; k++)
        CGS_TRY(cgs_comm_agree(queue->context,
                               relax(&smoother, queue, w,
                                     (uint64_t)(k * whole + cgs_portion_first(portion)),
                                     columns + k * rows)));
    return CGS_OK;
}

enum cgs_status cgs_amg_adapt(struct cgs_amg_setup *setup, const struct cgs_portion *portion,
                              int count, double **columns)
{
    struct cgs_context *context = setup->by.machine->queue->context;
    const struct cgs_space *space = &setup->amg->level[0].op.domain;
    struct work w = {{NULL, NULL}, NULL, NULL};
    double *made = NULL;
    enum cgs_status status = cgs_alloc(context, cgs_bytes(space->size, count), sizeof *made,
                                       "near-null vectors", (void **)&made);
    if (status == CGS_OK)
        status = take(space, &w);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK)
        status = find(setup, portion, count, &w, made);
    release(space, &w);
    if (status == CGS_OK)
        *columns = made;
    else
        cgs_free(context, made);
    return status;
}
