/* Rows from entries. Private to matrix/market. */
#pragma once

#include "matrix/market/market_block.h"
#include "matrix/market/market_text.h"

/* Makes rows (of a part, with columns of the whole; NULL: all) from entries: expanded, columns
 * ascending, duplicates summed in the file's order; the same for any number of threads. Sets
 * nonzeros, duplicates, zeros of *market. Releases the entries as soon as possible, at the
 * latest on success. *overflow: the first row with a sum beyond the range of double, whereupon
 * the rows are of no use; -1: none. CGS_MEMORY. */
enum cgs_status cgs_market_assemble(struct cgs_market_text *text,
                                    const struct cgs_market_part *part,
                                    struct cgs_market_entries *entries, struct cgs_market *market,
                                    struct cgs_crs *crs, int64_t *overflow);
