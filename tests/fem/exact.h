/* For tests: problems with a solution that is known everywhere, and its value and derivatives. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "fem/load.h"
#include "fem/problem.h"
#include "fem/user_problem/settle.h"
#include "tests/support/check.h"

/* Two terms, not zero on the boundary, no symmetry. */
static const struct cgs_problem TWO_TERMS = {
    .name = "two-terms",
    .terms = 2,
    .factor = {{CGS_FACTOR_DOUBLE_COSINE, CGS_FACTOR_LINEAR, CGS_FACTOR_SQUARE},
               {CGS_FACTOR_SQUARE, CGS_FACTOR_DOUBLE_COSINE, CGS_FACTOR_BUMP_1}},
};

static inline struct cgs_problem named(const char *name)
{
    const struct cgs_problem *problem = cgs_problem_find(name);
    ck_assert_ptr_nonnull(problem);
    return *problem;
}

/* u, its gradient and -Laplace u at a point x of the mesh's box. */
static inline void exact(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                         const double at[3], double *u, double gradient[3], double *f)
{
    *u = *f = gradient[0] = gradient[1] = gradient[2] = 0.0;
    for (int t = 0; t < problem->terms; t++) {
        double g[3][3];
        for (int k = 0; k < 3; k++) {
            cgs_factor_at(problem->factor[t][k], at[k] / mesh->size[k], g[k]);
            g[k][1] /= mesh->size[k];
            g[k][2] /= mesh->size[k] * mesh->size[k];
        }
        *u += g[0][0] * g[1][0] * g[2][0];
        for (int k = 0; k < 3; k++) {
            const double rest = g[(k + 1) % 3][0] * g[(k + 2) % 3][0];
            gradient[k] += g[k][1] * rest;
            *f -= g[k][2] * rest;
        }
    }
}

static inline double *solution(const struct cgs_problem *problem, const struct cgs_mesh *mesh)
{
    struct cgs_context context;
    cgs_context_init(&context);
    const int64_t rows = cgs_mesh_rows(mesh);
    double *u = malloc((size_t)rows * sizeof *u);
    ck_assert_int_eq(cgs_problem_solution(&context, problem, mesh, 0, rows, u), CGS_OK);
    return u;
}

/* Sets up a problem whose exact solution is the text, on a box of 1 x 2 x 0.5, with faces of
 * kind 0: values, 1: fluxes on x0, y0 and z0, 2: x periodic, fluxes on y1 and z1. To be released
 * by cgs_user_release(context, own). */
static inline void user_with_faces(struct cgs_context *context, const char *text, int kind,
                                   struct cgs_user_problem *user, struct cgs_mesh *mesh)
{
    static const char *const names[] = CGS_USER_VARIABLE_NAMES;
    static const int64_t cells[3] = {4, 5, 3};
    static const double size[3] = {1.0, 2.0, 0.5};
    *user = (struct cgs_user_problem){.source = NULL};
    ck_assert_int_eq(cgs_expression_create(context, "--exact", text, names, CGS_USER_VARIABLES,
                                           NULL, &user->exact),
                     CGS_OK);
    for (int k = 0; k < 3 && kind > 0; k++)
        user->face[k][kind == 2].condition = CGS_FACE_FLUX;
    for (int side = 0; side < 2 && kind == 2; side++)
        user->face[0][side].condition = CGS_FACE_PERIODIC;
    ck_assert_int_eq(cgs_user_settle(context, user, cells, size, CGS_GAUSS, mesh), CGS_OK);
}
