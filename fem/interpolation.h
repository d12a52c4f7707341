/* Integrals of the interpolation error d = I u - u of a separable solution, from 1-D quadrature.
 * Internal to fem/: one half of the error norms (fem/errors.c).
 */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/element/tables.h"
#include "fem/problem.h"

CGS_BEGIN_C

struct cgs_interpolation {
    struct cgs_tables tables; /* of kinds enum cgs_hat */
    double l2_squared;        /* int d^2 */
    double h1_squared;        /* int |grad d|^2 */
};

/* Tables and norms, all by 4-point Gauss in each cell. Costs O(n). To be released. */
enum cgs_status cgs_interpolation_create(struct cgs_context *context,
                                         const struct cgs_problem *problem,
                                         const struct cgs_mesh *mesh,
                                         struct cgs_interpolation *interpolation);

void cgs_interpolation_release(struct cgs_context *context,
                               struct cgs_interpolation *interpolation);

CGS_END_C
