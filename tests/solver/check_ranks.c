/* CG on several ranks (solver/ranks.h), threads of this process: the history and the solution
 * have the bits of one rank, for all kernels that share rows, precisions, preconditioners and
 * forms of the iteration; how often ranks wait for sums; and a failure on one rank is one on
 * all. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fem/assembly.h"
#include "fem/mesh.h"
#include "fem/order/cells.h"
#include "fem/order/rows.h"
#include "kernels/vector/blocks.h"
#include "matrix/layout.h"
#include "matrix/ranks/cut.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
#include "solver/jacobi.h"
#include "solver/smoother.h"
#include "tests/support/ranks.h"
#include "tests/support/support.h"

enum { N = 7, CELLS = 4, CHUNK = 8, ITERATIONS = 40, DEGREE = 3 }; /* cells of order 2 */

/* The task of the ranks, and room for their results. */
struct task {
    const struct plain *plain;
    const struct cgs_kernel_entry *entry;
    enum cgs_precision precision;
    bool polynomial; /* Chebyshev, else Jacobi */
    enum cgs_cg_method method;
    int threads;    /* of a rank */
    int32_t sigma;  /* of formats of chunks */
    int64_t limit;  /* of iterations; 0: ITERATIONS */
    int gatherings; /* of the solve, where they are counted */
    double *x;      /* of all rows */
    double history[ITERATIONS + 1];
    int64_t iterations;
};

#define need(context, call) ck_assert_msg((call) == CGS_OK, "%s: %s", #call, (context)->message)

/* Rows of a rank: those of its portion, or all. */
struct rows {
    struct cgs_mesh mesh;
    struct cgs_row_source whole, local;
    struct cgs_portion portion;
    int64_t first;
    struct cgs_matrix matrix;
};

/* Returns true of the kernel of cells of higher order on any mesh, and of both such kernels, which
 * have a mesh of their own. */
static bool is_of_cells(const struct cgs_kernel_entry *entry)
{
    return strcmp(entry->name, "order_cells") == 0;
}

static bool is_of_order(const struct cgs_kernel_entry *entry)
{
    return strcmp(entry->name, "order") == 0 || is_of_cells(entry);
}

static void take_cells(struct cgs_context *context, bool deformed, struct rows *rows)
{
    const struct cgs_mesh cells = cgs_mesh_cube(CELLS - 1, CGS_GAUSS, 1.0);
    rows->mesh = cgs_mesh_of_order(&cells, (N + 1) / CELLS);
    if (deformed) {
        rows->mesh.deform = 0.1;
        rows->mesh.gauss = true;
    }
    need(context, (deformed ? cgs_order_cells_source : cgs_order_source)(context, &rows->mesh,
                                                                         &rows->whole));
}

static void release_mesh(struct cgs_context *context, const struct task *task, struct rows *rows)
{
    (is_of_cells(task->entry)   ? cgs_order_cells_release
     : is_of_order(task->entry) ? cgs_order_release
                                : cgs_assembler_release)(context, &rows->whole);
}

static void take_rows(struct cgs_context *context, const struct task *task, struct rows *rows)
{
    const bool free = task->entry->format == CGS_NONE;
    *rows = (struct rows){.mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0)};
    if (is_of_order(task->entry))
        take_cells(context, is_of_cells(task->entry), rows);
    else if (free)
        need(context,
             cgs_assembler_create(context, &rows->mesh, cgs_gather_of(&rows->mesh), &rows->whole));
    else
        rows->whole = plain_source(task->plain);
    const int64_t unit =
        free ? rows->whole.unit : cgs_blocks_unit(rows->whole.rows, CHUNK, task->sigma);
    rows->local = rows->whole;
    if (context->comm) {
        need(context, cgs_portion_create(context, &rows->whole, unit, context->comm->rank,
                                         context->comm->size, &rows->portion));
        rows->local = cgs_portion_source(&rows->portion);
        rows->first = rows->portion.first;
    }
    need(context, cgs_matrix_create(context, &rows->local, task->entry->format, CHUNK, task->sigma,
                                    &rows->matrix));
}

/* The communicator's operations, with gatherings counted on each rank. */
static const struct cgs_comm_ops *counted;
static _Thread_local int gathered;

static void gather(struct cgs_comm *comm, const double *mine, const int *counts, double *all)
{
    gathered++;
    counted->gather(comm, mine, counts, all);
}

