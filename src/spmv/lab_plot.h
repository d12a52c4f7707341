/* The laboratory's figures. */
#ifndef CGS_SRC_SPMV_LAB_PLOT_H
#define CGS_SRC_SPMV_LAB_PLOT_H

#include "src/spmv/lab.h"

/* Draws into `path` (src/figure/plot.h): seconds of one product, GB/s beside what is attainable, speed-up
 * against one thread of the CPU, a bar for each kernel that was timed, fastest first; those that
 * failed are named below them. Statuses of cgs_plot_write; CGS_MEMORY; CGS_USAGE:
 * there is no row to draw. */
enum cgs_status cgs_lab_plot(struct cgs_context *context, const struct cgs_lab *lab,
                             const char *path);

#endif
