/* A walk over all rows of a source: every row drawn once, block by block, in parallel, for whoever
 * looks at entries without keeping them. Private to matrix/. */
#ifndef CGS_MATRIX_WALK_H
#define CGS_MATRIX_WALK_H

#include "matrix/row_source.h"

/* Rows first ... first + rows - 1, one after the other without gaps. */
struct cgs_walk_block {
    int64_t first, rows;
    const int32_t *lengths; /* [rows] */
    const int32_t *columns; /* [sum of lengths] */
    const double *values;
};

/* Calls visit(user, thread, block) for blocks that cover rows first ... last - 1 each once, by
 * several threads at a time, 0 <= thread < context->threads; which thread gets which block is the
 * same in every walk over the same rows with as many threads. The source's lengths must be valid
 * (cgs_matrix_create finds out); columns and values are passed on unchecked.
 * CGS_MEMORY: no room for a thread's longest row. */
enum cgs_status cgs_walk_rows(
    struct cgs_context *context, const struct cgs_row_source *source, int64_t first, int64_t last,
    void (*visit)(void *user, int thread, const struct cgs_walk_block *block), void *user);

#endif
