/* Text of a Matrix Market file as whole lines, from any container. Private to matrix/.
 *
 * The content determines the container: plain text, gzip, xz, or a tar archive in any of them. The
 * text passes through one buffer of at most CGS_MARKET_BUFFER bytes, so that neither a large file
 * nor a small one that unpacks without end takes more. */
#pragma once

#include "matrix/market/market_stream.h"

/* Opens the file, and in an archive the member to be read: NAME/NAME.mtx as in the SuiteSparse
 * collection, or the only .mtx. Borrows path and settings. CGS_FILE, CGS_MEMORY: nothing is
 * allocated. */
enum cgs_status cgs_market_text_open(struct cgs_context *context, const char *path,
                                     const struct cgs_market_settings *settings,
                                     struct cgs_market_text *text);
/* Opens bytes begin ... end - 1 of a plain file as a text of their own, whole lines whose
 * numbers do not count; reads by the descriptor of `text`, which it borrows, and owns a buffer
 * of `capacity` bytes. */
enum cgs_status cgs_market_text_range(const struct cgs_market_text *text, int64_t begin,
                                      int64_t end, int64_t capacity, struct cgs_market_text *range);
void cgs_market_text_close(struct cgs_market_text *text);

/* Returns whole lines in *first ... *last - 1, at least one, each with its '\n' (added to a last
 * line without), or nothing at the end of the text. Returns the same lines until they are skipped.
 * A comment longer than the buffer is cut. CGS_FILE: cannot be unpacked, or a line of numbers
 * longer than the buffer; CGS_INTERRUPTED. */
enum cgs_status cgs_market_text_lines(struct cgs_market_text *text, const char **first,
                                      const char **last);

/* Skips `bytes` bytes, which are `lines` lines. */
void cgs_market_text_skip(struct cgs_market_text *text, size_t bytes, int64_t lines);
