/* Writes a matrix to a Matrix Market file, and numbers as text. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/linkage.h"
#include "matrix/market/market.h"

CGS_BEGIN_C

/* Writes so that the same numbers are read back; failures show in ferror(file). The matrix
 * is coordinate real, the lower triangle as `symmetric` if source->symmetric, else `general`.
 * comment: written below the banner, line by line. A source that is a rank's part of the rows
 * (source->whole) is written by all ranks at once, file NULL on all but rank 0, which writes the
 * bytes of a process that has all; none ever holds more than its part and a round of text. */
enum cgs_status cgs_market_write(struct cgs_context *context, FILE *file, const char *comment,
                                 const struct cgs_row_source *source);

enum {
    CGS_MARKET_INDEX_TEXT = 10,  /* largest index in characters */
    CGS_MARKET_NUMBER_TEXT = 24, /* largest number: "-2.2250738585072014e-308" */
};

/* Write at `to` without a terminating 0 and return the end. The number has the fewest of 15,
 * 16, 17 digits that give the same number when read (integers below 1e15 as such). The decimal
 * point requires the thread's locale to be "C". */
char *cgs_market_put_number(char *to, double number);

/* Writes the banner and the comment, each of its lines after "% "; NULL: none. */
void cgs_market_put_banner(FILE *file, const char *words, const char *comment);

CGS_END_C
