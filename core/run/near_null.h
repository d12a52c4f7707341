/* Near-null vectors of a matrix by rows, which A nearly takes to 0, for the coarse grids of
 * --precond=amg, and the rows of a node (--block), for those of --precond=jacobi, too. */
#pragma once

#include "core/run/run.h"

/* Reads the near-null vectors of --near-null or the library's caller, or makes rigid-body modes of
 * --coordinates, and notes them in the settings; before the plan. CGS_USAGE, CGS_FILE: they do not
 * fit the matrix. */
enum cgs_status cgs_run_take_near_null(struct cgs_run *run);

/* Looks at the numbers of the library's caller again, which may have changed with the values. */
enum cgs_status cgs_run_check_near_null(struct cgs_run *run);
