/* Grids of algebraic multigrid that several ranks share: one step is that of amg_coarsen.c, on the
 * host (core/precond/shared.h). Aggregates cross the cuts, and are numbered as those of one
 * process. A coarser grid is cut where the aggregates' roots are, moved to the next end of a block
 * of its sums, so that the bounds of its eigenvalues have the bits of one process, too. */
#include <string.h>

#include "base/comm.h"
#include "core/precond/amg_coarsen.h"
#include "core/precond/amg_shared.h"
#include "core/precond/shared.h"
#include "core/precond/sharing.h"
#include "kernels/amg/aggregate_cpu.h"
#include "kernels/amg/mend_cpu.h"
#include "kernels/amg/prolong_cpu.h"
#include "kernels/vector/blocks.h"
#include "matrix/names.h"
#include "matrix/ranks/cut.h"
#include "solver/jacobi.h"
#include "solver/transfer_matrix.h"

/* One step from a grid to the next coarser one: this rank's rows, with columns of the whole. */
struct step {
    struct cgs_sparse p, r, coarse;
    int64_t rows, nonzeros;           /* of the coarser grid, of all ranks */
    int64_t cuts[CGS_RANKS_MOST + 1]; /* its rows among the ranks */
    bool shared;                      /* else each rank has all of them in the end */
};

static struct cgs_queue *queue_of(const struct cgs_amg_setup *setup)
{
    return setup->by_host.machine->queue;
}

static void release_step(const struct cgs_amg_setup *setup, struct step *step)
{
    const struct cgs_sparse_ops *ops = setup->by_host.sparse;
    ops->release(queue_of(setup), &step->p);
    ops->release(queue_of(setup), &step->r);
    ops->release(queue_of(setup), &step->coarse);
}

/* ---- cuts ---- */

/* Rounds cuts to multiples of a block; returns the fewest rows of a rank. */
static int64_t round_cuts(int64_t unit, int ranks, int64_t *cuts)
{
    int64_t least = cuts[ranks];
    for (int r = 1; r < ranks; r++) {
        const int64_t rounded = (cuts[r] + unit / 2) / unit * unit;
        cuts[r] = rounded < cuts[ranks] ? rounded : cuts[ranks];
    }
    for (int r = 0; r < ranks; r++)
        least = cuts[r + 1] - cuts[r] < least ? cuts[r + 1] - cuts[r] : least;
    return least;
}

/* Cuts the coarser grid where its roots are; if that leaves a rank less than half of its share,
 * in equal parts. */
static void cut_coarser(struct cgs_context *context, const struct cgs_aggregates *aggregates,
                        struct step *step)
{
    const int ranks = context->comm->size;
    const int64_t rows = aggregates->count, unit = cgs_blocks_unit(rows, 1, 1);
    double first[CGS_RANKS_MOST];
    cgs_comm_each(context, (double)aggregates->first, first);
    for (int r = 0; r < ranks; r++)
        step->cuts[r] = (int64_t)first[r];
    step->cuts[ranks] = rows;
    step->rows = rows;
    if (2 * round_cuts(unit, ranks, step->cuts) < rows / ranks)
        cgs_portion_cut(rows, unit, ranks, step->cuts);
}

/* Returns true if ranks share the coarser grid, whose matrix is there: one that is to have an
 * inverse they do not. */
static bool shares(const struct cgs_amg_setup *setup, const struct step *step, int ranks)
{
    const double number = (double)cgs_number_bytes(setup->by.number), rows = (double)step->rows;
    const double bytes = (double)step->nonzeros * (number + sizeof(int32_t)) +
                         rows * (sizeof(int64_t) + 2.0 * 2.0 * number);
    int64_t most = 0;
    for (int r = 0; r < ranks; r++)
        most = step->cuts[r + 1] - step->cuts[r] > most ? step->cuts[r + 1] - step->cuts[r] : most;
    return step->rows > CGS_AMG_INVERTED &&
           cgs_sharing_pays(setup->spec, bytes, (double)most / rows);
}

/* ---- matrices ---- */

/* Returns the number of rows, of all ranks, that have an aggregate. */
static int64_t count_aggregated(struct cgs_context *context, const struct cgs_portion *portion,
                                const struct cgs_aggregates *aggregates)
{
    int64_t count = 0;
    for (int64_t i = 0; i < portion->count; i++)
        count += aggregates->of[portion->below + i] >= 0;
    return (int64_t)cgs_comm_sum(context, (double)count);
}

