/* Slabs of the box: the planes of cells that one rank measures.
 *
 * Plane of cells k = 0 ... n_z lies below the plane of unknowns k (rows k n_x n_y ... (k + 1) n_x
 * n_y - 1), and is measured by the rank that owns the first of these rows; plane n_z, above all
 * unknowns, by the last rank. Sums are made plane by plane, by one thread each, and then gathered
 * and added in one order on all ranks, so that neither ranks nor threads change a bit.
 *
 * A layer of cells of order p > 1 is measured by the rank that measures the last of its p planes,
 * and whose vectors begin p planes below its first one. */
#pragma once

#include "base/comm.h"
#include "fem/element/element.h"

CGS_BEGIN_C

struct cgs_slab {
    int64_t first, last; /* planes of cells first ... last - 1 of this rank */
    int64_t lower; /* vectors begin with plane of unknowns `lower`: that below the first cells,
                      which are those of a layer of order p */
    bool shared;   /* the other planes are other ranks'; `starts` holds */
    int64_t starts[CGS_RANKS_MOST + 1]; /* rank r measures planes starts[r] ... starts[r + 1] - 1 */
};

/* Returns the slab of all planes. */
struct cgs_slab cgs_slab_whole(const struct cgs_mesh *mesh);

/* Returns the slab of a rank that owns rows cuts[rank] ... cuts[rank + 1] - 1. */
struct cgs_slab cgs_slab_cut(const struct cgs_mesh *mesh, const int64_t *cuts, int rank, int ranks);

/* Rows that rank r of a shared slab has to have: planes of unknowns on both sides of its cells.
 * These include the rows that it owns. */
int64_t cgs_slab_first_row(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int rank);
int64_t cgs_slab_last_row(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int rank);

/* Returns true if this rank measures the layer of cells whose first plane of nodes is iz. */
CGS_INLINE bool cgs_slab_has(const struct cgs_slab *slab, const struct cgs_mesh *mesh, int64_t iz)
{
    const int64_t plane = iz + mesh->order - 1;
    return slab->first <= plane && plane < slab->last;
}

/* Agrees on an outcome among the ranks of a shared slab (cgs_comm_agree). */
enum cgs_status cgs_slab_agree(struct cgs_context *context, const struct cgs_slab *slab,
                               enum cgs_status status);

/* Completes records of planes, `numbers` numbers each, of which this rank has first ... last -
 * 1. */
enum cgs_status cgs_slab_complete(struct cgs_context *context, const struct cgs_slab *slab,
                                  int numbers, void *records);

CGS_END_C
