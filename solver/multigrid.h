/* Multigrid: V-cycles over a hierarchy of grids as a preconditioner, and a full multigrid pass as a
 * start. It knows no device, no format, no mesh: grids come as operators with what joins them.
 *
 *     cycle(l, b, x):  x = smooth(A_l, b, x)                      pre, from zero mostly
 *                      e = cycle(l + 1, P'(b - A_l x), 0)         coarsest: dense inverse, or smooth
 *                      x = smooth(A_l, b, x + P e)                post, the same polynomial
 *
 * As P' restricts, and the same smoother comes before and after, M is symmetric and positive
 * definite, and CG stays CG. In a number type of its own (float inside a double CG) it is so to that
 * type's rounding: CG then takes beta in the flexible form (kernels/cg_state.h).
 *
 * Traffic of a cycle on its finest grid, in vectors of its number type, degree 2, where the operator
 * has `relax` and `residual`: pre 2, residual 3, restriction 1, correction 2, post 3 and 4: 15; with a
 * vector D 22: pre 3 and 4, post 4 and 5; all other grids together a seventh of that.
 */
#ifndef CGS_SOLVER_MULTIGRID_H
#define CGS_SOLVER_MULTIGRID_H

#include "kernels/grid.h"
#include "solver/operator.h"
#include "solver/transfer.h"

enum { CGS_GRIDS = 16 }; /* at most */

/* A grid as its maker gives it; what it points to is borrowed and outlives the hierarchy. */
struct cgs_grid {
    const struct cgs_operator *op; /* A, on a space of the cycle's number type */
    const void *inverse;           /* 1 / a_ii in op's domain; NULL: all alike, `diagonal` */
    double diagonal;
    struct cgs_traffic product;    /* of A x */
    double high;                   /* no eigenvalue of D^-1 A lies above; not of a grid that is solved */
    const struct cgs_transfer *transfer; /* to the next coarser grid; not of the coarsest */
};

struct cgs_multigrid_settings {
    int degree;             /* of the smoother, 1 ... CGS_DEGREE_MOST */
    int count;              /* grids, 1 ... CGS_GRIDS: from the finest to the coarsest */
    struct cgs_grid grid[CGS_GRIDS];
    bool smoothed;          /* the coarsest grid, too, is smoothed, from zero: it has no inverse */
    const double *inverse;  /* of the coarsest grid's matrix, natural order; read in create only */
};

struct cgs_multigrid;

/* What create will hold, beside operators and transfers, and what a cycle moves, in vectors of `outer`;
 * both also of a forecast (multigrid_plan.c). Of an operator `steps` and its domain's size, footprint,
 * number and place count, of a transfer what it moves; of a grid's `inverse` whether it is there. */
void cgs_multigrid_plan(struct cgs_plan *plan, enum cgs_number outer,
                        const struct cgs_multigrid_settings *settings, int l);
struct cgs_moves cgs_multigrid_moves(const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings);
/* Bytes that a cycle moves on grid l, without conversions. */
double cgs_multigrid_bytes(const struct cgs_multigrid_settings *settings, int l);

/* On vectors of `outer`, the space of the system: that of the finest grid, or one of the same layout
 * and another number type. */
enum cgs_status cgs_multigrid_create(struct cgs_queue *queue, const struct cgs_multigrid_ops *ops,
                                     const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings,
                                     struct cgs_multigrid **multigrid);
void cgs_multigrid_release(struct cgs_multigrid *multigrid); /* NULL is fine */

/* One cycle from zero as an operator on `outer`; borrows the multigrid, its release leaves it. */
struct cgs_operator cgs_multigrid_operator(struct cgs_multigrid *multigrid);

/* The cycle's part from grid l > 0 on, once more on the right-hand side that the last cycle left there:
 * to be timed. */
enum cgs_status cgs_multigrid_part(const struct cgs_multigrid *multigrid, struct cgs_queue *queue,
                                   int l);

/* x = what one full multigrid pass gives for A x = b, vectors of the cycle's own space: b restricted
 * to all grids, solved on the coarsest; from grid to grid interpolated and improved by `cycles`. */
enum cgs_status cgs_multigrid_full(struct cgs_multigrid *multigrid, struct cgs_queue *queue,
                                   int cycles, const void *b, void *x);

#endif
