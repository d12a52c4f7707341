/* Set-up of multigrid on several ranks (core/precond/shared.h, core/precond/amg_shared.c),
 * threads of this process: aggregates, smoothed interpolation, Galerkin products and grids have
 * the bits of one process, however rows are cut; and where one rank lacks memory, all end with
 * its message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/precond/amg.h"
#include "core/precond/shared.h"
#include "kernels/amg.h"
#include "kernels/amg/aggregate_cpu.h"
#include "kernels/amg/fit_cpu.h"
#include "kernels/amg/fit_shared.h"
#include "kernels/amg/nodes_cpu.h"
#include "kernels/amg/prolong_cpu.h"
#include "kernels/vector/blocks.h"
#include "matrix/layout.h"
#include "matrix/ranks/cut.h"
#include "tests/support/amg.h"
#include "tests/support/ranks.h"

#define need(context, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (context)->message)

static const int teams[] = {1, 2, 3, 7};
enum { TEAMS = sizeof teams / sizeof *teams };

/* ---- a rank, its rows ---- */

static enum cgs_status open_machine(struct cgs_context *context, struct cgs_machine *machine)
{
    *machine = (struct cgs_machine){.device = CGS_CPU, .backend = cgs_backend(CGS_CPU)};
    CGS_TRY(machine->backend->open(context, 0, &machine->queue));
    machine->host_queue = machine->queue;
    CGS_TRY(cgs_kernel_find(context, "crs_row", CGS_CPU, CGS_CRS, &machine->entry));
    machine->kernel = machine->entry->tables[CGS_PRECISION_F64];
    return CGS_OK;
}

/* Rows first ... last - 1, on the host. */
static struct cgs_sparse take_rows(struct cgs_queue *queue, const struct smmp *m, int64_t first,
                                   int64_t last)
{
    const struct cgs_sparse_ops *ops = cgs_backend(CGS_CPU)->sparse[CGS_F64];
    const int64_t begin = m->start[first], entries = m->start[last] - begin;
    struct cgs_sparse made;
    need(queue->context, ops->pointers(queue, "rows", last - first, m->columns, &made));
    need(queue->context, ops->entries(queue, "rows", entries, &made));
    for (int64_t i = first; i <= last; i++)
        made.pointers[i - first] = m->start[i] - begin;
    memcpy(made.column, m->column + begin, (size_t)entries * sizeof *made.column);
    memcpy(made.value, m->value + begin, (size_t)entries * sizeof *m->value);
    return made;
}

static struct smmp copy_of(const struct cgs_sparse *m)
{
    const size_t entries = (size_t)m->nonzeros;
    struct smmp made = {.rows = m->rows, .columns = m->columns};
    made.start = must_have((size_t)(m->rows + 1) * sizeof *made.start);
    made.column = must_have((entries + 1) * sizeof *made.column);
    made.value = must_have((entries + 1) * sizeof *made.value);
    memcpy(made.start, m->pointers, (size_t)(m->rows + 1) * sizeof *made.start);
    memcpy(made.column, m->column, entries * sizeof *made.column);
    memcpy(made.value, m->value, entries * sizeof *made.value);
    return made;
}

/* `got` are rows `first` ... of `right`, to the bit. */
static void check_rows(const char *what, const struct cgs_sparse *got, const struct smmp *right,
                       int64_t first)
{
    const int64_t begin = right->start[first];
    ck_assert_int_eq(got->columns, right->columns);
    ck_assert_int_le(first + got->rows, right->rows);
    for (int64_t i = 0; i < got->rows; i++) {
        const int64_t e = got->pointers[i], entries = got->pointers[i + 1] - e;
        ck_assert_msg(e == right->start[first + i] - begin &&
                          entries == right->start[first + i + 1] - right->start[first + i] &&
                          memcmp(got->column + e, right->column + begin + e,
                                 (size_t)entries * sizeof *got->column) == 0 &&
                          memcmp((const double *)got->value + e, right->value + begin + e,
                                 (size_t)entries * sizeof(double)) == 0,
                      "%s: row %lld differs", what, (long long)(first + i));
    }
}

