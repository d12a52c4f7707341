/* Division of a layout's units (rows of CRS, chunks of SELL) among threads by cost. */
#pragma once

#include <stdint.h>

#include "base/linkage.h"

/* Returns the first unit u of first ... last with
 *     cost(u) = (pointers[u] - pointers[first]) + (u - first) >= wanted,
 * or last if there is none. An entry costs one and a unit one more, so that empty units count,
 * too. */
CGS_INLINE int64_t cgs_share_at(const int64_t *pointers, int64_t first, int64_t last,
                                int64_t wanted)
{
    const int64_t base = pointers[first];
    int64_t low = first, high = last;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (pointers[middle] - base + (middle - first) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the beginning of part `part` of `parts` of the units first ... last: the first unit whose
 * cost reaches part / parts of the total. Monotone in part; part = 0 gives first, part = parts
 * gives last. */
CGS_INLINE int64_t cgs_share(const int64_t *pointers, int64_t first, int64_t last, int part,
                             int parts)
{
    const int64_t whole = pointers[last] - pointers[first] + (last - first);
    const int64_t wanted =
        whole / parts * part + whole % parts * part / parts; /* avoids the product of two large
                                                                numbers */
    return part == parts ? last : cgs_share_at(pointers, first, last, wanted);
}
