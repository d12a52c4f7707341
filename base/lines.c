#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool cgs_lines_open(struct cgs_lines *lines, const char *path)
{
    lines->at = lines->end = 0;
    lines->file = open(path, O_RDONLY | O_CLOEXEC);
    return lines->file >= 0;
}

/* Returns false at the end of the file. */
static bool fill(struct cgs_lines *lines)
{
    ssize_t got;
    do
        got = read(lines->file, lines->buffer, sizeof lines->buffer);
    while (got < 0 && errno == EINTR);
    lines->at = 0;
    lines->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

bool cgs_lines_next(struct cgs_lines *lines, char *line, size_t size)
{
    size_t length = 0;
    bool any = false;
    while (lines->at < lines->end || fill(lines)) {
        const char byte = lines->buffer[lines->at++];
        any = true;
        if (byte == '\n')
            break;
        if (length + 1 < size)
            line[length++] = byte;
    }
    if (size > 0)
        line[length] = '\0';
    return any;
}

void cgs_lines_close(struct cgs_lines *lines)
{
    close(lines->file);
    lines->file = -1;
}