/* Cuts rows unequally, the first parts being the smallest; coarse ones so that rank 1 of several
 * gets none. */
static void cut_rows(int64_t rows, int ranks, bool coarse, int64_t *cuts)
{
    for (int r = 0; r <= ranks; r++)
        cuts[r] = coarse ? rows * r / ranks : rows * r * (r + ranks) / (2 * ranks * ranks);
    if (coarse && ranks > 1)
        cuts[1] = cuts[2];
}

/* Makes a matrix shared at these cuts. */
static void share(const struct cgs_galerkin *host, const struct smmp *a, const int64_t *cuts,
                  struct cgs_portion *portion, struct cgs_shared *shared)
{
    struct cgs_queue *queue = host->machine->queue;
    const int rank = queue->context->comm->rank;
    struct cgs_sparse rows = take_rows(queue, a, cuts[rank], cuts[rank + 1]);
    need(queue->context, cgs_shared_renumber(queue->context, cuts, &rows, portion));
    need(queue->context, cgs_shared_take(host, portion, &rows, shared));
    ck_assert_int_eq(shared->nonzeros, a->start[a->rows]);
}

/* ---- products ---- */

struct products {
    struct smmp a, p;
    struct smmp r, coarse; /* of one process */
};

static void multiply_alone(const struct cgs_galerkin *host, struct products *task)
{
    struct cgs_queue *queue = host->machine->queue;
    struct cgs_sparse a = take_rows(queue, &task->a, 0, task->a.rows);
    struct cgs_sparse p = take_rows(queue, &task->p, 0, task->p.rows), r, coarse;
    need(queue->context, cgs_galerkin_project(host, &a, &p, &r, &coarse));
    task->r = copy_of(&r);
    task->coarse = copy_of(&coarse);
    struct cgs_sparse *all[] = {&a, &p, &r, &coarse};
    for (int i = 0; i < 4; i++)
        host->sparse->release(queue, all[i]);
}

static void check_gathered(const struct cgs_galerkin *host, const int64_t *cuts,
                           const struct cgs_sparse *rows, const struct smmp *right)
{
    struct cgs_context *context = host->machine->queue->context;
    struct cgs_crs whole;
    need(context, cgs_shared_gather(context, cuts, rows, &whole));
    const struct cgs_sparse view = {.rows = whole.rows,
                                    .columns = whole.columns,
                                    .nonzeros = whole.pointers[whole.rows],
                                    .pointers = whole.pointers,
                                    .column = whole.column,
                                    .value = whole.value};
    ck_assert_int_eq(whole.rows, right->rows);
    check_rows("all rows", &view, right, 0);
    cgs_crs_release(context, &whole);
}

static void multiply(struct cgs_context *context, void *user)
{
    struct products *task = user;
    struct cgs_machine machine;
    struct cgs_galerkin host;
    need(context, open_machine(context, &machine));
    need(context, cgs_galerkin_find(&machine, CGS_F64, &host));
    if (context->comm) {
        const int rank = context->comm->rank, ranks = context->comm->size;
        int64_t cuts[TEAM_MOST + 1], coarse_cuts[TEAM_MOST + 1];
        struct cgs_portion portion;
        struct cgs_shared a;
        struct cgs_sparse r, coarse;
        cut_rows(task->a.rows, ranks, false, cuts);
        cut_rows(task->p.columns, ranks, true, coarse_cuts);
        share(&host, &task->a, cuts, &portion, &a);
        struct cgs_sparse p = take_rows(machine.queue, &task->p, cuts[rank], cuts[rank + 1]);
        need(context, cgs_shared_project(&host, &a, &p, coarse_cuts, &r, &coarse));
        ck_assert_int_eq(coarse.rows, coarse_cuts[rank + 1] - coarse_cuts[rank]);
        check_rows("P'", &r, &task->r, coarse_cuts[rank]);
        check_rows("P'A P", &coarse, &task->coarse, coarse_cuts[rank]);
        check_gathered(&host, coarse_cuts, &coarse, &task->coarse);
        host.sparse->release(machine.queue, &coarse);
        host.sparse->release(machine.queue, &r);
        host.sparse->release(machine.queue, &p);
        cgs_shared_release(&host, &a);
        cgs_portion_release(context, &portion);
    } else {
        multiply_alone(&host, task);
    }
    machine.backend->close(machine.queue);
}

