/* Algebraic multigrid's set-up on the CPU (kernels/amg.h): which entries are strong, T and S.
 *
 *     T: one entry 1 in each row that has an aggregate
 *     S: s_ii = 1 - omega, s_ij = -(omega / d_i) a_ij for strong j; d_i: a_ii plus the weak entries
 */
#include "kernels/amg/amg_cpu.h"

#include <math.h>

#include "base/memory.h"
#include "kernels/amg/rules.h"

/* ---- strong entries ---- */

static double diagonal_of(const struct cgs_sparse *a, int64_t row)
{
    const double *number = a->value;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++)
        if (a->column[e] == row)
            return number[e];
    return 0.0;
}

enum cgs_status cgs_amg_cpu_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                  double **roots)
{
    struct cgs_context *context = queue->context;
    int64_t bad = a->rows;
    double *made;
    CGS_TRY(cgs_alloc(context, a->rows, sizeof *made, "roots of the diagonal", (void **)&made));
#pragma omp parallel for schedule(static) num_threads(context->threads) reduction(min : bad)
    for (int64_t i = 0; i < a->rows; i++) {
        const double diagonal = diagonal_of(a, i);
        made[i] = sqrt(diagonal);
        if (!(diagonal > 0.0) && i < bad)
            bad = i;
    }
    if (bad < a->rows) {
        cgs_free(context, made);
        return cgs_amg_not_positive(context, bad);
    }
    *roots = made;
    return CGS_OK;
}

int64_t cgs_amg_cpu_strong(const struct cgs_sparse *a, int64_t row, double theta,
                           const double *roots, int itself, int32_t *column)
{
    const double *number = a->value;
    int64_t count = 0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == row ? !itself : !cgs_amg_strong(number[e], theta, roots[row], roots[j]))
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

enum cgs_status cgs_amg_cpu_graph(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                  const double *roots, int itself, struct cgs_sparse *strong)
{
    const int threads = queue->context->threads;
    const struct cgs_sparse_ops *ops = &cgs_cpu_sparse_f64;
    struct cgs_sparse made;
    CGS_TRY(ops->pointers(queue, "strong connections", a->rows, a->columns, &made));
    made.pointers[0] = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] = cgs_amg_cpu_strong(a, i, theta, roots, itself, NULL);
    for (int64_t i = 0; i < a->rows; i++)
        made.pointers[i + 1] += made.pointers[i];
    const enum cgs_status status = make_room(queue, itself, &made);
    if (status != CGS_OK) {
        ops->release(queue, &made);
        return status;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++)
        cgs_amg_cpu_strong(a, i, theta, roots, itself, made.column + made.pointers[i]);
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
static void smoothing_row(const struct cgs_sparse *a, int64_t row, double theta,
                          const double *roots, double omega, double *restrict to)
{
    const double *number = a->value;
    double diagonal = 0.0, weak = 0.0, largest = 0.0;
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == row)
            diagonal = number[e];
        else if (cgs_amg_strong(number[e], theta, roots[row], roots[j]))
            largest = fmax(largest, fabs(number[e]));
        else
            weak += number[e];
    }
    const double factor = -(omega / cgs_amg_filtered(diagonal, weak, largest));
    for (int64_t e = a->pointers[row]; e < a->pointers[row + 1]; e++) {
        const int32_t j = a->column[e];
        if (j == row)
            *to++ = 1.0 - omega;
        else if (cgs_amg_strong(number[e], theta, roots[row], roots[j]))
            *to++ = factor * number[e];
    }
}

static enum cgs_status smoothing(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                 double omega, struct cgs_sparse *s)
{
    double *roots;
    CGS_TRY(cgs_amg_cpu_roots(queue, a, &roots));
    const enum cgs_status status = cgs_amg_cpu_graph(queue, a, theta, roots, 1, s);
    if (status == CGS_OK) {
        double *number = s->value;
#pragma omp parallel for schedule(static) num_threads(queue->context->threads)
        for (int64_t i = 0; i < a->rows; i++)
            smoothing_row(a, i, theta, roots, omega, number + s->pointers[i]);
    }
    cgs_free(queue->context, roots);
    return status;
}

extern const struct cgs_amg_ops cgs_cpu_amg;
const struct cgs_amg_ops cgs_cpu_amg = {
    .aggregate = cgs_amg_cpu_aggregate,
    .release = release,
    .tentative = tentative,
    .smoothing = smoothing,
};
