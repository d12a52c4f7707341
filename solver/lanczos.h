/* Eigenvalue estimates from the coefficients of CG. */
#ifndef CGS_SOLVER_LANCZOS_H
#define CGS_SOLVER_LANCZOS_H

#include <stdint.h>

#include "kernels/cg_state.h"

/* Extreme eigenvalues of the tridiagonal matrix that k iterations of CG imply (Lanczos):
 * T_jj = 1/alpha_j + beta_{j-1}/alpha_{j-1}, T_j,j+1 = sqrt(beta_j)/alpha_j; within [lambda_min,
 * lambda_max] of (M) A, from inside. records[1 ... k] hold alpha and beta; both results are 0 for
 * k < 1. By bisection on Sturm counts. Source: Y. Saad, Iterative Methods for Sparse Linear
 * Systems, 2nd ed., section 6.7.3. */
void cgs_lanczos_extremes(const struct cgs_cg_record *records, int64_t k, double *lambda_min,
                          double *lambda_max);

#endif