LOOP_TEST(products_of_one_process, AMG_KINDS)
{
    static const enum lengths lengths[] = {FULL_ROW, FULL_COLUMN, THREE, UP_TO_NINE, THIRDS};
    enum { FULL = 2, LENGTHS = sizeof lengths / sizeof *lengths, FEW = 1000 };
    struct products task = {.a = amg_matrix(_i)};
    const int which =
        task.a.rows <= FEW ? _i % LENGTHS : FULL + _i % (LENGTHS - FULL); /* else P'A P is full */
    task.p =
        smmp_make(task.a.rows, task.a.rows / 3 + 1, lengths[which], CGS_F64, 17 + (uint64_t)_i);
    for (int t = 0; t < TEAMS; t++)
        team_run(teams[t], multiply, &task);
    smmp_free(&task.a), smmp_free(&task.p), smmp_free(&task.r), smmp_free(&task.coarse);
}

/* ---- aggregates ---- */

struct aggregation {
    struct smmp a;
    double theta;
    int64_t count;
    int32_t *of; /* of one process, as is p */
    struct smmp p;
};

static const double omega = 0.6;

static void aggregate_alone(struct cgs_machine *machine, struct aggregation *task)
{
    struct cgs_queue *queue = machine->queue;
    const struct cgs_amg_ops *ops = machine->backend->amg;
    struct cgs_sparse a = take_rows(queue, &task->a, 0, task->a.rows), p;
    struct cgs_aggregates made;
    int64_t aggregated;
    need(queue->context, ops->aggregate(queue, &a, task->theta, &made));
    need(queue->context,
         ops->prolong(queue, &a, &made, task->theta, omega, &p, &aggregated));
    task->count = made.count;
    task->of = must_have((size_t)(a.rows + 1) * sizeof *task->of);
    memcpy(task->of, made.of, (size_t)a.rows * sizeof *task->of);
    task->p = copy_of(&p);
    ops->release(queue, &made);
    machine->backend->sparse[CGS_F64]->release(queue, &p);
    machine->backend->sparse[CGS_F64]->release(queue, &a);
}

static void check_aggregates(const struct aggregation *task, const struct cgs_shared *a,
                             const struct cgs_aggregates *made)
{
    ck_assert_int_eq(made->count, task->count);
    ck_assert_int_eq(made->rows, a->ghosts.columns);
    for (int64_t c = 0; c < made->rows; c++) {
        const int64_t row = cgs_portion_global(a->portion, c - a->portion->below);
        ck_assert_int_eq(made->of[c], task->of[row]);
    }
    ck_assert(made->first >= 0 && made->first <= made->count && made->first <= a->portion->first);
}

static void aggregate(struct cgs_context *context, void *user)
{
    struct aggregation *task = user;
    struct cgs_machine machine;
    struct cgs_galerkin host;
    need(context, open_machine(context, &machine));
    need(context, cgs_galerkin_find(&machine, CGS_F64, &host));
    if (context->comm) {
        int64_t cuts[TEAM_MOST + 1];
        struct cgs_portion portion;
        struct cgs_shared a;
        struct cgs_aggregates made;
        struct cgs_sparse p;
        cut_rows(task->a.rows, context->comm->size, false, cuts);
        share(&host, &task->a, cuts, &portion, &a);
        need(context,
             cgs_amg_aggregate_shared(machine.queue, &a.rows, &a.ghosts, task->theta, &made));
        check_aggregates(task, &a, &made);
        need(context, cgs_amg_prolong_shared(machine.queue, &a.rows, &a.ghosts, &made, task->theta,
                                             omega, &p));
        check_rows("P", &p, &task->p, portion.first);
        host.sparse->release(machine.queue, &p);
        machine.backend->amg->release(machine.queue, &made);
        cgs_shared_release(&host, &a);
        cgs_portion_release(context, &portion);
    } else {
        aggregate_alone(&machine, task);
    }
    machine.backend->close(machine.queue);
}

