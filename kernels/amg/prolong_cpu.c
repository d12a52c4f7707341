/* P = S T of algebraic multigrid on the CPU (kernels/amg.h), in one pass over A, without S and T:
 *
 *     p_iI = sum over the strong j in aggregate I, and j = i, of s_ij, in the order of the row
 *
 * Each thread makes consecutive rows, as a part whose entries begin where those of A do, since a
 * row of P has at most as many; parts are then copied to where they belong. The entries of a row
 * are found by their aggregate in a small hash table, and sorted in the end.
 */
#include "kernels/amg/prolong_cpu.h"

#include <omp.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/vectorise.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"
#include "matrix/row.h"

/* ---- a row ---- */

/* Table of one thread: place[slot] - first is the position of an entry in the row whose first place
 * is `first`; those of earlier rows are smaller, so that nothing is cleared between rows. */
struct table {
    uint32_t *place;
    uint32_t mask, first;
    int shift;
};

static void begin_row(struct table *table)
{
    if (table->first > 0 && table->first < UINT32_MAX - table->mask)
        return;
    memset(table->place, 0, (table->mask + 1) * sizeof *table->place);
    table->first = 1;
}

/* Adds a number to the entry of a column, which may be new. Returns the number of entries. */
CGS_PIECE uint32_t add(const struct table *table, int32_t wanted, double number, uint32_t entries,
                       int32_t *restrict column, double *restrict sum)
{
    uint32_t slot = (uint32_t)wanted * UINT32_C(2654435769) >> table->shift, at;
    while ((at = table->place[slot] - table->first) < entries && column[at] != wanted)
        slot = (slot + 1) & table->mask;
    if (at < entries) {
        sum[at] += number;
        return entries;
    }
    table->place[slot] = table->first + entries;
    column[entries] = wanted;
    sum[entries] = number;
    return entries + 1;
}

/* The rows of a matrix and what P is made with. */
struct making {
    struct cgs_amg_rows rows;
    const int32_t *of; /* columns of A: aggregates */
    double omega;
    int bits;        /* of the number of slots of a table */
    uint32_t *place; /* threads x slots */
};

/* Makes a row of P; returns its entries. */
CGS_PIECE int64_t make_row(const struct making *making, struct table *table, int64_t row,
                           int32_t *restrict column, double *restrict sum)
{
    const struct cgs_amg_rows *rows = &making->rows;
    const struct cgs_sparse *a = rows->a;
    const double *number = a->value, *roots = rows->roots, theta = rows->theta;
    const double factor = cgs_amg_cpu_factor(rows, row, making->omega);
    const int64_t own = rows->begin + row;
    uint32_t entries = 0;
    begin_row(table);
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (making->of[j] < 0)
            continue;
        if (j == own)
            entries = add(table, making->of[j], 1.0 - making->omega, entries, column, sum);
        else if (cgs_amg_strong(number[e], theta, roots[own], roots[j]))
            entries = add(table, making->of[j], factor * number[e], entries, column, sum);
    }
    table->first += entries;
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
    const struct cgs_sparse *a = making->rows.a;
    const int64_t slots = INT64_C(1) << making->bits, first = first_of(a, thread, threads);
    struct table table = {.place = making->place + thread * slots,
                          .mask = (uint32_t)(slots - 1),
                          .shift = 32 - making->bits};
    int32_t *column = room->column + (a->pointers[first] - a->pointers[0]);
    double *sum = (double *)room->value + (a->pointers[first] - a->pointers[0]);
    int64_t entries = 0;
    for (int64_t i = first; i < first_of(a, thread + 1, threads); i++) {
        entries += make_row(making, &table, i, column + entries, sum + entries);
        room->pointers[i + 1] = entries;
    }
}

/* Copies the rows of a thread from `room`; those of earlier threads have `before` entries. */
static void place_part(const struct making *making, int thread, int threads, int64_t before,
                       const struct cgs_sparse *room, const struct cgs_sparse *p)
{
    const struct cgs_sparse *a = making->rows.a;
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
    struct cgs_queue *queue = making->rows.queue;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    const struct cgs_sparse *a = making->rows.a;
    const int threads = queue->context->threads;
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

/* Makes the tables: at least twice as many slots as a row has entries. */
static enum cgs_status make_tables(struct making *making)
{
    const struct cgs_sparse *a = making->rows.a;
    struct cgs_context *context = making->rows.queue->context;
    int64_t longest = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t length = a->pointers[i + 1] - a->pointers[i];
        longest = length > longest ? length : longest;
    }
    making->bits = 4;
    while (INT64_C(1) << making->bits < 2 * longest && making->bits < 31)
        making->bits++;
    return cgs_alloc(context, cgs_bytes(context->threads, INT64_C(1) << making->bits),
                     sizeof *making->place, "prolongation", (void **)&making->place);
}

enum cgs_status cgs_amg_prolong_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       const struct cgs_ghosts *ghosts,
                                       const struct cgs_aggregates *aggregates, double theta,
                                       double omega, struct cgs_sparse *p)
{
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct making making = {.of = aggregates->of, .omega = omega};
    struct cgs_sparse room = {0}, made = {.columns = aggregates->count};
    CGS_TRY(cgs_amg_cpu_rows(queue, a, ghosts, theta, &making.rows));
    enum cgs_status status = make_tables(&making);
    if (status == CGS_OK)
        status = make_rows(&making, &room, &made);
    if (ghosts)
        status = cgs_comm_agree(queue->context, status);
    ops->release(queue, &room);
    cgs_free(queue->context, making.place);
    cgs_amg_cpu_rows_release(&making.rows);
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
