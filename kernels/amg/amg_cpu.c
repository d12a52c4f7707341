/* Algebraic multigrid's set-up on the CPU (kernels/amg.h): which entries are strong, T and S.
 *
 *     T: one entry 1 in each row that has an aggregate
 *     S: s_ii = 1 - omega, s_ij = -(omega / d_i) a_ij for strong j; d_i: a_ii plus the weak entries
 */
#include "kernels/amg/amg_cpu.h"

#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/rules.h"
#include "kernels/sparse/ghosts.h"

/* ---- strong entries ---- */

static double diagonal_of(const struct cgs_sparse *a, int64_t row, int64_t column)
{
    const double *number = a->value;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        if (a->column[e] == column)
            return number[e];
    return 0.0;
}

static enum cgs_status find_roots(const struct cgs_amg_rows *rows)
{
    const struct cgs_sparse *a = rows->a;
    double *made = rows->roots + rows->begin;
    int64_t bad = a->rows;
#pragma omp parallel for schedule(static) num_threads(rows->queue->context->threads)               \
    reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++) {
        const double diagonal = diagonal_of(a, i, rows->begin + i);
        made[i] = sqrt(diagonal);
        if (!(diagonal > 0.0) && i < bad)
            bad = i;
    }
    const struct cgs_portion *portion = rows->ghosts ? rows->ghosts->portion : NULL;
    return bad == a->rows
               ? CGS_OK
               : cgs_amg_not_positive(rows->queue->context, cgs_portion_global(portion, bad));
}

void cgs_amg_cpu_rows_release(struct cgs_amg_rows *rows)
{
    cgs_free(rows->queue->context, rows->roots);
    rows->roots = NULL;
}

enum cgs_status cgs_amg_cpu_rows(struct cgs_queue *queue, const struct cgs_sparse *a,
                                 const struct cgs_ghosts *ghosts, double theta,
                                 struct cgs_amg_rows *rows)
{
    struct cgs_context *context = queue->context;
    struct cgs_amg_rows made = {.queue = queue, .a = a, .ghosts = ghosts, .theta = theta};
    if (ghosts)
        made.begin = ghosts->portion->below;
    enum cgs_status status = cgs_alloc(context, a->columns, sizeof *made.roots,
                                       "roots of the diagonal", (void **)&made.roots);
    if (status == CGS_OK)
        status = find_roots(&made);
    if (ghosts)
        status = cgs_comm_agree(context, status);
    if (status != CGS_OK) {
        cgs_amg_cpu_rows_release(&made);
        return status;
    }
    if (ghosts)
        cgs_ghosts_fetch(context, ghosts, made.roots);
    *rows = made;
    return CGS_OK;
}

/* Counts a row's strong neighbours, and the row itself if `itself`; writes them to `column`, in the
 * order of the row, unless it is NULL. */
static int64_t strong_of(const struct cgs_amg_rows *rows, int64_t row, int itself, int32_t *column)
{
    const struct cgs_sparse *a = rows->a;
    const double *number = a->value, *roots = rows->roots;
    const int64_t own = rows->begin + row;
    int64_t count = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == own ? !itself : !cgs_amg_strong(number[e], rows->theta, roots[own], roots[j]))
            continue;
        if (column)
            column[count] = j;
        count++;
    }
    return count;
}

/* Allocates the entries counted in the pointers: the graph has columns only, S values too. */
static enum cgs_status make_room(struct cgs_queue *queue, int itself, struct cgs_sparse *made)
{
    const int64_t nonzeros = made->pointers[made->rows];
    const char *what = "strong connections";
    if (itself)
        return cgs_cpu_sparse_f64.entries(queue, what, nonzeros, made);
    CGS_TRY(
        cgs_alloc(queue->context, nonzeros, sizeof *made->column, what, (void **)&made->column));
    made->nonzeros = nonzeros;
    return CGS_OK;
}

enum cgs_status cgs_amg_cpu_graph(const struct cgs_amg_rows *rows, int itself,
                                  struct cgs_sparse *strong)
{
    struct cgs_queue *queue = rows->queue;
    const struct cgs_sparse *a = rows->a;
    const int threads = queue->context->threads;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(queue, "strong connections", a->rows, a->columns, &made));
    made.pointers[0] = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] = strong_of(rows, i, itself, NULL);
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] += made.pointers[i];
    const enum cgs_status status = make_room(queue, itself, &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        strong_of(rows, i, itself, made.column + made.pointers[i]);
    *strong = made;
    return CGS_OK;
}

/* ---- T ---- */

static void release(struct cgs_queue *queue, struct cgs_aggregates *aggregates)
{
    cgs_free(queue->context, aggregates->of);
    *aggregates = (struct cgs_aggregates){0};
}

static enum cgs_status tentative(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                                 struct cgs_sparse *t)
{
    const int64_t rows = aggregates->rows;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(queue, "tentative prolongation", rows, aggregates->count, &made));
    made.pointers[0] = 0;
    for (int64_t i = 0; i < rows; i++)
        made.pointers[i + 1] = made.pointers[i] + (aggregates->of[i] >= 0);
    const enum cgs_status status =
        ops->entries(queue, "tentative prolongation", made.pointers[rows], &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
    double *number = made.value;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
    for (int64_t i = 0; i < rows; i++)
        if (aggregates->of[i] >= 0) {
            made.column[made.pointers[i]] = aggregates->of[i];
            number[made.pointers[i]] = 1.0;
        }
    *t = made;
    return CGS_OK;
}

/* ---- S ---- */

/* Traffic: a row of A is read twice, from memory and from the cache, a row of S written once. */
static void smoothing_row(const struct cgs_amg_rows *rows, int64_t row, double omega,
                          double *restrict to)
{
    const struct cgs_sparse *a = rows->a;
    const double *number = a->value, *roots = rows->roots, theta = rows->theta;
    const int64_t own = rows->begin + row;
    double diagonal = 0.0, weak = 0.0, largest = 0.0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == own)
            diagonal = number[e];
        else if (cgs_amg_strong(number[e], theta, roots[own], roots[j]))
            largest = fmax(largest, fabs(number[e]));
        else
            weak += number[e];
    }
    const double factor = -(omega / cgs_amg_filtered(diagonal, weak, largest));
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == own)
            *to++ = 1.0 - omega;
        else if (cgs_amg_strong(number[e], theta, roots[own], roots[j]))
            *to++ = factor * number[e];
    }
}

enum cgs_status cgs_amg_smoothing_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         double omega, struct cgs_sparse *s)
{
    struct cgs_amg_rows rows;
    struct cgs_sparse made = {0};
    CGS_TRY(cgs_amg_cpu_rows(queue, a, ghosts, theta, &rows));
    enum cgs_status status = cgs_amg_cpu_graph(&rows, 1, &made);
    if (ghosts)
        status = cgs_comm_agree(queue->context, status);
    if (status == CGS_OK) {
        double *number = made.value;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
        for (int64_t i = 0; i < a->rows; i++)
            smoothing_row(&rows, i, omega, number + made.pointers[i]);
        *s = made;
    } else {
        cgs_cpu_sparse_f64.release(queue, &made);
    }
    cgs_amg_cpu_rows_release(&rows);
    return status;
}

static enum cgs_status smoothing(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                 double omega, struct cgs_sparse *s)
{
    return cgs_amg_smoothing_shared(queue, a, NULL, theta, omega, s);
}

CGS_EXPORT(struct cgs_amg_ops, cgs_cpu_amg) = {
    .aggregate = cgs_amg_cpu_aggregate,
    .release = release,
    .tentative = tentative,
    .smoothing = smoothing,
};
