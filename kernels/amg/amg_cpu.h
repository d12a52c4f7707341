/* What the CPU's files of kernels/amg/ share. */
#ifndef CGS_KERNELS_AMG_AMG_CPU_H
#define CGS_KERNELS_AMG_AMG_CPU_H

#include "kernels/amg.h"

extern const struct cgs_sparse_ops cgs_cpu_sparse_f64;

/* The square roots of a's diagonal; owned by the caller. CGS_BREAKDOWN: one is not positive, says
 * the row. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                  double **roots);

/* A row's strong neighbours, and the row itself if `itself`: how many, and, where column is not
 * NULL, which, in the order of the row. */
int64_t cgs_amg_cpu_strong(const struct cgs_sparse *a, int64_t row, double theta,
                           const double *roots, int itself, int32_t *column);

/* The matrix of all rows' strong neighbours, without values, or with room for them. Owned by the
 * caller. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_graph(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                  const double *roots, int itself, struct cgs_sparse *strong);

enum cgs_status cgs_amg_cpu_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, struct cgs_aggregates *aggregates);

#endif
