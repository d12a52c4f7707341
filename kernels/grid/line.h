/* Tables for one direction of the transfers of kernels/grid.h: interpolation of a line of n numbers
 * from m, and its transpose; the identity if m = n. Plain C, included by .cu files, too.
 *
 * Lines have N and M cells; number i is at cell i + 1 - low of N, where low is 1 if the lower face
 * is free, else 0:
 *
 *     closed           |   0   1   2  ...  n-1   |      N = n + 1, zero at both ends
 *     low face free    0   1   2  ...      n-1   |      N = n: number 0 is at the face on both grids
 *     both free        0   1   2  ...           n-1     N = n - 1
 *     periodic         0   1   2  ...      n-1          N = n: the next one is number 0 again
 */
#pragma once

#include <stdint.h>

#include "base/linkage.h"
#include "fem/element/element.h"

/* Largest number of fine points that a coarse one reaches: those within one coarse interval, N /
 * M <= 5/2 fine ones, on either side. */
enum { CGS_REACH = 5 };

/* Two grids in one direction: n fine numbers, m coarse ones; open: free faces or CGS_PERIODIC
 * (struct cgs_mesh). */
struct cgs_line {
    int64_t n, m;
    int open;
};

/* Returns the cells of a line of that many numbers. */
CGS_INLINE int64_t cgs_line_cells(int64_t numbers, int open)
{
    return numbers + 1 - (open & 1) - (open >> 1 & 1);
}

/* Returns number i of a periodic line of n, 0 ... n - 1, for -n <= i < 2 n. */
CGS_INLINE int64_t cgs_line_wrapped(int64_t n, int64_t i)
{
    return i < 0 ? i + n : i < n ? i : i - n;
}

/* Returns true if every second fine point is a coarse one. */
CGS_INLINE int cgs_line_nested(struct cgs_line line)
{
    return cgs_line_cells(line.n, line.open) == 2 * cgs_line_cells(line.m, line.open);
}

/* Interpolation of fine number i: from coarse numbers left and left + 1 (-1 and m are zero; of a
 * periodic line m is number 0); share: weight of the latter. */
struct cgs_line_point {
    int32_t left;
    double share;
};

CGS_INLINE struct cgs_line_point cgs_line_point(struct cgs_line line, int64_t i)
{
    const int64_t fine = cgs_line_cells(line.n, line.open), low = line.open & 1;
    const int64_t place = (i + 1 - low) * cgs_line_cells(line.m, line.open);
    struct cgs_line_point point;
    point.left = (int32_t)(place / fine - 1 + low);
    point.share = (double)(place % fine) / (double)fine;
    return point;
}

/* Returns the last fine number at or before coarse number j; -1: none. */
CGS_INLINE int64_t cgs_line_below(struct cgs_line line, int64_t j)
{
    const int64_t low = line.open & 1;
    return (j + 1 - low) * cgs_line_cells(line.n, line.open) / cgs_line_cells(line.m, line.open) -
           1 + low;
}

/* Restriction to coarse number j: fine numbers first ... first + count - 1 with these weights;
 * those of a periodic line are meant modulo n. */
struct cgs_line_reach {
    int32_t first, count;
    double weight[CGS_REACH];
};

CGS_INLINE struct cgs_line_reach cgs_line_reach(struct cgs_line line, int64_t j)
{
    /* |(i + 1 - low) M - (j + 1 - low) N| < N */
    const int64_t fine = cgs_line_cells(line.n, line.open), low = line.open & 1;
    const int64_t coarse = cgs_line_cells(line.m, line.open), at = j + 1 - low;
    struct cgs_line_reach reach;
    int64_t first = at > 0 ? (at - 1) * fine / coarse + low : 0;
    int64_t last = ((at + 1) * fine - 1) / coarse - 1 + low;
    if (cgs_periodic(line.open))
        first = (at - 1 + coarse) * fine / coarse - fine + low;
    else if (last > line.n - 1)
        last = line.n - 1;
    reach.first = (int32_t)first;
    reach.count = (int32_t)(last - first + 1);
    for (int k = 0; k < CGS_REACH; k++) {
        const int64_t apart = (first + k + 1 - low) * coarse - at * fine;
        reach.weight[k] =
            k < reach.count ? 1.0 - (double)(apart < 0 ? -apart : apart) / (double)fine : 0.0;
    }
    return reach;
}
