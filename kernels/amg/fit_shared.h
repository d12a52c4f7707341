/* T of near-null vectors that ranks share, on the CPU. */
#pragma once

#include "kernels/near_null.h"

/* Makes this rank's rows of T, with columns of all ranks' coarse rows, and the coarse nodes and
 * vectors of its aggregates: rank r has aggregates starts[r] ... starts[r + 1] - 1. Rows go to the
 * rank that has their aggregate, and come back as rows of T. of: the aggregate of each node here.
 * *aggregated: this rank's rows of T that have entries. On all ranks at once, which agree on
 * failure. */
enum cgs_status cgs_near_null_shared_fit(struct cgs_queue *queue, const int64_t *starts,
                                         const int32_t *of, const struct cgs_near_null *near,
                                         struct cgs_sparse *t, struct cgs_near_null *coarse,
                                         int64_t *aggregated);
