/* One step of algebraic multigrid's set-up: from a matrix to the next coarser one, all of it
 * where the backend computes, by kernels/amg.h and kernels/spgemm.h. */
#include "core/precond/amg_coarsen.h"
#include "base/clock.h"
#include "solver/smoother.h"

/* Aggregates must be fewer than rows by this factor, or the next grid is not worth its cost. */
static const double PROGRESS = 0.7;

/* Eigenvalues are estimated by so many steps of CG, with this margin. */
enum { ESTIMATE_STEPS = 12 };
static const double MARGIN = 1.1;

enum cgs_status cgs_amg_charge(struct cgs_amg_setup *setup, enum cgs_amg_part part)
{
    const struct cgs_machine *m = setup->by.machine;
    CGS_TRY(m->backend->spaces[CGS_F64]->wait(m->queue));
    const double now = cgs_now();
    setup->amg->seconds[part] += now - setup->since;
    setup->since = now;
    return CGS_OK;
}

bool cgs_amg_stalls(int64_t aggregates, int64_t rows)
{
    return aggregates == 0 || (double)aggregates > PROGRESS * (double)rows;
}

/* Aggregates of rows, or with near-null vectors of nodes. */
static enum cgs_status aggregate(const struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                 double theta, struct cgs_aggregates *aggregates)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    struct cgs_sparse condensed;
    if (setup->near.count == 0 || setup->near.nodes == a->rows)
        return ops->aggregate(queue, a, theta, aggregates);
    CGS_TRY(ops->near_null->condense(queue, a, &setup->near, &condensed));
    const enum cgs_status status = ops->aggregate(queue, &condensed, theta, aggregates);
    setup->by.sparse->release(queue, &condensed);
    return status;
}

/* Aggregates of the coarsest grid so far: those that were kept, which leave `kept`, or new ones. */
static enum cgs_status find_aggregates(const struct cgs_amg_setup *setup,
                                       const struct cgs_sparse *a, double theta,
                                       struct cgs_aggregates *aggregates)
{
    const int64_t rows = setup->near.count == 0 ? a->rows : setup->near.nodes;
    struct cgs_aggregates *kept =
        setup->kept ? &setup->kept->grid[setup->amg->count - 1] : NULL;
    if (!kept || !kept->of || kept->rows != rows)
        return aggregate(setup, a, theta, aggregates);
    *aggregates = *kept;
    *kept = (struct cgs_aggregates){0};
    setup->amg->reused = true;
    return CGS_OK;
}

/* Keeps them for the next set-up, or releases them. */
static void leave_aggregates(const struct cgs_amg_setup *setup, struct cgs_aggregates *aggregates)
{
    const struct cgs_machine *m = setup->by.machine;
    struct cgs_aggregates *kept =
        setup->kept ? &setup->kept->grid[setup->amg->count - 1] : aggregates;
    if (kept->of)
        m->backend->amg->release(m->queue, kept);
    if (kept != aggregates)
        *kept = *aggregates;
}

/* T of near-null vectors. setup->near becomes that of the next coarser grid. */
static enum cgs_status fit(struct cgs_amg_setup *setup, const struct cgs_aggregates *aggregates,
                           struct cgs_sparse *t, int64_t *aggregated)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_near_null_ops *ops = setup->by.machine->backend->amg->near_null;
    struct cgs_near_null coarse;
    CGS_TRY(ops->fit(queue, aggregates, &setup->near, t, &coarse, aggregated));
    ops->release(queue, &setup->near);
    setup->near = coarse;
    return CGS_OK;
}

/* P = S T of the aggregates. With near-null vectors all entries are strong in S: weak ones on the
 * diagonal would keep constants alone. */
static enum cgs_status interpolate(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                   const struct cgs_aggregates *aggregates, double theta,
                                   double omega, int64_t *aggregated, struct cgs_sparse *p)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    const bool vectors = setup->near.count > 0;
    struct cgs_sparse t = {0}, s = {0};
    if (!vectors)
        CGS_TRY(ops->prolong(queue, a, aggregates, theta, omega, p, aggregated));
    if (p->pointers)
        return CGS_OK;
    enum cgs_status status =
        vectors ? fit(setup, aggregates, &t, aggregated) : ops->tentative(queue, aggregates, &t);
    if (status == CGS_OK)
        status = ops->smoothing(queue, a, vectors ? 0.0 : theta, omega, &s);
    if (status == CGS_OK)
        status = cgs_galerkin_multiply(&setup->by, &s, &t, p);
    if (!vectors)
        *aggregated = t.nonzeros;
    setup->by.sparse->release(queue, &s);
    setup->by.sparse->release(queue, &t);
    return status;
}

/* The next coarser matrix, R (A P). */
static enum cgs_status multiply(const struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                const struct cgs_sparse *p, const struct cgs_sparse *r,
                                struct cgs_sparse *coarse)
{
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    if (ops->coarse)
        CGS_TRY(ops->coarse(setup->by.machine->queue, a, setup->symmetric, p, r, coarse));
    return coarse->pointers ? CGS_OK : cgs_galerkin_coarse(&setup->by, a, p, r, coarse);
}

enum cgs_status cgs_amg_coarsen(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, double high, int64_t *aggregated,
                                struct cgs_sparse *p, struct cgs_sparse *r,
                                struct cgs_sparse *coarse)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    const struct cgs_sparse_ops *sparse = setup->by.sparse;
    const double omega = 4.0 / 3.0 / high;
    struct cgs_aggregates aggregates = {0};
    struct cgs_sparse made[3] = {{0}};
    *p = *r = *coarse = (struct cgs_sparse){0};
    *aggregated = 0;
    CGS_TRY(find_aggregates(setup, a, theta, &aggregates));
    if (cgs_amg_stalls(aggregates.count, aggregates.rows)) {
        ops->release(queue, &aggregates);
        return cgs_amg_charge(setup, CGS_AMG_AGGREGATE);
    }
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_AGGREGATE);
    if (status == CGS_OK)
        status = interpolate(setup, a, &aggregates, theta, omega, aggregated, &made[0]);
    leave_aggregates(setup, &aggregates);
    if (status == CGS_OK)
        status = cgs_amg_charge(setup, CGS_AMG_PROLONG);
    if (status == CGS_OK && cgs_amg_stalls(made[0].columns, a->rows)) {
        sparse->release(queue, &made[0]);
        *aggregated = 0;
        return CGS_OK;
    }
    if (status == CGS_OK)
        status = sparse->transpose(queue, &made[0], &made[1]);
    if (status == CGS_OK)
        status = cgs_amg_charge(setup, CGS_AMG_TRANSPOSE);
    if (status == CGS_OK)
        status = multiply(setup, a, &made[0], &made[1], &made[2]);
    if (status == CGS_OK)
        status = cgs_amg_charge(setup, CGS_AMG_PRODUCTS);
    if (status != CGS_OK) {
        for (int i = 0; i < 3; i++)
            sparse->release(queue, &made[i]);
        return status;
    }
    *p = made[0];
    *r = made[1];
    *coarse = made[2];
    return CGS_OK;
}

enum cgs_status cgs_amg_find_bound(struct cgs_amg_setup *setup, struct cgs_amg_level *level)
{
    CGS_TRY(cgs_eigenvalue_bound(setup->by.machine->queue, &level->op, &level->jacobi,
                                 ESTIMATE_STEPS, MARGIN, &level->high));
    return cgs_amg_charge(setup, CGS_AMG_BOUNDS);
}
