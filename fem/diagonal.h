/* Diagonal of the matrix without generating rows. */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* Computes the n_x n_y diagonal entries of each of the planes begin ... end - 1 without
 * generating rows, in parallel, in about the time of a product: equal to the assembled ones to
 * rounding, and to the bit on an undeformed mesh. CGS_MEMORY. */
enum cgs_status cgs_mesh_diagonal(struct cgs_context *context, const struct cgs_mesh *mesh,
                                  int64_t begin, int64_t end, double *diagonal);

CGS_END_C
