/* Set-up of algebraic multigrid on a device: aggregates of strongly connected rows, and the
 * matrices that make the interpolation. P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996)
 * 179-196.
 *
 *     row i and column j != i are strongly connected where |a_ij| > theta sqrt(a_ii a_jj)
 *     T: as many columns as aggregates; row i has 1 in the column of its aggregate
 *     S = I - omega D_F^-1 A_F,  A_F: A without weak entries, which are added to the diagonal
 *     P = S T by kernels/spgemm.h, and the next coarser matrix is P' (A P)
 *
 * Set-up is in double on any device. CPU and device find the same aggregates, with any number of
 * threads: maximal independent sets of distance 2 whose priorities are a hash of the row (N. Bell,
 * S. Dalton, L. Olson, SIAM J. Sci. Comput. 34 (2012) C123-C152).
 */
#pragma once

#include "base/linkage.h"
#include "kernels/amg/known.h"
#include "kernels/near_null.h"
#include "kernels/space.h"

CGS_BEGIN_C

struct cgs_ghosts;     /* kernels/sparse/ghosts.h */
struct cgs_amg_strong; /* kernels/amg/strong_cpu.h */

struct cgs_aggregates {
    int64_t rows, count;
    int32_t
        *of; /* rows: 0 ... count - 1, -1: none (a row without strong neighbours); device memory */
    int64_t first;                 /* of a rank: the first aggregate whose root it owns; else 0 */
    struct cgs_amg_strong *strong; /* what `prolong` takes from `aggregate`; NULL: it finds it */
};

/* A diagonal entry that is at most this part of the largest one of the finer grid is 0 to
 * rounding. */
#define CGS_AMG_NOTHING 1e-13

struct cgs_amg_ops {
    /* Finds the aggregates of a square matrix with ascending columns, symmetric structure and
     * positive diagonal. *aggregates is owned by the caller. CGS_BREAKDOWN: a diagonal entry is not
     * positive; the message has its row. CGS_MEMORY. */
    enum cgs_status (*aggregate)(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                 struct cgs_aggregates *aggregates);
    void (*release)(struct cgs_queue *queue, struct cgs_aggregates *aggregates);
    /* Releases what `prolong` takes of the matrix; other numbers of its pattern may follow. NULL:
     * there is nothing. */
    void (*forget)(struct cgs_queue *queue, struct cgs_aggregates *aggregates);
    /* Makes T with double values; owned by the caller. */
    enum cgs_status (*tentative)(struct cgs_queue *queue, const struct cgs_aggregates *aggregates,
                                 struct cgs_sparse *t);
    /* Makes S with double values; owned by the caller. */
    enum cgs_status (*smoothing)(struct cgs_queue *queue, const struct cgs_sparse *a, double theta,
                                 double omega, struct cgs_sparse *s);
    /* Makes P = S T with double values, owned by the caller, and counts the rows that have an
     * aggregate; or leaves it empty where a row has entries in too many aggregates. P is then
     * composed of `tentative`, `smoothing` and a product, whose bits it has. */
    enum cgs_status (*prolong)(struct cgs_queue *queue, const struct cgs_sparse *a,
                               const struct cgs_aggregates *aggregates, double theta, double omega,
                               struct cgs_sparse *p, int64_t *aggregated);
    /* Makes R (A P) of R = P' with double values, owned by the caller, without A P and with the
     * bits of the two products; or leaves it empty where these suit A better. NULL: they do.
     * symmetric: A is known to equal its transpose to the bit. */
    enum cgs_status (*coarse)(struct cgs_queue *queue, const struct cgs_sparse *a, bool symmetric,
                              const struct cgs_sparse *p, const struct cgs_sparse *r,
                              struct cgs_sparse *coarse);
    /* Mends coarse rows that stand for a whole connected component: those of each node of `near`
     * (empty: each row) that have no nonzero in the columns of others. Where their diagonal entry
     * is 0 to rounding the component is singular (constants solve it, or it is a body that nothing
     * holds, with its rigid-body modes): the entry becomes the largest diagonal entry of the finer
     * grid, of whose space `inverse` is, 1 / a_ii, and the others of its row and column become 0.
     * The cycle stays positive definite and leaves the component's solutions to CG. CGS_MEMORY. */
    enum cgs_status (*mend)(const struct cgs_space *finer, const void *inverse,
                            const struct cgs_near_null *near, struct cgs_sparse *coarse);
    const struct cgs_near_null_ops *near_null;
    const struct cgs_amg_known_ops *known; /* NULL: each set-up makes all patterns again */
};

CGS_END_C
