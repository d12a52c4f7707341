/* Eigenvalue estimates from the coefficients of CG. */
#pragma once

#include <stdint.h>

#include "kernels/cg_state.h"

/* Extreme eigenvalues of the tridiagonal matrix that k iterations of CG define (Lanczos): T_jj =
 * 1/alpha_j + beta_{j-1}/alpha_{j-1}, T_j,j+1 = sqrt(beta_j)/alpha_j. They lie between the extreme
 * eigenvalues of (M) A. Computed by bisection on Sturm counts. records[1 ... k] hold alpha and
 * beta; both results are 0 for k < 1. Source: Y. Saad, Iterative Methods for Sparse Linear Systems,
 * 2nd ed., section 6.7.3. */
void cgs_lanczos_extremes(const struct cgs_cg_record *records, int64_t k, double *lambda_min,
                          double *lambda_max);

/* Smallest Rayleigh quotient p_j'A p_j / p_j'M p_j of the directions j = 1 ... k (M: the
 * preconditioner's matrix, or I). It is at least the smallest eigenvalue, and 0 within rounding
 * only if the matrix is singular within rounding. Since p_j = z_j + beta_{j-1} p_{j-1} and z_j is
 * M-orthogonal to p_{j-1},
 *
 *     p_j'M p_j = g_j r_j'z_j,    g_1 = 1,    g_{j+1} = 1 + beta_j g_j,    p_j'A p_j = r_j'z_j / alpha_j,
 *
 * and the quotient is 1 / (alpha_j g_j). Infinity for k < 1. *growth: g_{k+1}, for the next
 * direction. */
double cgs_lanczos_least_quotient(const struct cgs_cg_record *records, int64_t k, double *growth);
