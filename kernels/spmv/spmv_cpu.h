/* Shared by the CPU's SpMV kernels: the arrays of CRS or SELL-C-sigma in host memory, and the
 * division of a product among threads. A kernel adds the loop over units (rows of CRS, chunks of
 * SELL).
 *
 * Blocks of whole units, fixed by the number of rows, are divided among the threads by cost
 * (entries and units), exactly as cgs_matrix_fill places the pages. The fused x'y is summed within
 * a block while its x and y are in the cache, and the blocks' sums in a fixed tree (sum_cpu.h): the
 * same bits for any number of threads. On a portion each thread computes first the blocks that need
 * nothing of other ranks (arrival.h).
 *
 * Bytes of a product: an entry, padding included,  sizeof(value) + 4,   a unit  8 (pointer),
 *     a row  sizeof(real) (y),   a column  sizeof(real) (x, read from memory once, as the rows that
 *     use it are close together);   sigma > 1: a row  4 more (the permutation).
 */
#pragma once

#include <omp.h>
#include <stddef.h>

#include "base/memory.h"
#include "kernels/arrival.h"
#include "kernels/kernel.h"
#include "kernels/precision.h"
#include "kernels/vector/state_cpu.h"
#include "kernels/vector/sum_cpu.h"
#include "matrix/fill.h"
#include "matrix/share.h"

struct cgs_spmv_cpu;

/* Computes y = A x for units begin ... end - 1; compiled for this processor (CGS_CLONES). */
typedef void cgs_units_loop(const struct cgs_spmv_cpu *matrix, int64_t begin, int64_t end,
                            const real *x, real *y);

/* Matrix of a kernel; `chunk` rows a unit, 1 for CRS. */
struct cgs_spmv_cpu {
    struct cgs_context *context;
    int64_t rows, units;
    int32_t chunk;
    int64_t sigma;
    const struct cgs_portion *portion; /* NULL: the whole matrix; borrowed */
    int64_t *pointers;
    int32_t *columns;
    value *values;
    int32_t *permutation; /* place -> row; NULL: natural order */
    cgs_units_loop *loop; /* set by the kernel's prepare */
};

static inline struct cgs_blocks cgs_spmv_cpu_blocks(const struct cgs_spmv_cpu *matrix)
{
    const int64_t all = matrix->portion ? matrix->portion->whole : matrix->rows;
    return cgs_blocks_here(matrix->portion, matrix->rows, cgs_spmv_block_least(all, matrix->chunk));
}

static CGS_CLONES double cgs_spmv_cpu_dot(int64_t n, const real *x, const real *y)
{
    return cgs_lanes_dot(n, x, y);
}

/* x'y over the n rows at consecutive places of the layout, in that order. */
static CGS_CLONES double cgs_spmv_cpu_dot_sorted(int64_t n, const int32_t *restrict rows,
                                                 const real *restrict x, const real *restrict y)
{
    double lanes[CGS_LANES] = {0.0};
    int64_t i = 0;
    for (; i + CGS_LANES <= n; i += CGS_LANES)
        for (int l = 0; l < CGS_LANES; l++)
            lanes[l] += (double)x[rows[i + l]] * (double)y[rows[i + l]];
    for (int l = 0; i + l < n; l++)
        lanes[l] += (double)x[rows[i + l]] * (double)y[rows[i + l]];
    return cgs_lanes_sum(lanes);
}

/* Vectors of a product; blocks' parts of x'y go to partials unless it is NULL. */
struct cgs_spmv_cpu_task {
    cgs_units_loop *loop;
    struct cgs_arrival *arrival; /* of x; NULL: all of it is there */
    double *partials;
    const real *x;
    real *y;
};

/* Blocks between two looks at messages. */
enum { CGS_SPMV_PIECE = 8 };

/* Computes blocks first ... last - 1. */
static inline void cgs_spmv_cpu_range(const struct cgs_spmv_cpu *matrix,
                                      const struct cgs_blocks *blocks,
                                      const struct cgs_spmv_cpu_task *task, int64_t first,
                                      int64_t last)
{
    const int64_t size = blocks->size / matrix->chunk; /* units of a block */
    const real *x = task->x;
    real *y = task->y;
    for (int64_t b = first; b < last; b++) {
        const int64_t stop = (b + 1) * size < matrix->units ? (b + 1) * size : matrix->units;
        task->loop(matrix, b * size, stop, x, y);
        if (b % CGS_SPMV_PIECE == 0)
            cgs_arrival_progress(task->arrival);
        if (!task->partials)
            continue;
        const int64_t row = cgs_block_begin(blocks, b);
        const int64_t rows = cgs_block_begin(blocks, b + 1) - row;
        task->partials[b] = matrix->permutation
                                ? cgs_spmv_cpu_dot_sorted(rows, matrix->permutation + row, x, y)
                                : cgs_spmv_cpu_dot(rows, x + row, y + row);
    }
}

