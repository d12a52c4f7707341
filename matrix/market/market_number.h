/* Decimal numbers to doubles, correctly rounded. Private to matrix/market*.c. */
#pragma once

#include <locale.h>
#include <stdbool.h>

#include "base/linkage.h"

CGS_BEGIN_C

/* Reads the number at *at, which ends before a blank (space, tab, carriage return) or '\n', into
 * *value, rounded to nearest, ties to even; *at advances to its end. Returns false if it is no
 * decimal number, or beyond the range of double (*at is then within it); infinities and NaN are not
 * numbers. c: the "C" locale. The exponent's letter may be e, E, d or D. */
bool cgs_market_number(const char **at, locale_t c, double *value);

CGS_END_C
