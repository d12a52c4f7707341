/* The problems: exact solution, source term, load vector, start vector.
 *
 * -div(kappa grad u) = f on a box of sizes L. Exact solutions are sums of separable terms of t = x
 * / L: defined on the unit cube and stretched with the box, u = sum_t X_t(t_x) Y_t(t_y) Z_t(t_z),
 * so that load vector and error norms need only 1-D tables on the plain box, and values at any
 * point are products of three numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/element/factors.h"

CGS_BEGIN_C

struct cgs_user_problem; /* fem/user_problem/user_problem.h */

struct cgs_problem {
    const char *name;        /* as in --problem=NAME */
    const char *description; /* one line */
    int terms;               /* 0: the solution is known at the nodes only (random) */
    enum cgs_factor factor[CGS_TERMS][3];
    bool product_rhs;     /* b = A u with the discrete matrix, instead of the load M f */
    bool boundary_values; /* u is not zero on the boundary: lifted into the load */
    bool over_kappa;      /* if kappa jumps, u is the sum of terms divided by kappa: the flux is
                             continuous, since the terms vanish on the octants' faces */
    bool mass;   /* the matrix is the mass matrix of order p > 1, and f = u: the L2 projection */
    bool course; /* matrix / (h_x h_y h_z), own start vector, residual relative to the first one,
                             never restarted, consistency error */
    struct cgs_user_problem
        *user; /* the user's data, settled, instead of terms; borrowed; NULL: a built-in problem */
};

/* Returns all problems in the order of `cgsolve list problems`, *count of them. */
const struct cgs_problem *cgs_problems(int *count);

/* Returns the problem of that name, or NULL. */
const struct cgs_problem *cgs_problem_find(const char *name);

/* Knowledge of the exact solution: nowhere (a jump of kappa that it does not fit), at the nodes
 * only (b = A u; a jump inside cells), or everywhere. */
enum cgs_known { CGS_KNOWN_NOWHERE, CGS_KNOWN_AT_NODES, CGS_KNOWN_EVERYWHERE };

enum cgs_known cgs_problem_known(const struct cgs_problem *problem, const struct cgs_mesh *mesh);

/* Writes the exact solution, that of constant kappa, as an expression (base/expression.h), in which
 * t[k] stands for t_k. */
void cgs_problem_write(const struct cgs_problem *problem, const char *const t[3], char *text,
                       size_t size);

/* Start vector of rows first ... last - 1: zero, except for `course` x[0] = 1, x[1] = 0.8. */
void cgs_problem_guess(const struct cgs_problem *problem, int64_t first, int64_t last, double *x);

CGS_END_C
