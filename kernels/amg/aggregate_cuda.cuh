/* Aggregates on CUDA. */
#ifndef CGS_KERNELS_AMG_AGGREGATE_CUDA_CUH
#define CGS_KERNELS_AMG_AGGREGATE_CUDA_CUH

#include "kernels/amg.h"

CGS_BEGIN_C

/* struct cgs_amg_ops.aggregate. */
enum cgs_status cgs_amg_cuda_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       double theta, struct cgs_aggregates *aggregates);

CGS_END_C

#endif
