/* The grids of multigrid for the box: cells of order p, (p + 1) / 2, ... 1, then meshes of about
 * half the intervals each, their matrices
 * discretised anew in the run's format (or none), or Galerkin products (--coarse), diagonals and
 * eigenvalue bounds, made into a solver/multigrid.h. */
#pragma once

#include "core/precond/level.h"

/* Returns the next coarser grid: of order (p + 1) / 2 on the same cells where p > 1, or the same
 * where that leaves no unknowns; else (n + 1) / 2 intervals, rounded up, in each direction whose
 * cells are not much longer than the shortest ones, the others as they are (semi-coarsening):
 * smoothers leave alone what varies slowly along short sides only. */
struct cgs_mesh cgs_coarser(const struct cgs_mesh *finer);

/* Fills grid[0 ... count - 1] with the grids of grid[0] = *mesh, the last of which has at most
 * so many rows that a dense inverse of it pays on this device; returns count. */
int cgs_hierarchy_sizes(enum cgs_place place, const struct cgs_mesh *mesh,
                        struct cgs_mesh grid[CGS_GRIDS]);

/* The hierarchy under `op`, the run's operator on `mesh`, its cycles in numbers of type
 * `number`. To be released before op and machine. On several ranks at once: large grids are cut
 * at the finest grid's rows, small ones each rank has as a whole (sharing.h). */
enum cgs_status cgs_hierarchy_create(struct cgs_context *context, const struct cgs_spec *spec,
                                     const struct cgs_machine *machine, const struct cgs_mesh *mesh,
                                     const struct cgs_operator *op, enum cgs_number number,
                                     struct cgs_hierarchy *hierarchy);
/* An empty struct is nothing to release. */
void cgs_hierarchy_release(struct cgs_context *context, struct cgs_hierarchy *hierarchy);