LOOP_TEST(aggregates_of_one_process, AMG_KINDS)
{
    static const double thetas[] = {0.0, 0.02, 0.1, 0.5};
    for (size_t k = 0; k < sizeof thetas / sizeof *thetas; k++) {
        struct aggregation task = {.a = amg_matrix(_i), .theta = thetas[k]};
        for (int t = 0; t < TEAMS; t++)
            team_run(teams[t], aggregate, &task);
        free(task.of);
        smmp_free(&task.p), smmp_free(&task.a);
    }
}

/* ---- near-null vectors ---- */

enum { VECTORS = 3 };

struct vectors {
    struct smmp a;
    double *columns;
    int block;
    int64_t nodes, aggregates; /* of one process, as all that follows */
    int32_t *of; /* nodes */
    struct smmp condensed, t;
    double *coarse; /* VECTORS numbers of each column of t */
};

static void fit_alone(struct cgs_machine *machine, struct vectors *task)
{
    struct cgs_queue *queue = machine->queue;
    const struct cgs_amg_ops *ops = machine->backend->amg;
    const struct cgs_sparse_ops *sparse = machine->backend->sparse[CGS_F64];
    struct cgs_sparse a = take_rows(queue, &task->a, 0, task->a.rows), condensed, t;
    struct cgs_near_null near, coarse;
    struct cgs_aggregates made;
    int64_t aggregated;
    need(queue->context,
         ops->near_null->begin(queue, &a, VECTORS, task->columns, task->block, &near));
    need(queue->context, ops->near_null->condense(queue, &a, &near, &condensed));
    need(queue->context, ops->aggregate(queue, &condensed, 0.02, &made));
    need(queue->context, ops->near_null->fit(queue, &made, &near, &t, &coarse, &aggregated));
    task->nodes = near.nodes;
    task->aggregates = made.count;
    task->of = must_have((size_t)(near.nodes + 1) * sizeof *task->of);
    memcpy(task->of, made.of, (size_t)near.nodes * sizeof *task->of);
    task->condensed = copy_of(&condensed);
    task->t = copy_of(&t);
    const size_t numbers = (size_t)(t.columns * VECTORS);
    task->coarse = must_have((numbers + 1) * sizeof *task->coarse);
    memcpy(task->coarse, coarse.vector, numbers * sizeof *task->coarse);
    ops->release(queue, &made);
    ops->near_null->release(queue, &near);
    ops->near_null->release(queue, &coarse);
    sparse->release(queue, &condensed);
    sparse->release(queue, &t);
    sparse->release(queue, &a);
}

/* Cuts rows unequally, at multiples of 6. */
static void cut_nodes(int64_t rows, int ranks, int64_t *cuts)
{
    cut_rows(rows, ranks, false, cuts);
    for (int r = 1; r < ranks; r++)
        cuts[r] = cuts[r] / 6 * 6;
}

/* This rank's rows of the columns, one after the other. */
static double *take_columns(const struct vectors *task, const struct cgs_portion *portion)
{
    double *mine = must_have((size_t)(portion->count * VECTORS + 1) * sizeof *mine);
    for (int k = 0; k < VECTORS; k++)
        memcpy(mine + k * portion->count, task->columns + k * task->a.rows + portion->first,
               (size_t)portion->count * sizeof *mine);
    return mine;
}

/* T and coarse vectors, of aggregates that are given to ranks by other cuts than nodes: one of them
 * gets none. nodes: cuts of the nodes. */
