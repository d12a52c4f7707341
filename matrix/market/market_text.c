/* The buffer between the archive and the readers of whole lines. */
#include "matrix/market/market_text.h"

#include <archive.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "matrix/market/market_archive.h"

enum {
    ROUND = 1 << 20, /* bytes of text read at a time */
    SMALL = 1 << 20, /* the buffer for a packed file of less than SMALL / 4 */
};

static size_t capacity_for(const struct cgs_market_text *text)
{
    int64_t bytes = text->text_bytes;
    if (text->settings && text->settings->buffer > 0)
        return (size_t)text->settings->buffer;
    if (text->packed)
        bytes = text->reader.regular && text->reader.bytes < SMALL / 4 ? SMALL : CGS_MARKET_BUFFER;
    return bytes < CGS_MARKET_BUFFER ? (size_t)bytes + 1 : CGS_MARKET_BUFFER;
}

static enum cgs_status make_buffer(struct cgs_market_text *text)
{
    text->piece =
        text->capacity / 16 < CGS_MARKET_PIECE ? text->capacity / 16 + 1 : CGS_MARKET_PIECE;
    return cgs_alloc(text->context, (int64_t)text->capacity + 1, 1, "text of a file",
                     (void **)&text->buffer);
}

enum cgs_status cgs_market_text_open(struct cgs_context *context, const char *path,
                                     const struct cgs_market_settings *settings,
                                     struct cgs_market_text *text)
{
    *text = (struct cgs_market_text){
        .context = context, .path = path, .settings = settings, .reader = {.file = -1}, .line = 1};
    enum cgs_status status = cgs_market_archive_open(text);
    if (status == CGS_OK) {
        text->capacity = capacity_for(text);
        status = make_buffer(text);
    }
    if (status != CGS_OK)
        cgs_market_text_close(text);
    return status;
}

void cgs_market_text_close(struct cgs_market_text *text)
{
    cgs_market_archive_close(text);
    cgs_free(text->context, text->buffer);
    text->buffer = NULL;
}

enum cgs_status cgs_market_text_range(const struct cgs_market_text *text, int64_t begin,
                                      int64_t end, int64_t capacity, struct cgs_market_text *range)
{
    *range = (struct cgs_market_text){
        .context = text->context,
        .path = text->path,
        .settings = text->settings,
        .reader = text->reader,
        .capacity = (size_t)(end - begin < capacity ? end - begin + 1 : capacity),
        .line = 2, /* not the banner */
        .ranged = true,
        .first = begin,
        .at = begin,
        .stop = end};
    if (text->settings && text->settings->buffer > 0)
        range->capacity = (size_t)text->settings->buffer;
    return make_buffer(range);
}

/* Reads the next bytes of a range; 0 at its end, or a negative number. */
static la_ssize_t read_range(struct cgs_market_text *text, char *to, size_t room)
{
    const size_t left = (size_t)(text->stop - text->at);
    const ssize_t got = pread(text->reader.file, to, left < room ? left : room, text->at);
    if (got > 0)
        text->at += got;
    return got == 0 && left > 0 ? -1 : got; /* shorter than it was */
}

/* Tells the caller how far the range has been read. */
static enum cgs_status tell_progress(const struct cgs_market_text *text)
{
    const struct cgs_market_settings *s = text->settings;
    if (!text->ranged || !s || !s->progress ||
        s->progress(s->user, text->at - text->first, text->stop - text->first))
        return CGS_OK;
    return cgs_fail(text->context, CGS_INTERRUPTED, "%s: interrupted while it was read",
                    text->path);
}

/* Moves the incomplete line to the front and fills the buffer, or reaches the end. */
static enum cgs_status fill(struct cgs_market_text *text)
{
    memmove(text->buffer, text->buffer + text->begin, text->end - text->begin);
    text->end -= text->begin;
    text->begin = 0;
    while (!text->ended && text->end < text->capacity) {
        const size_t room = text->capacity - text->end;
        char *const to = text->buffer + text->end;
        const size_t some = room < ROUND ? room : ROUND;
        const la_ssize_t got =
            text->ranged ? read_range(text, to, some) : archive_read_data(text->archive, to, some);
        if (got < 0)
            return cgs_market_archive_failed(text);
        CGS_TRY(tell_progress(text));
        text->end += (size_t)got;
        text->bytes += got;
        text->ended = got == 0;
    }
    if (text->ended && text->end > 0 && text->buffer[text->end - 1] != '\n')
        text->buffer[text->end++] = '\n'; /* room for it: one byte more than the capacity */
    text->whole = text->end;
    while (text->whole > 0 && text->buffer[text->whole - 1] != '\n')
        text->whole--;
    return CGS_OK;
}

/* Shortens a comment line that fills the buffer to its mark. (The first line is not a comment,
 * though it looks like one.) */
static enum cgs_status shorten(struct cgs_market_text *text)
{
    char *const begin = text->buffer + text->begin;
    const char *mark = begin;
    while (mark < text->buffer + text->end && (*mark == ' ' || *mark == '\t'))
        mark++;
    if (text->line == 1 || mark == text->buffer + text->end || *mark != '%')
        return cgs_market_complain(text, text->line, "a line of more than %zu bytes",
                                   text->capacity);
    begin[0] = '%';
    text->end = text->begin + 1;
    return CGS_OK;
}

enum cgs_status cgs_market_text_lines(struct cgs_market_text *text, const char **first,
                                      const char **last)
{
    while (text->whole <= text->begin && !text->ended) {
        CGS_TRY(fill(text));
        if (text->whole == 0 && !text->ended)
            CGS_TRY(shorten(text));
    }
    *first = text->buffer + text->begin;
    *last = text->whole > text->begin ? text->buffer + text->whole : *first;
    return CGS_OK;
}

void cgs_market_text_skip(struct cgs_market_text *text, size_t bytes, int64_t lines)
{
    text->begin += bytes;
    text->line += lines;
}
