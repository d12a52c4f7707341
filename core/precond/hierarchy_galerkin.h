/* Galerkin products of the grids of a box. */
#pragma once

#include "core/precond/level.h"

/* Operators and diagonals of all grids but the finest, and hierarchy->coarsest, from the rows of
 * the finest grid's source: count, meshes and level[0].source are there. */
enum cgs_status cgs_hierarchy_project(const struct cgs_spec *spec,
                                      const struct cgs_machine *machine, enum cgs_number number,
                                      struct cgs_hierarchy *hierarchy);
