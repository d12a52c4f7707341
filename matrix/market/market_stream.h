/* The text of a Matrix Market file on its way: file, compression, archive, buffer. Private to
 * matrix/market/. */
#ifndef CGS_MATRIX_MARKET_MARKET_STREAM_H
#define CGS_MATRIX_MARKET_MARKET_STREAM_H

#include <stddef.h>

#include "base/reader.h"
#include "matrix/market/market.h"

enum { CGS_MARKET_BUFFER = 1 << 24, CGS_MARKET_PIECE = 1 << 16 };

struct archive;
struct cgs_market_unpack;

struct cgs_market_text {
    struct cgs_context *context;
    const char *path;
    const struct cgs_market_settings *settings; /* NULL: none */
    struct cgs_reader reader;
    struct cgs_market_unpack *unpack; /* owned; its bytes without their compression */
    enum cgs_status failed;           /* why libarchive got no more of them; CGS_OK: it got them */
    struct archive *archive;
    bool packed;        /* compressed: how long the text really gets shows at its end */
    char member[256];   /* of the archive; "" where there is none */
    int64_t text_bytes; /* no text is longer than that; INT64_MAX: unknown */
    int64_t bytes;      /* of text so far */
    int64_t line;       /* number of the line at `begin`, from 1 */
    char *buffer;       /* owned; text not yet skipped is buffer[begin ... end - 1] */
    size_t capacity, begin, end;
    size_t whole; /* whole lines end there; <= begin: none is left */
    size_t piece; /* what a thread should take of it at a time */
    bool ended;   /* nothing comes after buffer[end - 1] */
};

/* Fails with CGS_FILE and "path: member:line: ..." (line 0: none, member only where there is one).
 */
enum cgs_status cgs_market_complain(struct cgs_market_text *text, int64_t line, const char *format,
                                    ...) CGS_PRINTF(3, 4);

#endif