static inline int64_t cgs_spmv_cpu_between(int64_t low, int64_t wanted, int64_t high)
{
    return wanted < low ? low : wanted > high ? high : wanted;
}

/* Finds those of blocks first ... last - 1 whose rows have no ghosts among their columns: *inner
 * ... *outer - 1, which is within first ... last. Rows are sorted within windows of sigma. */
static inline void cgs_spmv_cpu_inner(const struct cgs_spmv_cpu *matrix,
                                      const struct cgs_blocks *blocks, int64_t first, int64_t last,
                                      int64_t *inner, int64_t *outer)
{
    const struct cgs_portion *portion = matrix->portion;
    *inner = first;
    *outer = last;
    if (!portion)
        return;
    const int64_t sigma = matrix->sigma, size = blocks->size;
    const int64_t begin = (portion->inner_first + sigma - 1) / sigma * sigma;
    const int64_t end = portion->inner_last / sigma * sigma;
    *inner = cgs_spmv_cpu_between(first, (begin + size - 1) / size, last);
    *outer =
        cgs_spmv_cpu_between(*inner, portion->inner_last < matrix->rows ? end / size : last, last);
}

/* Computes the blocks of one thread. */
static inline void cgs_spmv_cpu_share(const struct cgs_spmv_cpu *matrix, int thread, int threads,
                                      const struct cgs_spmv_cpu_task *task)
{
    const struct cgs_blocks blocks = cgs_spmv_cpu_blocks(matrix);
    const int64_t size = blocks.size / matrix->chunk;
    const int64_t begin = cgs_share(matrix->pointers, 0, matrix->units, thread, threads);
    const int64_t end = cgs_share(matrix->pointers, 0, matrix->units, thread + 1, threads);
    const int64_t first = (begin + size - 1) / size, last = (end + size - 1) / size;
    int64_t inner, outer;
    cgs_spmv_cpu_inner(matrix, &blocks, first, last, &inner, &outer);
    cgs_spmv_cpu_range(matrix, &blocks, task, inner, outer);
    cgs_arrival_await(task->arrival, outer - inner < last - first);
    cgs_spmv_cpu_range(matrix, &blocks, task, first, inner);
    cgs_spmv_cpu_range(matrix, &blocks, task, outer, last);
}

static inline void cgs_spmv_cpu_run(const struct cgs_spmv_cpu *matrix, struct cgs_queue *queue,
                                    double *partials, const real *x, real *y)
{
    const struct cgs_spmv_cpu_task task = {
        .loop = matrix->loop, .arrival = queue->arrival, .partials = partials, .x = x, .y = y};
#pragma omp parallel num_threads(queue->context->threads)
    cgs_spmv_cpu_share(matrix, omp_get_thread_num(), omp_get_num_threads(), &task);
}

/* ---- table entries common to all these kernels ---- */

static inline enum cgs_status cgs_spmv_cpu_apply(const void *self, struct cgs_queue *queue,
                                                 const struct cgs_cg_state *state, const void *x,
                                                 void *y)
{
    if (!state || cgs_cg_going_on(state))
        cgs_spmv_cpu_run(self, queue, NULL, x, y);
    return CGS_OK;
}

static inline enum cgs_status cgs_spmv_cpu_apply_dot(const void *self, struct cgs_queue *queue,
                                                     struct cgs_cg_state *state, const void *x,
                                                     void *y, enum cgs_sum sum)
{
    const struct cgs_spmv_cpu *matrix = self;
    if (!cgs_cg_going_on(state))
        return CGS_OK;
    cgs_spmv_cpu_run(matrix, queue, queue->partials, x, y);
    const struct cgs_blocks blocks = cgs_spmv_cpu_blocks(matrix);
    cgs_cpu_add_up(queue, state, sum, matrix->portion, &blocks);
    return CGS_OK;
}

static inline const void *cgs_spmv_cpu_entries(const void *self, int64_t *bytes)
{
    const struct cgs_spmv_cpu *matrix = self;
    *bytes = matrix->pointers[matrix->units] * (int64_t)sizeof(value);
    return matrix->values;
}

static inline void cgs_spmv_cpu_plan(const struct cgs_matrix *matrix, struct cgs_plan *plan)
{
    cgs_plan_add(plan, CGS_HOST, "matrix values", matrix->stored, sizeof(value));
    cgs_plan_add(plan, CGS_HOST, "matrix columns", matrix->stored, sizeof(int32_t));
    cgs_plan_add(plan, CGS_HOST, "matrix pointers", matrix->units + 1, sizeof(int64_t));
    if (matrix->sigma > 1)
        cgs_plan_add(plan, CGS_HOST, "matrix permutation", matrix->rows, sizeof(int32_t));
}

