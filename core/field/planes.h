/* Solution, error and residual at all nodes of the box, those of the boundary included, a plane
 * iz = 0 ... cells_z at a time, numbered as in core/field/grid.h: what is written and drawn of them
 * needs little memory, however large N is. On the boundary the solution is what the problem
 * prescribes; error and residual are 0. The residual of order p > 1 is divided by the nodes' parts
 * of the mass matrix, in units of their mean: the values of a function. Nodes on free faces are
 * unknowns; the nodes beyond these faces are left out.
 *
 * The first of several ranks has the planes: all of them take the same steps, and each sends the
 * first its part of a plane when it is asked for. */
#pragma once

#include <stdbool.h>

#include "base/plan.h"
#include "core/options/grammar.h"
#include "fem/problem.h"
#include "kernels/space.h"
#include "matrix/ranks/portion.h"

struct cgs_planes {
    struct cgs_context *context;
    const struct cgs_problem *problem; /* all borrowed */
    const struct cgs_mesh *mesh;
    const struct cgs_portion *portion; /* of several ranks: this one's rows; else NULL */
    const struct cgs_space *space; /* of the vectors */
    const void *x, *residual;
    bool known;     /* there is an error */
    double *values; /* owned; n_x n_y, on their way from the space */
    double *exact;  /* owned; n_x n_y; NULL where there is no error */
};

/* To be released. `planes` comes with all but known, values, exact. On all ranks at once, which
 * fail alike. */
enum cgs_status cgs_planes_open(struct cgs_planes *planes);
void cgs_planes_release(struct cgs_planes *planes);

/* Adds the memory that planes hold to a plan. */
void cgs_planes_plan(struct cgs_plan *plan, const struct cgs_mesh *mesh);

/* Returns the numbers that a plane of cgs_planes_get needs memory for, (n_x + 2)(n_y + 2): more
 * than its nodes where there are free faces. */
static inline int64_t cgs_planes_room(const struct cgs_mesh *mesh)
{
    return (mesh->n[0] + 2) * (mesh->n[1] + 2);
}

/* The nodal values of plane iz, cgs_grid_plane_nodes numbers, x fastest, of what is wanted (not
 * NULL); each in memory for cgs_planes_room numbers. An error that is not known is not touched.
 * On ranks: by the first, while the others call cgs_planes_send. */
enum cgs_status cgs_planes_get(const struct cgs_planes *planes, int64_t iz,
                               double *const plane[CGS_NODALS]);

/* Sends this rank's part of plane iz to the first rank, which gets what is wanted. */
enum cgs_status cgs_planes_send(const struct cgs_planes *planes, int64_t iz,
                                const bool wanted[CGS_NODALS]);
