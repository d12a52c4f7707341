/* Operators of a rank: the product of its rows, with an exchange of the other ranks' numbers of x.
 *
 *     y = A x:   x's ghosts = what their owners have, started       solver/halo.h
 *                y = rows without ghosts times x                    the kernel's own step
 *                all ghosts are there                               kernels/arrival.h
 *                y = other rows times x                             the kernel's own step
 *
 * One exchange for each step of the kernel that reads x of other ranks. A kernel that cannot
 * compute in two parts (steps->overlaps) begins when all ghosts are there.
 */
#pragma once

#include "kernels/kernel.h"
#include "matrix/ranks/portion.h"

/* The product of a rank's rows: steps of a kernel and what it has prepared. */
struct cgs_rank_product {
    const struct cgs_steps *steps; /* NULL: there is none, and nothing to release */
    void *self;                    /* owned; steps->release */
};

/* Turns the product of this rank's rows, made of a portion's source, into one of vectors of that
 * space that exchanges first; on all ranks at once. portion NULL: one rank has all rows, and
 * only the product's sums become what the queue asks for. `status`: that of making it and the
 * space. The ranks agree on it, so that all fail where one does; the product is then released
 * and empty. CGS_MEMORY, CGS_DEVICE, and what `status` says. */
enum cgs_status cgs_ranks_join(struct cgs_queue *queue, const struct cgs_space *space,
                               const struct cgs_portion *portion, enum cgs_status status,
                               struct cgs_rank_product *product);
