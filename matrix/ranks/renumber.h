/* Renumbers the rows of a matrix whose ranks have a part each, so that few entries join two
 * ranks. The graph goes to rank 0 for that: its structure, not its values. */
#pragma once

#include "matrix/crs.h"
#include "matrix/ranks/partitioner.h"

/* Row i of the file is row place[i] here; row first + i here is row row[i] of the file. */
struct cgs_renumbering {
    int64_t rows, first, count;
    int32_t *place; /* rows, on each rank */
    int32_t *row;   /* count */
};

/* Partitions the rows into parts of cuts[r + 1] - cuts[r] rows, r = 0 ... ranks - 1, and moves
 * the rows to their new owners: *crs is replaced. A symmetric matrix; all ranks call it at once
 * and agree on the outcome. The order of rows within a part is that of the file. As
 * cgs_partition; CGS_USAGE: more than 2^31 - 1 entries. On failure *crs stays. */
enum cgs_status cgs_renumber(struct cgs_context *context, const struct cgs_partitioner *partitioner,
                             const int64_t *cuts, struct cgs_crs *crs,
                             struct cgs_renumbering *renumbering);

/* Replaces the numbers of the file's rows first ... by those of this rank's rows; on all ranks
 * at once. */
enum cgs_status cgs_renumber_vector(struct cgs_context *context, const int64_t *cuts,
                                    const struct cgs_renumbering *renumbering, double *values);

void cgs_renumbering_release(struct cgs_context *context, struct cgs_renumbering *renumbering);