static inline struct cgs_traffic cgs_spmv_cpu_traffic(const struct cgs_matrix *matrix)
{
    const int64_t entry = sizeof(value) + sizeof(int32_t);
    const int64_t permutation = matrix->sigma > 1 ? matrix->rows * (int64_t)sizeof(int32_t) : 0;
    return (struct cgs_traffic){
        .matrix =
            matrix->stored * entry + (matrix->units + 1) * (int64_t)sizeof(int64_t) + permutation,
        .padding = (matrix->stored - matrix->nonzeros) * entry,
        .vectors = (matrix->columns + matrix->rows) * (int64_t)sizeof(real),
        .operations = 2 * matrix->nonzeros,
    };
}

static inline void cgs_spmv_cpu_release(void *self)
{
    struct cgs_spmv_cpu *made = self;
    if (!made)
        return;
    struct cgs_context *context = made->context;
    cgs_free(context, made->pointers);
    cgs_free(context, made->columns);
    cgs_free(context, made->values);
    cgs_free(context, made->permutation);
    cgs_free(context, made);
}

/* Copies pointers and permutation, each part by the thread that will read it. */
static void cgs_spmv_cpu_copy(const struct cgs_matrix *matrix, struct cgs_spmv_cpu *made)
{
#pragma omp parallel num_threads(made->context->threads)
    {
#pragma omp for schedule(static)
        for (int64_t u = 0; u <= matrix->units; u++)
            made->pointers[u] = matrix->pointers[u];
        if (made->permutation) {
#pragma omp for schedule(static)
            for (int64_t i = 0; i < matrix->rows; i++)
                made->permutation[i] = matrix->permutation[i];
        }
    }
}

/* Generates all entries in their place. */
static inline enum cgs_status cgs_spmv_cpu_fill(const struct cgs_matrix *matrix,
                                                const struct cgs_spmv_cpu *made)
{
    return cgs_matrix_fill(made->context, matrix, 0, matrix->units, CGS_VALUE_NUMBER, made->columns,
                           made->values);
}

static inline enum cgs_status cgs_spmv_cpu_renew(void *self, struct cgs_queue *queue,
                                                 const struct cgs_matrix *matrix, bool *renewed)
{
    (void)queue;
    CGS_TRY(cgs_spmv_cpu_fill(matrix, self));
    *renewed = true;
    return CGS_OK;
}

static inline enum cgs_status cgs_spmv_cpu_prepare(struct cgs_queue *queue,
                                                   const struct cgs_matrix *matrix, void **self)
{
    struct cgs_context *context = queue->context;
    struct cgs_spmv_cpu *made = NULL;
    CGS_TRY(cgs_alloc(context, 1, sizeof *made, "matrix", (void **)&made));
    *made = (struct cgs_spmv_cpu){.context = context,
                                  .rows = matrix->rows,
                                  .units = matrix->units,
                                  .chunk = matrix->chunk,
                                  .sigma = matrix->sigma,
                                  .portion = matrix->source->portion};
    enum cgs_status status = cgs_alloc(context, matrix->units + 1, sizeof(int64_t),
                                       "matrix pointers", (void **)&made->pointers);
    if (status == CGS_OK)
        status = cgs_alloc(context, matrix->stored, sizeof(int32_t), "matrix columns",
                           (void **)&made->columns);
    if (status == CGS_OK)
        status = cgs_alloc(context, matrix->stored, sizeof(value), "matrix values",
                           (void **)&made->values);
    if (status == CGS_OK && matrix->permutation)
        status = cgs_alloc(context, matrix->rows, sizeof(int32_t), "matrix permutation",
                           (void **)&made->permutation);
    if (status == CGS_OK) {
        cgs_spmv_cpu_copy(matrix, made);
        status = cgs_spmv_cpu_fill(matrix, made);
    }
    if (status == CGS_OK)
        *self = made;
    else
        cgs_spmv_cpu_release(made);
    return status;
}

/* The table of a kernel that is a loop over units and nothing else: `natural` for rows in natural
 * order, `sorted` for permuted ones (NULL for CRS). */
#define CGS_SPMV_CPU(name, natural, sorted)                                                        \
    static enum cgs_status prepare(struct cgs_queue *queue, const struct cgs_matrix *matrix,       \
                                   void **self)                                                    \
    {                                                                                              \
        CGS_TRY(cgs_spmv_cpu_prepare(queue, matrix, self));                                        \
        ((struct cgs_spmv_cpu *)*self)->loop = matrix->permutation ? sorted : natural;             \
        return CGS_OK;                                                                             \
    }                                                                                              \
    CGS_TABLE(struct cgs_kernel, name) = {                                                         \
        .reproducible = true,                                                                      \
        .shared = true,                                                                            \
        .plan = cgs_spmv_cpu_plan,                                                                 \
        .prepare = prepare,                                                                        \
        .traffic = cgs_spmv_cpu_traffic,                                                           \
        .steps = {.overlaps = true,                                                                \
                  .apply = cgs_spmv_cpu_apply,                                                     \
                  .apply_dot = cgs_spmv_cpu_apply_dot,                                             \
                  .entries = cgs_spmv_cpu_entries,                                                 \
                  .renew = cgs_spmv_cpu_renew,                                                     \
                  .release = cgs_spmv_cpu_release},                                                \
    }
