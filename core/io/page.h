/* Texts for people: labels in a first column, lines that start in the next. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"

enum { CGS_PAGE_COLUMN = 11 };

/* Columns of a page: those of the terminal that standard output is, else COLUMNS, else 80; 40 to
 * 120. */
int cgs_page_width(void);

struct cgs_page {
    FILE *file; /* what is written there is shown when the page is closed */
    bool bold;  /* on a terminal that shows it */
    FILE *to;
    char *text; /* of `file`; NULL: no memory for it, file is `to` */
    size_t size;
};

/* Begins a page of texts that are shown by `to`. Lines that are too long for it are broken at
 * blanks, and go on in the column of their text. */
void cgs_page_open(struct cgs_page *page, FILE *to);
/* Shows it. CGS_MEMORY: there was no memory for all of it. */
enum cgs_status cgs_page_close(struct cgs_context *context, struct cgs_page *page);

/* Around what is emphasised, on a terminal that shows it. */
void cgs_page_loud(const struct cgs_page *page);
void cgs_page_calm(const struct cgs_page *page);

/* The label of a section; what is written next is its first line. */
void cgs_page_section(const struct cgs_page *page, const char *label);

/* The start of a further line of the section. */
void cgs_page_more(const struct cgs_page *page);

/* The start of a list's next line: the first has the label, below an empty line. *first: true
 * before it, false after. */
void cgs_page_item(const struct cgs_page *page, const char *label, bool *first);

/* A command to be copied, to the end of its line: it is never broken. */
void cgs_page_command(const struct cgs_page *page, const char *command);

/* Words of `text`, between blanks and ends of lines, from column `indent` on, broken before the
 * page's width, further lines indented alike; ends the last line. */
void cgs_page_wrap(FILE *file, const char *text, int indent);

/* An entry of a list: `head`, and `text` wrapped from `column` on. On a page too narrow for
 * that, or where the head is too long, the text begins on the next line. */
void cgs_page_entry(FILE *file, const char *head, int column, const char *text);

/* A column of a table, to the right; to the left where its width is negative. Where there is no
 * room, those of the highest rank are left out first; 0: never. */
struct cgs_page_column {
    const char *head;
    int width, rank;
};

/* The highest rank + 1 that there is room for behind `used` columns of the line. */
int cgs_page_ranks(const struct cgs_page_column *columns, int count, int used);

/* Writes the cells of columns below that rank, their heads where `cells` is NULL, and ends the
 * line, without blanks behind the last one. */
void cgs_page_cells(FILE *file, const struct cgs_page_column *columns, int count, int rank,
                    const char *const *cells);

/* The text as a word of a command line, in quotes where a shell would see more than a word. */
void cgs_page_word(FILE *file, const char *text);

/* Returns true if `file` is a terminal that shows emphasis, and NO_COLOR does not forbid it. */
bool cgs_page_bold(FILE *file);

/* Writes the first line of a report: program, commit, date. */
void cgs_page_head(const struct cgs_page *page, const char *date);
