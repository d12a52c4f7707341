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
 * aggregates with any number of threads, on any device, and on any number of ranks. These fetch the
 * keys of their ghosts after each step, and so do what one process does.
 *
 * Source: N. Bell, S. Dalton, L. Olson, SIAM J. Sci. Comput. 34 (2012) C123-C152.
 */
#include "kernels/amg/aggregate_cpu.h"
#include "base/comm.h"
#include "base/memory.h"
#include "base/vectorise.h"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"

/* Rows a thread takes at a time: small, since the remaining work is unevenly distributed. */
enum { CHUNK = 4096 };

struct work {
    struct cgs_amg_rows rows;
    struct cgs_amg_strong *strong;
    uint64_t *key, *near; /* columns */
    int32_t *first;       /* columns: aggregates after step 2 */
    int32_t *of;          /* columns: final aggregates */
};

static struct cgs_context *context_of(const struct work *w)
{
    return w->rows.queue->context;
}

/* ---- ghosts: nothing to do where there are none ---- */

static const struct cgs_portion *portion_of(const struct work *w)
{
    return w->rows.ghosts ? w->rows.ghosts->portion : NULL;
}

/* Returns the whole's number of a row. */
static int64_t number_of(const struct work *w, int64_t row)
{
    return cgs_portion_global(portion_of(w), row);
}

/* Returns the column of one of the whole's rows, which must be among those that are here. */
static int64_t column_of(const struct work *w, int64_t number)
{
    return w->rows.begin + cgs_portion_local(portion_of(w), number);
}

static void fetch_keys(const struct work *w, uint64_t *key)
{
    if (w->rows.ghosts)
        cgs_ghosts_fetch(context_of(w), w->rows.ghosts, key);
}

/* Fetches aggregates of ghosts by way of w->key, whose keys are lost. */
static void fetch_aggregates(const struct work *w, int32_t *of)
{
    if (!w->rows.ghosts)
        return;
    int64_t *wide = (int64_t *)w->key;
    for (int64_t c = 0; c < w->rows.a->columns; c++)
        wide[c] = of[c];
    cgs_ghosts_fetch(context_of(w), w->rows.ghosts, wide);
    for (int64_t c = 0; c < w->rows.a->columns; c++)
        of[c] = (int32_t)wide[c];
}

/* ---- roots ---- */

/* Returns the highest key of a row and its neighbours. */
CGS_PIECE uint64_t highest(const struct work *w, const uint64_t *restrict key, int64_t row)
{
    const struct cgs_sparse *a = w->rows.a;
    const uint64_t *word = w->strong->bits + cgs_amg_strong_word(a, row);
    const int32_t *column = a->column + a->pointers[row];
    const int64_t length = a->pointers[row + 1] - a->pointers[row];
    uint64_t most = key[w->rows.begin + row];
    for (int64_t begin = 0; begin < length; begin += 64) {
        const int count = (int)(length < begin + 64 ? length - begin : 64);
        const uint64_t bits = word[begin / 64];
        for (int e = 0; e < count; e++) {
            const int64_t mask = (int64_t)(bits << (63 - e)) >> 63;
            const uint64_t other = key[column[begin + e]] & (uint64_t)mask;
            most = other > most ? other : most;
        }
    }
    return most;
}

/* Returns true if a row has no strong neighbour. */
static bool is_alone(const struct work *w, int64_t row)
{
    const struct cgs_sparse *a = w->rows.a;
    const int64_t words = (a->pointers[row + 1] - a->pointers[row] + 63) / 64;
    const uint64_t *word = w->strong->bits + cgs_amg_strong_word(a, row);
    uint64_t any = 0;
    for (int64_t k = 0; k < words; k++)
        any |= word[k];
    return any == 0;
}

/* Initial keys; rows without strong neighbours take no part. */
static void start(const struct work *w)
{
    uint64_t *key = w->key + w->rows.begin, *near = w->near + w->rows.begin;
#pragma omp parallel for schedule(static) num_threads(context_of(w)->threads)
    for (int64_t i = 0; i < w->rows.a->rows; i++) {
        key[i] = near[i] =
            cgs_amg_key(is_alone(w, i) ? CGS_AMG_OUT : CGS_AMG_UNDECIDED, number_of(w, i));
    }
    fetch_keys(w, w->key);
}

