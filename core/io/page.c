#include "core/io/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/io/terminal.h"
#include "core/io/version.h"

int cgs_page_width(void)
{
    enum { USUAL = 80, LEAST = 40, MOST = 120 };
    struct winsize window;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        width = window.ws_col;
    return width <= 0 ? USUAL : width < LEAST ? LEAST : width > MOST ? MOST : width;
}

void cgs_page_open(struct cgs_page *page, FILE *to)
{
    *page = (struct cgs_page){.to = to, .bold = cgs_page_bold(to)};
    page->file = open_memstream(&page->text, &page->size);
    if (!page->file)
        page->file = to;
}

/* Bytes of the character that begins there, and whether it takes a column: what the terminal is
 * told is marked (core/io/terminal.h). */
static size_t take_character(const char *at, const char *end, int *columns)
{
    size_t length = 1;
    *columns = *at != '\0';
    if (*at == '\0')
        return at + 1 < end ? 2 : 1;
    while (at + length < end && ((unsigned char)at[length] & 0xc0) == 0x80) /* UTF-8 */
        length++;
    return length;
}

/* The column in which the text of a line begins: behind the label of a section, or the blanks. */
static int find_indent(const char *line, const char *end)
{
    int column = 0, step;
    bool blank = false;
    const bool label = line < end && *line != ' ';
    for (const char *at = line; at < end && column < CGS_PAGE_COLUMN; column += step) {
        blank = *at == ' ';
        if (!label && !blank)
            return column;
        at += take_character(at, end, &step);
    }
    return column == CGS_PAGE_COLUMN && blank ? CGS_PAGE_COLUMN : 0;
}

/* Before a command: its line is not broken. */
static const char UNBROKEN = '\037';

/* Writes a line in as many as it takes. */
static void write_line(FILE *to, const char *line, const char *end, int width)
{
    const int indent = find_indent(line, end);
    int column = 0, step;
    bool text = false;                      /* behind the indent, more than blanks */
    const char *from = line, *blank = NULL; /* the last one at which the line may be broken */
    const char *command = memchr(line, UNBROKEN, (size_t)(end - line));
    if (command) {
        fwrite(line, 1, (size_t)(command - line), to);
        fwrite(command + 1, 1, (size_t)(end - command - 1), to);
        return;
    }
    for (const char *at = line; at < end;) {
        const char *next = at + take_character(at, end, &step);
        text |= *at != ' ' && column >= indent;
        if (*at == ' ' && text && strncmp(at, " %", 2) != 0)
            blank = at;
        column += step;
        if (column > width && blank) {
            fwrite(from, 1, (size_t)(blank - from), to);
            fprintf(to, "\n%*s", indent, "");
            from = at = blank + 1;
            column = indent;
            blank = NULL;
        } else {
            at = next;
        }
    }
    fwrite(from, 1, (size_t)(end - from), to);
}

enum cgs_status cgs_page_close(struct cgs_context *context, struct cgs_page *page)
{
    const int width = cgs_page_width();
    if (page->file == page->to)
        return CGS_OK;
    const bool whole = fclose(page->file) == 0 && page->text;
    for (const char *at = page->text, *end = at + page->size; whole && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        write_line(page->to, at, newline ? newline : end, width);
        if (newline)
            fputc('\n', page->to);
        at = newline ? newline + 1 : end;
    }
    free(page->text);
    return whole ? CGS_OK : cgs_fail(context, CGS_MEMORY, "no memory for the text of the report");
}

void cgs_page_loud(const struct cgs_page *page)
{
    if (page->bold)
        cgs_terminal_mark(page->file, "\033[1m");
}

void cgs_page_calm(const struct cgs_page *page)
{
    if (page->bold)
        cgs_terminal_mark(page->file, "\033[0m");
}

void cgs_page_section(const struct cgs_page *page, const char *label)
{
    cgs_page_loud(page);
    fprintf(page->file, "%-*s", CGS_PAGE_COLUMN, label);
    cgs_page_calm(page);
}

void cgs_page_more(const struct cgs_page *page)
{
    fprintf(page->file, "%*s", CGS_PAGE_COLUMN, "");
}

void cgs_page_item(const struct cgs_page *page, const char *label, bool *first)
{
    if (*first) {
        fputc('\n', page->file);
        cgs_page_section(page, label);
    } else {
        cgs_page_more(page);
    }
    *first = false;
}

void cgs_page_command(const struct cgs_page *page, const char *command)
{
    if (page->file != page->to)
        fputc(UNBROKEN, page->file);
    fprintf(page->file, "%s\n", command);
}

void cgs_page_wrap(FILE *file, const char *text, int indent)
{
    const int width = cgs_page_width();
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (strncmp(text + length, " %", 2) == 0) /* stays with its number */
            length += 2 + (int)strcspn(text + length + 2, " \n");
        if (column > indent && column + 1 + length > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(file, "%s%.*s", column > indent ? " " : "", length, text);
        text += length + (text[length] != '\0');
    }
    fputc('\n', file);
}

void cgs_page_entry(FILE *file, const char *head, int column, const char *text)
{
    enum {
        ROOM = 32,
        NARROW = 6
    }; /* columns of text, at least; its indent where there are fewer */
    const int indent = column + ROOM <= cgs_page_width() ? column : NARROW;
    const int lead = (int)strspn(head, " "), length = (int)strlen(head);
    int used = length;
    if (length > cgs_page_width()) {
        fprintf(file, "%*s", lead, "");
        cgs_page_wrap(file, head + lead, lead);
        used = 0;
    } else {
        fputs(head, file);
    }
    if (used < indent)
        fprintf(file, "%*s", indent - used, "");
    else
        fprintf(file, "\n%*s", indent, "");
    cgs_page_wrap(file, text, indent);
}

int cgs_page_ranks(const struct cgs_page_column *columns, int count, int used)
{
    const int width = cgs_page_width();
    int rank = 1;
    for (int i = 0; i < count; i++)
        rank = columns[i].rank >= rank ? columns[i].rank + 1 : rank;
    for (; rank > 1; rank--) {
        int all = used;
        for (int i = 0; i < count; i++)
            all += columns[i].rank < rank ? abs(columns[i].width) + 1 : 0;
        if (all <= width)
            break;
    }
    return rank;
}

void cgs_page_cells(FILE *file, const struct cgs_page_column *columns, int count, int rank,
                    const char *const *cells)
{
    int blanks = 0; /* before the next text */
    for (int i = 0; i < count; i++) {
        const char *text = cells ? cells[i] : columns[i].head;
        const int length = (int)strlen(text), width = columns[i].width;
        const int room = abs(width) > length ? abs(width) - length : 0;
        if (columns[i].rank >= rank)
            continue;
        blanks += width > 0 ? 1 + room : 1;
        if (length > 0) {
            fprintf(file, "%*s%s", blanks, "", text);
            blanks = 0;
        }
        blanks += width > 0 ? 0 : room;
    }
    fputc('\n', file);
}

bool cgs_page_bold(FILE *file)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    return cgs_terminal_obeys(file) && terminal && strcmp(terminal, "dumb") != 0 &&
           !(plain && *plain);
}

void cgs_page_word(FILE *file, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-_./,:+=@%";
    if (text[0] && text[strspn(text, plain)] == '\0') {
        fputs(text, file);
        return;
    }
    fputc('\'', file);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (const char[]){*text, '\0'}, file);
    fputc('\'', file);
}

void cgs_page_head(const struct cgs_page *page, const char *date)
{
    fprintf(page->file, "cgsolve %s (%s), %s\n", cgs_version(), cgs_commit(), date);
}
