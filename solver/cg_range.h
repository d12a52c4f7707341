/* Right-hand sides whose squares leave the range of double precision. */
#ifndef CGS_SOLVER_CG_RANGE_H
#define CGS_SOLVER_CG_RANGE_H

#include "solver/cg.h"

/* Squares of doubles below 1e-154 underflow: CG would take r for zero and call x a solution. Those
 * of floats do not, they are summed in double. r holds the first residual, q is overwritten;
 * threshold: of r'r; reference2: ||b||^2 or ||r_0||^2. CGS_BREAKDOWN where they do. */
enum cgs_status cgs_check_underflow(struct cgs_cg *cg, double threshold, double reference2);

#endif
