/* Columns that occur in some rows, numbered without gaps in ascending order: a product of a rank's
 * rows then needs memory for the columns that are there, however many the whole matrix has.
 *
 *     columns   7 3 . 7 12   of the whole: 3 7 12   numbered 1 0 . 1 2
 */
#pragma once

#include <stdint.h>

#include "base/context.h"

struct cgs_columns {
    int64_t first, words; /* columns from `first` on, a bit each, in so many words */
    uint64_t *bits;
    int32_t *before; /* words: columns that occur before those of a word */
    int64_t count;
    int32_t *number; /* count: of the whole, ascending */
};

/* Finds the columns that occur among `entries` ones, of which those below 0 are left out.
 * *columns is owned by the caller. CGS_MEMORY. */
enum cgs_status cgs_columns_find(struct cgs_context *context, const int32_t *column,
                                 int64_t entries, struct cgs_columns *columns);

/* Replaces numbers of the whole by those without gaps, and back. Those below 0 stay. */
void cgs_columns_compress(struct cgs_context *context, const struct cgs_columns *columns,
                          int32_t *column, int64_t entries);
void cgs_columns_expand(struct cgs_context *context, const struct cgs_columns *columns,
                        int32_t *column, int64_t entries);

void cgs_columns_release(struct cgs_context *context, struct cgs_columns *columns);