/* Finds near_i, at first of all rows, then of those whose near_i was the key of a row that has been
 * decided since: the key of a root, or another. */
CGS_CLONES static void look_near_in(const struct work *w, bool all, int64_t first, int64_t last)
{
    uint64_t *near = w->near + w->rows.begin;
    for (int64_t i = first; i < last; i++) {
        if (!cgs_amg_open(near[i]))
            continue;
        const uint64_t now = w->key[column_of(w, cgs_amg_row_of(near[i]))];
        if (all || cgs_amg_state_of(now) == CGS_AMG_OUT)
            near[i] = highest(w, w->key, i);
        else
            near[i] = now;
    }
}

/* Decides the rows that can be decided; returns the number of undecided ones. Where there are no
 * roots yet, only rows with the highest key near them may change. */
CGS_CLONES static int64_t look_far_in(const struct work *w, bool roots, int64_t first, int64_t last)
{
    uint64_t *key = w->key + w->rows.begin;
    const uint64_t *near = w->near + w->rows.begin;
    int64_t undecided = 0;
    for (int64_t i = first; i < last; i++) {
        if (!cgs_amg_open(key[i]))
            continue;
        const int64_t number = number_of(w, i);
        const bool looks = cgs_amg_open(near[i]) && (roots || near[i] == key[i]);
        const uint64_t far = looks ? highest(w, w->near, i) : near[i];
        const enum cgs_amg_state state = cgs_amg_decide(far, number);
        key[i] = cgs_amg_key(state, number);
        undecided += state == CGS_AMG_UNDECIDED;
    }
    return undecided;
}

static int64_t end_of(const struct work *w, int64_t chunk)
{
    const int64_t rows = w->rows.a->rows;
    return chunk + CHUNK < rows ? chunk + CHUNK : rows;
}

static void look_near(const struct work *w, bool all)
{
#pragma omp parallel for schedule(static, 1) num_threads(context_of(w)->threads)
    for (int64_t chunk = 0; chunk < w->rows.a->rows; chunk += CHUNK)
        look_near_in(w, all, chunk, end_of(w, chunk));
}

/* Returns the number of undecided rows of all ranks. */
static int64_t look_far(const struct work *w, bool roots)
{
    int64_t undecided = 0;
#pragma omp parallel for schedule(static, 1) num_threads(context_of(w)->threads)                   \
    reduction(+ : undecided)
    for (int64_t chunk = 0; chunk < w->rows.a->rows; chunk += CHUNK)
        undecided += look_far_in(w, roots, chunk, end_of(w, chunk));
    return w->rows.ghosts ? (int64_t)cgs_comm_sum(context_of(w), (double)undecided) : undecided;
}

static void find_roots(const struct work *w)
{
    int64_t undecided = 1;
    start(w);
    for (bool roots = false; undecided > 0; roots = true) {
        look_near(w, !roots);
        fetch_keys(w, w->near);
        undecided = look_far(w, roots);
        fetch_keys(w, w->key);
    }
    look_near(w, false); /* with the last roots */
}

/* ---- members ---- */

/* Sets *first and *count, of all ranks, from the roots of this one. */
static void number_roots(const struct work *w, int64_t roots, int64_t *first, int64_t *count)
{
    int64_t starts[CGS_RANKS_MOST + 1];
    struct cgs_context *context = context_of(w);
    *first = 0;
    *count = roots;
    if (!w->rows.ghosts)
        return;
    cgs_comm_starts(context, roots, starts);
    *first = starts[context->comm->rank];
    *count = starts[context->comm->size];
}

/* Numbers the roots in row order, and gives their neighbours the same number. */
static void take_neighbours(const struct work *w, int64_t *first, int64_t *count)
{
    const int64_t rows = w->rows.a->rows, begin = w->rows.begin;
    int64_t roots = 0;
    for (int64_t i = 0; i < rows; i++)
        roots += cgs_amg_state_of(w->key[begin + i]) == CGS_AMG_ROOT;
    number_roots(w, roots, first, count);
    int32_t next = (int32_t)*first;
    for (int64_t i = 0; i < rows; i++)
        w->of[begin + i] = cgs_amg_state_of(w->key[begin + i]) == CGS_AMG_ROOT ? next++ : -1;
    fetch_aggregates(w, w->of);
#pragma omp parallel for schedule(static) num_threads(context_of(w)->threads)
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t near = w->near[begin + i];
        w->first[begin + i] =
            cgs_amg_state_of(near) == CGS_AMG_ROOT ? w->of[column_of(w, cgs_amg_row_of(near))] : -1;
    }
    fetch_aggregates(w, w->first);
}

