/* The structure of a matrix in words of 64 columns: where rows have neighbours, as those of meshes
 * do, a word tells several columns at once, and structures of products are found in fewer steps.
 *
 *     columns of a row    3 4 5 67 68 130    words  0: 3 4 5   1: 3 4   2: 2
 *
 * The entries of row i are the set bits of pieces start[i] ... start[i + 1] - 1, ascending words.
 * Source: M. Deveci, C. Trott, S. Rajamanickam, Parallel Computing 78 (2018) 33-46.
 */
#ifndef CGS_KERNELS_SPGEMM_BLOCKS_H
#define CGS_KERNELS_SPGEMM_BLOCKS_H

#include "kernels/sparse.h"

struct cgs_blocks {
    int64_t *start; /* rows + 1; NULL: it does not pay */
    int32_t *word;  /* start[rows] of each */
    uint64_t *mask;
};

/* A matrix is kept in words where these are fewer than its entries by this factor. */
enum { CGS_BLOCKS_PAY = 2 };

/* At most. */
void cgs_blocks_plan(struct cgs_plan *plan, int64_t rows, int64_t entries);

/* Owned by the caller; empty where it does not pay. CGS_MEMORY. */
enum cgs_status cgs_blocks_create(struct cgs_context *context, const struct cgs_sparse *m,
                                  struct cgs_blocks *blocks);
void cgs_blocks_release(struct cgs_context *context, struct cgs_blocks *blocks);

#endif
