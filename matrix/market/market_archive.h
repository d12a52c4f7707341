/* How the text gets its archive: private to matrix/market_*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_ARCHIVE_H
#define CGS_MATRIX_MARKET_MARKET_ARCHIVE_H

#include "matrix/market/market_stream.h"

/* Opens text->path, at the text; sets reader, unpack, packed, archive, member, text_bytes, ended.
 * Has to be closed also after a failure. */
enum cgs_status cgs_market_archive_open(struct cgs_market_text *text);
void cgs_market_archive_close(struct cgs_market_text *text);

/* The failure of what libarchive was given, else CGS_FILE with libarchive's own words. */
enum cgs_status cgs_market_archive_failed(struct cgs_market_text *text);

#endif
