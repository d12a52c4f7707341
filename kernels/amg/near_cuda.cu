/* Near-null vectors of algebraic multigrid on CUDA (kernels/near_null.h), with the CPU's bits: one
 * thread has a node, another one an aggregate (near_rules.h). The rows of aggregates are those of
 * T of ones, transposed.
 *
 * Traffic: A is read twice by condense, and its columns once by begin where it looks for nodes; fit
 * reads and writes Q of an aggregate from the cache.
 */
#include "kernels/amg.h"
#include "kernels/amg/near_rules.h"
#include "kernels/amg/roots.cuh"
#include "kernels/device/rows_cuda.cuh"

extern "C" const struct cgs_amg_ops cgs_cuda_amg;

namespace
{

/* ---- memory ---- */

void release(struct cgs_queue *queue, struct cgs_near_null *near)
{
    cgs_cuda_pool_free(queue, near->first);
    cgs_cuda_pool_free(queue, near->vector);
    *near = {};
}

enum cgs_status take(struct cgs_queue *queue, int count, int64_t nodes, int64_t rows,
                     struct cgs_near_null *near)
{
    struct cgs_near_null made = {count, nodes};
    enum cgs_status status =
        cgs_cuda_pool_alloc(queue, nodes + 1, sizeof *made.first, "nodes", (void **)&made.first);
    if (status == CGS_OK)
        status = cgs_cuda_pool_alloc(queue, rows * count, sizeof *made.vector, "near-null vectors",
                                     (void **)&made.vector);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    *near = made;
    return CGS_OK;
}

/* ---- nodes and vectors ---- */

__global__ void __launch_bounds__(CGS_THREADS)
    alike_kernel(int64_t nodes, const struct cgs_sparse a, int block, unsigned *unlike)
{
    const int64_t node = each_index();
    if (node < nodes && !cgs_near_alike(&a, node * block, block))
        *unlike = 1;
}

/* Finds the rows of a node from the pattern. */
enum cgs_status find_block(struct cgs_queue *queue, const struct cgs_sparse *a, int *block)
{
    auto *there = reinterpret_cast<unsigned *>(queue->partials);
    unsigned unlike = 1;
    for (*block = 3; *block > 1; --*block) {
        if (a->rows % *block != 0)
            continue;
        CGS_CUDA_TRY(queue->context,
                     cudaMemsetAsync(there, 0, sizeof *there, cgs_cuda_stream(queue)));
        CGS_TRY(
            launch_each(queue, "rows of nodes", alike_kernel, a->rows / *block, *a, *block, there));
        CGS_TRY(cgs_cuda_fetch(queue, &unlike, there, sizeof unlike));
        if (!unlike)
            return CGS_OK;
    }
    return CGS_OK;
}

__global__ void __launch_bounds__(CGS_THREADS)
    first_kernel(int64_t count, int block, int64_t *first)
{
    const int64_t i = each_index();
    if (i < count)
        first[i] = i * block;
}

__global__ void __launch_bounds__(CGS_THREADS)
    vectors_kernel(int64_t rows, const struct cgs_sparse a, int count,
                   const double *__restrict__ columns, double *__restrict__ vector)
{
    const int64_t row = each_index();
    if (row >= rows)
        return;
    const bool taken = cgs_near_connected(&a, row, row);
    for (int k = 0; k < count; k++)
        vector[row * count + k] = taken ? columns[k * rows + row] : 0.0;
}

/* Makes nodes and vectors of columns that are there. */
enum cgs_status begin_there(struct cgs_queue *queue, const struct cgs_sparse *a, int block,
                            const double *columns, struct cgs_near_null *near)
{
    CGS_TRY(launch_each(queue, "nodes", first_kernel, near->nodes + 1, block, near->first));
    return launch_each(queue, "near-null vectors", vectors_kernel, a->rows, *a, near->count,
                       columns, near->vector);
}

/* The same of columns of the host, which are sent. */
enum cgs_status begin_here(struct cgs_queue *queue, const struct cgs_sparse *a, int block,
                           const double *columns, struct cgs_near_null *near)
{
    const int64_t numbers = a->rows * near->count;
    double *sent;
    CGS_TRY(cgs_cuda_pool_alloc(queue, numbers, sizeof *sent, "near-null vectors", (void **)&sent));
    enum cgs_status status = cgs_cuda_send(queue, sent, columns, numbers * (int64_t)sizeof *sent);
    if (status == CGS_OK)
        status = begin_there(queue, a, block, sent, near);
    cgs_cuda_pool_free(queue, sent);
    return status;
}

enum cgs_status begin(struct cgs_queue *queue, const struct cgs_sparse *a, int count,
                      const double *columns, int block, struct cgs_near_null *near)
{
    struct cgs_near_null made;
    if (block == 0)
        CGS_TRY(find_block(queue, a, &block));
    CGS_TRY(take(queue, count, a->rows / block, a->rows, &made));
    const enum cgs_status status = cgs_cuda_holds(columns)
                                       ? begin_there(queue, a, block, columns, &made)
                                       : begin_here(queue, a, block, columns, &made);
    if (status != CGS_OK) {
        release(queue, &made);
        return status;
    }
    *near = made;
    return CGS_OK;
}

/* ---- numbers of nodes, for their rows ---- */

/* of: of the nodes; NULL: their own numbers. */
__global__ void __launch_bounds__(CGS_THREADS)
    spread_kernel(int64_t nodes, const int64_t *__restrict__ first, const int32_t *__restrict__ of,
                  int32_t *__restrict__ to)
{
    const int64_t node = each_index();
    if (node < nodes)
        for (int64_t row = first[node]; row < first[node + 1]; row++)
            to[row] = of ? of[node] : (int32_t)node;
}

/* Makes them; owned by the caller. */
enum cgs_status spread(struct cgs_queue *queue, const struct cgs_near_null *near, int64_t rows,
                       const int32_t *of, int32_t **to)
{
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof **to, "nodes of rows", (void **)to));
    return launch_each(queue, "nodes of rows", spread_kernel, near->nodes, near->first, of, *to);
}