/* Solves, and counts gatherings where that is wanted. */
static enum cgs_status solve_counted(struct cgs_context *context, struct cgs_cg *cg,
                                     struct cgs_cg_result *result, int *gatherings)
{
    if (!context->comm || !counted)
        return cgs_cg_solve(cg, result);
    struct cgs_comm_ops ops = *counted;
    ops.gather = gather;
    gathered = 0;
    context->comm->ops = &ops;
    const enum cgs_status status = cgs_cg_solve(cg, result);
    context->comm->ops = counted;
    if (cgs_comm_first(context))
        *gatherings = gathered;
    return status;
}

static void solve(struct cgs_context *context, const struct task *task, const struct rows *rows,
                  struct cgs_queue *queue, struct task *out)
{
    const struct cgs_backend *cpu = cgs_backend(CGS_CPU);
    const struct cgs_cg_settings settings = {.tolerance = 1e-9,
                                             .max_iterations =
                                                 task->limit ? task->limit : ITERATIONS,
                                             .method = task->method};
    struct cgs_operator op, jacobi, polynomial = {0};
    struct cgs_cg_result result;
    struct cgs_cg *cg;
    double high, *b = must_have((size_t)rows->local.rows * sizeof *b);
    need(context, cgs_operator_create(queue, cpu, task->entry->tables[task->precision],
                                      task->precision, &rows->matrix, &op));
    need(context, cgs_jacobi_create(queue, &op, &rows->local, &jacobi));
    need(context, cgs_eigenvalue_bound(queue, &op, &jacobi, 6, 1.1, &high));
    if (task->polynomial)
        need(context,
             cgs_chebyshev_create(queue, &op, &jacobi, DEGREE, 0.05 * high, high, &polynomial));
    need(context,
         cgs_cg_create(queue, &op, task->polynomial ? &polynomial : &jacobi, &settings, &cg));
    for (int64_t i = 0; i < rows->local.rows; i++)
        b[i] = cgs_random((uint64_t)(rows->first + i));
    need(context, op.domain.ops->put(&op.domain, b, 0, rows->local.rows, cgs_cg_rhs(cg)));
    need(context, solve_counted(context, cg, &result, &out->gatherings));
    need(context, op.domain.ops->get(&op.domain, cgs_cg_solution(cg), 0, rows->local.rows,
                                     out->x + rows->first));
    if (cgs_comm_first(context)) {
        out->iterations = result.iterations;
        memcpy(out->history, result.history,
               (size_t)(result.iterations + 1) * sizeof *out->history);
    }
    if (context->comm) {
        const struct cgs_comm_time *time = &context->comm->time; /* of the iterations */
        ck_assert_int_ge(time->halo_count, result.iterations);
        const int gatherings = task->method == CGS_CG_STANDARD ? 2 : 1;
        ck_assert_int_ge(time->sum_count, gatherings * result.iterations);
        ck_assert(0.0 <= time->waiting && time->waiting <= time->sums);
    }
    cgs_cg_release(cg);
    cgs_operator_release(&polynomial);
    cgs_operator_release(&jacobi);
    cgs_operator_release(&op);
    free(b);
}

static void work(struct cgs_context *context, void *user)
{
    const struct cgs_backend *cpu = cgs_backend(CGS_CPU);
    struct cgs_queue *queue;
    struct rows rows;
    context->threads = ((const struct task *)user)->threads;
    take_rows(context, user, &rows);
    need(context, cpu->open(context, 0, &queue));
    solve(context, user, &rows, queue, user);
    cpu->close(queue);
    cgs_matrix_release(context, &rows.matrix);
    cgs_portion_release(context, &rows.portion);
    if (rows.whole.mesh)
        release_mesh(context, user, &rows);
}

/* Solves on 1, 2, 3 and 7 ranks, two of two threads each, and compares; on no more ranks than
 * there are cells of higher order. */
static void same_on_all(struct task *task)
{
    static const int teams[] = {1, 2, 3, 7};
    struct task one = *task;
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++) {
        if (is_of_order(task->entry) && teams[t] > CELLS)
            continue;
        task->x = must_have((size_t)task->plain->rows * sizeof *task->x);
        task->threads = teams[t] == 2 ? 2 : 1;
        team_run(teams[t], work, task);
        if (t == 0) {
            one = *task;
            ck_assert_int_gt(one.iterations, 2);
            continue;
        }
        ck_assert_int_eq(task->iterations, one.iterations);
        ck_assert_mem_eq(task->history, one.history,
                         (size_t)(one.iterations + 1) * sizeof *one.history);
        ck_assert_mem_eq(task->x, one.x, (size_t)task->plain->rows * sizeof *one.x);
        free(task->x);
    }
    free(one.x);
}

