/* Aggregates of strongly connected rows on the CPU (kernels/amg.h).
 *
 *     1. roots: a maximal set of rows of which no two are within distance 2 in the graph of strong
 *        connections. In rounds, until no row is undecided:
 *            near_i = max of the keys of i and its neighbours,  far_i = the same of near
 *            row i is a root if far_i is its own key, out if far_i is that of a root
 *     2. a root's neighbours belong to its aggregate
 *     3. a remaining row has a neighbour in an aggregate: it joins the strongest one's
 *
 * A key is a state and a hash of the row, the same for all who compute it (rules.h): the same
 * aggregates with any number of threads and on any device.
 *
 * Source: N. Bell, S. Dalton, L. Olson, SIAM J. Sci. Comput. 34 (2012) C123-C152.
 */
#include "base/memory.h"
#include "kernels/amg/amg_cpu.h"
#include "kernels/amg/rules.h"

/* Rows a thread takes at a time; small, since the remaining work is unevenly distributed. */
enum { CHUNK = 4096 };

struct work {
    struct cgs_queue *queue;
    const struct cgs_sparse *a;
    double theta;
    double *roots;            /* of the diagonal */
    struct cgs_sparse strong; /* without the diagonal */
    uint64_t *key, *near;     /* rows */
    int32_t *first;           /* rows: aggregates after step 2 */
    int32_t *of;              /* rows: final aggregates */
};

static uint64_t highest(const struct cgs_sparse *strong, const uint64_t *key, int64_t row)
{
    uint64_t most = key[row];
    for (int64_t e = strong->pointers[row]; e < strong->pointers[row + 1]; e++) {
        const uint64_t other = key[strong->column[e]];
        most = other > most ? other : most;
    }
    return most;
}

/* Initial keys; rows without strong neighbours take no part. */
static void start(const struct work *w)
{
    const struct cgs_sparse *strong = &w->strong;
#pragma omp parallel for schedule(static) num_threads(w->queue->context->threads)
    for (int64_t i = 0; i < strong->rows; i++) {
        const int alone = strong->pointers[i] == strong->pointers[i + 1];
        w->key[i] = w->near[i] = cgs_amg_key(alone ? CGS_AMG_OUT : CGS_AMG_UNDECIDED, i);
    }
}

/* Updates near_i where it may have changed. */
static void look_near(const struct work *w)
{
#pragma omp parallel for schedule(static, CHUNK) num_threads(w->queue->context->threads)
    for (int64_t i = 0; i < w->strong.rows; i++)
        if (cgs_amg_open(w->near[i]))
            w->near[i] = highest(&w->strong, w->key, i);
}

/* Decides the rows that can be decided; returns the number of undecided ones. */
static int64_t look_far(const struct work *w)
{
    int64_t undecided = 0;
#pragma omp parallel for schedule(static, CHUNK)                                                   \
    num_threads(w->queue->context->threads) reduction(+ : undecided)
    for (int64_t i = 0; i < w->strong.rows; i++) {
        if (!cgs_amg_open(w->key[i]))
            continue;
        const uint64_t far =
            cgs_amg_open(w->near[i]) ? highest(&w->strong, w->near, i) : w->near[i];
        const enum cgs_amg_state state = cgs_amg_decide(far, i);
        w->key[i] = cgs_amg_key(state, i);
        undecided += state == CGS_AMG_UNDECIDED;
    }
    return undecided;
}

/* Numbers the roots in row order, and gives their neighbours the same number. */
static int64_t take_neighbours(const struct work *w)
{
    const int64_t rows = w->strong.rows;
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        w->of[i] = cgs_amg_state_of(w->key[i]) == CGS_AMG_ROOT ? (int32_t)count++ : -1;
#pragma omp parallel for schedule(static) num_threads(w->queue->context->threads)
    for (int64_t i = 0; i < rows; i++)
        w->first[i] =
            cgs_amg_state_of(w->near[i]) == CGS_AMG_ROOT ? w->of[cgs_amg_row_of(w->near[i])] : -1;
    return count;
}

/* Returns the aggregate of the row's strongest neighbour that has one. */
static int32_t strongest(const struct work *w, int64_t row)
{
    const struct cgs_sparse *a = w->a;
    const double *number = a->value;
    double most = 0.0;
    int32_t best = -1;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == row || w->first[j] < 0 ||
            !cgs_amg_strong(number[e], w->theta, w->roots[row], w->roots[j]))
            continue;
        const double strength = cgs_amg_strength(number[e], w->roots[j]);
        if (strength > most) {
            most = strength;
            best = w->first[j];
        }
    }
    return best;
}

static void join(const struct work *w)
{
#pragma omp parallel for schedule(static) num_threads(w->queue->context->threads)
    for (int64_t i = 0; i < w->strong.rows; i++)
        w->of[i] = w->first[i] >= 0 ? w->first[i] : strongest(w, i);
}

static enum cgs_status take(struct work *w)
{
    struct cgs_context *context = w->queue->context;
    const int64_t rows = w->a->rows;
    CGS_TRY(cgs_amg_cpu_roots(w->queue, w->a, &w->roots));
    CGS_TRY(cgs_amg_cpu_graph(w->queue, w->a, w->theta, w->roots, 0, &w->strong));
    CGS_TRY(cgs_alloc(context, rows, sizeof *w->key, "keys of rows", (void **)&w->key));
    CGS_TRY(cgs_alloc(context, rows, sizeof *w->near, "keys of rows", (void **)&w->near));
    CGS_TRY(cgs_alloc(context, rows, sizeof *w->first, "aggregates", (void **)&w->first));
    return cgs_alloc(context, rows, sizeof *w->of, "aggregates", (void **)&w->of);
}

enum cgs_status cgs_amg_cpu_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, struct cgs_aggregates *aggregates)
{
    struct cgs_context *context = queue->context;
    struct work w = {.queue = queue, .a = a, .theta = theta};
    const enum cgs_status status = take(&w);
    if (status == CGS_OK) {
        start(&w);
        int64_t undecided = a->rows;
        while (undecided > 0) {
            look_near(&w);
            undecided = look_far(&w);
        }
        look_near(&w); /* with the last roots */
        const int64_t count = take_neighbours(&w);
        join(&w);
        *aggregates = (struct cgs_aggregates){.rows = a->rows, .count = count, .of = w.of};
    } else {
        cgs_free(context, w.of);
    }
    cgs_free(context, w.first);
    cgs_free(context, w.near);
    cgs_free(context, w.key);
    cgs_free(context, w.roots);
    cgs_cpu_sparse_f64.release(queue, &w.strong);
    return status;
}