/* ---- the matrix of nodes ---- */

__global__ void __launch_bounds__(CGS_THREADS)
    count_kernel(int64_t nodes, const struct cgs_near_blocks b, int64_t *pointers)
{
    const int64_t i = each_index();
    if (i < nodes)
        pointers[i + 1] = cgs_near_condense(&b, i, nullptr, nullptr);
}

__global__ void __launch_bounds__(CGS_THREADS)
    norms_kernel(int64_t nodes, const struct cgs_near_blocks b,
                 const int64_t *__restrict__ pointers, int32_t *column, double *norm)
{
    const int64_t i = each_index();
    if (i < nodes)
        cgs_near_condense(&b, i, column + pointers[i], norm + pointers[i]);
}

enum cgs_status fill(struct cgs_queue *queue, const struct cgs_near_blocks &b, int64_t nodes,
                     struct cgs_sparse *made)
{
    const struct cgs_sparse_ops *ops = &cgs_cuda_sparse_f64;
    const char *what = "matrix of nodes";
    int64_t entries = 0;
    CGS_TRY(ops->pointers(queue, what, nodes, nodes, made));
    CGS_TRY(launch_each(queue, what, count_kernel, nodes, b, made->pointers));
    CGS_TRY(add_up_lengths(queue, nodes, made->pointers, &entries));
    CGS_TRY(ops->entries(queue, what, entries, made));
    return launch_each(queue, what, norms_kernel, nodes, b, made->pointers, made->column,
                       (double *)made->value);
}

enum cgs_status condense(struct cgs_queue *queue, const struct cgs_sparse *a,
                         const struct cgs_near_null *near, struct cgs_sparse *condensed)
{
    struct cgs_sparse made = {};
    double *roots = nullptr;
    int32_t *node = nullptr;
    enum cgs_status status = amg_cuda_roots(queue, a, &roots);
    if (status == CGS_OK)
        status = spread(queue, near, a->rows, nullptr, &node);
    if (status == CGS_OK)
        status = fill(queue, {*a, roots, near->first, node}, near->nodes, &made);
    cgs_cuda_pool_free(queue, node);
    cgs_cuda_pool_free(queue, roots);
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        return status;
    }
    *condensed = made;
    return CGS_OK;
}

/* ---- Q and R ---- */

