/* Numbers as text, for files. Private to matrix/market*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_FORMAT_H
#define CGS_MATRIX_MARKET_MARKET_FORMAT_H

#include <stdint.h>
#include <stdio.h>

enum {
    CGS_MARKET_INDEX_TEXT = 10,  /* largest index in characters */
    CGS_MARKET_NUMBER_TEXT = 24, /* largest number: "-2.2250738585072014e-308" */
};

/* Both write at `to` without a terminating 0 and return the end. The number has the fewest of 15,
 * 16, 17 digits that give the same number when read (integers below 1e15 as such). The decimal
 * point requires the thread's locale to be "C". */
char *cgs_market_put_index(char *to, int64_t index);
char *cgs_market_put_number(char *to, double number);

/* Writes the banner and the comment, each of its lines after "% "; NULL: none. */
void cgs_market_put_banner(FILE *file, const char *words, const char *comment);

#endif
