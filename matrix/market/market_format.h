/* Numbers as text, for files. Private to matrix/market*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_FORMAT_H
#define CGS_MATRIX_MARKET_MARKET_FORMAT_H

#include <stdint.h>
#include <stdio.h>

enum {
    CGS_MARKET_INDEX_TEXT = 10,  /* most characters of an index */
    CGS_MARKET_NUMBER_TEXT = 24, /* and of a number: "-2.2250738585072014e-308" */
};

/* Both write at `to`, without an end, and return where they stopped. The number: as few digits of
 * 15, 16, 17 as give the same number back when read (whole ones below 1e15 as such); its point is
 * a point only where the thread's locale is "C". */
char *cgs_market_put_index(char *to, int64_t index);
char *cgs_market_put_number(char *to, double number);

/* Banner and comment, a "% ..." for each of its lines; NULL: none. */
void cgs_market_put_banner(FILE *file, const char *words, const char *comment);

#endif
