/* Algebraic multigrid's set-up on CUDA (kernels/amg.h): aggregates, T, and the table. */
#include "kernels/amg.h"
#include "kernels/amg/aggregate.cuh"
#include "kernels/amg/mend.h"
#include "kernels/amg/prolong.cuh"
#include "kernels/amg/roots.cuh"

/* Strong entries on CUDA (kernels/amg.h): the graph of strong connections, and S, which has the
 * same entries.
 *
 *     count the strong entries of each row; prefix sum; write them, in the order of the row
 *
 * Traffic: A's columns and values once in each of two passes. S's pass reads a row twice, the
 * second time from the cache, as are the roots of the columns.
 */

/* ---- strong entries ---- */

namespace
{

template <bool ITSELF> struct counting {
    entries a;
    int64_t *pointers; /* shifted by one: of row i at i + 1 */

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        int64_t count = 0;
        for (int64_t e = g.begin + g.lane; e < g.end; e += T)
            count += a.template kept<ITSELF>(g.row, e);
        count = group_sum(g, count);
        if (g.lane == 0)
            pointers[g.row + 1] = count;
    }
};

/* SMOOTHING: include the diagonal, with values. */
template <bool SMOOTHING> struct filling {
    entries a;
    const int64_t *pointers;
    int32_t *column;
    double *number;
    double omega;

    __device__ bool wanted(int64_t) const
    {
        return true;
    }
    template <int T> __device__ void take(const group<T> &g) const
    {
        const double factor = SMOOTHING ? factor_of(g, a, omega) : 0.0;
        int64_t at = pointers[g.row];
        for (int64_t first = g.begin; first < g.end; first += T) {
            const int64_t e = first + g.lane;
            const bool mine = e < g.end && a.template kept<SMOOTHING>(g.row, e);
            const unsigned votes = group_votes(g, mine);
            if (mine) {
                const int64_t to = at + __popc(votes & ((1u << g.lane) - 1));
                column[to] = a.column[e];
                if (SMOOTHING)
                    number[to] = a.column[e] == g.row ? 1.0 - omega : factor * a.number[e];
            }
            at += __popc(votes);
        }
    }
};

entries entries_of(const struct cgs_sparse *a, double theta, const double *roots)
{
    return {a->column, (const double *)a->value, roots, theta};
}

/* Allocates columns only: the graph has no values, which would be two thirds of it. */
enum cgs_status make_columns(struct cgs_queue *queue, const char *what, int64_t nonzeros,
                             struct cgs_sparse *made)
{
    CGS_TRY(
        cgs_cuda_pool_alloc(queue, nonzeros, sizeof *made->column, what, (void **)&made->column));
    made->nonzeros = nonzeros;
    return CGS_OK;
}

/* Allocates pointers and strong entries. */
template <bool ITSELF>
enum cgs_status make_room(struct cgs_queue *queue, const struct cgs_sparse *a, const entries &e,
                          const char *what, struct cgs_sparse *made)
{
    int64_t filled = 0;
    CGS_TRY(cgs_cuda_sparse_f64.pointers(queue, what, a->rows, a->columns, made));
    CGS_TRY(launch_rows(queue, "counting strong entries", a->rows, a->pointers, a->nonzeros,
                        counting<ITSELF>{e, made->pointers}));
    CGS_TRY(add_up_lengths(queue, a->rows, made->pointers, &filled));
    return ITSELF ? cgs_cuda_sparse_f64.entries(queue, what, filled, made)
                  : make_columns(queue, what, filled, made);
}

/* SMOOTHING: S, else the graph. */
template <bool SMOOTHING>
enum cgs_status make(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                     const double *roots, double omega, struct cgs_sparse *out)
{
    const char *what = SMOOTHING ? "smoothing of a prolongation" : "strong connections";
    const entries e = entries_of(a, theta, roots);
    struct cgs_sparse made = {};
    enum cgs_status status = make_room<SMOOTHING>(queue, a, e, what, &made);
    if (status == CGS_OK)
        status = launch_rows(
            queue, what, a->rows, a->pointers, a->nonzeros,
            filling<SMOOTHING>{e, made.pointers, made.column, (double *)made.value, omega});
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        return status;
    }
    *out = made;
    return CGS_OK;
}

} // namespace

