/* Modes of a separable box's lines along x and y, K v = lambda M v, and the matrices K and M of
 * those along z (kernels/fdm.h). */
#pragma once

#include "fem/separable.h"
#include "kernels/fdm.h"

struct cgs_modes {
    struct cgs_fdm_direction direction[2];
    struct cgs_fdm_line line;
    double *memory;
};

/* Finds them: by formulas where cells are alike and there is no transfer, else by LAPACK.
 * Directions that are alike share their tables. lambda = 0 of a direction that nothing holds is
 * exact. To be released.
 * CGS_USAGE: a line along x or y is too long for it; CGS_BREAKDOWN: it does not converge, which no
 * separable box is known to bring about. */
enum cgs_status cgs_modes_create(struct cgs_context *context, const struct cgs_separable *separable,
                                 struct cgs_modes *modes);
void cgs_modes_release(struct cgs_context *context, struct cgs_modes *modes);

/* Describes the directions of a mesh before its factors are known, as those that take the most:
 * by formulas for kappa = 1 alone. Without tables. */
void cgs_modes_foresee(const struct cgs_mesh *mesh, struct cgs_fdm_direction direction[2],
                       struct cgs_fdm_line *line);

/* Adds their memory, and that of finding them, to the plan. */
void cgs_modes_plan(const struct cgs_mesh *mesh, struct cgs_plan *plan);
