/* SciPy's .npz: the arrays of a sparse matrix in a zip archive. Private to matrix/market. */
#pragma once

#include "matrix/market/market_block.h"
#include "matrix/market/market_text.h"

/* Reads the headers of a zip archive's arrays, and the shape: sets
 * field, symmetry, rows, columns and stored of *market, and text->npz. CGS_FILE: it is damaged, or
 * no matrix that is read. */
enum cgs_status cgs_market_npz_header(struct cgs_market_text *text, struct cgs_market *market);

/* Reads the entries, after the header; part: only those of its rows are kept; NULL: all. CGS_FILE,
 * CGS_MEMORY, CGS_INTERRUPTED: nothing is allocated. */
enum cgs_status cgs_market_npz_entries(struct cgs_market_text *text,
                                       const struct cgs_market *market,
                                       const struct cgs_market_part *part,
                                       struct cgs_market_entries *entries);
