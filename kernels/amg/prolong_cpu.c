/* P = S T of algebraic multigrid on the CPU (kernels/amg.h), in one pass over A, without S and T:
 *
 *     p_iI = sum over the strong j in aggregate I, and j = i, of s_ij, in the order of the row
 *
 * Each thread makes consecutive rows, as a part whose entries begin where those of A do, since a
 * row of P has at most as many; parts are then copied to where they belong. A thread has a table of
 * the places that aggregates have in the row that it makes, and sorts the row in the end. There are
 * fewer threads where all tables would take more than A's columns.
 */
#include "kernels/amg/prolong_cpu.h"

#include <omp.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/plan.h"
#include "base/vectorise.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"
#include "matrix/row.h"

/* ---- a row ---- */

/* Data that all threads share. */
struct making {
    struct cgs_queue *queue;
    const struct cgs_amg_strong *strong;
    const int32_t *of; /* columns of A: aggregates */
    int64_t aggregates;
    double omega;
    int threads;
    uint32_t *place; /* threads x aggregates */
};

/* Places of one thread: place[I] - first is that of aggregate I in the row whose first place is
 * `first`; those of earlier rows are smaller, so that nothing is cleared between rows. */
struct places {
    uint32_t *place, first;
};

/* Makes a row of P; returns its entries. */
CGS_PIECE int64_t make_row(const struct making *making, struct places *places, int64_t row,
                           int32_t *restrict column, double *restrict sum)
{
    const struct cgs_amg_strong *strong = making->strong;
    const struct cgs_sparse *a = strong->a;
    const int64_t begin = a->pointers[row], length = a->pointers[row + 1] - begin;
    const int64_t diagonal = cgs_amg_diagonal(a, row, strong->begin + row);
    const uint64_t *word = strong->bits + cgs_amg_strong_word(a, row);
    const double *number = (const double *)a->value + begin;
    const double factor = cgs_amg_cpu_factor(strong, row, diagonal, making->omega);
    uint32_t *restrict place = places->place;
    uint32_t entries = 0;
    for (int64_t first = 0; first < length; first += 64)
        for (uint64_t bits = cgs_amg_strong_with(word, first, diagonal); bits; bits &= bits - 1) {
            const int64_t e = first + __builtin_ctzll(bits);
            const int32_t wanted = making->of[a->column[begin + e]];
            if (wanted < 0)
                continue;
            const uint32_t found = place[wanted] - places->first;
            const uint32_t at = found < entries ? found : entries;
            place[wanted] = places->first + at;
            column[at] = wanted;
            sum[entries] = -0.0; /* to which numbers add without a change */
            sum[at] += e == diagonal ? 1.0 - making->omega : factor * number[e];
            entries += found >= entries;
        }
    places->first += entries;
    cgs_row_sort(entries, column, sum);
    return entries;
}

/* ---- all of them ---- */

/* The first row of a thread. */
static int64_t first_of(const struct cgs_sparse *a, int thread, int threads)
{
    return a->rows / threads * thread + a->rows % threads * thread / threads;
}

/* Makes the rows of a thread; pointers[i + 1]: the entries of its rows up to i. */
CGS_CLONES static void make_part(const struct making *making, int thread, int threads,
                                 const struct cgs_sparse *room)
{
    const struct cgs_sparse *a = making->strong->a;
    const int64_t first = first_of(a, thread, threads), last = first_of(a, thread + 1, threads);
    struct places places = {making->place + thread * making->aggregates, UINT32_MAX};
    int32_t *column = room->column + (a->pointers[first] - a->pointers[0]);
    double *sum = (double *)room->value + (a->pointers[first] - a->pointers[0]);
    int64_t entries = 0;
    for (int64_t i = first; i < last; i++) {
        if (places.first > UINT32_MAX - (a->pointers[i + 1] - a->pointers[i])) {
            memset(places.place, 0, (size_t)making->aggregates * sizeof *places.place);
            places.first = 1;
        }
        entries += make_row(making, &places, i, column + entries, sum + entries);
        room->pointers[i + 1] = entries;
    }
}

