/* Reading by several ranks, each its rows: what a rank keeps, and how a file is read by parts.
 * Private to matrix/market. */
#pragma once

#include "matrix/market/market_entries.h"

/* Fails unless the file that this rank opened declares what rank 0's does; the ranks agree on
 * that and on `status`, this rank's so far. */
enum cgs_status cgs_market_parts_compare(struct cgs_market_text *text,
                                         const struct cgs_market *market, enum cgs_status status);

/* Reads the entries after the header by all ranks at once: each reads a range of the file, or
 * rank 0 all of a compressed file or an archive, and sends its entries to the owners of their
 * rows. *bytes: of the text. *done = false, with nothing read: the file is an array, or some
 * line is wrong. Each rank then has to read all of it, which finds the line. The ranks agree on
 * the outcome. */
enum cgs_status cgs_market_parts_read(struct cgs_market_text *text, const struct cgs_market *market,
                                      const struct cgs_market_part *part,
                                      struct cgs_market_entries *entries, int64_t *bytes,
                                      bool *done);
