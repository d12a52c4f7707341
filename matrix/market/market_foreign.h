/* Files that are not Matrix Market, as messages know them. Private to matrix/market. */
#pragma once

#include "matrix/market/market_text.h"

/* Adds to the message on a first line that is no banner what the text seems to be, and how a Matrix
 * Market file is made of it; or nothing. The text is at its first line, and may be read to its
 * end. */
void cgs_market_name_foreign(struct cgs_market_text *text);

/* Contents of a file by AmgX's own comment, "%%AMGX 1 1 sorted rhs"; line 0: the file has no such
 * comment. */
struct cgs_market_amgx {
    int64_t line;
    bool vectors; /* right-hand side, perhaps a solution below the entries */
    bool other;   /* blocks, a diagonal apart, numbers from 0 */
};
/* Notes such a comment. */
void cgs_market_note_amgx(const char *comment, int64_t line, struct cgs_market_amgx *amgx);
/* Fails with CGS_FILE for a file that holds more, or something else, than its banner says. */
enum cgs_status cgs_market_check_amgx(struct cgs_market_text *text, const struct cgs_market *market,
                                      const struct cgs_market_amgx *amgx);
