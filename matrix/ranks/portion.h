/* Portions of a matrix: the rows of one rank, as a row source.
 *
 * Ranks own ranges of rows, contiguous in the natural order of the whole matrix. A portion
 * renumbers columns relative to its first row by a monotone map: owned columns are 0 ... count - 1,
 * columns of other ranks ("ghosts") lie before and after them in ascending order:
 *
 *     whole    3    7   | 8   9   10  11 | 12   15          portion of rows 8 ... 11, below = above = 2
 *     portion    -2   -1   | 0   1   2   3  | 4    5
 *
 * Columns of a row so keep their order and sums their bits; vectors have room for ghosts on both
 * sides of the owned numbers, and a pointer to a vector is one to its first owned number. On a mesh
 * all numbers within reach are ghosts, so that the map is a shift. matrix/ranks/cut.h makes
 * portions.
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"
#include "matrix/row_source.h"

CGS_BEGIN_C

struct cgs_portion {
    int64_t first, count, whole; /* owned: rows first ... first + count - 1 of `whole` */
    int rank, ranks;
    int64_t *cuts;        /* ranks + 1: rank r owns rows cuts[r] ... cuts[r + 1] - 1 */
    int64_t below, above; /* ghosts before and after the owned numbers */
    int64_t *ghosts;      /* below + above numbers of the whole, ascending; NULL: all those next to
                             the owned ones (a mesh's) */
    int64_t reach[2];     /* then: ghosts before and after, where there are so many */
    /* Rows inner_first ... inner_last - 1 have no ghosts among their columns: they lie between
     * the last that has one of a lower rank and the first that has one of a higher rank. */
    int64_t inner_first, inner_last;
    int64_t before, after;               /* room in vectors on either side: at least below, above */
    const struct cgs_row_source *source; /* has these rows, and perhaps others; borrowed */
};

/* Returns the whole's number of a portion's column. portion NULL: the same number. */
CGS_INLINE int64_t cgs_portion_global(const struct cgs_portion *portion, int64_t column)
{
    if (!portion)
        return column;
    if (!portion->ghosts || (0 <= column && column < portion->count))
        return portion->first + column;
    return portion->ghosts[portion->below + (column < 0 ? column : column - portion->count)];
}

/* Returns the portion's number of a column of the whole that it has. portion NULL: the same
 * number. */
CGS_INLINE int64_t cgs_portion_local(const struct cgs_portion *portion, int64_t global)
{
    if (!portion)
        return global;
    if (!portion->ghosts || (portion->first <= global && global < portion->first + portion->count))
        return global - portion->first;
    int64_t low = 0, high = portion->below + portion->above;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (portion->ghosts[middle] < global)
            low = middle + 1;
        else
            high = middle;
    }
    return low < portion->below ? low - portion->below : low - portion->below + portion->count;
}

/* Returns the number of ghosts before the owned numbers, 0 of a whole matrix. */
CGS_INLINE int64_t cgs_portion_below(const struct cgs_portion *portion)
{
    return portion ? portion->below : 0;
}

/* Returns the whole's number of the first owned row, 0 of a whole matrix. */
CGS_INLINE int64_t cgs_portion_first(const struct cgs_portion *portion)
{
    return portion ? portion->first : 0;
}

CGS_END_C
