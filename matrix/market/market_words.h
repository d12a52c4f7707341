/* Words of a line, and their quotation in messages. Private to matrix/market. */
#pragma once

#include "matrix/market/market_text.h"

/* The next word of a line that ends with '\n'; *at advances to its end. Length 0 at the end. Blanks
 * are spaces and tabs. */
struct cgs_market_word {
    const char *text;
    size_t length;
};
struct cgs_market_word cgs_market_word(const char **at);

/* Returns true at the end of a line: LF, or CR LF. */
static inline bool cgs_market_at_end(const char *at)
{
    return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

/* Returns CGS_FILE if the line from `begin` on, number `line`, has a CR that is not part of its
 * end: some programs take it for a blank, others for a line end. */
enum cgs_status cgs_market_check_cr(struct cgs_market_text *text, int64_t line, const char *begin);

/* Quotes a word for a message: cut if too long, nonprintable characters as \x... */
enum { CGS_MARKET_QUOTED = 80 };
const char *cgs_market_quote(struct cgs_market_word word, char quoted[CGS_MARKET_QUOTED]);
