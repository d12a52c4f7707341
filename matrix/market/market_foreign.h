/* Files that are not Matrix Market: those that are read nevertheless, and those that messages know.
 * Private to matrix/market. */
#ifndef CGS_MATRIX_MARKET_MARKET_FOREIGN_H
#define CGS_MATRIX_MARKET_MARKET_FOREIGN_H

#include "matrix/market/market_block.h"
#include "matrix/market/market_text.h"

/* SciPy's .npz (market_npz.c): reads the headers of a zip archive's arrays, and the shape: sets
 * field, symmetry, rows, columns and stored of *market, and text->npz. CGS_FILE: it is damaged, or
 * no matrix that is read. */
enum cgs_status cgs_market_npz_header(struct cgs_market_text *text, struct cgs_market *market);

/* Reads the entries, after the header; part: only those of its rows are kept; NULL: all. CGS_FILE,
 * CGS_MEMORY, CGS_INTERRUPTED: nothing is allocated. */
enum cgs_status cgs_market_npz_entries(struct cgs_market_text *text,
                                       const struct cgs_market *market,
                                       const struct cgs_market_part *part,
                                       struct cgs_market_entries *entries);

/* Harwell-Boeing and Rutherford-Boeing files (market_boeing.c): returns true if the text, at its
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

#endif
