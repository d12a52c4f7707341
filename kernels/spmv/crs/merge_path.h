/* The merge path of a CRS matrix, cut into equal shares: the plan of crs_merge.cu.
 *
 * Visiting the entries and the ends of rows in the order of a product takes rows + nonzeros steps,
 * for any row lengths: a path from (row 0, entry 0), one row down at the end of a row's entries,
 * else one entry right. Points of one diagonal have the same row + entry, so a share of the path
 * begins where the path meets a diagonal. Source: D. Merrill, M. Garland, "Merge-based parallel
 * sparse matrix-vector multiplication", SC 2016.
 */
#pragma once

#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/status.h"
#include "kernels/spmv/crs/split.h"

CGS_BEGIN_C

/* A point of the path: rows and entries before it. */
struct cgs_path_point {
    int64_t row, entry;
};

/* Share k is the path from start[k] to start[k + 1]. Its sum of a row that it does not finish goes
 * to slot k; split[i] is a row to which slots split[i].slot ... split[i + 1].slot - 1 are to be
 * added (empty slots are 0). */
struct cgs_merge {
    int64_t shares, splits;
    struct cgs_path_point *start; /* shares + 1 */
    struct cgs_split *split;      /* splits + 1, the last one marks the end */
};

/* Row at which the path meets the diagonal row + entry = `diagonal`, between rows low and high. */
CGS_INLINE int64_t cgs_path_row(const int64_t *pointers, int64_t diagonal, int64_t low,
                                int64_t high)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (pointers[middle + 1] < diagonal - middle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Number of shares of `length` steps. */
CGS_INLINE int64_t cgs_merge_shares(int64_t rows, int64_t nonzeros, int64_t length)
{
    return (rows + nonzeros + length - 1) / length;
}

/* Cuts the path of rows 0 ... rows - 1 into shares of `length` steps. The caller owns *merge.
 * CGS_MEMORY. */
enum cgs_status cgs_merge_make(struct cgs_context *context, const int64_t *pointers, int64_t rows,
                               int64_t length, struct cgs_merge *merge);
void cgs_merge_free(struct cgs_context *context, struct cgs_merge *merge);

CGS_END_C
