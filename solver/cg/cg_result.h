/* Outcome of a solve from its true residual, and estimates from its records. */
#pragma once

#include "solver/cg/cg.h"

/* Estimates errors[k] = ||x - x_k||_A for k = 0 ... iterations: its square is the sum of the
 * energies of later iterations and of the estimated rest. Returns false and writes nothing if the
 * rest is unknown or CG was restarted. */
bool cgs_cg_error_history(const struct cgs_cg_result *result, double *errors);

/* Returns the largest ratio, or a bound of it that is small enough; NaN: neither is known. */
double cgs_cg_rows_worst(const struct cgs_cg_rows *rows);

/* Returns "converged", "rounding_floor", ...: solver.status of the report. */
const char *cgs_outcome_name(enum cgs_outcome outcome);

/* Returns the exit status of an outcome: CGS_OK, CGS_NOT_CONVERGED, CGS_BREAKDOWN or
 * CGS_INTERRUPTED. */
enum cgs_status cgs_outcome_status(enum cgs_outcome outcome);

/* ---- for the files of CG ---- */

struct cgs_cg_run; /* cg_internal.h */

/* sqrt(rr / reference2), with 0 / 0 = 0: b = 0 is solved by x = 0. */
double cgs_relative(double rr, double reference2);

/* Rounding floor of ||b - A x|| / reference: c eps (||A|| ||x|| / reference + 1), with eps of the
 * vectors' numbers and the infinity norm of A. 0 if the norm is unknown. */
double cgs_rounding_floor(const struct cgs_operator *op, double xx, double reference2);

/* Returns true if the true residual is clearly larger than the recursive one. */
bool cgs_residual_gap(double recursive, double true_residual);

/* Tolerance for the recursive residual: at least eps^2 of the space's numbers. Below that it no
 * longer follows the true residual, and would underflow. */
double cgs_recursion_tolerance(const struct cgs_space *space, double tolerance);

/* Sets *ends if the solve ends here. If the recursive residual has converged and the true one has
 * not, another replacement is worth it as long as each one halves the true residual. If both have
 * but a row has not, run->continues is set, and the threshold is that row's. */
enum cgs_status cgs_cg_ends(struct cgs_cg *cg, struct cgs_cg_run *run, bool *ends);

/* Fills the result of a finished run: outcome, history, eigenvalue and error estimates. */
enum cgs_status cgs_cg_find_result(struct cgs_cg *cg, const struct cgs_cg_run *run,
                                struct cgs_cg_result *result);
