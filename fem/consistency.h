/* Consistency error of the course benchmark. */
#pragma once

#include "base/linkage.h"
#include "fem/errors.h"

CGS_BEGIN_C

/* Returns the eigenvalue of -Laplace u = lambda u of `course`: pi^2 sum_k 1/L_k^2. */
double cgs_course_eigenvalue(const struct cgs_mesh *mesh);

/* Consistency error of `course`: sqrt(h_x h_y h_z sum_i ((A u)_i - lambda u_i)^2), au = A u.
 * Slab, au, ranks: as above. */
enum cgs_status cgs_errors_consistency(struct cgs_context *context,
                                       const struct cgs_problem *problem,
                                       const struct cgs_mesh *mesh, const struct cgs_slab *slab,
                                       const double *au, double *error);

CGS_END_C