/* Makes the graph of all rows' strong neighbours, without diagonal and values. Owned by the caller.
 * Waits. CGS_MEMORY. */
static enum cgs_status amg_cuda_graph(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, const double *roots, struct cgs_sparse *strong)
{
    return make<false>(queue, a, theta, roots, 0.0, strong);
}

/* struct cgs_amg_ops.smoothing. */
static enum cgs_status amg_cuda_smoothing(struct cgs_queue *queue, const struct cgs_sparse *a,
                                          double theta, double omega, struct cgs_sparse *s)
{
    double *roots;
    CGS_TRY(amg_cuda_roots(queue, a, &roots));
    enum cgs_status status = make<true>(queue, a, theta, roots, omega, s);
    cgs_cuda_pool_free(queue, roots);
    return status;
}

/* ---- aggregates of strongly connected rows: the steps of aggregate_cpu.c, to the same bits ----
 *
 * A few rounds are queued at a time; then the host reads whether a row is undecided. Surplus rounds
 * change nothing and cost one read of each row's key. */

namespace
{

enum { ROUNDS = 3 }; /* between two readings */

struct work {
    struct cgs_queue *queue;
    const struct cgs_sparse *a;
    double theta;
    double *roots;            /* of the diagonal */
    struct cgs_sparse strong; /* without the diagonal */
    uint64_t *key, *near;     /* rows */
    int64_t *number;          /* rows: roots up to this one */
    int32_t *first;           /* rows: aggregates after step 2 */
    int32_t *of;              /* rows: final aggregates */
    unsigned *left;           /* set if a row is undecided; of the queue */
};

enum cgs_status take_room(struct work *w)
{
    struct cgs_queue *queue = w->queue;
    const int64_t rows = w->a->rows;
    w->left = reinterpret_cast<unsigned *>(queue->partials);
    CGS_TRY(amg_cuda_roots(queue, w->a, &w->roots));
    CGS_TRY(amg_cuda_graph(queue, w->a, w->theta, w->roots, &w->strong));
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof *w->key, "keys of rows", (void **)&w->key));
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof *w->near, "keys of rows", (void **)&w->near));
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof *w->number, "numbers of roots",
                                (void **)&w->number));
    CGS_TRY(cgs_cuda_pool_alloc(queue, rows, sizeof *w->first, "aggregates", (void **)&w->first));
    return cgs_cuda_pool_alloc(queue, rows, sizeof *w->of, "aggregates", (void **)&w->of);
}

void give_back(struct work *w)
{
    cgs_cuda_pool_free(w->queue, w->first);
    cgs_cuda_pool_free(w->queue, w->number);
    cgs_cuda_pool_free(w->queue, w->near);
    cgs_cuda_pool_free(w->queue, w->key);
    cgs_cuda_pool_free(w->queue, w->roots);
    cgs_cuda_sparse_f64.release(w->queue, &w->strong);
}

template <class Work>
enum cgs_status over_strong(const struct work *w, const char *name, const Work &work)
{
    const struct cgs_sparse *s = &w->strong;
    return launch_rows<true>(w->queue, name, s->rows, s->pointers, s->nonzeros, work);
}

enum cgs_status find_roots(const struct work *w)
{
    cudaStream_t stream = cgs_cuda_stream(w->queue);
    struct cgs_context *context = w->queue->context;
    const int32_t *column = w->strong.column;
    look_near near = {column, w->key, w->near, true};
    look_far far = {column, w->key, w->near, w->left, false};
    unsigned left = 1;
    CGS_TRY(launch_each(w->queue, "keys of rows", start_kernel, w->a->rows, w->strong.pointers,
                        w->key, w->near));
    while (left != 0) {
        for (int round = 0; round < ROUNDS; round++) {
            CGS_TRY(over_strong(w, "highest keys near", near));
            CGS_CUDA_TRY(context, cudaMemsetAsync(w->left, 0, sizeof *w->left, stream));
            CGS_TRY(over_strong(w, "highest keys within distance 2", far));
            near.all = false;
            far.roots = true;
        }
        CGS_TRY(cgs_cuda_fetch(w->queue, &left, w->left, sizeof left));
    }
    return over_strong(w, "highest keys near", near); /* with the last roots */
}

