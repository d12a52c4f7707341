/* Coarse matrices of algebraic multigrid on the CPU, in one pass. */
#pragma once

#include "kernels/amg.h"

/* struct cgs_amg_ops.coarse. */
enum cgs_status cgs_amg_cpu_coarse(struct cgs_queue *queue, const struct cgs_sparse *a,
                                   bool symmetric, const struct cgs_sparse *p,
                                   const struct cgs_sparse *r, struct cgs_sparse *coarse);
