/* Grids of algebraic multigrid that several ranks share: one step is that of amg_coarsen.c, on the
 * host (core/precond/shared.h). Aggregates cross the cuts, and are numbered as those of one
 * process. A coarser grid is cut where the aggregates' roots are, moved to the next end of a block
 * of its sums, so that the bounds of its eigenvalues have the bits of one process, too. With
 * near-null vectors set-up leaves the cuts there, as no node is cut then; rows of grids and
 * transfers move to the ends of blocks where their operators are made. */
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "core/precond/amg_adaptive.h"
#include "core/precond/amg_coarsen.h"
#include "core/precond/amg_shared.h"
#include "core/precond/shared.h"
#include "core/precond/sharing.h"
#include "kernels/amg/aggregate_cpu.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/fit_shared.h"
#include "kernels/amg/mend_cpu.h"
#include "kernels/amg/nodes_cpu.h"
#include "kernels/amg/prolong_cpu.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/vector/blocks.h"
#include "matrix/names.h"
#include "matrix/ranks/cut.h"
#include "solver/jacobi.h"
#include "solver/transfer_matrix.h"

/* One step from a grid to the next coarser one: this rank's rows, with columns of the whole. */
struct step {
    struct cgs_sparse p, r, coarse;
    int64_t rows, nonzeros;           /* of the coarser grid, of all ranks */
    /* Its rows among the ranks, in set-up and afterwards: with near-null vectors set-up cuts at
     * nodes, which differ in their rows. */
    int64_t cuts[CGS_RANKS_MOST + 1], laid[CGS_RANKS_MOST + 1];
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

/* Cuts the coarser grid, which begins with row `first` where the roots of this rank are, for its
 * operators; if that leaves a rank less than half of its share, in equal parts. */
static void cut_coarser(struct cgs_context *context, int64_t first, struct step *step)
{
    const int ranks = context->comm->size;
    const int64_t rows = step->rows, unit = cgs_blocks_unit(rows, 1, 1);
    double all[CGS_RANKS_MOST];
    cgs_comm_each(context, (double)first, all);
    for (int r = 0; r < ranks; r++)
        step->laid[r] = (int64_t)all[r];
    step->laid[ranks] = rows;
    if (2 * round_cuts(unit, ranks, step->laid) < rows / ranks)
        cgs_portion_cut(rows, unit, ranks, step->laid);
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
        most = step->laid[r + 1] - step->laid[r] > most ? step->laid[r + 1] - step->laid[r] : most;
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

/* Makes P of aggregates of rows. */
static enum cgs_status interpolate(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                   const struct cgs_aggregates *aggregates, double theta,
                                   double omega, struct cgs_amg_level *level, struct step *step)
{
    struct cgs_queue *queue = queue_of(setup);
    step->rows = aggregates->count;
    cut_coarser(queue->context, aggregates->first, step);
    memcpy(step->cuts, step->laid, sizeof step->cuts);
    level->aggregated = count_aggregated(queue->context, a->portion, aggregates);
    return cgs_amg_prolong_shared(queue, &a->rows, &a->ghosts, aggregates, theta, omega, &step->p);
}

/* Makes R and R A P. */
static enum cgs_status multiply(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                struct step *step)
{
    struct cgs_context *context = queue_of(setup)->context;
    CGS_TRY(
        cgs_shared_project(&setup->by_host, a, &step->p, step->cuts, &step->r, &step->coarse));
    step->nonzeros = (int64_t)cgs_comm_sum(context, (double)step->coarse.nonzeros);
    step->shared = shares(setup, step, context->comm->size);
    return cgs_amg_charge(setup, CGS_AMG_PRODUCTS);
}

/* ---- near-null vectors ---- */

/* Makes columns those of the whole, or again those from the first ghost on. */
static void number_columns(const struct cgs_shared *a, bool whole)
{
    const struct cgs_portion *portion = a->portion;
    for (int64_t e = 0; e < a->rows.nonzeros; e++) {
        const int64_t column = a->rows.column[e];
        a->rows.column[e] = (int32_t)(whole ? cgs_portion_global(portion, column - portion->below)
                                            : cgs_portion_local(portion, column) + portion->below);
    }
}

/* Returns the nodes of all ranks. */
static int64_t count_nodes(const struct cgs_amg_setup *setup)
{
    return (int64_t)cgs_comm_sum(queue_of(setup)->context, (double)setup->near.nodes);
}

/* Takes the near-null vectors of the finest grid, if there are some. */
static enum cgs_status take_vectors(struct cgs_amg_setup *setup, const struct cgs_shared *a)
{
    const struct cgs_near_null_asked *asked = &setup->spec->near;
    if (asked->count == 0)
        return CGS_OK;
    double *found = NULL;
    if (!asked->columns)
        CGS_TRY(cgs_amg_adapt(setup, a->portion, asked->count, &found));
    number_columns(a, true);
    const enum cgs_status status = cgs_near_null_shared_begin(
        queue_of(setup), &a->rows, a->portion->first, asked->count,
        found ? found : asked->columns, asked->block, &setup->near);
    number_columns(a, false);
    cgs_free(queue_of(setup)->context, found);
    CGS_TRY(status);
    setup->amg->vectors = asked->count;
    setup->amg->level[0].nodes = count_nodes(setup);
    return CGS_OK;
}

/* Aggregates of nodes; *of has those of this rank's. */
static enum cgs_status aggregate_nodes(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                       double theta, struct cgs_aggregates *aggregates,
                                       const int32_t **of)
{
    struct cgs_queue *queue = queue_of(setup);
    int64_t cuts[CGS_RANKS_MOST + 1];
    struct cgs_portion portion = {0};
    struct cgs_sparse condensed = {0};
    struct cgs_shared nodes = {0};
    cgs_comm_starts(queue->context, setup->near.nodes, cuts);
    enum cgs_status status = cgs_near_null_shared_condense(queue, &a->rows, &a->ghosts,
                                                           &setup->near, cuts, &condensed);
    if (status == CGS_OK)
        status = cgs_shared_renumber(queue->context, cuts, &condensed, &portion);
    if (status == CGS_OK)
        status = cgs_shared_take(&setup->by_host, &portion, &condensed, &nodes);
    if (status == CGS_OK)
        status = cgs_amg_aggregate_shared(queue, &nodes.rows, &nodes.ghosts, theta, aggregates);
    if (status == CGS_OK)
        *of = aggregates->of + portion.below;
    setup->by_host.sparse->release(queue, &condensed);
    cgs_shared_release(&setup->by_host, &nodes);
    cgs_portion_release(queue->context, &portion);
    return status;
}

/* Makes T, and with it the coarser grid's rows and cuts; setup->near becomes that of the coarser
 * grid. of: the aggregates of this rank's nodes. */
static enum cgs_status fit(struct cgs_amg_setup *setup, const struct cgs_aggregates *aggregates,
                           const int32_t *of, struct cgs_amg_level *level, struct step *step,
                           struct cgs_sparse *t)
{
    struct cgs_queue *queue = queue_of(setup);
    struct cgs_context *context = queue->context;
    struct cgs_near_null coarse;
    int64_t starts[CGS_RANKS_MOST + 1], aggregated;
    double first[CGS_RANKS_MOST];
    cgs_comm_each(context, (double)aggregates->first, first);
    for (int r = 0; r < context->comm->size; r++)
        starts[r] = (int64_t)first[r];
    starts[context->comm->size] = aggregates->count;
    CGS_TRY(cgs_near_null_shared_fit(queue, starts, of, &setup->near, t, &coarse, &aggregated));
    cgs_near_null_cpu_release(queue, &setup->near);
    setup->near = coarse;
    level->aggregated = (int64_t)cgs_comm_sum(context, (double)aggregated);
    cgs_comm_starts(context, coarse.first[coarse.nodes], step->cuts);
    step->rows = step->cuts[context->comm->size];
    cut_coarser(context, step->cuts[context->comm->rank], step);
    return CGS_OK;
}

/* Makes P = S T of aggregates of nodes, as amg_coarsen.c. */
static enum cgs_status interpolate_vectors(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                           const struct cgs_aggregates *aggregates,
                                           const int32_t *of, double omega,
                                           struct cgs_amg_level *level, struct step *step)
{
    struct cgs_queue *queue = queue_of(setup);
    struct cgs_context *context = queue->context;
    const struct cgs_sparse_ops *sparse = setup->by_host.sparse;
    struct cgs_sparse t = {0}, s = {0}, all = {0};
    enum cgs_status status = fit(setup, aggregates, of, level, step, &t);
    if (status == CGS_OK)
        status = cgs_ghosts_fetch_rows(queue, &a->ghosts, &t, &all);
    if (status == CGS_OK)
        status = cgs_amg_smoothing_shared(queue, &a->rows, &a->ghosts, 0.0, omega, &s);
    if (status == CGS_OK)
        status =
            cgs_comm_agree(context, cgs_shared_multiply(&setup->by_host, &s, &all, &step->p));
    sparse->release(queue, &all);
    sparse->release(queue, &s);
    sparse->release(queue, &t);
    return status;
}

/* Gathers nodes and vectors of all ranks on each, whose rows are cut at `rows`. */
static enum cgs_status gather_vectors(struct cgs_amg_setup *setup, const int64_t *rows)
{
    struct cgs_queue *queue = queue_of(setup);
    struct cgs_context *context = queue->context;
    const struct cgs_near_null *near = &setup->near;
    const int rank = context->comm->rank, ranks = context->comm->size, count = near->count;
    int64_t nodes[CGS_RANKS_MOST + 1];
    struct cgs_near_null made = {0};
    double *lengths = NULL;
    cgs_comm_starts(context, near->nodes, nodes);
    enum cgs_status status =
        cgs_near_null_cpu_take(queue, count, nodes[ranks], rows[ranks], &made);
    if (status == CGS_OK)
        status = cgs_alloc(context, nodes[ranks], sizeof *lengths, "nodes", (void **)&lengths);
    status = cgs_comm_agree(context, status);
    if (status == CGS_OK) {
        for (int64_t i = 0; i < near->nodes; i++)
            lengths[nodes[rank] + i] = (double)(near->first[i + 1] - near->first[i]);
        memcpy(made.vector + rows[rank] * count, near->vector,
               (size_t)((rows[rank + 1] - rows[rank]) * count) * sizeof *made.vector);
        status = cgs_comm_complete(context, nodes, 1, lengths);
    }
    if (status == CGS_OK)
        status = cgs_comm_complete(context, rows, count, made.vector);
    if (status == CGS_OK) {
        made.first[0] = 0;
        for (int64_t i = 0; i < made.nodes; i++)
            made.first[i + 1] = made.first[i] + (int64_t)lengths[i];
        cgs_near_null_cpu_release(queue, &setup->near);
        setup->near = made;
    } else {
        cgs_near_null_cpu_release(queue, &made);
    }
    cgs_free(context, lengths);
    return status;
}

/* ---- a step ---- */

/* Aggregates of rows, or with near-null vectors of nodes, of which *of has those of this rank. */
static enum cgs_status aggregate(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                                 double theta, struct cgs_aggregates *aggregates,
                                 const int32_t **of, int64_t *all)
{
    const bool vectors = setup->near.count > 0;
    *all = vectors ? count_nodes(setup) : a->portion->whole;
    if (*all < a->portion->whole)
        return aggregate_nodes(setup, a, theta, aggregates, of);
    CGS_TRY(cgs_amg_aggregate_shared(queue_of(setup), &a->rows, &a->ghosts, theta, aggregates));
    *of = aggregates->of + a->portion->below;
    return CGS_OK;
}

/* Coarsens a. step->rows 0: there are too many aggregates to be worth it. */
static enum cgs_status coarsen(struct cgs_amg_setup *setup, const struct cgs_shared *a,
                               double theta, struct cgs_amg_level *level, struct step *step)
{
    const double omega = 4.0 / 3.0 / level->high;
    struct cgs_aggregates aggregates = {0};
    const int32_t *of;
    int64_t all;
    CGS_TRY(aggregate(setup, a, theta, &aggregates, &of, &all));
    const bool stalls = cgs_amg_stalls(aggregates.count, all);
    enum cgs_status status = cgs_amg_charge(setup, CGS_AMG_AGGREGATE);
    if (status == CGS_OK && !stalls && setup->near.count > 0)
        status = interpolate_vectors(setup, a, &aggregates, of, omega, level, step);
    else if (status == CGS_OK && !stalls)
        status = interpolate(setup, a, &aggregates, theta, omega, level, step);
    cgs_backend(CGS_CPU)->amg->release(queue_of(setup), &aggregates);
    if (status != CGS_OK || stalls)
        return status;
    CGS_TRY(cgs_amg_charge(setup, CGS_AMG_PROLONG));
    if (cgs_amg_stalls(step->rows, a->portion->whole)) {
        step->rows = level->aggregated = 0;
        return CGS_OK;
    }
    return multiply(setup, a, step);
}

/* ---- grids ---- */

/* Moves rows to other cuts, in their place. */
static enum cgs_status recut(const struct cgs_amg_setup *setup, const int64_t *from,
                             const int64_t *to, struct cgs_sparse *rows)
{
    struct cgs_queue *queue = queue_of(setup);
    struct cgs_sparse moved;
    if (memcmp(from, to, (size_t)(queue->context->comm->size + 1) * sizeof *from) == 0)
        return CGS_OK;
    CGS_TRY(cgs_shared_recut(&setup->by_host, from, to, rows, &moved));
    setup->by_host.sparse->release(queue, rows);
    *rows = moved;
    return CGS_OK;
}

/* Makes the transfer of step->p and step->r. fine: cuts of the finer grid in set-up. */
static enum cgs_status make_transfer(struct cgs_amg_setup *setup, const int64_t *fine,
                                     struct cgs_amg_level *level, struct step *step)
{
    const int64_t *laid = level->portion.cuts ? level->portion.cuts : fine;
    struct cgs_context *context = queue_of(setup)->context;
    const struct cgs_portion *coarse = step->shared ? &level->read_by_p : NULL;
    struct cgs_operator p = {0}, r = {0};
    struct cgs_traffic products[2];
    CGS_TRY(recut(setup, fine, laid, &step->p));
    CGS_TRY(recut(setup, step->cuts, step->laid, &step->r));
    if (step->shared)
        CGS_TRY(cgs_shared_renumber(context, step->laid, &step->p, &level->read_by_p));
    CGS_TRY(cgs_shared_renumber(context, laid, &step->r, &level->read_by_r));
    enum cgs_status status = cgs_shared_operator(&setup->by, coarse, &step->p, &p, &products[0]);
    if (status == CGS_OK)
        status = cgs_shared_operator(&setup->by, &level->read_by_r, &step->r, &r, &products[1]);
    if (status == CGS_OK)
        status = cgs_transfer_matrix(&p, &r, step->shared ? NULL : step->laid,
                                     products[0].matrix + products[1].matrix, &level->transfer);
    cgs_operator_release(&p); /* empty where the transfer has them */
    cgs_operator_release(&r);
    return status == CGS_OK ? cgs_amg_charge(setup, CGS_AMG_OPERATORS) : status;
}

/* Makes operator and D^-1 of the coarser grid of this rank's rows, whose columns become the
 * portion's. */
static enum cgs_status make_operators(struct cgs_amg_setup *setup, const struct cgs_portion *read,
                                      const int64_t *cuts, struct cgs_sparse *rows,
                                      struct cgs_amg_level *coarser)
{
    struct cgs_portion *portion = &coarser->portion;
    CGS_TRY(cgs_shared_renumber(queue_of(setup)->context, cuts, rows, portion));
    portion->before = portion->before > read->before ? portion->before : read->before;
    portion->after = portion->after > read->after ? portion->after : read->after;
    CGS_TRY(cgs_shared_operator(&setup->by, portion, rows, &coarser->op, &coarser->product));
    CGS_TRY(cgs_shared_jacobi(&setup->by, portion, rows, &coarser->op, &coarser->jacobi));
    return cgs_amg_charge(setup, CGS_AMG_OPERATORS);
}

/* Makes the coarser grid's operators of step->coarse, which *a has then. */
static enum cgs_status make_coarser(struct cgs_amg_setup *setup, const struct cgs_portion *read,
                                    struct cgs_amg_level *coarser, struct step *step,
                                    struct cgs_shared *a)
{
    const struct cgs_galerkin *host = &setup->by_host;
    struct cgs_sparse laid = {0};
    if (setup->near.count == 0) {
        CGS_TRY(make_operators(setup, read, step->laid, &step->coarse, coarser));
        return cgs_shared_take(host, &coarser->portion, &step->coarse, a);
    }
    enum cgs_status status = cgs_shared_recut(host, step->cuts, step->laid, &step->coarse, &laid);
    if (status == CGS_OK)
        status = make_operators(setup, read, step->laid, &laid, coarser);
    host->sparse->release(queue_of(setup), &laid);
    if (status == CGS_OK)
        status = cgs_shared_renumber(queue_of(setup)->context, step->cuts, &step->coarse,
                                     &coarser->nodal);
    return status == CGS_OK ? cgs_shared_take(host, &coarser->nodal, &step->coarse, a) : status;
}

/* The same of a grid of which each rank has all rows. */
static enum cgs_status gather_coarser(struct cgs_amg_setup *setup, struct cgs_amg_level *coarser,
                                      struct step *step, struct cgs_crs *whole)
{
    struct cgs_queue *queue = queue_of(setup);
    CGS_TRY(cgs_shared_gather(queue->context, step->cuts, &step->coarse, whole));
    if (setup->near.count > 0)
        CGS_TRY(gather_vectors(setup, step->cuts));
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
    coarser->nodes = setup->near.count > 0 ? count_nodes(setup) : 0;
    CGS_TRY(make_transfer(setup, cuts, level, step));
    CGS_TRY(cgs_amg_mend_shared(&level->op.domain, cgs_jacobi_inverse(&level->jacobi),
                                &setup->near, step->cuts[queue_of(setup)->context->comm->rank],
                                &step->coarse));
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
    number_columns(a, true);
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
    enum cgs_status status = take_vectors(setup, &a);
    if (status == CGS_OK)
        status = cgs_amg_charge(setup, CGS_AMG_DRAW);
    if (status == CGS_OK)
        status = make_grids(setup, &a, l, whole);
    if (status != CGS_OK)
        cgs_crs_release(queue_of(setup)->context, whole);
    cgs_shared_release(&setup->by_host, &a);
    return status;
}