enum cgs_status number_roots(const struct work *w, int64_t *count)
{
    const int64_t rows = w->a->rows;
    int64_t last = 0;
    CGS_TRY(launch_each(w->queue, "roots", flag_kernel, rows, w->key, w->number));
    CGS_TRY(cgs_cuda_add_up(w->queue, rows, w->number));
    if (rows > 0)
        CGS_TRY(cgs_cuda_fetch(w->queue, &last, w->number + rows - 1, sizeof last));
    *count = last;
    return CGS_OK;
}

enum cgs_status aggregate(struct work *w, int64_t *count)
{
    const struct cgs_sparse *a = w->a;
    CGS_TRY(take_room(w));
    CGS_TRY(find_roots(w));
    CGS_TRY(number_roots(w, count));
    CGS_TRY(launch_each(w->queue, "neighbours of roots", take_kernel, a->rows, w->near, w->number,
                        w->first, w->of));
    return launch_rows<true>(
        w->queue, "rows that join", a->rows, a->pointers, a->nonzeros,
        join{a->column, (const double *)a->value, w->roots, w->theta, w->first, w->of});
}

} // namespace

/* struct cgs_amg_ops.aggregate. */
static enum cgs_status find_aggregates(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       double theta, struct cgs_aggregates *aggregates)
{
    struct work w = {queue, a, theta};
    int64_t count = 0;
    const enum cgs_status status = aggregate(&w, &count);
    give_back(&w);
    if (status != CGS_OK) {
        cgs_cuda_pool_free(queue, w.of);
        return status;
    }
    *aggregates = {a->rows, count, w.of};
    return CGS_OK;
}

/* ---- T ---- */

namespace
{

void release(struct cgs_queue *queue, struct cgs_aggregates *aggregates)
{
    cgs_cuda_pool_free(queue, aggregates->of);
    *aggregates = {};
}

__global__ void __launch_bounds__(CGS_THREADS)
    lengths_kernel(int64_t rows, const int32_t *__restrict__ of, int64_t *pointers)
{
    const int64_t row = each_index();
    if (row < rows)
        pointers[row + 1] = of[row] >= 0;
}

__global__ void __launch_bounds__(CGS_THREADS)
    tentative_kernel(int64_t rows, const int32_t *__restrict__ of,
                     const int64_t *__restrict__ pointers, int32_t *column, double *number)
{
    const int64_t row = each_index();
    if (row < rows && of[row] >= 0) {
        column[pointers[row]] = of[row];
        number[pointers[row]] = 1.0;
    }
}

enum cgs_status make(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                     struct cgs_sparse *made)
{
    const struct cgs_sparse_ops *ops = &cgs_cuda_sparse_f64;
    const char *what = "tentative prolongation";
    const int64_t rows = aggregates->rows;
    int64_t filled = 0;
    CGS_TRY(ops->pointers(queue, what, rows, aggregates->count, made));
    CGS_TRY(launch_each(queue, what, lengths_kernel, rows, aggregates->of, made->pointers));
    CGS_TRY(add_up_lengths(queue, rows, made->pointers, &filled));
    CGS_TRY(ops->entries(queue, what, filled, made));
    return launch_each(queue, what, tentative_kernel, rows, aggregates->of, made->pointers,
                       made->column, (double *)made->value);
}

enum cgs_status tentative(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                          struct cgs_sparse *t)
{
    struct cgs_sparse made = {};
    const enum cgs_status status = make(queue, aggregates, &made);
    if (status != CGS_OK) {
        cgs_cuda_sparse_f64.release(queue, &made);
        return status;
    }
    *t = made;
    return CGS_OK;
}

} // namespace

/* ---- P = S T at once ---- */

