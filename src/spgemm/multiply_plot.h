/* The table as a figure. */
#ifndef CGS_SRC_SPGEMM_MULTIPLY_PLOT_H
#define CGS_SRC_SPGEMM_MULTIPLY_PLOT_H

#include "src/spgemm/multiply_table.h"

enum cgs_status cgs_multiply_plot(struct cgs_context *context, const struct cgs_multiply *m,
                                  const char *path);

#endif
