/* Strong entries of a matrix on the CPU: roots of its diagonal, strong neighbours (rules.h),
 * and S. */
#include <math.h>

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cpu.h"
#include "kernels/sparse/ghosts.h"

/* The diagonal entry, sought from the middle of the row on, near which it mostly is. */
static double diagonal_of(const struct cgs_sparse *a, int64_t row, int64_t column)
{
    const int64_t first = a->pointers[row], last = a->pointers[row + 1];
    int64_t e = first + (last - first) / 2;
    while (e > first && a->column[e] > column)
        e--;
    while (e < last && a->column[e] < column)
        e++;
    return e < last && a->column[e] == column ? ((const double *)a->value)[e] : 0.0;
}

static enum cgs_status find_roots(const struct cgs_amg_rows *rows)
{
    const struct cgs_sparse *a = rows->a;
    double *made = rows->roots + rows->begin;
    int64_t bad = a->rows;
#pragma omp parallel for schedule(static) num_threads(rows->queue->context->threads)               \
    reduction(min                                                                                  \
              : bad)
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

/* Writes the bits of a row. */
static void mark(const struct cgs_amg_rows *rows, int64_t row, uint64_t *word)
{
    const struct cgs_sparse *a = rows->a;
    const double *roots = rows->roots, theta = rows->theta;
    const int64_t own = rows->begin + row, first = a->pointers[row];
    const int64_t length = a->pointers[row + 1] - first;
    const double *number = (const double *)a->value + first;
    const int32_t *column = a->column + first;
    for (int64_t begin = 0; begin < length; begin += 64, word++) {
        uint64_t bits = 0;
        for (int64_t e = begin; e < length && e < begin + 64; e++) {
            const int32_t j = column[e];
            const bool strong = (j != own) & cgs_amg_strong(number[e], theta, roots[own], roots[j]);
            bits |= (uint64_t)strong << (e - begin);
        }
        *word = bits;
    }
}

enum cgs_status cgs_amg_cpu_strong(const struct cgs_amg_rows *rows, struct cgs_amg_strong *strong)
{
    struct cgs_context *context = rows->queue->context;
    const struct cgs_sparse *a = rows->a;
    struct cgs_amg_strong made = {.a = a};
    CGS_TRY(cgs_alloc(context, cgs_amg_strong_word(a, a->rows), sizeof *made.bits,
                      "strong connections", (void **)&made.bits));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t i = 0; i < a->rows; i++)
        mark(rows, i, made.bits + cgs_amg_strong_word(a, i));
    *strong = made;
    return CGS_OK;
}

void cgs_amg_cpu_strong_release(struct cgs_context *context, struct cgs_amg_strong *strong)
{
    cgs_free(context, strong->bits);
    *strong = (struct cgs_amg_strong){0};
}

/* Counts a row's strong neighbours and the row itself; writes them to `column`, in the order of the
 * row, unless it is NULL. */
static int64_t strong_of(const struct cgs_amg_rows *rows, int64_t row, int32_t *column)
{
    const struct cgs_sparse *a = rows->a;
    const double *number = a->value, *roots = rows->roots;
    const int64_t own = rows->begin + row;
    int64_t count = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j != own && !cgs_amg_strong(number[e], rows->theta, roots[own], roots[j]))
            continue;
        if (column)
            column[count] = j;
        count++;
    }
    return count;
}

/* Makes the matrix of all rows' strong neighbours and the rows themselves, with room for values. */
static enum cgs_status make_graph(const struct cgs_amg_rows *rows, struct cgs_sparse *strong)
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
        made.pointers[i + 1] = strong_of(rows, i, NULL);
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] += made.pointers[i];
    const enum cgs_status status =
        ops->entries(queue, "strong connections", made.pointers[a->rows], &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        strong_of(rows, i, made.column + made.pointers[i]);
    *strong = made;
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
    const double factor = cgs_amg_cpu_factor(rows, row, omega);
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
    enum cgs_status status = make_graph(&rows, &made);
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
