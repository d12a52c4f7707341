/* Coarser grids of the box: kappa from that of a finer one (CGS_KAPPA_CELLS), and cells of order 1
 * for those of order p. */
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

/* Returns the mesh of order 1, without a grading, that has the cells of one of order p > 1. Its
 * kappa is CGS_KAPPA_CELLS, the numbers to come from cgs_kappa_of_order, if that one has open
 * faces, graded cells, a reaction or numbers of kappa. */
struct cgs_mesh cgs_mesh_of_cells(const struct cgs_mesh *mesh);

/* Returns true if a coarser grid has the numbers of the finest one, those of cells alone. */
static inline bool cgs_kappa_shared(const struct cgs_mesh *coarse)
{
    return coarse->kappa.points == 1 && !coarse->kappa.varying;
}

/* Computes the numbers of all cells of cgs_mesh_of_cells from the lengths, kappa, the transfer and
 * c of `mesh`, as cgs_kappa_coarsen. CGS_MEMORY. */
enum cgs_status cgs_kappa_of_order(struct cgs_context *context, const struct cgs_mesh *mesh,
                                   const struct cgs_mesh *cells, double **numbers);

/* Computes kappa at the points of a mesh of lower order p > 1 with the same cells from that at the
 * points of `mesh`, linearly between these, so that it stays positive. CGS_MEMORY. */
enum cgs_status cgs_kappa_between_orders(struct cgs_context *context, const struct cgs_mesh *mesh,
                                         const struct cgs_mesh *coarse, double **numbers);

CGS_END_C
