/* Strong entries on CUDA. */
#pragma once

#include "kernels/amg.h"
#include "kernels/sparse/order_cuda.cuh"

CGS_BEGIN_C

extern const struct cgs_sparse_ops cgs_cuda_sparse_f64;

/* Square roots of a's diagonal; owned by the caller. Waits. CGS_BREAKDOWN: an entry is not
 * positive; the message has its row. CGS_MEMORY. */
enum cgs_status cgs_amg_cuda_roots(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   double **roots);

/* Makes the graph of all rows' strong neighbours, without diagonal and values. Owned by the caller.
 * Waits. CGS_MEMORY. */
enum cgs_status cgs_amg_cuda_graph(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   double theta, const double *roots, struct cgs_sparse *strong);

/* struct cgs_amg_ops.smoothing. */
enum cgs_status cgs_amg_cuda_smoothing(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       double theta, double omega, struct cgs_sparse *s);

CGS_END_C
