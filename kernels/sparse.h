/* CRS matrices of any shape in the memory of a device: operands of matrix products
 * (kernels/spgemm.h) and of multigrid for matrices from files (kernels/amg.h).
 *
 * One table of functions a device and number type of the values.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/plan.h"
#include "kernels/queue.h"
#include "matrix/crs.h"
#include "matrix/matrix.h"
#include "matrix/names.h"

CGS_BEGIN_C

/* Row i has entries pointers[i] ... pointers[i + 1] - 1. pointers[0] need not be 0: rows first ...
 * last - 1 of a matrix form a matrix that borrows its arrays. Columns ascend in each row without
 * duplicates, unless a function says otherwise. */
struct cgs_sparse {
    int64_t rows, columns;
    int64_t nonzeros; /* pointers[rows] - pointers[0] */
    int64_t *pointers;
    int32_t *column;
    void *value;            /* of the table's number type */
    bool lent, lent_values; /* pointers and columns, values are not the matrix's own: they stay */
};

struct cgs_sparse_ops {
    /* Allocates a matrix, contents undefined: first its pointers, then, when these have given the
     * number of entries, the entries. `what` names it in the message. CGS_MEMORY: `pointers` leaves
     * nothing allocated; `entries` leaves the pointers. */
    enum cgs_status (*pointers)(struct cgs_queue *queue, const char *what, int64_t rows,
                                int64_t columns, struct cgs_sparse *m);
    enum cgs_status (*entries)(struct cgs_queue *queue, const char *what, int64_t nonzeros,
                               struct cgs_sparse *m);
    void (*release)(struct cgs_queue *queue, struct cgs_sparse *m); /* an empty struct is allowed */
    /* Generates all entries of a CRS layout without padding, once; owned by the caller. CGS_FILE:
     * as cgs_matrix_fill. CGS_MEMORY. */
    enum cgs_status (*generate)(struct cgs_queue *queue, const struct cgs_matrix *crs,
                                struct cgs_sparse *m);
    /* Copies the matrix to the host; owned by the caller. */
    enum cgs_status (*fetch)(struct cgs_queue *queue, const struct cgs_sparse *m,
                             struct cgs_crs *crs);
    /* Reads the first and the last of `rows` + 1 pointers to the host, for a matrix that borrows a
     * part of another. */
    enum cgs_status (*bounds)(struct cgs_queue *queue, const int64_t *pointers, int64_t rows,
                              int64_t bounds[2]);
    /* T = M', columns ascending; owned by the caller. */
    enum cgs_status (*transpose)(struct cgs_queue *queue, const struct cgs_sparse *m,
                                 struct cgs_sparse *t);
};

/* Adds the memory of pointers and entries to the plan. */
CGS_INLINE void cgs_sparse_plan(struct cgs_plan *plan, enum cgs_place place, const char *what,
                                int64_t rows, int64_t nonzeros, enum cgs_number number)
{
    const int64_t entry = cgs_number_bytes(number) + (int64_t)sizeof(int32_t);
    cgs_plan_add(plan, place, what, nonzeros, entry);
    cgs_plan_add(plan, place, what, rows + 1, sizeof(int64_t));
}

CGS_END_C
