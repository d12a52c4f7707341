/* Converts rows in the file's order to rows of cgs_crs. Private to matrix/market. */
#ifndef CGS_MATRIX_MARKET_MARKET_ROWS_H
#define CGS_MATRIX_MARKET_MARKET_ROWS_H

#include "matrix/market/market_entries.h"

/* Sorts each row of *crs by columns and sums duplicates in the order of the file; sets nonzeros,
 * duplicates and zeros of *market. In parallel, the same for any number of threads. *overflow:
 * the first row with a sum beyond the range of double, whereupon the rows are of no use; -1:
 * none. CGS_MEMORY. */
enum cgs_status cgs_market_tidy(struct cgs_market_text *text, struct cgs_market *market,
                                struct cgs_crs *crs, int64_t *overflow);

#endif
