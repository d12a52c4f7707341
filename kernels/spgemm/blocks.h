/* Structure of a matrix in words of 64 columns: if rows have neighbouring columns, as on meshes, a
 * word covers several columns at once, and structures of products take fewer steps.
 *
 *     columns of a row    3 4 5 67 68 130    words  0: 3 4 5   1: 3 4   2: 2
 *
 * The entries of row i are the set bits of words start[i] ... start[i + 1] - 1, in ascending order.
 * Source: M. Deveci, C. Trott, S. Rajamanickam, Parallel Computing 78 (2018) 33-46.
 */
#pragma once

#include "kernels/sparse.h"

struct cgs_blocks {
    int64_t *start; /* rows + 1; NULL: too few columns a word to pay */
    int32_t *word;  /* start[rows] of each */
    uint64_t *mask;
};

/* A matrix is stored in words if they are fewer than its entries by this factor. */
enum { CGS_BLOCKS_PAY = 2 };

/* Adds an upper bound of the memory to the plan. */
void cgs_blocks_plan(struct cgs_plan *plan, int64_t rows, int64_t entries);

/* Makes the words; owned by the caller; empty if they do not pay. CGS_MEMORY. */
enum cgs_status cgs_blocks_create(struct cgs_context *context, const struct cgs_sparse *m,
                                  struct cgs_blocks *blocks);
void cgs_blocks_release(struct cgs_context *context, struct cgs_blocks *blocks);
