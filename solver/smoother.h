/* Smoothers: a fixed polynomial in D^-1 A, D the diagonal of A, by the three-term recurrence of
 * struct cgs_relaxation. It is symmetric in the inner product of A, as a preconditioner of CG must
 * be.
 *
 * For degree k and eigenvalues of D^-1 A up to `high`:
 *
 *     x_(j+1) = x_j + a_j (x_j - x_(j-1)) + c_j D^-1 (b - A x_j),   j = 0 ... k - 1,  a_0 = 0
 *
 * CGS_SMOOTH, Chebyshev polynomials of the fourth kind: the best bound of a V-cycle, without a
 * guess of the lower end of the spectrum:
 *     a_j = (2j - 1) / (2j + 3),   c_j = (8j + 4) / ((2j + 3) high)
 *     J. Lottes, Optimal polynomial smoothers for multigrid V-cycles, Numer. Linear Algebra Appl. 30
 *     (2023), arXiv:2202.08830, (3.14).
 * CGS_SMOOTH_OPTIMAL, degrees 1 ... 4: the same with the weights that make this bound least (there,
 * section 4), by its roots: a_j = 0, c_j = 1 / (root high), in an order in which no product of
 * the first factors is large. Better than the plain ones on grids of order 2 and more; not at
 * degrees from 5 on, which take the plain ones.
 * CGS_SOLVE, of the first kind on [low, high]: the smallest error over all these eigenvalues:
 *     c_0 = 1 / middle,  a_j = rho_j rho_(j-1),  c_j = 2 rho_j / half
 *     Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 12.1.
 */
#pragma once

#include "solver/operator.h"

enum { CGS_DEGREE_MOST = 32 };

enum cgs_polynomial { CGS_SMOOTH, CGS_SMOOTH_OPTIMAL, CGS_SOLVE };

struct cgs_smoother {
    const struct cgs_operator *op; /* borrowed */
    const void *inverse;           /* D^-1 in op's domain, borrowed; NULL: constant */
    double scale;                  /* 1 / a_ii if constant, else 1 */
    void *product;                 /* vector for A x, borrowed; needed unless op has `relax` */
    int degree;
    double a[CGS_DEGREE_MOST], c[CGS_DEGREE_MOST];
};

/* Fills in the coefficients; 1 <= degree <= CGS_DEGREE_MOST, 0 < low < high (low: CGS_SOLVE
 * only). */
void cgs_smoother_coefficients(struct cgs_smoother *smoother, enum cgs_polynomial polynomial,
                               int degree, double low, double high);

/* Does `degree` steps on A x = b, from x = 0 or from x[0]. The result is in x[degree % 2]; the
 * other vector is overwritten. */
enum cgs_status cgs_smoother_apply(const struct cgs_smoother *smoother, struct cgs_queue *queue,
                                   const struct cgs_cg_state *state, const void *b,
                                   bool from_zero, void *const x[2]);

/* Traffic of `degree` steps in vectors and products of op, from its `steps` alone. diagonal: D^-1
 * is a vector. */
struct cgs_moves cgs_smoother_moves(const struct cgs_operator *op, bool diagonal, int degree,
                                    bool from_zero);

/* Estimates an upper bound of the eigenvalues of M A (M: Jacobi): the largest Ritz value of `steps`
 * CG iterations on a random right-hand side, times `margin`. It may be slightly too small. */
enum cgs_status cgs_eigenvalue_bound(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int steps, double margin,
                                     double *high);

/* Makes the preconditioner M = p(D^-1 A) D^-1. Borrows op, and jacobi with its D^-1. */
enum cgs_status cgs_chebyshev_create(struct cgs_queue *queue, const struct cgs_operator *op,
                                     const struct cgs_operator *jacobi, int degree, double low,
                                     double high, struct cgs_operator *chebyshev);
