/* gzip (RFC 1952) by zlib, which checks length and CRC at the end of every member; xz by libarchive
 * and liblzma, which check a block at its end. Either is verified only once all of the file has
 * been read.
 *
 * libarchive's own gzip filter ignores checksums, and its tar reader does not read to the end of
 * the file: it therefore gets uncompressed bytes. */
#include "matrix/market/market_unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    BLOCK = 1 << 16, /* bytes of the file, and uncompressed ones, at a time */
    SLICE = 1 << 20, /* bytes of the file, or uncompressed ones, between two calls of progress */
    MAGIC = 6,       /* bytes that identify gzip and xz */
};

enum filter { NONE, GZIP, XZ };

struct cgs_market_unpack {
    enum filter filter;
    z_stream z;
    bool z_open;
    bool member;        /* within a member of a gzip file */
    int64_t members;    /* finished members */
    struct archive *xz; /* NULL: none */
    bool xz_ended;
    enum cgs_status failed; /* why libarchive got no more bytes for xz, or CGS_OK */
    int64_t given;          /* uncompressed bytes so far */
    int64_t told_read,
        told_given;    /* bytes of the file, and unpacked ones, when progress was told */
    size_t begin, end; /* unused part of `in` */
    bool in_ended;     /* in[end - 1] is the last byte */
    unsigned char in[BLOCK], out[BLOCK];
};

_Static_assert(sizeof(struct cgs_market_unpack) <= CGS_MARKET_UNPACK_BYTES, "what a plan says");

/* ---- the file ---- */

static bool ask_progress(void *user)
{
    const struct cgs_market_text *text = user;
    const struct cgs_market_settings *s = text->settings;
    return s->progress(s->user, text->reader.done, text->reader.bytes);
}

static enum cgs_status interrupted(struct cgs_market_text *text)
{
    return cgs_fail(text->context, CGS_INTERRUPTED, "%s: interrupted while it was read",
                    text->path);
}

/* Appends bytes of the file after in[end - 1]; sets in_ended at its end. */
static enum cgs_status read_on(struct cgs_market_text *text)
{
    struct cgs_market_unpack *u = text->unpack;
    const int64_t got = cgs_reader_read(&text->reader, u->in + u->end, BLOCK - u->end);
    if (got == -EINTR)
        return interrupted(text);
    if (got < 0)
        return cgs_market_complain(text, 0, "cannot be read: %s", strerror((int)-got));
    u->end += (size_t)got;
    u->in_ended = got == 0;
    return CGS_OK;
}

/* Ensures an unused byte, unless the file has ended. */
static enum cgs_status refill(struct cgs_market_text *text)
{
    struct cgs_market_unpack *u = text->unpack;
    if (u->begin < u->end || u->in_ended)
        return CGS_OK;
    u->begin = u->end = 0;
    return read_on(text);
}

/* ---- no compression ---- */

static enum cgs_status next_plain(struct cgs_market_text *text, const void **bytes, int64_t *count)
{
    struct cgs_market_unpack *u = text->unpack;
    CGS_TRY(refill(text));
    *bytes = u->in + u->begin;
    *count = (int64_t)(u->end - u->begin);
    u->begin = u->end;
    return CGS_OK;
}

/* ---- gzip ---- */

/* After a member: another one, zeros (a tape's padding), or the end. Sets member if one begins. */
static enum cgs_status begin_member(struct cgs_market_text *text)
{
    struct cgs_market_unpack *u = text->unpack;
    bool padded = false;
    CGS_TRY(refill(text));
    while (u->members > 0 && u->begin < u->end && u->in[u->begin] == 0) {
        padded = true;
        u->begin++;
        CGS_TRY(refill(text));
    }
    if (u->begin == u->end)
        return CGS_OK;
    if (u->members > 0 && (padded || u->in[u->begin] != 0x1f))
        return cgs_market_complain(text, 0,
                                   "gzip: behind the packed text is something that is not gzip: "
                                   "the file is damaged, or more than a .gz file");
    u->member = true;
    return inflateReset(&u->z) == Z_OK ? CGS_OK
                                       : cgs_fail(text->context, CGS_BUG, "zlib: %s", u->z.msg);
}

