/* Blocks of entries, and the part of them that one of several ranks keeps. Private to
 * matrix/market. */
#pragma once

#include "matrix/market/market.h"

/* Entries of one stretch of text, in the file's order. One block of memory. */
struct cgs_market_block {
    struct cgs_market_block *next;
    int64_t first, count;  /* entries first ... first + count - 1 of the file, from 0 */
    double *value;         /* count; NULL in a pattern: all 1 */
    int32_t *row, *column; /* count, from 0; NULL in an array, where the position gives them */
};

struct cgs_market_entries {
    struct cgs_market_block *blocks; /* owned, in the file's order */
    int64_t diagonal;                /* entries on the diagonal (coordinate) */
    int64_t kept;                    /* of a part: entries that its rows get, expanded */
};

/* Allocates a block of `count` entries, with values, and with rows and columns, or without. */
enum cgs_status cgs_market_block_create(struct cgs_context *context, int64_t first, int64_t count,
                                        bool values, bool places, struct cgs_market_block **block);

/* The rows of one of several ranks, which read a file together: cuts[rank] ... cuts[rank + 1] -
 * 1. */
struct cgs_market_part {
    int rank, ranks;
    int64_t *cuts; /* ranks + 1 */
};

/* Returns the number of entries of the block that the part keeps; adds to *expanded those that
 * its rows get. */
int64_t cgs_market_part_count(const struct cgs_market_part *part, const struct cgs_market *market,
                              const struct cgs_market_block *block, int64_t *expanded);

/* Replaces *block by the entries of it that the rows of the part have, those of an array with their
 * places; adds the number of entries that these rows get to *kept. On failure *block stays. */
enum cgs_status cgs_market_part_keep(struct cgs_context *context, const struct cgs_market *market,
                                     const struct cgs_market_part *part, int64_t *kept,
                                     struct cgs_market_block **block);

/* Entries of column j of an array: rows first_row ... rows - 1, from number `start` on. */
struct cgs_market_column {
    int64_t first_row, start;
};
struct cgs_market_column cgs_market_column_of(const struct cgs_market *market, int64_t j);
