/* Texts for people: labels in a first column, lines that start in the next. */
#ifndef CGS_SRC_IO_PAGE_H
#define CGS_SRC_IO_PAGE_H

#include <stdbool.h>
#include <stdio.h>

enum { CGS_PAGE_COLUMN = 11, CGS_PAGE_WIDTH = 100 };

struct cgs_page {
    FILE *file;
    bool bold; /* a terminal that shows it */
};

/* Around what is emphasised, on a terminal that shows it. */
void cgs_page_loud(const struct cgs_page *page);
void cgs_page_calm(const struct cgs_page *page);

/* The label of a section; what is written next is its first line. */
void cgs_page_section(const struct cgs_page *page, const char *label);

/* The start of a further line of the section. */
void cgs_page_more(const struct cgs_page *page);

/* Words of `text`, between blanks and ends of lines, from column `indent` on, broken before CGS_PAGE_WIDTH, further lines indented
 * alike; ends the last line. */
void cgs_page_wrap(FILE *file, const char *text, int indent);

/* The text as a word of a command line, in quotes where a shell would see more than a word. */
void cgs_page_word(FILE *file, const char *text);

/* Returns true if `file` is a terminal that shows emphasis, and NO_COLOR does not forbid it. */
bool cgs_page_bold(FILE *file);

#endif
