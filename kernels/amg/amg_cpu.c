/* Algebraic multigrid's set-up on the CPU (kernels/amg.h): its table, and T, which has one entry,
 * 1, in each row that has an aggregate. */
#include "base/memory.h"
#include "kernels/amg/aggregate_cpu.h"
#include "kernels/amg/coarse_cpu.h"
#include "kernels/amg/known.h"
#include "kernels/amg/mend_cpu.h"
#include "kernels/amg/prolong_cpu.h"
#include "kernels/amg/strong_cpu.h"

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

static enum cgs_status smoothing(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                 double omega, struct cgs_sparse *s)
{
    return cgs_amg_smoothing_shared(queue, a, NULL, theta, omega, s);
}

CGS_EXPORT(struct cgs_amg_ops, cgs_cpu_amg) = {
    .aggregate = cgs_amg_cpu_aggregate,
    .release = cgs_amg_cpu_release,
    .forget = cgs_amg_cpu_forget,
    .tentative = tentative,
    .smoothing = smoothing,
    .prolong = cgs_amg_cpu_prolong,
    .coarse = cgs_amg_cpu_coarse,
    .mend = cgs_amg_cpu_mend,
    .near_null = &cgs_near_null_cpu,
    .known = &cgs_amg_known_cpu,
};
