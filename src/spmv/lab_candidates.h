/* Kernels of the table. */
#ifndef CGS_SRC_SPMV_LAB_CANDIDATES_H
#define CGS_SRC_SPMV_LAB_CANDIDATES_H

#include "src/spmv/lab.h"

/* Adds the candidates to *list: the kernels of --kernel=, vendor kernels and baselines. Another
 * kind of kernel is added here. stands: test vectors by device, zeroed for absent devices; room:
 * memory for the trials of --kernel=auto. */
enum cgs_status cgs_lab_candidates(struct cgs_context *context, struct cgs_lab *lab,
                                   const struct cgs_testbed stands[CGS_DEVICES],
                                   const struct cgs_row_source *source, const struct cgs_room *room,
                                   struct cgs_candidates *list);

#endif