/* Makes P of the aggregates, and R and R A P. */
static enum cgs_status multiply(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                const struct cgs_aggregates *aggregates, double theta, double high,
                                struct step *step)
{
    struct cgs_context *context = queue_of(setup)->context;
    const double omega = 4.0 / 3.0 / high;
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_AGGREGATE));
    CGS_TRY(cgs_amg_prolong_shared(queue_of(setup), &a->rows, &a->ghosts, aggregates, theta, omega,
                                   &step->p));
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_PROLONG));
    CGS_TRY(
        cgs_shared_project(&setup->by_host, a, &step->p, step->cuts, &step->r, &step->coarse));
    step->nonzeros = (int64_t)cgs_comm_sum(context, (double)step->coarse.nonzeros);
    step->shared = shares(setup, step, context->comm->size);
    return cgs_amg_charge(setup, CGS_AMG_PRODUCTS);
}

/* Coarsens a. step->rows 0: there are too many aggregates to be worth it. */
static enum cgs_status coarsen(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                               double theta, struct cgs_amg_level *level, struct step *step)
{
    struct cgs_queue *queue = queue_of(setup);
    const struct cgs_amg_ops *ops = cgs_backend(CGS_CPU)->amg;
    struct cgs_aggregates aggregates = {0};
    CGS_TRY(cgs_amg_aggregate_shared(queue, &a->rows, &a->ghosts, theta, &aggregates));
    enum cgs_status status = CGS_OK;
    if (!cgs_amg_stalls(aggregates.count, a->portion->whole)) {
        cut_coarser(queue->context, &aggregates, step);
        level->aggregated = count_aggregated(queue->context, a->portion, &aggregates);
        status = multiply(setup, a, &aggregates, theta, level->high, step);
    }
    ops->release(queue, &aggregates);
    return status;
}

/* ---- grids ---- */

static enum cgs_status make_transfer(struct cgs_amg_setup *setup, const int64_t *fine,
                                     struct cgs_amg_level *level, struct step *step)
{
    struct cgs_context *context = queue_of(setup)->context;
    const struct cgs_portion *coarse = step->shared ? &level->read_by_p : NULL;
    struct cgs_operator p = {0}, r = {0};
    struct cgs_traffic products[2];
    if (step->shared)
        CGS_TRY(cgs_shared_renumber(context, step->cuts, &step->p, &level->read_by_p));
    CGS_TRY(cgs_shared_renumber(context, fine, &step->r, &level->read_by_r));
    enum cgs_status status = cgs_shared_operator(&setup->by, coarse, &step->p, &p, &products[0]);
    if (status == CGS_OK)
        status = cgs_shared_operator(&setup->by, &level->read_by_r, &step->r, &r, &products[1]);
    if (status == CGS_OK)
        status = cgs_transfer_matrix(&p, &r, step->shared ? NULL : step->cuts,
                                     products[0].matrix + products[1].matrix, &level->transfer);
    cgs_operator_release(&p); /* empty where the transfer has them */
    cgs_operator_release(&r);
    return status == CGS_OK ? cgs_amg_charge(setup, CGS_AMG_OPERATORS) : status;
}

/* Makes the coarser grid's operator of step->coarse, which *a has then. */
static enum cgs_status make_coarser(struct cgs_amg_setup *setup, const struct cgs_portion *read,
                                    struct cgs_amg_level *coarser, struct step *step,
                                    struct cgs_shared *a)
{
    struct cgs_portion *portion = &coarser->portion;
    CGS_TRY(cgs_shared_renumber(queue_of(setup)->context, step->cuts, &step->coarse, portion));
    portion->before = portion->before > read->before ? portion->before : read->before;
    portion->after = portion->after > read->after ? portion->after : read->after;
    CGS_TRY(
        cgs_shared_operator(&setup->by, portion, &step->coarse, &coarser->op, &coarser->product));
    CGS_TRY(cgs_shared_jacobi(&setup->by, portion, &step->coarse, &coarser->op, &coarser->jacobi));
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_OPERATORS));
    return cgs_shared_take(&setup->by_host, portion, &step->coarse, a);
}