static void check_fit(struct cgs_queue *queue, const struct vectors *task, int64_t first,
                      const struct cgs_near_null *near, const int64_t *nodes)
{
    struct cgs_context *context = queue->context;
    const int rank = context->comm->rank, ranks = context->comm->size;
    int64_t starts[TEAM_MOST + 1], columns[TEAM_MOST + 1], aggregated, filled = 0;
    struct cgs_sparse t;
    struct cgs_near_null coarse;
    cut_rows(task->aggregates, ranks, true, starts);
    need(context, cgs_near_null_shared_fit(queue, starts, task->of + nodes[rank], near, &t, &coarse,
                                           &aggregated));
    check_rows("T", &t, &task->t, first);
    for (int64_t i = 0; i < t.rows; i++)
        filled += t.pointers[i + 1] > t.pointers[i];
    ck_assert_int_eq(aggregated, filled);
    cgs_comm_starts(context, coarse.first[coarse.nodes], columns);
    ck_assert_int_eq(columns[ranks], task->t.columns);
    ck_assert(memcmp(coarse.vector, task->coarse + columns[rank] * VECTORS,
                     (size_t)(coarse.first[coarse.nodes] * VECTORS) * sizeof(double)) == 0);
    cgs_near_null_cpu_release(queue, &coarse);
    cgs_backend(CGS_CPU)->sparse[CGS_F64]->release(queue, &t);
}

/* Nodes, their matrix and T of this rank's rows. */
static void fit_part(struct cgs_machine *machine, const struct cgs_galerkin *host,
                     const struct vectors *task)
{
    struct cgs_queue *queue = machine->queue;
    struct cgs_context *context = queue->context;
    const int rank = context->comm->rank, ranks = context->comm->size;
    int64_t cuts[TEAM_MOST + 1], nodes[TEAM_MOST + 1];
    struct cgs_portion portion;
    struct cgs_shared a;
    struct cgs_near_null near;
    struct cgs_sparse condensed;
    cut_nodes(task->a.rows, ranks, cuts);
    struct cgs_sparse rows = take_rows(queue, &task->a, cuts[rank], cuts[rank + 1]);
    share(host, &task->a, cuts, &portion, &a);
    double *columns = take_columns(task, &portion);
    need(context, cgs_near_null_shared_begin(queue, &rows, portion.first, VECTORS, columns,
                                             task->block, &near));
    cgs_comm_starts(context, near.nodes, nodes);
    ck_assert_int_eq(nodes[ranks], task->nodes);
    need(context,
         cgs_near_null_shared_condense(queue, &a.rows, &a.ghosts, &near, nodes, &condensed));
    check_rows("matrix of nodes", &condensed, &task->condensed, nodes[rank]);
    check_fit(queue, task, portion.first, &near, nodes);
    free(columns);
    cgs_near_null_cpu_release(queue, &near);
    host->sparse->release(queue, &condensed);
    host->sparse->release(queue, &rows);
    cgs_shared_release(host, &a);
    cgs_portion_release(context, &portion);
}

static void fit(struct cgs_context *context, void *user)
{
    struct vectors *task = user;
    struct cgs_machine machine;
    struct cgs_galerkin host;
    need(context, open_machine(context, &machine));
    need(context, cgs_galerkin_find(&machine, CGS_F64, &host));
    if (context->comm)
        fit_part(&machine, &host, task);
    else
        fit_alone(&machine, task);
    machine.backend->close(machine.queue);
}

/* Vectors of random numbers, the last the sum of the others, so that T has VECTORS - 1 columns an
 * aggregate; block 0: by the pattern, which a path has in no nodes. */
TEST(near_null_vectors_of_one_process)
{
    static const int blocks[] = {0, 1, 2, 3, 6};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        struct vectors task = {.a = amg_path(606), .block = blocks[k]};
        const int64_t rows = task.a.rows;
        task.columns = must_have((size_t)(rows * VECTORS) * sizeof *task.columns);
        for (int64_t i = 0; i < rows; i++) {
            task.columns[i] = 1.5 + cgs_random((uint64_t)i);
            task.columns[rows + i] = cgs_random((uint64_t)(rows + i));
            task.columns[2 * rows + i] = task.columns[i] + task.columns[rows + i];
        }
        for (int t = 0; t < TEAMS; t++)
            team_run(teams[t], fit, &task);
        free(task.columns), free(task.of), free(task.coarse);
        smmp_free(&task.a), smmp_free(&task.condensed), smmp_free(&task.t);
    }
}