LOOP_TEST(bits_of_one_rank, CGS_PRECISIONS)
{
    struct plain *plain = plain_q1(N);
    int kernels = 0, count;
    const struct cgs_kernel_entry *all = cgs_kernels(&count);
    for (int i = 0; i < count; i++) {
        const struct cgs_kernel_entry *entry = &all[i];
        const struct cgs_kernel *kernel = entry->tables[_i];
        if (entry->device != CGS_CPU || !kernel || !kernel->shared || !kernel->reproducible)
            continue;
        kernels++;
        for (int way = 0; way < 3; way++) {
            struct task task = {.plain = plain,
                                .entry = entry,
                                .precision = (enum cgs_precision)_i,
                                .polynomial = way == 1,
                                .sigma = way == 1 ? 2 * CHUNK : 1,
                                .method = way == 2 ? CGS_CG_SINGLE_REDUCTION : CGS_CG_STANDARD};
            same_on_all(&task);
        }
    }
    ck_assert_int_ge(kernels, 8);
    plain_free(plain);
}

/* ---- how often ranks wait for sums ---- */

static void take_operations(struct cgs_context *context, void *user)
{
    (void)user;
    if (cgs_comm_first(context))
        counted = context->comm->ops;
}

static int gatherings_of(struct task *task, int64_t iterations)
{
    task->limit = iterations;
    team_run(3, work, task);
    ck_assert_int_eq(task->iterations, iterations);
    return task->gatherings;
}

/* Standard CG with a preconditioner reduces three times an iteration, the other form once. */
LOOP_TEST(gatherings_of_an_iteration, CGS_CG_SINGLE_REDUCTION + 1)
{
    static const int each[] = {[CGS_CG_STANDARD] = 3, [CGS_CG_SINGLE_REDUCTION] = 1};
    struct plain *plain = plain_q1(7);
    struct cgs_context context;
    struct task task = {.plain = plain, .method = (enum cgs_cg_method)_i, .threads = 1, .sigma = 1};
    cgs_context_init(&context);
    must(cgs_kernel_find(&context, "crs_row", CGS_CPU, CGS_CRS, &task.entry));
    task.x = must_have((size_t)plain->rows * sizeof *task.x);
    team_run(3, take_operations, NULL);
    const int few = gatherings_of(&task, 2), more = gatherings_of(&task, 5);
    counted = NULL;
    ck_assert_int_eq(more - few, 3 * each[_i]);
    free(task.x);
    plain_free(plain);
}

/* ---- memory that runs out on one rank ---- */

/* A rank of which the k-th allocation fails; ended: the ranks' common status. */
struct starving {
    struct task task;
    int64_t k;
    enum cgs_status ended;
};

/* Objects of a starved rank so far. */
struct made {
    struct rows rows;
    struct cgs_queue *queue;
    struct cgs_operator op, jacobi, polynomial;
    struct cgs_cg *cg;
};

static enum cgs_status cut_and_lay_out(struct cgs_context *context, const struct task *task,
                                       struct rows *rows)
{
    rows->whole = plain_source(task->plain);
    CGS_TRY(cgs_portion_create(context, &rows->whole, cgs_blocks_unit(task->plain->rows, CHUNK, 1),
                               context->comm->rank, context->comm->size, &rows->portion));
    rows->local = cgs_portion_source(&rows->portion);
    return cgs_matrix_create(context, &rows->local, task->entry->format, CHUNK, 1, &rows->matrix);
}

/* The preconditioner that the pipeline makes in one step, in which ranks meet. */
static enum cgs_status precondition(struct made *made)
{
    double high;
    CGS_TRY(cgs_jacobi_create(made->queue, &made->op, &made->rows.local, &made->jacobi));
    CGS_TRY(cgs_eigenvalue_bound(made->queue, &made->op, &made->jacobi, 6, 1.1, &high));
    return cgs_chebyshev_create(made->queue, &made->op, &made->jacobi, DEGREE, 0.05 * high, high,
                                &made->polynomial);
}

