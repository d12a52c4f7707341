/* Integrals of the interpolation error d = I u - u of a separable solution, from 1-D quadrature.
 * Internal to fem/: one half of the error norms (fem/errors.c).
 */
#ifndef CGS_FEM_INTERPOLATION_H
#define CGS_FEM_INTERPOLATION_H

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element.h"
#include "fem/problem.h"
#include "fem/tables.h"

CGS_BEGIN_C

/* 1-D tables of a factor g with interpolation error delta = I g - g; phi_i the hat of node i. */
enum cgs_hat {
    CGS_HAT_NODAL,   /* g(x_i) */
    CGS_HAT_EXACT,   /* int phi_i g */
    CGS_HAT_ERROR,   /* int phi_i delta */
    CGS_HAT_EXACT_D, /* int phi_i' g' */
    CGS_HAT_ERROR_D, /* int phi_i' delta' */
    CGS_HATS
};

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

/* On a line of nodes in x, the projections of d on the 3-D hats phi_i phi_j phi_k are combinations
 * of four tables of term t, with coefficients that are constant on the line:
 *
 *     int phi d           = l2[0] E_i + l2[1] X_i
 *     int grad phi.grad d = h1[0] E_i + h1[1] X_i + h1[2] E'_i + h1[3] X'_i
 *
 * summed over t; E = ERROR, X = EXACT, E' = ERROR_D, X' = EXACT_D. */
struct cgs_line_weights {
    double l2[2], h1[4];
};

struct cgs_line_weights cgs_interpolation_line(const struct cgs_interpolation *interpolation,
                                               int term, int64_t j, int64_t k);

CGS_END_C

#endif
