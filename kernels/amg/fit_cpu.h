/* T of near-null vectors on the CPU, and the memory of nodes and vectors. */
#pragma once

#include "kernels/near_null.h"

/* struct cgs_near_null_ops.fit. */
enum cgs_status cgs_near_null_cpu_fit(struct cgs_queue *queue,
                                      const struct cgs_aggregates *aggregates,
                                      const struct cgs_near_null *near, struct cgs_sparse *t,
                                      struct cgs_near_null *coarse, int64_t *aggregated);

/* Allocates nodes and vectors, contents undefined. CGS_MEMORY: nothing is allocated. */
enum cgs_status cgs_near_null_cpu_take(struct cgs_queue *queue, int count, int64_t nodes,
                                       int64_t rows, struct cgs_near_null *near);
/* struct cgs_near_null_ops.release. */
void cgs_near_null_cpu_release(struct cgs_queue *queue, struct cgs_near_null *near);
