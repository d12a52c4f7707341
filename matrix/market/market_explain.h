/* Messages on wrong entries. Private to matrix/market. */
#ifndef CGS_MATRIX_MARKET_MARKET_EXPLAIN_H
#define CGS_MATRIX_MARKET_MARKET_EXPLAIN_H

#include <locale.h>

#include "matrix/market/market_text.h"

/* Returns where the number of entries was declared, for messages: " (line 2)"; size_line 0: by the
 * matrix, of a vector of numbers alone. */
const char *cgs_market_declared(int64_t size_line, char declared[32]);

/* Fails with the reason why a line (first character at `at`) is not a valid entry number
 * `entry`. */
enum cgs_status cgs_market_explain(struct cgs_market_text *text, const struct cgs_market *market,
                                   int64_t size_line, int64_t line, const char *at, int64_t entry,
                                   locale_t c);

/* The same for a symmetric file with entries on both sides of the diagonal; the first ones are in
 * lines `lower` and `upper`. */
enum cgs_status cgs_market_explain_mixed(struct cgs_market_text *text,
                                         const struct cgs_market *market, int64_t lower,
                                         int64_t upper);

#endif
