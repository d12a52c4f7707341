/* T of near-null vectors on the CPU (kernels/near_null.h): for each aggregate Q R = B by modified
 * Gram-Schmidt, each column against those before it twice (L. Giraud, J. Langou, M. Rozloznik,
 * Computers and Mathematics with Applications 50 (2005) 1069-1075). An aggregate is one thread's:
 * the same bits for any number of threads.
 *
 *     rows of the aggregate, in ascending order       Q          R
 *     k numbers of each                              r columns  r rows of k numbers,  r <= k
 */
#include "kernels/amg/fit_cpu.h"

#include "base/memory.h"
#include "kernels/amg.h"
#include "kernels/amg/near_rules.h"
#include "kernels/amg/strong_cpu.h"

struct fitting {
    struct cgs_queue *queue;
    const struct cgs_aggregates *aggregates;
    const struct cgs_near_null *near;
    int64_t *start;  /* aggregates + 1: where their rows begin in `member` */
    int32_t *member; /* rows by aggregate, ascending */
    double *q;       /* `count` numbers of each row, of which the first `rank` are Q's */
    double *r;       /* count x count numbers of each aggregate */
    int *rank;       /* of each aggregate */
};

/* ---- memory ---- */

void cgs_near_null_cpu_release(struct cgs_queue *queue, struct cgs_near_null *near)
{
    cgs_free(queue->context, near->first);
    cgs_free(queue->context, near->vector);
    *near = (struct cgs_near_null){0};
}

enum cgs_status cgs_near_null_cpu_take(struct cgs_queue *queue, int count, int64_t nodes,
                                       int64_t rows, struct cgs_near_null *near)
{
    struct cgs_near_null made = {.count = count, .nodes = nodes};
    enum cgs_status status =
        cgs_alloc(queue->context, nodes + 1, sizeof *made.first, "nodes", (void **)&made.first);
    if (status == CGS_OK)
        status = cgs_alloc(queue->context, cgs_bytes(rows, count), sizeof *made.vector,
                           "near-null vectors", (void **)&made.vector);
    if (status != CGS_OK) {
        cgs_near_null_cpu_release(queue, &made);
        return status;
    }
    *near = made;
    return CGS_OK;
}

/* ---- members ---- */

/* Sorts the rows by aggregate. */
static void find_members(const struct fitting *f)
{
    const struct cgs_aggregates *aggregates = f->aggregates;
    const int64_t *first = f->near->first;
    for (int64_t i = 0; i <= aggregates->count; i++)
        f->start[i] = 0;
    for (int64_t i = 0; i < f->near->nodes; i++)
        if (aggregates->of[i] >= 0)
            f->start[aggregates->of[i] + 1] += first[i + 1] - first[i];
    for (int64_t i = 0; i < aggregates->count; i++)
        f->start[i + 1] += f->start[i];
    for (int64_t i = 0; i < f->near->nodes; i++)
        for (int64_t row = first[i]; aggregates->of[i] >= 0 && row < first[i + 1]; row++)
            f->member[f->start[aggregates->of[i]]++] = (int32_t)row;
    for (int64_t i = aggregates->count; i > 0; i--)
        f->start[i] = f->start[i - 1];
    f->start[0] = 0;
}

/* ---- Q and R ---- */

static void orthogonalise_all(const struct fitting *f)
{
    const int64_t numbers = f->near->first[f->near->nodes] * f->near->count;
    const int threads = f->queue->context->threads;
    const struct cgs_near_columns columns = {f->near->count, f->start, f->member, f->q, f->r};
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < numbers; i++)
        f->q[i] = f->near->vector[i];
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (int64_t i = 0; i < f->aggregates->count; i++)
        f->rank[i] = cgs_near_orthogonalise(&columns, i);
}

/* ---- T, coarse nodes and vectors ---- */

/* Makes the coarse nodes and vectors. *rows: of the coarse matrix. */
static enum cgs_status make_coarse(const struct fitting *f, struct cgs_near_null *coarse,
                                   int64_t *rows)
{
    const int count = f->near->count;
    int64_t nodes = 0, columns = 0, at = 0;
    for (int64_t i = 0; i < f->aggregates->count; i++) {
        nodes += f->rank[i] > 0;
        columns += f->rank[i];
    }
    CGS_TRY(cgs_near_null_cpu_take(f->queue, count, nodes, columns, coarse));
    coarse->first[0] = nodes = 0;
    for (int64_t i = 0; i < f->aggregates->count; i++) {
        const int numbers = f->rank[i] * count;
        for (int k = 0; k < numbers; k++)
            coarse->vector[at++] = f->r[i * count * count + k];
        if (numbers > 0) {
            coarse->first[nodes + 1] = coarse->first[nodes] + f->rank[i];
            nodes++;
        }
    }
    *rows = columns;
    return CGS_OK;
}

