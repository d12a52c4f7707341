/* Numbers of the materials' cells (fem/user_problem/material.h). */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/user_problem/material.h"
#include "fem/user_problem/user_problem.h"

CGS_BEGIN_C

struct cgs_user_points; /* fem/user_problem/points.h */

/* Gives user->cells and user->cell_source the numbers of the materials' cells, and the other cells
 * those that `user` says: user->kappa, or user->cells, or 1. user->kappa is then released, for
 * kappa is a number a cell. If a material has a source, that of all cells is a constant of the
 * cell, the value at its centre, and user->source is released as well; else user->source stays as
 * it is. mesh: its n, size and open are used. With user->orthotropic kappa has three numbers a
 * cell. To be called once, before cgs_user_settle. Nothing to do without materials. CGS_USAGE: a
 * material that no cell has, kappa that is not positive, a value that is not finite, a material
 * with a source where that of other cells follows from the exact solution. CGS_MEMORY. Of cells of
 * order p > 1 (user->order), mesh is the one of order 1 with the same cells; expressions stay, and
 * `user` borrows the materials. */
enum cgs_status cgs_materials_settle(struct cgs_context *context, struct cgs_materials *materials,
                                     const struct cgs_mesh *mesh, struct cgs_user_problem *user);

/* Finds the material of each cell of plane cz of the box, CGS_NO_MATERIAL of one in no region.
 * points: of the same mesh. values, material: room for a number of each of these cells. */
enum cgs_status cgs_materials_plane(struct cgs_context *context, struct cgs_materials *materials,
                                    const struct cgs_user_points *points, int64_t cz,
                                    double *values, int *material);

/* Returns true if a material has a source. */
bool cgs_materials_have_source(const struct cgs_materials *materials);

/* Releases the expressions and the lists; a zeroed one is allowed. */
void cgs_materials_release(struct cgs_context *context, struct cgs_materials *materials);

CGS_END_C