static enum cgs_status explain_gzip(struct cgs_market_text *text, int code)
{
    const struct cgs_market_unpack *u = text->unpack;
    if (code == Z_MEM_ERROR)
        return cgs_fail(text->context, CGS_MEMORY, "%s: no memory for unpacking", text->path);
    if (code == Z_OK || code == Z_BUF_ERROR)
        return cgs_market_complain(text, 0,
                                   "truncated gzip input: the file ends within its packed text; "
                                   "download it again");
    return cgs_market_complain(text, 0,
                               "damaged gzip input (%s): download it again ('gzip -t' checks it, "
                               "too)",
                               u->z.msg ? u->z.msg : "not what gzip writes");
}

static enum cgs_status next_gzip(struct cgs_market_text *text, const void **bytes, int64_t *count)
{
    struct cgs_market_unpack *u = text->unpack;
    *bytes = u->out;
    for (;;) {
        if (!u->member)
            CGS_TRY(begin_member(text));
        if (!u->member) {
            *count = 0;
            return CGS_OK;
        }
        CGS_TRY(refill(text));
        u->z.next_in = u->in + u->begin;
        u->z.avail_in = (unsigned)(u->end - u->begin);
        u->z.next_out = u->out;
        u->z.avail_out = BLOCK;
        const int code = inflate(&u->z, Z_NO_FLUSH);
        u->begin = u->end - u->z.avail_in;
        *count = BLOCK - (int64_t)u->z.avail_out;
        if (code == Z_STREAM_END) {
            u->member = false;
            u->members++;
        } else if ((code != Z_OK && code != Z_BUF_ERROR) ||
                   (*count == 0 && u->begin == u->end && u->in_ended)) {
            return explain_gzip(text, code);
        }
        if (*count > 0)
            return CGS_OK;
    }
}

/* ---- xz ---- */

static enum cgs_status explain_xz(struct cgs_market_text *text)
{
    const struct cgs_market_unpack *u = text->unpack;
    const char *said = archive_error_string(u->xz);
    return u->failed != CGS_OK
               ? u->failed
               : cgs_market_complain(text, 0,
                                     "damaged xz input (%s): download it again ('xz -t' checks it, "
                                     "too)",
                                     said ? said : "not what xz writes");
}

/* Adapter of next_plain for libarchive. */
static la_ssize_t give(struct archive *archive, void *user, const void **bytes)
{
    struct cgs_market_text *text = user;
    int64_t count = 0;
    text->unpack->failed = next_plain(text, bytes, &count);
    if (text->unpack->failed == CGS_OK)
        return (la_ssize_t)count;
    archive_set_error(archive, EIO, "no more bytes");
    return -1;
}

static enum cgs_status open_xz(struct cgs_market_text *text)
{
    struct cgs_market_unpack *u = text->unpack;
    struct archive_entry *entry;
    u->xz = archive_read_new();
    if (!u->xz)
        return cgs_fail(text->context, CGS_MEMORY, "%s: no memory for unpacking", text->path);
    archive_read_support_filter_xz(u->xz);
    archive_read_support_format_raw(u->xz);
    archive_read_support_format_empty(u->xz);
    if (archive_read_open(u->xz, text, NULL, give, NULL) != ARCHIVE_OK)
        return explain_xz(text);
    const int got = archive_read_next_header(u->xz, &entry);
    u->xz_ended = got == ARCHIVE_EOF;
    return got == ARCHIVE_OK || got == ARCHIVE_EOF ? CGS_OK : explain_xz(text);
}

static enum cgs_status next_xz(struct cgs_market_text *text, const void **bytes, int64_t *count)
{
    struct cgs_market_unpack *u = text->unpack;
    size_t size = 0;
    la_int64_t offset;
    if (!u->xz)
        CGS_TRY(open_xz(text));
    *count = 0;
    if (u->xz_ended)
        return CGS_OK;
    const int got = archive_read_data_block(u->xz, bytes, &size, &offset);
    u->xz_ended = got == ARCHIVE_EOF;
    if (got == ARCHIVE_OK)
        *count = (int64_t)size;
    return got == ARCHIVE_OK || got == ARCHIVE_EOF ? CGS_OK : explain_xz(text);
}

