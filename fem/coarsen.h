/* kappa of a coarser grid of the box from that of a finer one (CGS_KAPPA_CELLS). */
#pragma once

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"

CGS_BEGIN_C

/* Computes the numbers of all cells of `coarse`, void ones included, as the means of those of
 * `fine` over the part of each fine cell that lies in the coarse one: the energy that functions
 * of the coarse grid have there. Both meshes are of the same box with the same free faces, and
 * fine->kappa.cells is there; coarse->kappa is not read. cells: a block of cgs_alloc of (n_x +
 * 1)(n_y + 1)(n_z + 1) numbers, owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_kappa_coarsen(struct cgs_context *context, const struct cgs_mesh *fine,
                                  const struct cgs_mesh *coarse, double **cells);

CGS_END_C
