/* Harwell-Boeing and Rutherford-Boeing files. Private to matrix/market. */
#pragma once

#include "matrix/market/market_block.h"
#include "matrix/market/market_text.h"

/* Returns true if the text, at its
 * first line, begins like one, as far as the lines in the buffer tell. */
bool cgs_market_is_boeing(const struct cgs_market_text *text);

/* Reads the header, all lines before the numbers: sets field, symmetry, rows, columns and stored of
 * *market, and text->boeing. CGS_FILE: it is malformed, or no matrix that is read. */
enum cgs_status cgs_market_boeing_header(struct cgs_market_text *text, struct cgs_market *market);

/* As cgs_market_npz_entries. */
enum cgs_status cgs_market_boeing_entries(struct cgs_market_text *text,
                                          const struct cgs_market *market,
                                          const struct cgs_market_part *part,
                                          struct cgs_market_entries *entries);
