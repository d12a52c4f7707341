/* Discrete solutions at points of the box. */
#pragma once

#include "base/linkage.h"
#include "fem/problem.h"
#include "fem/slab.h"

CGS_BEGIN_C

/* Numbers alone, which ranks add up. */
struct cgs_probe {
    double at[3]; /* in the box */
    double value, gradient[3];
};

/* Sets value and gradient of u_h at probes[count], by the polynomial of the cell that holds the
 * point; of several cells the last one in each direction. On a deformed mesh the place in the cell
 * is where the trilinear map of its corners has the point. x, slab: as cgs_errors_measure. On all
 * ranks at once, which all get the same numbers. */
enum cgs_status cgs_probe_measure(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                  const double *x, int64_t count, struct cgs_probe *probes);

CGS_END_C
