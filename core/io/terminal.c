/* A zero byte, which no text of C holds, says that the next one is the program's own. */
#define _GNU_SOURCE /* fopencookie */
#include "core/io/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"

enum { STREAMS = 2, KEPT = 4, ROOM = 512 };

/* A FILE does not tell its cookie, and so the streams are listed. */
static struct terminal {
    FILE *file, *to;
    char kept[KEPT]; /* the beginning of a character, or of what is marked */
    size_t count;
    char shown[ROOM]; /* what goes on with the next call: few calls, and no line is torn */
    size_t length;
} terminals[STREAMS];

static struct terminal *find(FILE *file)
{
    for (int i = 0; i < STREAMS; i++)
        if (file && terminals[i].file == file)
            return &terminals[i];
    return NULL;
}

static void pass(struct terminal *t)
{
    fwrite(t->shown, 1, t->length, t->to);
    t->length = 0;
}

static void add(struct terminal *t, char c)
{
    if (t->length == ROOM)
        pass(t);
    t->shown[t->length++] = c;
}

/* Shows what is kept, where it is whole. */
static void show(struct terminal *t)
{
    uint32_t code;
    if (t->kept[0] == '\0') {
        if (t->count == 2)
            add(t, t->kept[1]);
        t->count %= 2;
        return;
    }
    const int length = cgs_character(t->kept, t->count, &code);
    if (length == 0)
        return;
    const bool plain = cgs_printable(code) || code == '\n' || code == '\t';
    for (int i = 0; i < length; i++)
        add(t, plain ? t->kept[i] : '?');
    t->count -= (size_t)length;
    memmove(t->kept, t->kept + length, t->count);
    if (t->count > 0) /* the byte after one that begins no character */
        show(t);
}

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
    struct terminal *t = cookie;
    for (size_t i = 0; i < size; i++) {
        t->kept[t->count++] = bytes[i];
        show(t);
    }
    pass(t);
    return ferror(t->to) ? 0 : (ssize_t)size;
}

FILE *cgs_terminal_open(FILE *to)
{
    struct terminal *t = &terminals[0];
    while (t->file)
        t++;
    t->to = to;
    t->file = fopencookie(t, "w", (cookie_io_functions_t){.write = put});
    if (t->file)
        setvbuf(t->file, NULL, _IONBF, 0);
    return t->file;
}

void cgs_terminal_end(FILE *file)
{
    struct terminal *t = find(file);
    for (; t && t->count > 0 && t->kept[0] != '\0'; t->count--)
        fputc('?', t->to);
}

FILE *cgs_terminal_below(FILE *file)
{
    struct terminal *t = find(file);
    return t ? t->to : file;
}

bool cgs_terminal_shows(FILE *file)
{
    return file && isatty(fileno(cgs_terminal_below(file)));
}

bool cgs_terminal_obeys(FILE *file)
{
    return !getenv("OMPI_COMM_WORLD_RANK") && cgs_terminal_shows(file);
}

void cgs_terminal_tell(FILE *file, const char *sequence)
{
    if (find(file))
        cgs_terminal_mark(file, sequence);
    else
        fputs(sequence, file);
}

void cgs_terminal_mark(FILE *file, const char *sequence)
{
    for (; *sequence; sequence++) {
        fputc('\0', file);
        fputc(*sequence, file);
    }
}
