/* Checks the arrays of a CRS matrix. */
#pragma once

#include "base/linkage.h"
#include "matrix/crs.h"

CGS_BEGIN_C

/* Checks arrays from outside; column and value have `nonzeros` elements. CGS_FILE: pointers do not
 * begin at 0, descend, or do not end at nonzeros; a column is out of range or does not ascend; a
 * value is not finite; no rows, fewer entries than rows, or more columns than 32 bits. The message
 * names the first such row, counted from 0. Pointers are checked first; the rest is read only if
 * they are correct. */
enum cgs_status cgs_crs_check(struct cgs_context *context, const struct cgs_crs *crs,
                              int64_t nonzeros);

CGS_END_C
