/* A row source: who knows a matrix row by row before it stands in any memory.
 *
 * The finite-element assembler is one, a file that was read is another. Every format draws from
 * it, piece by piece and in parallel, so that a big matrix never stands twice in host memory.
 */
#ifndef CGS_MATRIX_ROW_SOURCE_H
#define CGS_MATRIX_ROW_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_mesh;           /* fem/element.h */
struct cgs_row_statistics; /* matrix/matrix.h */

struct cgs_row_source {
    int64_t rows, columns;
    /* Known to be symmetric to the bit by how the entries come about; false: nobody knows (a file:
     * cgs_matrix_check_symmetric finds out). */
    bool symmetric;
    /* All entries lie on so many diagonals (0: nobody knows), with one number on each: what a forecast
     * of compressed SELL goes by. */
    int32_t diagonals;
    bool constant;
    /* The box whose Q1 matrix the rows are, for operators that need no entries and for assembly
     * on the device; NULL where the rows come from elsewhere. Borrowed. */
    const struct cgs_mesh *mesh;
    /* Owned by whoever made the source; passed to the functions below through `source`. */
    const void *self;

    /* lengths[i - first] = number of entries of row i, first <= i < last. Called by many threads
     * at a time, on any ranges; does no parallel region of its own. */
    void (*lengths)(const struct cgs_row_source *source, int64_t first, int64_t last,
                    int32_t *lengths);

    /* What a walk over all lengths would find, known without one; NULL: walk. */
    void (*statistics)(const struct cgs_row_source *source, struct cgs_row_statistics *statistics);

    /* Infinity norm, max_i sum_j |a_ij|: what rounding is measured against. At least of the rows
     * drawn so far, so that it is known once all have been; where nobody draws, about. NULL, or 0:
     * unknown. */
    double (*norm)(const struct cgs_row_source *source);
    /* Somebody has computed all rows from `mesh` instead of drawing them, and this is their norm.
     * NULL: the source knows by itself. */
    void (*note_norm)(const struct cgs_row_source *source, double norm);

    /* All entries a_ii, in parallel, for less than drawing the rows; to rounding. NULL: draw them. */
    enum cgs_status (*diagonal)(struct cgs_context *context, const struct cgs_row_source *source,
                                double *diagonal);

    /* NULL where columns pass 32 bits: for operators that need no entries (CGS_NONE).
     * Rows first ... last - 1 one after the other, without gaps, columns 0-based and strictly
     * ascending in a row. Same calling rules. */
    void (*fill)(const struct cgs_row_source *source, int64_t first, int64_t last, int32_t *columns,
                 double *values);
};

CGS_END_C

#endif
