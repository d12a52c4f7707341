/* The file's bytes without their compression, whose checksums are looked at: private to
 * matrix/market_*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_UNPACK_H
#define CGS_MATRIX_MARKET_MARKET_UNPACK_H

#include "matrix/market/market_stream.h"

struct cgs_market_unpack;

enum { CGS_MARKET_UNPACK_BYTES = (1 << 17) + (1 << 10) }; /* at most what unpacking holds */

/* Opens text->path, and looks at its first bytes: gzip, xz, or neither. Sets reader, unpack, packed.
 * Has to be closed also after a failure. */
enum cgs_status cgs_market_unpack_open(struct cgs_market_text *text);

/* The next bytes, borrowed until the next call; none at the end, where all checksums were right.
 * CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_market_unpack_next(struct cgs_market_text *text, const void **bytes,
                                       int64_t *count);

/* Goes back to the first byte. */
enum cgs_status cgs_market_unpack_rewind(struct cgs_market_text *text);

/* Reads what a packed file holds beyond the text that was wanted, for the sake of its checksum. */
enum cgs_status cgs_market_unpack_finish(struct cgs_market_text *text);

void cgs_market_unpack_close(struct cgs_market_text *text);

#endif
