/* Steps of a run for a matrix by rows, from a file or a caller. */
#pragma once

#include "core/run/run.h"

/* Checks that the matrix is symmetric with a positive diagonal. CGS_BREAKDOWN: it is not; the
 * message has the entry. */
enum cgs_status cgs_run_file_check(struct cgs_run *run);

/* Computes or reads the right-hand side of --rhs; the start vector is zero. */
enum cgs_status cgs_run_rows_load(struct cgs_run *run);

/* Measures the error for --rhs=random: max |x - u| and ||x - u|| / ||u||. */
enum cgs_status cgs_run_rows_errors(struct cgs_run *run);
