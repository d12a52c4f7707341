/* Decompression of the file with verified checksums: private to matrix/market. */
#pragma once

#include "matrix/market/market_stream.h"

struct cgs_market_unpack;

enum { CGS_MARKET_UNPACK_BYTES = (1 << 17) + (1 << 10) }; /* upper bound of its memory */

/* Opens text->path and identifies gzip, xz, or neither by its first bytes. Sets reader, unpack,
 * packed. Must be closed even after a failure. */
enum cgs_status cgs_market_unpack_open(struct cgs_market_text *text);

/* Returns the next bytes, borrowed until the next call; none at the end, where all checksums were
 * correct. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_market_unpack_next(struct cgs_market_text *text, const void **bytes,
                                       int64_t *count);

/* Goes back to the first byte. */
enum cgs_status cgs_market_unpack_rewind(struct cgs_market_text *text);

/* Reads the rest of a compressed file after the needed text, to verify its checksum. */
enum cgs_status cgs_market_unpack_finish(struct cgs_market_text *text);

void cgs_market_unpack_close(struct cgs_market_text *text);
