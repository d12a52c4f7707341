/* How a solve is judged once the true residual is known. */
#ifndef CGS_SOLVER_CG_OUTCOME_H
#define CGS_SOLVER_CG_OUTCOME_H

#include "solver/cg.h"

/* sqrt(rr / reference2); 0 for 0/0: nothing to solve, and solved. */
double cgs_relative(double rr, double reference2);

/* What rounding allows of ||b - A x|| / reference: c eps (||A|| ||x|| / reference + 1), eps that of
 * the vectors' numbers, ||A|| the infinity norm. 0 where the norm is unknown. */
double cgs_rounding_floor(const struct cgs_operator *op, double xx, double reference2);

/* Whether the recursive residual has parted from the true one. */
bool cgs_parted(double recursive, double true_residual);

/* reason: enum cgs_reason, why the loop stopped. recursive, true_residual: relative, at the end. At
 * the iteration limit rounding is to blame only where the two have parted. Where x = 0 would be better
 * (true_residual >= 1) the outcome is the loop's own, so that a restart is tried. */
enum cgs_outcome cgs_judge_outcome(int32_t reason, double tolerance, double recursive,
                                   double true_residual, double floor);

/* The outcome at the very end, when no restart is left: rounding may explain even a residual of 1 and
 * more. */
enum cgs_outcome cgs_judge_end(enum cgs_outcome outcome, double true_residual, double floor);

/* The outcome where CG has met a direction of that |p'A p| / p'M p, as a part of the largest
 * eigenvalue: 0 within rounding means that the matrix is singular, and that b has a part outside its
 * range or CG would have converged; x grows without bound then, and so does what rounding would
 * explain. */
enum cgs_outcome cgs_judge_singular(enum cgs_outcome outcome, const struct cgs_space *space,
                                    double least_quotient);

/* The tolerance that the recursion is held to: not below eps^2 of the space's numbers, where it has
 * long parted from the truth and would run into underflow. */
double cgs_recursion_tolerance(const struct cgs_space *space, double tolerance);

#endif
