/* A slice as a figure: what and where as its title, or first below that of --title; problem, box,
 * mesh and norm below. Axes have true coordinates. Solutions go from their least to their largest
 * value, fluxes as well; colours of errors and residuals diverge from 0. */
#pragma once

#include "core/report/report.h"
#include "lab/figure/plot.h"

/* Makes the figure of one of the report's slices, whose pixels it borrows. CGS_MEMORY. To be
 * released also then. */
enum cgs_status cgs_slice_plot(struct cgs_context *context, const struct cgs_report *report,
                               const struct cgs_slice *slice, struct cgs_plot *plot);
