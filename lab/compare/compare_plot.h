/* Time against entries, from several reports of the laboratory. */
#pragma once

#include <jansson.h>

#include "base/context.h"

/* Seconds of one product against entries of the matrix, both logarithmic: the CPU's fastest kernel
 * by number of threads; and all kernels of each device. Statuses of cgs_plot_write; CGS_USAGE:
 * nothing was timed in any of them. */
enum cgs_status cgs_compare_plot(struct cgs_context *context, json_t *const *reports, int count,
                                 const char *path);
