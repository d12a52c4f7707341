/* How the text gets its archive: private to matrix/market_*.c. */
#ifndef CGS_MATRIX_MARKET_ARCHIVE_H
#define CGS_MATRIX_MARKET_ARCHIVE_H

#include "matrix/market_text.h"

/* Opens text->path in text->archive, at the text; sets member, file_bytes, text_bytes, ended. The
 * caller frees the archive, also after a failure. */
enum cgs_status cgs_market_archive_open(struct cgs_market_text *text);

/* CGS_FILE with libarchive's own words. */
enum cgs_status cgs_market_archive_failed(struct cgs_market_text *text);

#endif
