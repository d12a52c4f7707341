/* Outcome of a solve from its true residual, and estimates from its records. */
#ifndef CGS_SOLVER_CG_CG_RESULT_H
#define CGS_SOLVER_CG_CG_RESULT_H

#include "solver/cg/cg.h"

/* Estimates errors[k] = ||x - x_k||_A for k = 0 ... iterations: its square is the sum of the
 * energies of later iterations and of the estimated rest. Returns false and writes nothing if the
 * rest is unknown or CG was restarted. */
bool cgs_cg_error_history(const struct cgs_cg_result *result, double *errors);

/* Returns the ratio of a row above which CG goes on (cgs_cg_settings.rows). */
double cgs_cg_rows_aim(double tolerance);

/* Returns the largest ratio, or a bound of it that is small enough; NaN: neither is known. */
double cgs_cg_rows_worst(const struct cgs_cg_rows *rows);

/* Returns "converged", "rounding_floor", ...: solver.status of the report. */
const char *cgs_outcome_name(enum cgs_outcome outcome);

/* Returns the exit status of an outcome: CGS_OK, CGS_NOT_CONVERGED, CGS_BREAKDOWN or
 * CGS_INTERRUPTED. */
enum cgs_status cgs_outcome_status(enum cgs_outcome outcome);

#endif
