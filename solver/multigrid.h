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
#ifndef CGS_SOLVER_MULTIGRID_H
#define CGS_SOLVER_MULTIGRID_H

#include "kernels/grid.h"
#include "solver/operator.h"
#include "solver/transfer.h"

/* Upper bound: a box of 10^12 rows is halved in one direction after the other. */
enum { CGS_GRIDS = 36 };

/* A grid of the hierarchy; its pointers are borrowed and must outlive the multigrid. */
struct cgs_grid {
    const struct cgs_operator *op; /* A, on a space of the cycle's number type */
    const void *inverse;           /* 1 / a_ii in op's domain; NULL: all equal `diagonal` */
    double diagonal;
    struct cgs_traffic product;    /* of A x */
    double high;                   /* upper bound of the eigenvalues of D^-1 A, if smoothed */
    const struct cgs_transfer *transfer; /* to the next coarser grid; unused on the coarsest */
};

struct cgs_multigrid_settings {
    int degree;             /* of the smoother, 1 ... CGS_DEGREE_MOST */
    int count;              /* number of grids, 1 ... CGS_GRIDS, finest first */
    struct cgs_grid grid[CGS_GRIDS];
    bool smoothed;         /* smooth on the coarsest grid, too; else apply `inverse` there */
    const double *inverse; /* inverse of the coarsest matrix, natural order; read in create only */
};

struct cgs_multigrid;

/* Memory of cgs_multigrid_create apart from operators and transfers, and traffic of a cycle in
 * vectors of `outer`. Both work before the operators exist (multigrid_plan.c). They read an
 * operator's `steps` and its domain's size, footprint, number and place, a transfer's moves, and
 * whether a grid has an `inverse`. */
void cgs_multigrid_plan(struct cgs_plan *plan, enum cgs_number outer,
                        const struct cgs_multigrid_settings *settings, int l);
struct cgs_moves cgs_multigrid_moves(const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings);
/* Bytes that a cycle moves on grid l, without conversions. */
double cgs_multigrid_bytes(const struct cgs_multigrid_settings *settings, int l);

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

#endif
