/* Archive of a text: private to matrix/market. */
#ifndef CGS_MATRIX_MARKET_MARKET_ARCHIVE_H
#define CGS_MATRIX_MARKET_MARKET_ARCHIVE_H

#include "matrix/market/market_stream.h"

/* Opens text->path at the text; sets reader, unpack, packed, archive, member, text_bytes, ended.
 * Must be closed even after a failure. */
enum cgs_status cgs_market_archive_open(struct cgs_market_text *text);
void cgs_market_archive_close(struct cgs_market_text *text);

/* Returns the failure of libarchive's input, else CGS_FILE with libarchive's own message. */
enum cgs_status cgs_market_archive_failed(struct cgs_market_text *text);

#endif