/* The same of a grid of which each rank has all rows. */
static enum cgs_status gather_coarser(struct cgs_amg_setup *setup, struct cgs_amg_level *coarser,
                                      struct step *step, struct cgs_crs *whole)
{
    struct cgs_queue *queue = queue_of(setup);
    CGS_TRY(cgs_shared_gather(queue->context, step->cuts, &step->coarse, whole));
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_FETCH));
    const struct cgs_sparse rows = {.rows = whole->rows,
                                    .columns = whole->columns,
                                    .nonzeros = whole->pointers[whole->rows],
                                    .pointers = whole->pointers,
                                    .column = whole->column,
                                    .value = whole->value};
    CGS_TRY(cgs_shared_operator(&setup->by, NULL, &rows, &coarser->op, &coarser->product));
    CGS_TRY(cgs_shared_jacobi(&setup->by, NULL, &rows, &coarser->op, &coarser->jacobi));
    return cgs_amg_charge(setup, CGS_AMG_OPERATORS);
}

/* Makes grid l + 1 of what `step` has. */
static enum cgs_status take_step(struct cgs_amg_setup *setup, int l, struct step *step,
                                 struct cgs_shared *a, struct cgs_crs *whole)
{
    struct cgs_amg_level *level = &setup->amg->level[l], *coarser = level + 1;
    const int64_t *cuts = a->portion->cuts;
    cgs_shared_release(&setup->by_host, a);
    setup->amg->count = l + 2;
    coarser->rows = step->rows;
    coarser->nonzeros = step->nonzeros;
    level->interpolating =
        (int64_t)cgs_comm_sum(queue_of(setup)->context, (double)step->p.nonzeros);
    coarser->shared = step->shared;
    CGS_TRY(make_transfer(setup, cuts, level, step));
    CGS_TRY(cgs_amg_mend_shared(&level->op.domain, cgs_jacobi_inverse(&level->jacobi),
                                step->cuts[queue_of(setup)->context->comm->rank], &step->coarse));
    return step->shared ? make_coarser(setup, &level->read_by_p, coarser, step, a)
                        : gather_coarser(setup, coarser, step, whole);
}

/* Descends from grid l, whose rows are *a, to the next one; *ends: there is none. */
static enum cgs_status descend(struct cgs_amg_setup *setup, double theta, int l,
                               struct cgs_shared *a, struct cgs_crs *whole, bool *ends)
{
    struct cgs_amg_level *level = &setup->amg->level[l];
    struct step step = {0};
    enum cgs_status status = coarsen(setup, a, theta, level, &step);
    *ends = step.rows == 0;
    if (status == CGS_OK && !*ends && step.nonzeros / CGS_AMG_GROWTH > a->nonzeros) {
        level->aggregated = 0;
        setup->amg->end = CGS_AMG_GROWN;
        *ends = true;
    } else if (status == CGS_OK && !*ends) {
        status = take_step(setup, l, &step, a, whole);
    }
    release_step(setup, &step);
    return status;
}

/* Gathers a finest grid of few rows, for its inverse. */
static enum cgs_status gather_finest(const struct cgs_amg_setup *setup, struct cgs_shared *a,
                                     struct cgs_crs *whole)
{
    for (int64_t e = 0; e < a->rows.nonzeros; e++)
        a->rows.column[e] =
            (int32_t)cgs_portion_global(a->portion, a->rows.column[e] - a->portion->below);
    return cgs_shared_gather(queue_of(setup)->context, a->portion->cuts, &a->rows, whole);
}

static enum cgs_status make_grids(struct cgs_amg_setup *setup, struct cgs_shared *a, int *l,
                                  struct cgs_crs *whole)
{
    struct cgs_amg *amg = setup->amg;
    double theta = amg->theta;
    if (a->portion->whole <= CGS_AMG_INVERTED)
        return gather_finest(setup, a, whole);
    for (bool ends = false; whole->rows == 0; ++*l, theta *= 0.5) {
        const bool deep = *l == CGS_GRIDS - 1;
        amg->end = deep ? CGS_AMG_DEEP : CGS_AMG_STALLED;
        CGS_TRY(cgs_amg_find_bound(setup, &amg->level[*l]));
        if (!deep)
            CGS_TRY(descend(setup, theta, *l, a, whole, &ends));
        if (deep || ends)
            return CGS_OK;
    }
    return CGS_OK;
}

enum cgs_status cgs_amg_make_shared(struct cgs_amg_setup *setup,
                                    const struct cgs_row_source *source, int *l,
                                    struct cgs_crs *whole)
{
    struct cgs_shared a;
    *l = 0;
    *whole = (struct cgs_crs){0};
    CGS_TRY(cgs_shared_draw(&setup->by_host, source, &a));
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_DRAW);
    if (status == CGS_OK)
        status = make_grids(setup, &a, l, whole);
    if (status != CGS_OK)
        cgs_crs_release(queue_of(setup)->context, whole);
    cgs_shared_release(&setup->by_host, &a);
    return status;
}
