/* Smoothers: a fixed polynomial in D^-1 A, D the diagonal of A, applied by the three-term recurrence
 * of struct cgs_relaxation; symmetric in the inner product of A, so that CG may rest on them.
 *
 * Of degree k, for eigenvalues of D^-1 A up to `high`:
 *
 *     x_(j+1) = x_j + a_j (x_j - x_(j-1)) + c_j D^-1 (b - A x_j),   j = 0 ... k - 1,  a_0 = 0
 *
 * CGS_SMOOTH, Chebyshev polynomials of the fourth kind: what a grid's smoother needs, the least
 * bound of its V-cycle, without a lower end of the eigenvalues to guess:
 *     a_j = (2j - 1) / (2j + 3),   c_j = (8j + 4) / ((2j + 3) high)
 *     J. Lottes, Optimal polynomial smoothers for multigrid V-cycles, Numer. Linear Algebra Appl. 30
 *     (2023), arXiv:2202.08830, (3.14).
 * CGS_SOLVE, of the first kind on [low, high]: the smallest error over all these eigenvalues:
 *     c_0 = 1 / middle,  a_j = rho_j rho_(j-1),  c_j = 2 rho_j / half
 *     Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1.
 */
#ifndef CGS_SOLVER_SMOOTHER_H
#define CGS_SOLVER_SMOOTHER_H

#include "solver/operator.h"

enum { CGS_DEGREE_MOST = 32 };

enum cgs_polynomial { CGS_SMOOTH, CGS_SOLVE };

struct cgs_smoother {
    const struct cgs_operator *op; /* borrowed */
    const void *inverse;           /* D^-1 in op's domain, borrowed; NULL: all alike */
    double scale;                  /* 1 / a_ii where they are alike, else 1 */
    void *product;                 /* A x of the domain, borrowed; needed unless op has `relax` */
    int degree;
    double a[CGS_DEGREE_MOST], c[CGS_DEGREE_MOST];
};

/* Fills in the coefficients; 1 <= degree <= CGS_DEGREE_MOST, 0 < low < high (low of CGS_SOLVE). */
void cgs_smoother_coefficients(struct cgs_smoother *smoother, enum cgs_polynomial polynomial,
                               int degree, double low, double high);

/* `degree` steps on A x = b: from x = 0, or from x[0]. The result is in x[degree % 2], and the other
 * one is overwritten. */
enum cgs_status cgs_smoother_apply(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *b,
                                   bool from_zero, void *const x[2]);

/* What `degree` steps move, in vectors and products of op, of which `steps` counts. diagonal: D^-1 is
 * a vector. */
struct cgs_moves cgs_smoother_moves(const struct cgs_operator *op, bool diagonal, int degree,
                                    bool from_zero);

/* r = b - A x. */
enum cgs_status cgs_operator_residual(const struct cgs_operator *op, struct cgs_queue *queue,
                                      const struct cgs_cg_state *state, const void *b,
                                      const void *x, void *r);

/* An upper bound of the eigenvalues of M A (M: Jacobi's) by `steps` iterations of CG on a random
 * right-hand side, their largest Ritz value times `margin`; it may be a little short of the truth. */
enum cgs_status cgs_eigenvalue_bound(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int steps, double margin,
                                     double *high);

/* M = p(D^-1 A) D^-1 as a preconditioner. op and jacobi, which has D^-1, are borrowed. */
enum cgs_status cgs_chebyshev_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int degree, double low,
                                     double high, struct cgs_operator *chebyshev);

#endif