/* ---- grids ---- */

/* Paths, of which two ranks share the first grids: of two and more, and of one that has an
 * inverse; with or without rows at the end that nothing holds; without or with near-null vectors,
 * constants and slopes, on nodes of so many rows. */
static const struct {
    int64_t rows;
    int shared;
    int free;  /* rows at the end that nothing holds */
    int block; /* 0: no vectors */
} paths[] = {{4200, 2, 0, 0}, {300, 1, 0, 0},  {4200, 2, 2, 0}, {1500, 2, 2, 0}, {4200, 2, 7, 0},
             {1500, 2, 7, 0}, {4200, 3, 0, 1}, {4200, 2, 2, 2}, {300, 1, 0, 3}};
enum { PATHS = sizeof paths / sizeof *paths };

/* Returns a path whose last rows are one of their own, if there are to be some: the coarse row of
 * two, (1 -1; -1 1), is 0, that of more 0 to rounding. */
static struct smmp path_of(int which)
{
    const int64_t n = paths[which].rows, end = n - paths[which].free;
    struct smmp a = amg_path(n);
    for (int64_t i = end - 1; i < n && end < n; i++)
        for (int64_t e = a.start[i]; e < a.start[i + 1]; e++) {
            const int64_t j = a.column[e];
            if ((i < end) != (j < end))
                a.value[e] = 0.0;
            else if (i >= end)
                a.value[e] = i != j ? -1.0 : i == end || i == n - 1 ? 1.0 : 2.0;
        }
    return a;
}

/* Grids that one process made of a path, and a rank that is to starve. */

struct grids {
    struct smmp a;
    int shared;         /* grids */
    int block;          /* of nodes with vectors; 0: without */
    struct cgs_amg one; /* facts of its levels */
    int64_t k;          /* the allocation of rank 1 that fails; 0: none */
    enum cgs_status ended;
};

/* Objects of a rank so far. */
struct made {
    struct cgs_machine machine;
    struct cgs_portion portion;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_amg amg;
    double *near;
};

static enum cgs_status lay_out(struct cgs_context *context, const struct cgs_row_source *whole,
                               struct cgs_row_source *local, struct made *made)
{
    *local = *whole;
    if (context->comm) {
        CGS_TRY(cgs_portion_create(
            context, whole, cgs_blocks_both(cgs_blocks_unit(whole->rows, 1, 1), 6),
            context->comm->rank, context->comm->size, &made->portion));
        *local = cgs_portion_source(&made->portion);
    }
    return cgs_matrix_create(context, local, CGS_CRS, 1, 1, &made->matrix);
}

/* Makes constants and slopes of this rank's rows. */
static struct cgs_near_null_asked take_near(int block, struct made *made)
{
    const int64_t rows = made->matrix.rows, first = made->portion.first;
    if (block == 0)
        return (struct cgs_near_null_asked){0};
    made->near = must_have((size_t)(2 * rows + 1) * sizeof *made->near);
    for (int64_t i = 0; i < rows; i++) {
        made->near[i] = 1.0;
        made->near[rows + i] = 1e-3 * (double)(first + i);
    }
    return (struct cgs_near_null_asked){2, block, made->near};
}