static enum cgs_status try_all(struct cgs_context *context, const struct task *task,
                               struct made *made)
{
    const struct cgs_backend *cpu = cgs_backend(CGS_CPU);
    const struct cgs_cg_settings settings = {.tolerance = 1e-9, .max_iterations = ITERATIONS};
    struct cgs_cg_result result;
    CGS_TRY(cgs_comm_agree(context, cpu->open(context, 0, &made->queue)));
    CGS_TRY(cgs_comm_agree(context, cut_and_lay_out(context, task, &made->rows)));
    CGS_TRY(cgs_operator_create(made->queue, cpu, task->entry->tables[task->precision],
                                task->precision, &made->rows.matrix, &made->op));
    CGS_TRY(cgs_comm_agree(context, precondition(made)));
    CGS_TRY(cgs_comm_agree(
        context, cgs_cg_create(made->queue, &made->op, &made->polynomial, &settings, &made->cg)));
    return cgs_comm_agree(context, cgs_cg_solve(made->cg, &result));
}

static void starve(struct cgs_context *context, void *user)
{
    struct starving *starving = user;
    struct made made = {0};
    if (context->comm->rank == 1)
        context->starve_in[CGS_HOST] = starving->k;
    const enum cgs_status status = try_all(context, &starving->task, &made);
    cgs_cg_release(made.cg);
    cgs_operator_release(&made.polynomial);
    cgs_operator_release(&made.jacobi);
    cgs_operator_release(&made.op);
    cgs_matrix_release(context, &made.rows.matrix);
    cgs_portion_release(context, &made.rows.portion);
    cgs_backend(CGS_CPU)->close(made.queue);
    ck_assert_int_eq(context->status, status);
    if (status != CGS_OK)
        ck_assert_msg(strncmp(context->message, "rank 1: ", 8) == 0, "%s", context->message);
    ck_assert_int_eq((int)cgs_comm_most(&(struct cgs_context){.comm = context->comm}, status),
                     status);
    if (context->comm->rank == 0)
        starving->ended = status;
}

/* Wherever rank 1 of 3 lacks memory, all end with its message, and hold nothing. */
LOOP_TEST(starved_rank, 2)
{
    struct plain *plain = plain_q1(N);
    struct cgs_context context;
    struct starving starving = {.task = {.plain = plain}};
    cgs_context_init(&context);
    must(cgs_kernel_find(&context, _i ? "sellc_chunk" : "crs_row", CGS_CPU,
                         _i ? CGS_SELLC : CGS_CRS, &starving.task.entry));
    do {
        starving.k++;
        team_run(3, starve, &starving);
        ck_assert(starving.ended == CGS_MEMORY || starving.ended == CGS_OK);
    } while (starving.ended != CGS_OK);
    ck_assert_int_gt(starving.k, 30);
    plain_free(plain);
}

/* ---- agreement ---- */

static void fail_on_one(struct cgs_context *context, void *user)
{
    const int who = *(const int *)user, rank = context->comm->rank;
    enum cgs_status status = CGS_OK;
    if (rank == who || who < 0)
        status = cgs_fail(context, CGS_FILE, "no paper");
    ck_assert_int_eq(cgs_comm_agree(context, status), CGS_FILE);
    ck_assert_int_eq(context->status, CGS_FILE);
    ck_assert_str_eq(context->message, who < 0 ? "no paper" : "rank 2: no paper");
    /* They have parted: from here on nobody waits for the others. */
    if (rank == who)
        ck_assert_int_eq(cgs_comm_agree(context, CGS_FILE), CGS_FILE);
}

TEST(one_fails_all_fail)
{
    int who = 2;
    team_run(4, fail_on_one, &who);
    who = -1;
    team_run(3, fail_on_one, &who);
}

static void all_is_well(struct cgs_context *context, void *user)
{
    const int rank = context->comm->rank, size = context->comm->size;
    (void)user;
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(cgs_comm_agree(context, CGS_OK), CGS_OK);
    ck_assert(cgs_comm_sum(context, rank + 1.0) == 0.5 * size * (size + 1));
    ck_assert(cgs_comm_most(context, -rank) == 0.0);
    ck_assert(cgs_comm_first_of(context, rank + 7.0) == 7.0);
    ck_assert_int_eq(cgs_comm_first(context), rank == 0);
    ck_assert_int_eq(context->status, CGS_OK);
}

TEST(numbers_of_all)
{
    team_run(5, all_is_well, NULL);
}

int main(void)
{
    return bed_tests("ranks", 120);
}