struct fitting {
    struct cgs_queue *queue;
    const struct cgs_near_null *near;
    int64_t rows, aggregates;
    int32_t *of;               /* aggregates of rows */
    struct cgs_sparse members; /* a row for each aggregate: its rows */
    double *q, *r;             /* as in struct cgs_near_columns */
    int64_t *columns, *nodes;  /* aggregates + 1: first column, node of each */
};

enum cgs_status find_members(struct fitting *f, const struct cgs_aggregates *aggregates)
{
    struct cgs_queue *queue = f->queue;
    struct cgs_sparse ones;
    CGS_TRY(spread(queue, f->near, f->rows, aggregates->of, &f->of));
    const struct cgs_aggregates of_rows = {f->rows, f->aggregates, f->of};
    CGS_TRY(cgs_cuda_amg.tentative(queue, &of_rows, &ones));
    const enum cgs_status status = cgs_cuda_sparse_f64.transpose(queue, &ones, &f->members);
    cgs_cuda_sparse_f64.release(queue, &ones);
    return status;
}

/* Adds the rows of aggregates that have columns to *filled. */
__global__ void __launch_bounds__(CGS_THREADS)
    orthogonalise_kernel(int64_t aggregates, const struct cgs_near_columns c,
                         int64_t *__restrict__ columns, int64_t *__restrict__ nodes,
                         unsigned long long *filled)
{
    const int64_t i = each_index();
    if (i >= aggregates)
        return;
    const int rank = cgs_near_orthogonalise(&c, i);
    columns[i + 1] = rank;
    nodes[i + 1] = rank > 0;
    if (rank > 0)
        atomicAdd(filled, (unsigned long long)(c.start[i + 1] - c.start[i]));
}

enum cgs_status take_room(struct fitting *f)
{
    struct cgs_queue *queue = f->queue;
    const int64_t count = f->near->count, ends = f->aggregates + 1;
    const char *what = "tentative prolongation";
    CGS_TRY(cgs_cuda_pool_alloc(queue, ends, sizeof *f->columns, what, (void **)&f->columns));
    CGS_TRY(cgs_cuda_pool_alloc(queue, ends, sizeof *f->nodes, what, (void **)&f->nodes));
    CGS_TRY(cgs_cuda_pool_alloc(queue, f->aggregates * count * count, sizeof *f->r, what,
                                (void **)&f->r));
    return cgs_cuda_pool_alloc(queue, f->rows * count, sizeof *f->q, what, (void **)&f->q);
}

enum cgs_status orthogonalise(struct fitting *f, int64_t *aggregated)
{
    struct cgs_queue *queue = f->queue;
    cudaStream_t stream = cgs_cuda_stream(queue);
    auto *filled = reinterpret_cast<unsigned long long *>(queue->partials);
    const size_t bytes = (size_t)(f->rows * f->near->count) * sizeof *f->q;
    CGS_TRY(take_room(f));
    CGS_CUDA_TRY(queue->context,
                 cudaMemcpyAsync(f->q, f->near->vector, bytes, cudaMemcpyDeviceToDevice, stream));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(filled, 0, sizeof *filled, stream));
    const struct cgs_near_columns c = {f->near->count, f->members.pointers, f->members.column, f->q,
                                       f->r};
    CGS_TRY(launch_each(queue, "Q and R of aggregates", orthogonalise_kernel, f->aggregates, c,
                        f->columns, f->nodes, filled));
    return cgs_cuda_fetch(queue, aggregated, filled, sizeof *filled);
}

/* ---- T, coarse nodes and vectors ---- */

__global__ void __launch_bounds__(CGS_THREADS)
    coarse_kernel(int64_t ends, int count, const int64_t *__restrict__ columns,
                  const int64_t *__restrict__ nodes, const double *__restrict__ r,
                  int64_t *__restrict__ first, double *__restrict__ vector)
{
    const int64_t i = each_index();
    if (i >= ends)
        return;
    const int64_t rank = i + 1 < ends ? columns[i + 1] - columns[i] : 0;
    if (rank > 0 || i + 1 == ends)
        first[nodes[i]] = columns[i];
    for (int64_t k = 0; k < rank * count; k++)
        vector[columns[i] * count + k] = r[i * count * count + k];
}

