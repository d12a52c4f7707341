/* Near-null vectors of a matrix for smoothed aggregation (kernels/amg.h): up to CGS_NEAR_MOST
 * vectors B that A nearly annihilates, as the rigid-body modes of an elastic body, and nodes, each
 * of a few consecutive rows. P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996) 179-196.
 *
 *     N: n_IJ = norm of D_I^-1/2 A_IJ D_J^-1/2 (Frobenius), A_IJ the block of nodes I and J;
 *        aggregates of N are aggregates of nodes
 *     T: in the rows of aggregate K, Q_K of B_K = Q_K R_K, whose columns are orthonormal
 *     coarse: a node for each aggregate, with a row for each column of Q_K; vectors R_K, so that
 *             T (coarse vectors) = B
 *
 * A column of B_K that depends on those before it, to rounding, has no column in Q_K.
 */
#pragma once

#include "base/linkage.h"
#include "kernels/sparse.h"

CGS_BEGIN_C

/* Most vectors, and most rows of a node. */
enum { CGS_NEAR_MOST = 6 };

struct cgs_aggregates; /* kernels/amg.h */

struct cgs_near_null {
    int count; /* vectors; 0: none */
    int64_t nodes;
    int64_t *first; /* nodes + 1: node i has the rows first[i] ... first[i + 1] - 1 */
    double *vector; /* `count` numbers of each row, row after row */
};

/* Near-null vectors that the user or the library's caller gives. */
struct cgs_near_null_asked {
    int count;             /* 0: none */
    int block;             /* rows of a node; 0: found from the pattern */
    const double *columns; /* one after the other; borrowed. NULL: set-up finds them */
};

/* All on the device of the matrix; what is made is owned by the caller. */
struct cgs_near_null_ops {
    /* Makes nodes of `block` rows each, and the vectors of `columns`, which lie one after the other
     * on the host, or where the matrix is. Vectors are 0 in rows without a nonzero beside the
     * diagonal. block: divides the rows of a; 0: 3 or 2 where all rows of a node have entries in
     * the same nodes, else 1. CGS_MEMORY. */
    enum cgs_status (*begin)(struct cgs_queue *queue, const struct cgs_sparse *a, int count,
                             const double *columns, int block, struct cgs_near_null *near);
    void (*release)(struct cgs_queue *queue, struct cgs_near_null *near);
    /* Makes N. CGS_BREAKDOWN: a diagonal entry of A is not positive. CGS_MEMORY. */
    enum cgs_status (*condense)(struct cgs_queue *queue, const struct cgs_sparse *a,
                                const struct cgs_near_null *near, struct cgs_sparse *condensed);
    /* Makes T of aggregates of nodes, the coarse vectors and nodes, and counts the rows of T that
     * have entries. An aggregate on which all vectors are 0 has no coarse node. CGS_MEMORY. */
    enum cgs_status (*fit)(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                           const struct cgs_near_null *near, struct cgs_sparse *t,
                           struct cgs_near_null *coarse, int64_t *aggregated);
};

/* Tables of each device (amg/nodes_cpu.c, amg/near_cuda.cu). */
extern const struct cgs_near_null_ops cgs_near_null_cpu, cgs_near_null_cuda;

CGS_END_C
