/* Units of a layout (rows of CRS, chunks of SELL) divided among threads by what they cost. */
#ifndef CGS_MATRIX_SHARE_H
#define CGS_MATRIX_SHARE_H

#include <stdint.h>

#include "base/linkage.h"

/* Where part `part` of `parts` begins among the units first ... last: the first unit u with
 *     cost(u) = (pointers[u] - pointers[first]) + (u - first) >= part / parts of the whole,
 * an entry costing one and a unit one more, so that many empty units count too. Monotone in part;
 * part = 0 gives first, part = parts gives last. */
CGS_INLINE int64_t cgs_share(const int64_t *pointers, int64_t first, int64_t last, int part,
                             int parts)
{
    const int64_t base = pointers[first];
    const int64_t whole = pointers[last] - base + (last - first);
    const int64_t wanted =
        whole / parts * part + whole % parts * part / parts; /* no product of two big numbers */
    int64_t low = first, high = last;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (pointers[middle] - base + (middle - first) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return part == parts ? last : low;
}

#endif
