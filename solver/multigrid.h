/* Multigrid: V-cycles over a hierarchy of grids as a preconditioner, and a full multigrid pass as a
 * start. Independent of device, format and mesh: each grid is an operator, with a transfer to the
 * next.
 *
 *     cycle(l, b, x):  x = smooth(A_l, b, x)                      pre, from zero mostly
 *                      e = cycle(l + 1, P'(b - A_l x), 0)         coarsest: dense inverse, or smooth
 *                      x = smooth(A_l, b, x + P e)                post, the same polynomial
 *
 * M is symmetric and positive definite, as CG requires, because restriction is P' and the pre- and
 * post-smoother are the same. If the cycle has another number type than CG (float in a double CG),
 * M is symmetric only to that type's rounding, and CG uses the flexible beta (kernels/cg_state.h).
 *
 * Traffic of a cycle of degree 2 on its finest grid, in vectors of its number type, if the operator
 * has `relax` and `residual`: pre 2, residual 3, restriction 1, correction 2, post 3 and 4: 15 in
 * all. With a vector D: pre 3 and 4, post 4 and 5: 22 in all. All coarser grids together: a seventh
 * of that.
 */
#pragma once

#include "kernels/grid.h"
#include "solver/grids.h"

struct cgs_multigrid;

/* Creates a multigrid on vectors of `outer`, the space of the system: the finest grid's, or one of
 * the same layout and another number type. */
enum cgs_status cgs_multigrid_create(struct cgs_queue *queue, const struct cgs_multigrid_ops *ops,
                                     const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings,
                                     struct cgs_multigrid **multigrid);
void cgs_multigrid_release(struct cgs_multigrid *multigrid); /* NULL is allowed */

/* One cycle from zero as an operator on `outer`. Borrows the multigrid: releasing the operator does
 * not release it. */
struct cgs_operator cgs_multigrid_operator(struct cgs_multigrid *multigrid);

/* For timing: repeats the part of a cycle from grid l > 0 on, with the right-hand side that the
 * last cycle left there. */
enum cgs_status cgs_multigrid_part(const struct cgs_multigrid *multigrid, struct cgs_queue *queue,
                                   int l);

/* One pass of full multigrid for A x = b, vectors of the cycle's own space: restricts b to all
 * grids, solves on the coarsest, then interpolates x from grid to grid, with `cycles` cycles on
 * each. */
enum cgs_status cgs_multigrid_full(struct cgs_multigrid *multigrid, struct cgs_queue *queue,
                                   int cycles, const void *b, void *x);
