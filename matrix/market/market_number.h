/* Decimal numbers to doubles, correctly rounded. Private to matrix/market*.c. */
#ifndef CGS_MATRIX_MARKET_MARKET_NUMBER_H
#define CGS_MATRIX_MARKET_MARKET_NUMBER_H

#include <locale.h>
#include <stdbool.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* The number at *at, which ends before a blank (space, tab, carriage return) or '\n', to *value,
 * rounded to nearest, ties to even; *at goes behind it. false: what stands there is no decimal
 * number, or one past the range of double; *at is then somewhere in it. Infinities and NaN are
 * none. `c` is the "C" locale; the exponent's letter may be e, E, d or D. */
bool cgs_market_number(const char **at, locale_t c, double *value);

CGS_END_C

#endif
