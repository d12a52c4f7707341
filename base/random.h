/* splitmix64: a counter-based generator, so that entry i does not depend on who computes it.
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

/* The output of the generator seeded with `i`: 64 uniformly distributed bits. */
CGS_INLINE uint64_t cgs_splitmix64(uint64_t i)
{
    uint64_t z = i + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [-1, 1): 2 (splitmix64(i) >> 11) 2^-53 - 1. */
CGS_INLINE double cgs_random(uint64_t i)
{
    return 2.0 * (double)(cgs_splitmix64(i) >> 11) * 0x1p-53 - 1.0;
}
