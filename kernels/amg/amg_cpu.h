/* Declarations shared by the CPU files of kernels/amg/. */
#ifndef CGS_KERNELS_AMG_AMG_CPU_H
#define CGS_KERNELS_AMG_AMG_CPU_H

#include "kernels/amg.h"

extern const struct cgs_sparse_ops cgs_cpu_sparse_f64;

/* Square roots of a's diagonal; owned by the caller. CGS_BREAKDOWN: an entry is not positive; the
 * message has its row. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                  double **roots);

/* Counts a row's strong neighbours, and the row itself if `itself`; writes them to `column`, in the
 * order of the row, unless it is NULL. */
int64_t cgs_amg_cpu_strong(const struct cgs_sparse *a, int64_t row, double theta,
                           const double *roots, int itself, int32_t *column);

/* Makes the graph of all rows' strong neighbours, without values or with room for them. Owned by
 * the caller. CGS_MEMORY. */
enum cgs_status cgs_amg_cpu_graph(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                  const double *roots, int itself, struct cgs_sparse *strong);

enum cgs_status cgs_amg_cpu_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, struct cgs_aggregates *aggregates);

#endif
