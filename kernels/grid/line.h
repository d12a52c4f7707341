/* Tables for one direction of the transfers of kernels/grid.h: interpolation of a line of n numbers
 * from m, and its transpose; the identity if m = n. Plain C, included by .cu files, too. */
#ifndef CGS_KERNELS_GRID_LINE_H
#define CGS_KERNELS_GRID_LINE_H

#include <stdint.h>

#include "base/linkage.h"

/* Largest number of fine points that a coarse one reaches: those within one coarse interval, (n +
 * 1) / (m + 1) <= 5/2 fine ones, on either side. */
enum { CGS_REACH = 5 };

/* Interpolation of fine number i: from coarse numbers left and left + 1 (-1 and m are zero); share:
 * weight of the latter. */
struct cgs_line_point {
    int32_t left;
    double share;
};

CGS_INLINE struct cgs_line_point cgs_line_point(int64_t n, int64_t m, int64_t i)
{
    const int64_t place = (i + 1) * (m + 1);
    struct cgs_line_point point;
    point.left = (int32_t)(place / (n + 1)) - 1;
    point.share = (double)(place % (n + 1)) / (double)(n + 1);
    return point;
}

/* Restriction to coarse number j: fine numbers first ... first + count - 1 with these weights. */
struct cgs_line_reach {
    int32_t first, count;
    double weight[CGS_REACH];
};

CGS_INLINE struct cgs_line_reach cgs_line_reach(int64_t n, int64_t m, int64_t j)
{
    /* |(i + 1) (m + 1) - (j + 1) (n + 1)| < n + 1 */
    struct cgs_line_reach reach;
    int64_t first = j * (n + 1) / (m + 1), last = ((j + 2) * (n + 1) - 1) / (m + 1) - 1;
    if (last > n - 1)
        last = n - 1;
    reach.first = (int32_t)first;
    reach.count = (int32_t)(last - first + 1);
    for (int k = 0; k < CGS_REACH; k++) {
        const int64_t apart = (first + k + 1) * (m + 1) - (j + 1) * (n + 1);
        reach.weight[k] = k < reach.count
                              ? 1.0 - (double)(apart < 0 ? -apart : apart) / (double)(n + 1)
                              : 0.0;
    }
    return reach;
}

#endif
