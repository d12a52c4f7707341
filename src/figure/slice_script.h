/* A slice as a figure: a colour map with its bar, axes of equal scale.
 *
 *     title: what, where                     Solutions go from their least to their largest value in
 *     subtitle: problem, N, mesh, norm       viridis; errors and residuals diverge from grey at 0, as
 *     y ^ +-------------+  | most            far down as up.
 *       | |             |  |
 *       | |             |  |
 *         +-------------+  | least
 *          x ->
 */
#ifndef CGS_SRC_FIGURE_SLICE_SCRIPT_H
#define CGS_SRC_FIGURE_SLICE_SCRIPT_H

#include <stdio.h>

#include "src/field/slice.h"
#include "src/run/report.h"

struct cgs_slice_figure {
    const struct cgs_report *report;
    const struct cgs_slice *slice;
};

/* What a struct cgs_script writes (src/figure/plot.h); self: a struct cgs_slice_figure. */
void cgs_slice_script(FILE *file, const void *self, const char *ending, const char *path);

#endif
