/* Vectors of a run that come from files. */
#ifndef CGS_CORE_RUN_RUN_VECTORS_H
#define CGS_CORE_RUN_RUN_VECTORS_H

#include "core/run/run.h"

/* Reads this rank's rows of the file of --rhs. CGS_FILE: it cannot be read, or does not fit.
 * CGS_BREAKDOWN: its numbers underflow in single precision. */
enum cgs_status cgs_run_read_rhs(struct cgs_run *run, double *b);

/* Reads the file of --guess, if there is one, into run->start. */
enum cgs_status cgs_run_read_start(struct cgs_run *run);

/* Copies run->start to CG's solution vector. */
enum cgs_status cgs_run_put_start(struct cgs_run *run);

#endif
