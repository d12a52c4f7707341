/* Entries in the file's order, and their assembly into rows. Private to matrix/market. */
#ifndef CGS_MATRIX_MARKET_MARKET_ENTRIES_H
#define CGS_MATRIX_MARKET_MARKET_ENTRIES_H

#include <locale.h>

#include "matrix/market/market_header.h"

/* Entries of one stretch of text, in the file's order. One block of memory. */
struct cgs_market_block {
    struct cgs_market_block *next;
    int64_t first, count;  /* entries first ... first + count - 1 of the file, from 0 */
    double *value;         /* count; NULL in a pattern: all 1 */
    int32_t *row, *column; /* count, from 0; NULL in an array, where the position gives them */
};

struct cgs_market_entries {
    struct cgs_market_block *blocks; /* owned, in the file's order */
    int64_t diagonal;                /* entries on the diagonal (coordinate) */
};

/* Reads the rest of the text in parallel. An error message is about the first wrong line, for any
 * number of threads. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED: nothing is allocated. */
enum cgs_status cgs_market_entries_read(struct cgs_market_text *text,
                                        const struct cgs_market *market, int64_t size_line,
                                        struct cgs_market_entries *entries);
void cgs_market_entries_release(struct cgs_context *context, struct cgs_market_entries *entries);

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

/* Makes rows from entries: expanded, columns ascending, duplicates summed in the file's order; the
 * same for any number of threads. Sets nonzeros, duplicates, zeros of *market. Releases the entries
 * as soon as possible, at the latest on success. CGS_MEMORY; CGS_FILE: a sum beyond the range of
 * double. */
enum cgs_status cgs_market_assemble(struct cgs_market_text *text,
                                    struct cgs_market_entries *entries, struct cgs_market *market,
                                    struct cgs_crs *crs);

#endif