static enum cgs_status make_grids(struct cgs_context *context, const struct cgs_row_source *whole,
                                  int block, struct cgs_row_source *local, struct made *made)
{
    struct cgs_machine *m = &made->machine;
    /* no threads: all grids that have no inverse take longer than messages */
    struct cgs_spec spec = {
        .backend = cgs_backend(CGS_CPU), .degree = 2, .strength = 0.02, .threads = 0};
    CGS_TRY(cgs_comm_agree(context, open_machine(context, m)));
    CGS_TRY(cgs_comm_agree(context, lay_out(context, whole, local, made)));
    spec.near = take_near(block, made);
    CGS_TRY(
        cgs_comm_agree(context, cgs_operator_create(m->queue, m->backend, m->kernel,
                                                    CGS_PRECISION_F64, &made->matrix, &made->op)));
    return cgs_comm_agree(context,
                          cgs_amg_create(&spec, m, &made->matrix, &made->op, CGS_F32, NULL,
                                         &made->amg));
}

static void check_levels(const struct cgs_amg *amg, int shared, const struct cgs_amg *one)
{
    ck_assert_int_eq(amg->count, one->count);
    ck_assert_int_ge(amg->count, shared);
    ck_assert(amg->inverted == one->inverted && amg->end == one->end);
    ck_assert_int_eq(amg->vectors, one->vectors);
    for (int l = 0; l < amg->count; l++) {
        const struct cgs_amg_level *level = &amg->level[l], *right = &one->level[l];
        ck_assert_int_eq(level->shared, l < shared);
        ck_assert_int_eq(level->rows, right->rows);
        ck_assert_int_eq(level->nonzeros, right->nonzeros);
        ck_assert_int_eq(level->aggregated, right->aggregated);
        ck_assert_int_eq(level->nodes, right->nodes);
        if (amg->vectors == 0)
            ck_assert(level->high == right->high);
        else /* one process has sums of coarse grids by nodes */
            ck_assert(fabs(level->high - right->high) <= 1e-6 * right->high);
    }
}

static void build(struct cgs_context *context, void *user)
{
    struct grids *task = user;
    struct made made = {0};
    const struct plain plain = {.rows = task->a.rows,
                                .columns = task->a.columns,
                                .start = task->a.start,
                                .column = task->a.column,
                                .value = task->a.value};
    const struct cgs_row_source whole = plain_source(&plain);
    struct cgs_row_source local;
    if (context->comm && context->comm->rank == 1 && task->k > 0)
        context->starve_in[CGS_HOST] = task->k;
    const enum cgs_status status = make_grids(context, &whole, task->block, &local, &made);
    if (!context->comm)
        task->one = made.amg;
    else if (status == CGS_OK)
        check_levels(&made.amg, task->shared, &task->one);
    else
        ck_assert_msg(strncmp(context->message, "rank 1: ", 8) == 0, "%s", context->message);
    cgs_amg_release(context, &made.amg);
    cgs_operator_release(&made.op);
    cgs_matrix_release(context, &made.matrix);
    cgs_portion_release(context, &made.portion);
    free(made.near);
    if (made.machine.queue)
        made.machine.backend->close(made.machine.queue);
    if (context->comm)
        ck_assert_int_eq((int)cgs_comm_most(&(struct cgs_context){.comm = context->comm}, status),
                         status);
    if (cgs_comm_first(context))
        task->ended = status;
}

LOOP_TEST(grids_of_one_process, PATHS)
{
    struct grids task = {
        .a = path_of(_i), .shared = paths[_i].shared, .block = paths[_i].block};
    team_run(1, build, &task);
    ck_assert_int_eq(task.ended, CGS_OK);
    team_run(2, build, &task);
    ck_assert_int_eq(task.ended, CGS_OK);
    smmp_free(&task.a);
}

/* Wherever rank 1 of 2 lacks memory, both end with its message, and hold nothing. */
LOOP_TEST(starved_rank, PATHS)
{
    struct grids task = {
        .a = path_of(_i), .shared = paths[_i].shared, .block = paths[_i].block};
    team_run(1, build, &task);
    do {
        task.k++;
        team_run(2, build, &task);
        ck_assert(task.ended == CGS_MEMORY || task.ended == CGS_OK);
    } while (task.ended != CGS_OK);
    ck_assert_int_gt(task.k, paths[_i].shared > 1 ? 150 : 30);
    smmp_free(&task.a);
}

int main(void)
{
    return bed_tests("shared", 120);
}
