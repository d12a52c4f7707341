/* Visits all rows of a source: every row is generated once, block by block, in parallel, for code
 * that reads entries without storing them. */
#pragma once

#include "matrix/matrix.h"
#include "matrix/row_source.h"

/* Rows first ... first + rows - 1, contiguous. */
struct cgs_walk_block {
    int64_t first, rows;
    const int32_t *lengths; /* [rows] */
    const int32_t *columns; /* [sum of lengths] */
    const double *values;
};

/* Calls visit(user, thread, block) for blocks that cover rows first ... last - 1 once, from several
 * threads, 0 <= thread < context->threads. The assignment of blocks to threads depends only on the
 * rows and the number of threads. The source's lengths must be valid (cgs_matrix_create checks
 * them); columns and values are passed on unchecked.
 * CGS_MEMORY: no room for a thread's longest row. */
enum cgs_status cgs_walk_rows(
    struct cgs_context *context, const struct cgs_row_source *source, int64_t first, int64_t last,
    void (*visit)(void *user, int thread, const struct cgs_walk_block *block), void *user);

/* Writes diagonal[i] = a_ii, 0 if the row has no such entry, for all min(rows, columns). In
 * parallel.
 * CGS_MEMORY: no room for a thread's longest row. */
enum cgs_status cgs_matrix_diagonal(struct cgs_context *context,
                                    const struct cgs_row_source *source, double *diagonal);