namespace
{

/* Counts the rows that have an aggregate, in the memory of pointers. */
enum cgs_status count_aggregated(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                                 int64_t *pointers, int64_t *count)
{
    CGS_TRY(launch_each(queue, "rows with an aggregate", lengths_kernel, aggregates->rows,
                        aggregates->of, pointers));
    return add_up_lengths(queue, aggregates->rows, pointers, count);
}

/* *wide: a row has entries in more aggregates than its group has places for. */
enum cgs_status make_rows(struct cgs_queue *queue, const struct cgs_sparse *a,
                          const prolonging &rows, struct cgs_sparse *p, unsigned *wide)
{
    const char *what = "prolongation";
    int64_t filled = 0;
    CGS_CUDA_TRY(queue->context,
                 cudaMemsetAsync(rows.wide, 0, sizeof *wide, cgs_cuda_stream(queue)));
    CGS_TRY(launch_rows(queue, "entries of a prolongation", a->rows, a->pointers, a->nonzeros,
                        counting_places{rows, p->pointers}));
    CGS_TRY(cgs_cuda_fetch(queue, wide, rows.wide, sizeof *wide));
    if (*wide)
        return CGS_OK;
    CGS_TRY(add_up_lengths(queue, a->rows, p->pointers, &filled));
    CGS_TRY(cgs_cuda_sparse_f64.entries(queue, what, filled, p));
    return launch_rows(queue, what, a->rows, a->pointers, a->nonzeros,
                       filling_places{rows, p->pointers, p->column, (double *)p->value});
}

/* struct cgs_amg_ops.prolong. */
enum cgs_status prolong(struct cgs_queue *queue, const struct cgs_sparse *a,
                        const struct cgs_aggregates *aggregates, double theta, double omega,
                        struct cgs_sparse *p, int64_t *aggregated)
{
    struct cgs_sparse made = {};
    double *roots;
    int64_t count = 0;
    unsigned wide = 0;
    CGS_TRY(amg_cuda_roots(queue, a, &roots));
    const prolonging rows = {{a->column, (const double *)a->value, roots, theta},
                             aggregates->of,
                             omega,
                             reinterpret_cast<unsigned *>(queue->partials)};
    enum cgs_status status =
        cgs_cuda_sparse_f64.pointers(queue, "prolongation", a->rows, aggregates->count, &made);
    if (status == CGS_OK)
        status = count_aggregated(queue, aggregates, made.pointers, &count);
    if (status == CGS_OK)
        status = make_rows(queue, a, rows, &made, &wide);
    cgs_cuda_pool_free(queue, roots);
    if (status != CGS_OK || wide)
        cgs_cuda_sparse_f64.release(queue, &made); /* and empties it */
    if (status != CGS_OK)
        return status;
    *p = made;
    *aggregated = count;
    return CGS_OK;
}

} // namespace

/* ---- coarse rows of a singular component ---- */

namespace
{

/* first: of nodes; NULL: each row is one. */
__global__ void __launch_bounds__(CGS_THREADS)
    mend_kernel(int64_t nodes, const int64_t *__restrict__ first, const struct cgs_sparse a,
                double most)
{
    const int64_t i = each_index();
    if (i >= nodes)
        return;
    const int64_t begin = first ? first[i] : i, end = first ? first[i + 1] : i + 1;
    const struct cgs_amg_node n = {&a, begin, end, begin};
    if (cgs_amg_alone(&n))
        cgs_amg_mend_node(&n, most);
}

enum cgs_status mend(const struct cgs_space *finer, const void *inverse,
                     const struct cgs_near_null *near, struct cgs_sparse *coarse)
{
    double least = 0.0;
    CGS_TRY(finer->ops->least(finer, inverse, &least));
    return launch_each(finer->queue, "rows of singular components", mend_kernel,
                       near->first ? near->nodes : coarse->rows, near->first, *coarse, 1.0 / least);
}

} // namespace

CGS_EXPORT(struct cgs_amg_ops, cgs_cuda_amg) = {
    .aggregate = find_aggregates,
    .release = release,
    .tentative = tentative,
    .smoothing = amg_cuda_smoothing,
    .prolong = prolong,
    .mend = mend,
    .near_null = &cgs_near_null_cuda,
};