/* Returns the columns of row's node in T, from *first on. first_of: of each aggregate. */
static int columns_of(const struct fitting *f, int64_t node, const int64_t *first_of,
                      int64_t *first)
{
    const int32_t of = f->aggregates->of[node];
    *first = of >= 0 ? first_of[of] : 0;
    return of >= 0 ? f->rank[of] : 0;
}

/* Makes T. first_of: first column of each aggregate. */
static enum cgs_status make_tentative(const struct fitting *f, const int64_t *first_of,
                                      int64_t columns, struct cgs_sparse *t, int64_t *aggregated)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    const int count = f->near->count;
    const int64_t nodes = f->near->nodes, rows = f->near->first[nodes];
    int64_t first, filled = 0;
    CGS_TRY(ops->pointers(f->queue, "tentative prolongation", rows, columns, t));
    t->pointers[0] = 0;
    for (int64_t i = 0; i < nodes; i++) {
        const int length = columns_of(f, i, first_of, &first);
        for (int64_t row = f->near->first[i]; row < f->near->first[i + 1]; row++) {
            t->pointers[row + 1] = t->pointers[row] + length;
            filled += length > 0;
        }
    }
    CGS_TRY(ops->entries(f->queue, "tentative prolongation", t->pointers[rows], t));
    double *number = t->value;
#pragma omp parallel for schedule(static) num_threads(f->queue->context->threads) private(first)
    for (int64_t i = 0; i < nodes; i++) {
        const int length = columns_of(f, i, first_of, &first);
        for (int64_t row = f->near->first[i]; row < f->near->first[i + 1]; row++)
            for (int k = 0; k < length; k++) {
                t->column[t->pointers[row] + k] = (int32_t)(first + k);
                number[t->pointers[row] + k] = f->q[row * count + k];
            }
    }
    *aggregated = filled;
    return CGS_OK;
}

static enum cgs_status take(struct fitting *f)
{
    struct cgs_context *context = f->queue->context;
    const int64_t aggregates = f->aggregates->count, rows = f->near->first[f->near->nodes],
                  count = f->near->count;
    const char *what = "tentative prolongation";
    CGS_TRY(cgs_alloc(context, aggregates + 1, sizeof *f->start, what, (void **)&f->start));
    CGS_TRY(cgs_alloc(context, rows, sizeof *f->member, what, (void **)&f->member));
    CGS_TRY(cgs_alloc(context, aggregates, sizeof *f->rank, what, (void **)&f->rank));
    CGS_TRY(cgs_alloc(context, cgs_bytes(aggregates, count * count), sizeof *f->r, what,
                      (void **)&f->r));
    return cgs_alloc(context, cgs_bytes(rows, count), sizeof *f->q, what, (void **)&f->q);
}

/* Makes all; on failure some of it. */
static enum cgs_status make(struct fitting *f, struct cgs_sparse *t, struct cgs_near_null *coarse,
                            int64_t *aggregated)
{
    int64_t columns, next = 0;
    CGS_TRY(take(f));
    find_members(f);
    orthogonalise_all(f);
    CGS_TRY(make_coarse(f, coarse, &columns));
    for (int64_t i = 0; i < f->aggregates->count; i++) { /* its rows are in Q now */
        f->start[i] = next;
        next += f->rank[i];
    }
    return make_tentative(f, f->start, columns, t, aggregated);
}

enum cgs_status cgs_near_null_cpu_fit(struct cgs_queue *queue,
                                      const struct cgs_aggregates *aggregates,
                                      const struct cgs_near_null *near, struct cgs_sparse *t,
                                      struct cgs_near_null *coarse, int64_t *aggregated)
{
    struct cgs_context *context = queue->context;
    struct fitting f = {.queue = queue, .aggregates = aggregates, .near = near};
    struct cgs_sparse made = {0};
    struct cgs_near_null next = {0};
    const enum cgs_status status = make(&f, &made, &next, aggregated);
    cgs_free(context, f.q);
    cgs_free(context, f.r);
    cgs_free(context, f.rank);
    cgs_free(context, f.member);
    cgs_free(context, f.start);
    if (status != CGS_OK) {
        cgs_cpu_sparse_f64.release(queue, &made);
        cgs_near_null_cpu_release(queue, &next);
        return status;
    }
    *t = made;
    *coarse = next;
    return CGS_OK;
}
