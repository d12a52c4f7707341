/* Text stream of a Matrix Market file: file, compression, archive, buffer. Private to
 * matrix/market/. */
#pragma once

#include <stddef.h>

#include "base/reader.h"
#include "matrix/market/market.h"

enum { CGS_MARKET_BUFFER = 1 << 24, CGS_MARKET_PIECE = 1 << 16 };

struct archive;
struct cgs_market_unpack;

/* Numbers of a Harwell-Boeing file: each line has `count` of `width` characters. */
struct cgs_market_fields {
    int count, width;
    bool whole; /* without a point */
};

struct cgs_market_boeing {
    bool known; /* the text is such a file, after its header */
    struct cgs_market_fields pointers, indices, values;
};

struct cgs_market_text {
    struct cgs_context *context;
    const char *path;
    const struct cgs_market_settings *settings; /* NULL: none */
    struct cgs_reader reader;
    struct cgs_market_unpack *unpack; /* owned; uncompressed bytes */
    enum cgs_status failed;           /* why libarchive got no more bytes, or CGS_OK */
    struct archive *archive;
    bool packed;      /* compressed: the length of the text is known only at its end */
    char member[256]; /* of the archive; "" without one */
    bool zip;         /* the archive is a zip, which is read as SciPy's .npz */
    char npz[4];      /* SciPy's name of its matrix's format, after its header */
    struct cgs_market_boeing boeing;
    int64_t text_bytes; /* upper bound of the text; INT64_MAX: unknown */
    int64_t bytes;      /* of text so far */
    int64_t line;       /* number of the line at `begin`, from 1 */
    char *buffer;       /* owned; unread text is buffer[begin ... end - 1] */
    size_t capacity, begin, end;
    size_t whole; /* end of the whole lines; <= begin: none left */
    size_t piece; /* bytes for a thread at a time */
    bool ended;   /* buffer[end - 1] is the last byte */
    bool
        /* bytes of the file from `first` to `at` have been read, those before `stop` follow */
        ranged;
    int64_t first, at, stop;
};

/* Fails with CGS_FILE and "path: member:line: ..." (line 0: none; member only if there is one). */
enum cgs_status cgs_market_complain(struct cgs_market_text *text, int64_t line, const char *format,
                                    ...) CGS_PRINTF(3, 4);
