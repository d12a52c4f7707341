/* Assembly of the model problem on a device: matrix entries, diagonal, load vector, nodal solution,
 * error sums. One table a backend (kernels/backend.h); none on the CPU, where fem/ computes them.
 * Problems are plain data, solutions on the plain box 1-D tables (fem/element/separable.h).
 *
 * Of a kappa of each cell, and of free faces with it, there are entries, the diagonal and the
 * solution alone: load, errors, points and consistency fail with CGS_BUG. The array is sent to the
 * device for as long as a function takes.
 *
 * Functions wait until their work is done. Vectors are of a space of n_x n_y n_z numbers in natural
 * order or in lines of n_x (struct cgs_layout), of either number type; sums are double, in a fixed
 * order. */
#pragma once

#include <stdbool.h>

#include "base/linkage.h"
#include "fem/box.h"
#include "fem/element/separable.h"
#include "kernels/space.h"

CGS_BEGIN_C

struct cgs_box_problem {
    struct cgs_mesh mesh;
    int terms; /* 0: the solution is cgs_random(row) */
    enum cgs_factor factor[CGS_TERMS][3];
    bool over_kappa; /* kappa jumps, and u is the sum of terms divided by kappa */
    bool lifted;     /* nonzero boundary values */
};

struct cgs_assembly_ops {
    /* Returns NULL if the device can compute the entries of this matrix (cgs_matrix.on_device),
     * else the reason. matrix->pointers may be NULL. */
    const char *(*refuses)(const struct cgs_queue *queue, const struct cgs_matrix *matrix,
                           const struct cgs_mesh *mesh);
    /* Computes 1 / a_ii of the matrix of any mesh, for Jacobi. *bad: the first row with a_ii <= 0,
     * or -1. */
    enum cgs_status (*inverse_diagonal)(const struct cgs_space *space, const struct cgs_mesh *mesh,
                                        void *inverse, int64_t *bad);
    /* Computes the load vector of a problem with terms. tables: enum cgs_mass on the plain box,
     * NULL on other meshes. */
    enum cgs_status (*load)(const struct cgs_space *space, const struct cgs_box_problem *problem,
                            const struct cgs_tables *tables, void *b);
    /* Computes u at the unknowns. */
    enum cgs_status (*solution)(const struct cgs_space *space,
                                const struct cgs_box_problem *problem, void *u);
    /* Error sums of x on the plain box, or of a problem without terms. tables: enum cgs_hat. */
    enum cgs_status (*errors)(const struct cgs_space *space, const struct cgs_box_problem *problem,
                              const struct cgs_tables *tables, const void *x,
                              struct cgs_error_sums *sums);
    /* Error sums of x on any mesh, for a problem with terms: sums over all quadrature points. */
    enum cgs_status (*points)(const struct cgs_space *space, const struct cgs_box_problem *problem,
                              const void *x, struct cgs_point_sums *sums);
    /* sum_i (au_i - eigenvalue u_i)^2. */
    enum cgs_status (*consistency)(const struct cgs_space *space,
                                   const struct cgs_box_problem *problem, double eigenvalue,
                                   const void *au, double *sum);
};

CGS_END_C
