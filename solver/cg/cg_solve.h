/* A solve by CG. */
#pragma once

#include "solver/cg/cg.h"

/* Runs CG. Returns CGS_OK whenever an outcome was reached, even a failure of the method (see the
 * result), else a fault of device or memory. The loop is timed as CGS_PHASE_SOLVE, the true
 * residual as CGS_PHASE_ERRORS. */
enum cgs_status cgs_cg_solve(struct cgs_cg *cg, struct cgs_cg_result *result);
