/* Algebraic multigrid's set-up on the CPU (kernels/amg.h): which entries are strong, T and S.
 *
 *     T: one entry 1 in each row that has an aggregate
 *     S: s_ii = 1 - omega, s_ij = -(omega / d_i) a_ij for strong j; d_i: a_ii plus the weak entries
 */
#include "kernels/amg/amg_cpu.h"
#include "kernels/amg/coarse_cpu.h"
#include "kernels/amg/known_cpu.h"
#include "kernels/amg/mend_cpu.h"
#include "kernels/amg/prolong_cpu.h"

#include "base/comm.h"
#include "base/memory.h"
#include "kernels/amg/aggregate_cpu.h"
#include "kernels/amg/rules.h"
#include "kernels/amg/strong_cpu.h"

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
    enum cgs_status status = cgs_amg_cpu_graph(&rows, &made);
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
    .prolong = cgs_amg_cpu_prolong,
    .coarse = cgs_amg_cpu_coarse,
    .mend = cgs_amg_cpu_mend,
    .near_null = &cgs_near_null_cpu,
    .known = &cgs_amg_known_cpu,
};