/* ---- all ---- */

static enum filter filter_of(const unsigned char *first, size_t count)
{
    if (count >= 2 && memcmp(first, "\x1f\x8b", 2) == 0)
        return GZIP;
    return count >= MAGIC && memcmp(first,
                                    "\xfd"
                                    "7zXZ\0",
                                    MAGIC) == 0
               ? XZ
               : NONE;
}

static enum cgs_status look(struct cgs_market_text *text)
{
    struct cgs_market_unpack *u = text->unpack;
    while (u->end < MAGIC && !u->in_ended)
        CGS_TRY(read_on(text));
    u->filter = filter_of(u->in, u->end);
    text->packed = u->filter != NONE;
    if (u->filter != GZIP)
        return CGS_OK;
    u->z_open = inflateInit2(&u->z, 16 + MAX_WBITS) == Z_OK; /* 16: gzip only */
    return u->z_open ? CGS_OK : explain_gzip(text, Z_MEM_ERROR);
}

/* Returns a remedy for names of files that people often write, and that are none; else "". */
static const char *why_missing(const char *path)
{
    if (path[0] == '~')
        return "; the shell leaves a ~ behind '=' as it is: write $HOME";
    if (strstr(path, "://"))
        return "; nothing is fetched from the net: fetch it first, and name the file";
    return strpbrk(path, "*?") ? "; the shell leaves patterns behind '=' as they are: name one file"
                               : "";
}

enum cgs_status cgs_market_unpack_open(struct cgs_market_text *text)
{
    const int error = cgs_reader_open(&text->reader, text->path);
    if (error == EISDIR)
        return cgs_market_complain(text, 0, "is a folder: expected a Matrix Market file");
    if (error != 0)
        return cgs_market_complain(text, 0, "cannot be opened: %s%s", strerror(error),
                                   error == ENOENT ? why_missing(text->path) : "");
    if (text->settings && text->settings->progress) {
        text->reader.wanted = ask_progress;
        text->reader.user = text;
    }
    CGS_TRY(cgs_alloc(text->context, sizeof *text->unpack, 1, "bytes of a file",
                      (void **)&text->unpack));
    memset(text->unpack, 0, sizeof *text->unpack);
    return look(text);
}

enum cgs_status cgs_market_unpack_next(struct cgs_market_text *text, const void **bytes,
                                       int64_t *count)
{
    struct cgs_market_unpack *u = text->unpack;
    CGS_TRY(u->filter == GZIP ? next_gzip(text, bytes, count)
            : u->filter == XZ ? next_xz(text, bytes, count)
                              : next_plain(text, bytes, count));
    u->given += *count;
    if (!text->reader.wanted || (*count > 0 && text->reader.done < u->told_read + SLICE &&
                                 u->given < u->told_given + SLICE))
        return CGS_OK;
    u->told_read = text->reader.done;
    u->told_given = u->given;
    return ask_progress(text) ? CGS_OK : interrupted(text);
}

/* Releases everything except *unpack itself. */
static void end_filters(struct cgs_market_unpack *u)
{
    if (u->z_open)
        inflateEnd(&u->z);
    if (u->xz)
        archive_read_free(u->xz);
    memset(u, 0, sizeof *u);
}

enum cgs_status cgs_market_unpack_rewind(struct cgs_market_text *text)
{
    const int error = cgs_reader_rewind(&text->reader);
    if (error != 0)
        return cgs_market_complain(text, 0, "cannot be read from its start once more: %s",
                                   strerror(error));
    end_filters(text->unpack);
    return look(text);
}

enum cgs_status cgs_market_unpack_finish(struct cgs_market_text *text)
{
    int64_t count = text->packed;
    const void *bytes;
    while (count > 0)
        CGS_TRY(cgs_market_unpack_next(text, &bytes, &count));
    return CGS_OK;
}

void cgs_market_unpack_close(struct cgs_market_text *text)
{
    cgs_reader_close(&text->reader);
    if (text->unpack)
        end_filters(text->unpack);
    cgs_free(text->context, text->unpack);
    text->unpack = NULL;
}
