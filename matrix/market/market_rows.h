/* Rows with their entries in the file's order become rows as cgs_crs has them. Private to
 * matrix/market*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_ROWS_H
#define CGS_MATRIX_MARKET_MARKET_ROWS_H

#include "matrix/market/market_entries.h"

/* Sorts each row of *crs by columns and sums what stands at one place, in the order of the file;
 * sets nonzeros, duplicates and zeros of *market. In parallel, the same for any number of threads.
 * CGS_MEMORY; CGS_FILE where a sum is past the range of double. */
enum cgs_status cgs_market_tidy(struct cgs_market_text *text, struct cgs_market *market,
                                struct cgs_crs *crs);

#endif
