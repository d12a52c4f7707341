/* Operators of a rank: the product of its rows, after an exchange of the other ranks' numbers of x.
 *
 *     y = A x:   x's ghosts = what their owners have      solver/halo.h
 *                y[owned] = rows of this rank times x     the kernel's own step
 *
 * One exchange for each step of the kernel that reads x of other ranks.
 */
#ifndef CGS_SOLVER_RANKS_H
#define CGS_SOLVER_RANKS_H

#include "kernels/kernel.h"
#include "matrix/portion.h"

/* The product of a rank's rows: steps of a kernel and what it has prepared. */
struct cgs_rank_product {
    const struct cgs_steps *steps; /* NULL: there is none, and nothing to release */
    void *self;                    /* owned; steps->release */
    enum cgs_number number;        /* of the vectors */
};

/* Turns the product of this rank's rows, made of a portion's source, into one that exchanges first; on
 * all ranks at once. `status`: that of making it. The ranks agree on it, so that all fail where one
 * does; the product is then released and empty. CGS_MEMORY, and what `status` says. */
enum cgs_status cgs_ranks_join(struct cgs_queue *queue, const struct cgs_portion *portion,
                               enum cgs_status status, struct cgs_rank_product *product);

#endif
