/* Rows of C = A B that have products, and their numbers: later steps visit only these, so that rows
 * of nearly empty matrices cost little more than their pointers.
 *
 *     rows of A      - * - - * * -      *: has entries
 *     row            1 5                those whose entries meet entries of B; row 4 meets none
 *     products       0 3 7              of the listed rows before: a prefix sum
 */
#pragma once

#include "base/plan.h"
#include "kernels/sparse.h"

struct cgs_row_list {
    int64_t count;
    int32_t *row;      /* count, ascending */
    int64_t *products; /* count + 1 */
    int64_t longest;   /* products of the longest row */
    int64_t entries;   /* upper bound of C's: a row has no more than columns of B */
};

/* Adds an upper bound of the memory to the plan. */
void cgs_row_list_plan(struct cgs_plan *plan, int64_t rows);

/* Makes the list; A has fewer than 2^31 rows. Owned by the caller, to be released even after a
 * failure. CGS_MEMORY. */
enum cgs_status cgs_row_list_create(struct cgs_context *context, const struct cgs_sparse *a,
                                    const struct cgs_sparse *b, int threads,
                                    struct cgs_row_list *list);
void cgs_row_list_release(struct cgs_context *context, struct cgs_row_list *list);
