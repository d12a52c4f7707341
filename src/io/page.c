#include "src/io/page.h"

#include <stdlib.h>
#include <string.h>

#include "src/io/terminal.h"

void cgs_page_loud(const struct cgs_page *page)
{
    if (page->bold)
        cgs_terminal_tell(page->file, "\033[1m");
}

void cgs_page_calm(const struct cgs_page *page)
{
    if (page->bold)
        cgs_terminal_tell(page->file, "\033[0m");
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

void cgs_page_wrap(FILE *file, const char *text, int indent)
{
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (strncmp(text + length, " %", 2) == 0) /* stays with its number */
            length += 2 + (int)strcspn(text + length + 2, " \n");
        if (column > indent && column + 1 + length > CGS_PAGE_WIDTH) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(file, "%s%.*s", column > indent ? " " : "", length, text);
        text += length + (text[length] != '\0');
    }
    fputc('\n', file);
}

bool cgs_page_bold(FILE *file)
{
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    return cgs_terminal_shows(file) && terminal && strcmp(terminal, "dumb") != 0 &&
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
