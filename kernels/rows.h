/* A caller's matrix and vectors that are in the memory of a device already: looked at there, and
 * used where they are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "kernels/queue.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Findings of one pass over the pointers, and of one over the entries. */
struct cgs_rows_findings {
    /* that descend, leave room for more than all columns, or are wrong at an end */
    int64_t wrong_pointers;
    struct cgs_row_statistics statistics;
    int64_t wrong; /* rows with a column out of range or order, or a value that is not finite */
    int64_t not_positive; /* rows without a positive diagonal entry */
    bool symmetric;       /* to the bit, but for a chance of 2^-64: the sum of matrix/symmetry.c */
    double norm;          /* max_i sum_j |a_ij| */
    double least, most;   /* of the diagonal */
};

struct cgs_rows_ops {
    /* Returns true if the address is in the memory of the calling thread's device. */
    bool (*holds)(const void *address);
    /* Waits until all that other streams do with the caller's arrays is done. */
    enum cgs_status (*settle)(struct cgs_queue *queue);
    /* Makes 64-bit pointers of 32-bit ones, `count` of them; owned by the caller, until `free`. */
    enum cgs_status (*widen)(struct cgs_queue *queue, int64_t count, const int32_t *narrow,
                             int64_t **wide);
    void (*free)(struct cgs_queue *queue, void *block); /* NULL is allowed */
    /* Copies to host memory, complete on return. By any thread. */
    enum cgs_status (*read)(struct cgs_queue *queue, void *to, const void *from, int64_t bytes);
    /* Looks at all pointers and, where these are right, at all entries. */
    enum cgs_status (*survey)(struct cgs_queue *queue, int64_t rows, int64_t nonzeros,
                              const struct cgs_device_rows *there,
                              struct cgs_rows_findings *findings);
    /* Copies the diagonal to the host; 0 where there is no entry. */
    enum cgs_status (*diagonal)(struct cgs_queue *queue, int64_t rows,
                                const struct cgs_device_rows *there, double *diagonal);
    /* Looks at all pointers. */
    enum cgs_status (*lengths)(struct cgs_queue *queue, int64_t rows, int64_t columns,
                               int64_t nonzeros, const int64_t *pointers,
                               struct cgs_rows_findings *findings);
};

CGS_END_C
