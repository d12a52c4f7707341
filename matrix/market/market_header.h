/* What stands before the entries: banner and size line. Private to matrix/market*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_HEADER_H
#define CGS_MATRIX_MARKET_MARKET_HEADER_H

#include "matrix/market/market_text.h"

/* Reads the lines up to the size line and skips them: sets member, array, field, symmetry, rows,
 * columns and stored of *market, *size_line its number. *room: false where what follows is too
 * little for the entries that are declared, so that reading it will end with a complaint. CGS_FILE.
 */
enum cgs_status cgs_market_header(struct cgs_market_text *text, struct cgs_market *market,
                                  int64_t *size_line, bool *room);

/* The next word of a line that ends with '\n': *at goes behind it. Length 0 at the end. Blanks are
 * spaces and tabs. */
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

/* CGS_FILE where the line that begins at `begin`, number `line`, has a CR that is not of its end: to some
 * it is a blank, to others the end of a line. */
enum cgs_status cgs_market_check_cr(struct cgs_market_text *text, int64_t line, const char *begin);

/* A word for a message, in quotes: cut where it is long, what cannot be printed as \x... */
enum { CGS_MARKET_QUOTED = 80 };
const char *cgs_market_quote(struct cgs_market_word word, char quoted[CGS_MARKET_QUOTED]);

#endif
