/* Choices of a run: for a matrix by rows its kernel and the precision of cycles, for the box its
 * preconditioner. */
#pragma once

#include "core/run/run.h"

/* --kernel=auto: times candidates on the matrix within the memory that CG's vectors leave free, or
 * chooses by lengths of rows (--reproducible, or nothing is to be measured). If nothing fits,
 * the default kernel stays and the plan refuses it. */
enum cgs_status cgs_run_choose_kernel(struct cgs_run *run);

/* Returns true if the precision of amg's cycles in a solve in double is the run's to choose, and is
 * single so far. */
bool cgs_run_cycle_open(const struct cgs_run *run);

/* --precond-precision=auto of amg: decides on double if diagonal entries are so near to the ends of
 * single precision that products and coarse grids would leave its range. */
enum cgs_status cgs_run_choose_cycle(struct cgs_run *run);

/* --precond=auto of the box: decides on fdm or mg by the cells' numbers. */
enum cgs_status cgs_run_choose_precond(struct cgs_run *run);
