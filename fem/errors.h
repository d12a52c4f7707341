/* Error norms of a finite-element solution against the exact one. */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/element/separable.h"
#include "fem/norms.h"
#include "fem/problem.h"
#include "fem/slab.h"

CGS_BEGIN_C

/* Computes the error norms of a problem that is known at least at the nodes (cgs_problem_known). x:
 * nodal values of u_h in natural order, from plane slab->lower on; all rows of cgs_slab_whole. In
 * parallel, the same bits for any number of threads and ranks. A shared slab: on all ranks at once,
 * which get the same. */
enum cgs_status cgs_errors_measure(struct cgs_context *context, const struct cgs_problem *problem,
                                   const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                   const double *x, struct cgs_errors *errors);

/* The same from sums computed by a device: on the plain box, or for a problem without terms on any
 * mesh, with the interpolation's tables. */
struct cgs_interpolation;
struct cgs_errors cgs_errors_of_sums(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                                     const struct cgs_interpolation *interpolation,
                                     const struct cgs_error_sums *sums);

CGS_END_C
