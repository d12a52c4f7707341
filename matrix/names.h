/* Names of formats and precisions. */
#pragma once

#include "base/linkage.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Returns "crs", "sell", ...: NAME in --format=NAME. */
const char *cgs_format_name(enum cgs_format format);

/* Returns "CRS", "SELL", "SELLC", ...: for texts. */
const char *cgs_format_word(enum cgs_format format);
int64_t cgs_number_bytes(enum cgs_number number);
const char *cgs_number_name(enum cgs_number number); /* "double", "single" */

CGS_END_C
