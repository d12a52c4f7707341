/* The merge path of a CRS matrix, cut into equal shares: the plan of crs_merge.cu.
 *
 * Walking along the entries and the ends of rows in the order in which a product meets them takes
 * rows + nonzeros steps, whatever the rows' lengths: a path from (row 0, entry 0), down by a row
 * where its entries are used up, right by an entry otherwise. Points of one diagonal have the same
 * row + entry, so a share of the path begins where the path meets a diagonal.
 * Source: D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", SC
 * 2016.
 */
#ifndef CGS_KERNELS_SPMV_CRS_MERGE_PATH_H
#define CGS_KERNELS_SPMV_CRS_MERGE_PATH_H

#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "base/status.h"
#include "kernels/spmv/crs/split.h"

CGS_BEGIN_C

/* Rows and entries before a point of the path. */
struct cgs_path_point {
    int64_t row, entry;
};

/* share k is the path from start[k] to start[k + 1]. What it adds up of a row that it does not
 * finish, it leaves in slot k; split[i] are the rows to which slots split[i].slot ... split[i +
 * 1].slot - 1 are to be added (slots that hold nothing are 0). */
struct cgs_merge {
    int64_t shares, splits;
    struct cgs_path_point *start; /* shares + 1 */
    struct cgs_split *split;      /* splits + 1, the last one marks the end */
};

/* Where the path meets the diagonal row + entry = `diagonal`, between low and high rows. */
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

/* How many shares of `length` steps. */
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

#endif
