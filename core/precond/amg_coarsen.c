/* One step of algebraic multigrid's set-up: from a matrix to the next coarser one, all of it
 * where the backend computes, by kernels/amg.h and kernels/spgemm.h. */
#include "core/precond/amg_coarsen.h"
#include "base/clock.h"
#include "solver/smoother.h"

/* Aggregates must be fewer than rows by this factor, or the next grid is not worth its cost. */
static const double PROGRESS = 0.7;

enum { ESTIMATE_STEPS = 12 }; /* of CG, for the largest eigenvalue */

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
    struct cgs_aggregates *kept = setup->kept ? &setup->kept->grid[setup->amg->count - 1] : NULL;
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
    if (m->backend->amg->forget)
        m->backend->amg->forget(m->queue, aggregates);
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

/* ---- known patterns ---- */

void cgs_amg_release_old(struct cgs_amg_kept *kept)
{
    for (int l = 0; l < CGS_GRIDS; l++) {
        cgs_operator_release(&kept->old[l].op);
        cgs_operator_release(&kept->old[l].p);
        cgs_operator_release(&kept->old[l].r);
    }
}

void cgs_amg_differ(struct cgs_amg_setup *setup)
{
    setup->same = false;
    if (setup->kept)
        cgs_amg_release_old(setup->kept);
}

/* Returns the patterns that are known of the coarsest grid so far, or may be kept of it; NULL:
 * none. T of near-null vectors has places of its own in each set-up. */
static struct cgs_amg_known *known_of(const struct cgs_amg_setup *setup)
{
    const bool keeps = setup->kept && setup->by.machine->backend->amg->known;
    return keeps && setup->near.count == 0 ? &setup->kept->known[setup->amg->count - 1] : NULL;
}

/* P, R and R (A P) of new numbers. */
struct projection {
    struct cgs_sparse p, r, coarse;
};

/* Writes numbers into known patterns. */
static enum cgs_status renew(struct cgs_amg_setup *setup, const struct cgs_amg_known *known,
                             const struct cgs_sparse *a, double omega, struct projection *made)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_known_ops *ops = setup->by.machine->backend->amg->known;
    setup->amg->reused = true;
    CGS_TRY(ops->transfers(queue, known, a, omega, &made->p, &made->r));
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_PROLONG));
    CGS_TRY(ops->coarse(queue, known, a, &made->p, &made->r, &made->coarse));
    return cgs_amg_charge(setup, CGS_AMG_PRODUCTS);
}

/* Makes R (A P) and keeps the patterns, unless they are too large. */
static enum cgs_status multiply_and_keep(const struct cgs_amg_setup *setup,
                                         const struct cgs_sparse *a, double theta,
                                         struct projection *made, struct cgs_amg_known *known)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_aggregates *aggregates = &setup->kept->grid[setup->amg->count - 1];
    struct cgs_sparse product;
    CGS_TRY(cgs_galerkin_multiply(&setup->by, a, &made->p, &product));
    enum cgs_status status = cgs_galerkin_multiply(&setup->by, &made->r, &product, &made->coarse);
    if (status == CGS_OK && made->coarse.nonzeros / CGS_AMG_GROWTH <= a->nonzeros)
        status = setup->by.machine->backend->amg->known->create(
            queue, a, aggregates, theta, &product, &made->p, &made->r, &made->coarse, known);
    setup->by.sparse->release(queue, &product);
    return status;
}

/* Makes the next coarser matrix, R (A P). */
static enum cgs_status multiply(const struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, int64_t aggregated, struct projection *made)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    struct cgs_amg_known *known = known_of(setup);
    const int l = setup->amg->count - 1;
    const bool below = l > 0 && known && !setup->kept->known[l - 1].place; /* one not kept */
    if (known && !below && ops->known->fits(queue, a, &made->p)) {
        CGS_TRY(multiply_and_keep(setup, a, theta, made, known));
        known->aggregated = aggregated;
        return CGS_OK;
    }
    if (ops->coarse)
        CGS_TRY(ops->coarse(queue, a, setup->symmetric, &made->p, &made->r, &made->coarse));
    return made->coarse.pointers
               ? CGS_OK
               : cgs_galerkin_coarse(&setup->by, a, &made->p, &made->r, &made->coarse);
}

/* ---- a grid ---- */

/* Makes P, R and R (A P) of aggregates. */
static enum cgs_status project(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                               double theta, double omega, int64_t *aggregated,
                               struct projection *made)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_amg_ops *ops = setup->by.machine->backend->amg;
    struct cgs_aggregates aggregates = {0};
    CGS_TRY(find_aggregates(setup, a, theta, &aggregates));
    if (cgs_amg_stalls(aggregates.count, aggregates.rows)) {
        ops->release(queue, &aggregates);
        return cgs_amg_charge(setup, CGS_AMG_AGGREGATE);
    }
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_AGGREGATE);
    if (status == CGS_OK)
        status = interpolate(setup, a, &aggregates, theta, omega, aggregated, &made->p);
    leave_aggregates(setup, &aggregates);
    CGS_TRY(status);
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_PROLONG));
    if (cgs_amg_stalls(made->p.columns, a->rows)) {
        setup->by.sparse->release(queue, &made->p);
        *aggregated = 0;
        return CGS_OK;
    }
    CGS_TRY(setup->by.sparse->transpose(queue, &made->p, &made->r));
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_TRANSPOSE));
    CGS_TRY(multiply(setup, a, theta, *aggregated, made));
    return cgs_amg_charge(setup, CGS_AMG_PRODUCTS);
}

/* Makes them of what is known, if that is of this matrix's pattern, or anew. */
static enum cgs_status project_or_renew(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                        double theta, double omega, int64_t *aggregated,
                                        struct projection *made)
{
    struct cgs_amg_known *known = known_of(setup);
    if (known && known->place && setup->same) {
        *aggregated = known->aggregated;
        return renew(setup, known, a, omega, made);
    }
    cgs_amg_differ(setup);
    if (known && known->place)
        setup->by.machine->backend->amg->known->release(setup->by.machine->queue, known);
    return project(setup, a, theta, omega, aggregated, made);
}

enum cgs_status cgs_amg_coarsen(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, double high, int64_t *aggregated,
                                struct cgs_sparse *p, struct cgs_sparse *r,
                                struct cgs_sparse *coarse)
{
    struct cgs_queue *queue = setup->by.machine->queue;
    const struct cgs_sparse_ops *sparse = setup->by.sparse;
    struct projection made = {.p = {0}};
    *aggregated = 0;
    const enum cgs_status status =
        project_or_renew(setup, a, theta, 4.0 / 3.0 / high, aggregated, &made);
    if (status != CGS_OK) {
        sparse->release(queue, &made.p);
        sparse->release(queue, &made.r);
        sparse->release(queue, &made.coarse);
    }
    *p = made.p;
    *r = made.r;
    *coarse = made.coarse;
    return status;
}

enum cgs_status cgs_amg_find_bound(struct cgs_amg_setup *setup, struct cgs_amg_level *level)
{
    CGS_TRY(cgs_eigenvalue_bound(setup->by.machine->queue, &level->op, &level->jacobi,
                                 ESTIMATE_STEPS, CGS_AMG_MARGIN, &level->high));
    return cgs_amg_charge(setup, CGS_AMG_BOUNDS);
}
