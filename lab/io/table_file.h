/* Tables in files, for LaTeX and for Markdown. A function writes the rows of a table, cell by cell;
 * it is called twice, first to measure the columns, then for the file. In LaTeX columns of numbers
 * are of siunitx, as wide as their longest number, so that decimal points are aligned:
 *
 *     \begin{longtable}{l S[table-format=1.4e-1] S[table-format=1.2]}
 *     {mesh} & {L2} & {order} \\
 *     20x20x10 & 1.2345e-2 & {--} \\
 *
 * A table that is wider than a page of the class `article` becomes several, each with the leading
 * columns of words. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* A column: digits before and after the point and of the exponent of its numbers, at most; words:
 * it has others than numbers; width: of its longest text in LaTeX, roughly, in points. */
struct cgs_table_column {
    int whole, part, exponent;
    bool minus, minus_exponent, words, strong;
    double width;
};

enum { CGS_TABLE_COLUMNS = 1024 }; /* cells of a row beyond these are left out */

struct cgs_table {
    FILE *file; /* NULL: its columns are measured */
    bool markdown;
    struct cgs_table_column columns[CGS_TABLE_COLUMNS];
    int count;          /* of columns */
    int at;             /* column of the next cell */
    int lead, from, to; /* columns that are written: the first ones, and from ... to - 1 */
    bool headed;        /* the first row is written */
};

/* Writes the rows of a table of `self`; the first one has its heads. */
typedef void cgs_table_rows(struct cgs_table *t, const void *self);

/* The first line of a file for LaTeX: the packages that its tables need. */
extern const char cgs_table_packages[];

/* Writes a table; nothing if it has no rows. */
void cgs_table_write(FILE *file, bool markdown, const char *caption, cgs_table_rows *rows,
                     const void *self);

/* A number, or words, which make the column one of words. */
void cgs_table_cell(struct cgs_table *t, const char *text);

/* Words in a column of numbers. */
void cgs_table_words(struct cgs_table *t, const char *text);

/* A number as printf writes it by e, f or g, the form, with that many digits; bold if strong; a
 * dash if it is not finite. */
void cgs_table_number(struct cgs_table *t, char form, int digits, double x, bool strong);

void cgs_table_end_row(struct cgs_table *t);

/* In LaTeX a line that names the rows below it; none if the label is empty. */
void cgs_table_group(struct cgs_table *t, const char *label);
