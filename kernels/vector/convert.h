/* Parallel conversion between the host's doubles and the numbers of a space. */
#pragma once

#include <stdint.h>

#include "base/linkage.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* `count` numbers: out (of `number`) = in. */
void cgs_convert_from_double(int threads, const double *in, int64_t count, enum cgs_number number,
                             void *out);

/* out = in (of `number`). */
void cgs_convert_to_double(int threads, enum cgs_number number, const void *in, int64_t count,
                           double *out);

CGS_END_C