/* Copies the rows of a thread from `room`; those of earlier threads have `before` entries. */
static void place_part(const struct making *making, int thread, int threads, int64_t before,
                       const struct cgs_sparse *room, const struct cgs_sparse *p)
{
    const struct cgs_sparse *a = making->strong->a;
    const int64_t first = first_of(a, thread, threads), last = first_of(a, thread + 1, threads);
    const int64_t from = a->pointers[first] - a->pointers[0];
    const int64_t entries = last > first ? room->pointers[last] : 0;
    for (int64_t i = first; i < last; i++)
        p->pointers[i + 1] = before + room->pointers[i + 1];
    memcpy(p->column + before, room->column + from, (size_t)entries * sizeof *p->column);
    memcpy((double *)p->value + before, (double *)room->value + from,
           (size_t)entries * sizeof(double));
}

/* Returns the entries of all threads before this one. */
static int64_t entries_before(const struct cgs_sparse *a, int thread, int threads,
                              const struct cgs_sparse *room)
{
    int64_t entries = 0;
    for (int t = 0; t < thread; t++)
        if (first_of(a, t + 1, threads) > first_of(a, t, threads))
            entries += room->pointers[first_of(a, t + 1, threads)];
    return entries;
}

static enum cgs_status make_rows(const struct making *making, struct cgs_sparse *room,
                                 struct cgs_sparse *p)
{
    struct cgs_queue *queue = making->queue;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    const struct cgs_sparse *a = making->strong->a;
    const int threads = making->threads;
    const char *what = "prolongation";
    CGS_TRY(ops->pointers(queue, what, a->rows, p->columns, room));
    CGS_TRY(ops->entries(queue, what, a->nonzeros, room));
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        make_part(making, t, threads, room);
    CGS_TRY(ops->pointers(queue, what, a->rows, p->columns, p));
    CGS_TRY(ops->entries(queue, what, entries_before(a, threads, threads, room), p));
    p->pointers[0] = 0;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        place_part(making, t, threads, entries_before(a, t, threads, room), room, p);
    return CGS_OK;
}

/* Returns as many of these threads as have tables within A's columns together, at least one. */
static int threads_for(int threads, int64_t nonzeros, int64_t aggregates)
{
    const int64_t tables = aggregates > 0 ? nonzeros / aggregates : threads;
    const int64_t most = tables > 1 ? tables : 1;
    return most < threads ? (int)most : threads;
}

enum cgs_status cgs_amg_prolong_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       const struct cgs_ghosts *ghosts,
                                       const struct cgs_aggregates *aggregates, double theta,
                                       double omega, struct cgs_sparse *p)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct cgs_context *context = queue->context;
    struct cgs_amg_strong found = {0};
    struct making making = {.queue = queue,
                            .strong = aggregates->strong ? aggregates->strong : &found,
                            .of = aggregates->of,
                            .aggregates = aggregates->count,
                            .omega = omega,
                            .threads = threads_for(context->threads, a->nonzeros,
                                                   aggregates->count)};
    struct cgs_sparse room = {0}, made = {.columns = aggregates->count};
    if (!aggregates->strong)
        CGS_TRY(cgs_amg_cpu_strong_of(queue, a, ghosts, theta, &found));
    enum cgs_status status =
        cgs_alloc(context, cgs_bytes(making.threads, aggregates->count), sizeof *making.place,
                  "prolongation", (void **)&making.place);
    if (status == CGS_OK)
        status = make_rows(&making, &room, &made);
    if (ghosts)
        status = cgs_comm_agree(context, status);
    ops->release(queue, &room);
    cgs_free(context, making.place);
    cgs_amg_cpu_strong_release(context, &found);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
    *p = made;
    return CGS_OK;
}

enum cgs_status cgs_amg_cpu_prolong(struct cgs_queue *queue, const struct cgs_sparse *a,
                                    const struct cgs_aggregates *aggregates, double theta,
                                    double omega, struct cgs_sparse *p, int64_t *aggregated)
{
    int64_t count = 0;
    CGS_TRY(cgs_amg_prolong_shared(queue, a, NULL, aggregates, theta, omega, p));
    for (int64_t i = 0; i < a->rows; i++)
        count += aggregates->of[i] >= 0;
    *aggregated = count;
    return CGS_OK;
}
