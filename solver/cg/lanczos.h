/* Eigenvalue estimates from the coefficients of CG. */
#ifndef CGS_SOLVER_CG_LANCZOS_H
#define CGS_SOLVER_CG_LANCZOS_H

#include <stdint.h>

#include "kernels/cg_state.h"

/* Extreme eigenvalues of the tridiagonal matrix that k iterations of CG imply (Lanczos):
 * T_jj = 1/alpha_j + beta_{j-1}/alpha_{j-1}, T_j,j+1 = sqrt(beta_j)/alpha_j; within [lambda_min,
 * lambda_max] of (M) A, from inside. records[1 ... k] hold alpha and beta; both results are 0 for
 * k < 1. By bisection on Sturm counts. Source: Y. Saad, Iterative Methods for Sparse Linear
 * Systems, 2nd ed., section 6.7.3. */
void cgs_lanczos_extremes(const struct cgs_cg_record *records, int64_t k, double *lambda_min,
                          double *lambda_max);

/* The least p_j'A p_j / p_j'M p_j of the directions j = 1 ... k (M the preconditioner's matrix, I
 * without): at least the smallest eigenvalue, and 0 within rounding only where the matrix is singular
 * within rounding. As p_j = z_j + beta_{j-1} p_{j-1} and z_j is orthogonal to p_{j-1} in M,
 *
 *     p_j'M p_j = g_j r_j'z_j,    g_1 = 1,    g_{j+1} = 1 + beta_j g_j,    p_j'A p_j = r_j'z_j / alpha_j,
 *
 * so that the quotient is 1 / (alpha_j g_j). Infinity for k < 1. *growth: g_{k+1}, of the direction
 * that comes next. */
double cgs_lanczos_least_quotient(const struct cgs_cg_record *records, int64_t k, double *growth);

#endif