/* Returns the aggregate of the row's strongest neighbour that has one. */
CGS_PIECE int32_t strongest(const struct work *w, int64_t row)
{
    const struct cgs_sparse *a = w->rows.a;
    const uint64_t *word = w->strong->bits + cgs_amg_strong_word(a, row);
    const double *number = a->value, *roots = w->rows.roots;
    const int64_t begin = a->pointers[row];
    double most = 0.0;
    int32_t best = -1;
    for (int64_t e = begin; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e], first = w->first[j];
        const bool joins = (first >= 0) & cgs_amg_strong_bit(word, e - begin);
        const double strength = joins ? cgs_amg_strength(number[e], roots[j]) : 0.0;
        best = strength > most ? first : best;
        most = strength > most ? strength : most;
    }
    return best;
}

CGS_CLONES static void join_in(const struct work *w, int64_t first, int64_t last)
{
    const int32_t *of_roots = w->first + w->rows.begin;
    int32_t *of = w->of + w->rows.begin;
    for (int64_t i = first; i < last; i++)
        of[i] = of_roots[i] >= 0 ? of_roots[i] : strongest(w, i);
}

static void join(const struct work *w)
{
#pragma omp parallel for schedule(static, 1) num_threads(context_of(w)->threads)
    for (int64_t chunk = 0; chunk < w->rows.a->rows; chunk += CHUNK)
        join_in(w, chunk, end_of(w, chunk));
    fetch_aggregates(w, w->of);
}

/* ---- all of it ---- */

void cgs_amg_cpu_forget(struct cgs_queue *queue, struct cgs_aggregates *aggregates)
{
    if (aggregates->strong)
        cgs_amg_cpu_strong_release(queue->context, aggregates->strong);
    cgs_free(queue->context, aggregates->strong);
    aggregates->strong = NULL;
}

void cgs_amg_cpu_release(struct cgs_queue *queue, struct cgs_aggregates *aggregates)
{
    cgs_amg_cpu_forget(queue, aggregates);
    cgs_free(queue->context, aggregates->of);
    *aggregates = (struct cgs_aggregates){0};
}

static enum cgs_status take(struct work *w)
{
    struct cgs_context *context = context_of(w);
    const int64_t columns = w->rows.a->columns;
    CGS_TRY(cgs_alloc(context, 1, sizeof *w->strong, "strong connections", (void **)&w->strong));
    *w->strong = (struct cgs_amg_strong){0};
    CGS_TRY(cgs_amg_cpu_strong(&w->rows, w->strong));
    CGS_TRY(cgs_alloc(context, columns, sizeof *w->key, "keys of rows", (void **)&w->key));
    CGS_TRY(cgs_alloc(context, columns, sizeof *w->near, "keys of rows", (void **)&w->near));
    CGS_TRY(cgs_alloc(context, columns, sizeof *w->first, "aggregates", (void **)&w->first));
    return cgs_alloc(context, columns, sizeof *w->of, "aggregates", (void **)&w->of);
}

enum cgs_status cgs_amg_aggregate_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         struct cgs_aggregates *aggregates)
{
    struct cgs_context *context = queue->context;
    struct work w = {0};
    CGS_TRY(cgs_amg_cpu_rows(queue, a, ghosts, theta, &w.rows));
    enum cgs_status status = take(&w);
    if (ghosts)
        status = cgs_comm_agree(context, status);
    struct cgs_aggregates made = {.rows = a->columns, .of = w.of, .strong = w.strong};
    if (status == CGS_OK) {
        find_roots(&w);
        take_neighbours(&w, &made.first, &made.count);
        join(&w);
        *aggregates = made;
    } else {
        cgs_amg_cpu_release(queue, &made);
    }
    cgs_free(context, w.first);
    cgs_free(context, w.near);
    cgs_free(context, w.key);
    cgs_amg_cpu_rows_release(&w.rows);
    return status;
}

enum cgs_status cgs_amg_cpu_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, struct cgs_aggregates *aggregates)
{
    return cgs_amg_aggregate_shared(queue, a, NULL, theta, aggregates);
}
