/* Coarse rows of singular components on the CPU. */
#pragma once

#include "base/linkage.h"
#include "kernels/amg.h"

/* struct cgs_amg_ops.mend. */
enum cgs_status cgs_amg_cpu_mend(const struct cgs_space *finer, const void *inverse,
                                 const struct cgs_near_null *near, struct cgs_sparse *coarse);

/* The same of a rank's rows in the host's memory, of which row 0 is row `first` of the whole, with
 * columns of the whole. Several ranks call it at once, and agree on failure. */
enum cgs_status cgs_amg_mend_shared(const struct cgs_space *finer, const void *inverse,
                                    const struct cgs_near_null *near, int64_t first,
                                    struct cgs_sparse *coarse);