/* *rows: of the coarse matrix. */
enum cgs_status make_coarse(const struct fitting *f, struct cgs_near_null *coarse, int64_t *rows)
{
    const int count = f->near->count;
    int64_t nodes = 0;
    CGS_TRY(add_up_lengths(f->queue, f->aggregates, f->columns, rows));
    CGS_TRY(add_up_lengths(f->queue, f->aggregates, f->nodes, &nodes));
    CGS_TRY(take(f->queue, count, nodes, *rows, coarse));
    return launch_each(f->queue, "coarse near-null vectors", coarse_kernel, f->aggregates + 1,
                       count, f->columns, f->nodes, f->r, coarse->first, coarse->vector);
}

__global__ void __launch_bounds__(CGS_THREADS)
    lengths_kernel(int64_t rows, const int32_t *__restrict__ of,
                   const int64_t *__restrict__ columns, int64_t *__restrict__ pointers)
{
    const int64_t row = each_index();
    if (row < rows)
        pointers[row + 1] = of[row] >= 0 ? columns[of[row] + 1] - columns[of[row]] : 0;
}

__global__ void __launch_bounds__(CGS_THREADS)
    tentative_kernel(int64_t rows, int count, const int32_t *__restrict__ of,
                     const int64_t *__restrict__ columns, const int64_t *__restrict__ pointers,
                     const double *__restrict__ q, int32_t *column, double *number)
{
    const int64_t row = each_index();
    const int64_t begin = row < rows ? pointers[row] : 0;
    const int length = row < rows ? (int)(pointers[row + 1] - begin) : 0;
    for (int k = 0; k < length; k++) {
        column[begin + k] = (int32_t)(columns[of[row]] + k);
        number[begin + k] = q[row * count + k];
    }
}

enum cgs_status make_tentative(const struct fitting *f, int64_t columns, struct cgs_sparse *t)
{
    const struct cgs_sparse_ops *ops = &cgs_cuda_sparse_f64;
    const char *what = "tentative prolongation";
    int64_t entries = 0;
    CGS_TRY(ops->pointers(f->queue, what, f->rows, columns, t));
    CGS_TRY(launch_each(f->queue, what, lengths_kernel, f->rows, f->of, f->columns, t->pointers));
    CGS_TRY(add_up_lengths(f->queue, f->rows, t->pointers, &entries));
    CGS_TRY(ops->entries(f->queue, what, entries, t));
    return launch_each(f->queue, what, tentative_kernel, f->rows, f->near->count, f->of, f->columns,
                       t->pointers, f->q, t->column, (double *)t->value);
}

/* Makes all; on failure some of it. */
enum cgs_status make(struct fitting *f, const struct cgs_aggregates *aggregates,
                     struct cgs_sparse *t, struct cgs_near_null *coarse, int64_t *aggregated)
{
    int64_t columns = 0;
    CGS_TRY(cgs_cuda_fetch(f->queue, &f->rows, f->near->first + f->near->nodes, sizeof f->rows));
    CGS_TRY(find_members(f, aggregates));
    CGS_TRY(orthogonalise(f, aggregated));
    CGS_TRY(make_coarse(f, coarse, &columns));
    return make_tentative(f, columns, t);
}

enum cgs_status fit(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                    const struct cgs_near_null *near, struct cgs_sparse *t,
                    struct cgs_near_null *coarse, int64_t *aggregated)
{
    struct fitting f = {queue, near, 0, aggregates->count};
    struct cgs_sparse made = {};
    struct cgs_near_null next = {};
    const enum cgs_status status = make(&f, aggregates, &made, &next, aggregated);
    cgs_cuda_pool_free(queue, f.q);
    cgs_cuda_pool_free(queue, f.r);
    cgs_cuda_pool_free(queue, f.nodes);
    cgs_cuda_pool_free(queue, f.columns);
    cgs_cuda_sparse_f64.release(queue, &f.members);
    cgs_cuda_pool_free(queue, f.of);
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        release(queue, &next);
        return status;
    }
    *t = made;
    *coarse = next;
    return CGS_OK;
}

} // namespace

CGS_EXPORT(struct cgs_near_null_ops, cgs_near_null_cuda) = {
    .begin = begin,
    .release = release,
    .condense = condense,
    .fit = fit,
};
