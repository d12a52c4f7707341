/* The table as a figure. */
#pragma once

#include "src/spmv/lab.h"

/* Draws into `path` (lab/figure/plot.h) a bar per timed kernel, fastest first, for seconds of one
 * product, GB/s with the attainable bandwidth, and speed-up over one CPU thread; names failed
 * kernels below. Statuses of cgs_plot_write; CGS_MEMORY; CGS_USAGE: there is no row to draw. */
enum cgs_status cgs_lab_plot(struct cgs_context *context, const struct cgs_lab *lab,
                             const char *path);
