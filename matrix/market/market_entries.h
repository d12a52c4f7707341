/* Entries in the file's order, and their assembly into rows. Private to matrix/market. */
#pragma once

#include <locale.h>

#include "matrix/market/market_block.h"
#include "matrix/market/market_words.h"

/* Reads the rest of the text in parallel. An error message is about the first wrong line, for any
 * number of threads. part: only entries of its rows are kept; NULL: all.
 * CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED: nothing is allocated. */
enum cgs_status cgs_market_entries_read(struct cgs_market_text *text,
                                        const struct cgs_market *market, int64_t size_line,
                                        const struct cgs_market_part *part,
                                        struct cgs_market_entries *entries);

/* A range of the text's file, of whole lines; and findings in those read so far. */
struct cgs_market_range {
    const struct cgs_market *market;
    struct cgs_market_text text;
    struct piece *pieces; /* owned */
    locale_t c;
    int64_t entries;
    bool below, above; /* entries on that side of the diagonal */
    bool sound;        /* all lines are entries, comments or empty */
    bool packed;       /* its text is a stream of its own, not bytes of a plain file */
};

/* Opens bytes begin ... end - 1, read `stretch` at a time; borrows text and market. Must be
 * closed even after a failure. CGS_MEMORY. */
enum cgs_status cgs_market_range_open(const struct cgs_market_text *text,
                                      const struct cgs_market *market, int64_t begin, int64_t end,
                                      int64_t stretch, struct cgs_market_range *range);

/* Opens all entries of a compressed file or an archive as a range, which reads the file anew
 * from its begin. As cgs_market_range_open; CGS_FILE: the file has changed. */
enum cgs_status cgs_market_range_open_packed(const struct cgs_market_text *text,
                                             const struct cgs_market *market,
                                             struct cgs_market_range *range);

/* Reads the rest of a compressed file after the entries; without the right checksum the range is
 * not sound. */
enum cgs_status cgs_market_range_finish(struct cgs_market_range *range);

/* Reads the next stretch in parallel. *block: its entries, owned by the caller; NULL: there are
 * no more, or the range is not sound. CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_market_range_next(struct cgs_market_range *range,
                                      struct cgs_market_block **block);
void cgs_market_range_close(struct cgs_market_range *range);

void cgs_market_entries_release(struct cgs_context *context, struct cgs_market_entries *entries);
