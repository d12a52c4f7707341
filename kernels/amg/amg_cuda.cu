/* Algebraic multigrid's set-up on CUDA (kernels/amg.h): aggregates, T, and the table. */
#include "kernels/amg/aggregate.cuh"
#include "kernels/amg/rows.cuh"
#include "kernels/amg/strong_cuda.cuh"
#include "kernels/device/memory_cuda.cuh"
#include "kernels/device/wait_cuda.cuh"

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
    CGS_TRY(cgs_amg_cuda_roots(queue, w->a, &w->roots));
    CGS_TRY(cgs_amg_cuda_graph(queue, w->a, w->theta, w->roots, &w->strong));
    CGS_TRY(cgs_cuda_alloc(queue, rows, sizeof *w->key, "keys of rows", (void **)&w->key));
    CGS_TRY(cgs_cuda_alloc(queue, rows, sizeof *w->near, "keys of rows", (void **)&w->near));
    CGS_TRY(
        cgs_cuda_alloc(queue, rows, sizeof *w->number, "numbers of roots", (void **)&w->number));
    CGS_TRY(cgs_cuda_alloc(queue, rows, sizeof *w->first, "aggregates", (void **)&w->first));
    return cgs_cuda_alloc(queue, rows, sizeof *w->of, "aggregates", (void **)&w->of);
}

void give_back(struct work *w)
{
    cgs_cuda_free(w->queue, w->first); /* the first free waits for pending readers */
    cgs_cuda_free(w->queue, w->number);
    cgs_cuda_free(w->queue, w->near);
    cgs_cuda_free(w->queue, w->key);
    cgs_cuda_free(w->queue, w->roots);
    cgs_cuda_sparse_f64.release(w->queue, &w->strong);
}

template <class Work>
enum cgs_status over_strong(const struct work *w, const char *name, const Work &work)
{
    const struct cgs_sparse *s = &w->strong;
    return launch_rows(w->queue, name, s->rows, s->pointers, s->nonzeros, work);
}

enum cgs_status find_roots(const struct work *w)
{
    cudaStream_t stream = cgs_cuda_stream(w->queue);
    struct cgs_context *context = w->queue->context;
    const int32_t *column = w->strong.column;
    const look_near near = {column, w->key, w->near};
    const look_far far = {column, w->key, w->near, w->left};
    unsigned left = 1;
    CGS_TRY(launch_each(w->queue, "keys of rows", start_kernel, w->a->rows, w->strong.pointers,
                        w->key, w->near));
    while (left != 0) {
        for (int round = 0; round < ROUNDS; round++) {
            CGS_TRY(over_strong(w, "highest keys near", near));
            CGS_CUDA_TRY(context, cudaMemsetAsync(w->left, 0, sizeof *w->left, stream));
            CGS_TRY(over_strong(w, "highest keys within distance 2", far));
        }
        CGS_CUDA_TRY(context,
                     cudaMemcpyAsync(&left, w->left, sizeof left, cudaMemcpyDeviceToHost, stream));
        CGS_TRY(cgs_cuda_wait(w->queue));
    }
    return over_strong(w, "highest keys near", near); /* with the last roots */
}

enum cgs_status number_roots(const struct work *w, int64_t *count)
{
    const int64_t rows = w->a->rows;
    cudaStream_t stream = cgs_cuda_stream(w->queue);
    struct cgs_context *context = w->queue->context;
    int64_t last = 0;
    CGS_TRY(launch_each(w->queue, "roots", flag_kernel, rows, w->key, w->number));
    CGS_TRY(cgs_cuda_add_up(w->queue, rows, w->number));
    if (rows > 0)
        CGS_CUDA_TRY(context, cudaMemcpyAsync(&last, w->number + rows - 1, sizeof last,
                                              cudaMemcpyDeviceToHost, stream));
    CGS_TRY(cgs_cuda_wait(w->queue));
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
    return launch_rows(
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
        cgs_cuda_free(queue, w.of);
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
    cgs_cuda_free(queue, aggregates->of);
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
    int64_t ends[2];
    CGS_TRY(ops->pointers(queue, what, rows, aggregates->count, made));
    CGS_CUDA_TRY(queue->context, cudaMemsetAsync(made->pointers, 0, sizeof *made->pointers,
                                                 cgs_cuda_stream(queue)));
    CGS_TRY(launch_each(queue, what, lengths_kernel, rows, aggregates->of, made->pointers));
    CGS_TRY(cgs_cuda_add_up(queue, rows, made->pointers + 1));
    CGS_TRY(ops->bounds(queue, made->pointers, rows, ends));
    CGS_TRY(ops->entries(queue, what, ends[1], made));
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

CGS_EXPORT(struct cgs_amg_ops, cgs_cuda_amg) = {
    .aggregate = find_aggregates,
    .release = release,
    .tentative = tentative,
    .smoothing = cgs_amg_cuda_smoothing,
};
