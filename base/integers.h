/* Arithmetic on counts, indices and bytes. */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

CGS_INLINE int64_t cgs_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

CGS_INLINE int64_t cgs_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the least multiple of b > 0 that is no less than a >= 0. */
CGS_INLINE int64_t cgs_round_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b * b;
}
