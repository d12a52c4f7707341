/* Nodes and near-null vectors of a matrix that ranks share, on the CPU (kernels/near_null.h): each
 * has its rows, none of which are parts of a node. They are those of one process, to the bit. All
 * ranks call these functions at once, and agree on failure. */
#pragma once

#include "kernels/amg.h"

struct cgs_ghosts;

/* struct cgs_near_null_ops.begin of this rank's rows, with columns of the whole: row 0 is row
 * `first`, a multiple of 6 unless `block` is given, then of that. columns: of these rows. */
enum cgs_status cgs_near_null_shared_begin(struct cgs_queue *queue, const struct cgs_sparse *a,
                                           int64_t first, int count, const double *columns,
                                           int block, struct cgs_near_null *near);

/* Makes this rank's rows of the matrix of nodes; rank r has nodes cuts[r] ... cuts[r + 1] - 1.
 * Columns of `a` are counted as kernels/sparse/ghosts.h says, those of *condensed are nodes of the
 * whole. ghosts NULL: `a` and the nodes are all. */
enum cgs_status cgs_near_null_shared_condense(struct cgs_queue *queue, const struct cgs_sparse *a,
                                              const struct cgs_ghosts *ghosts,
                                              const struct cgs_near_null *near,
                                              const int64_t *cuts, struct cgs_sparse *condensed);
