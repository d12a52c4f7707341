/* The preconditioner of a run: made, kept for new values, made again with cycles in double. */
#pragma once

#include "core/run/run.h"

/* Makes the preconditioner of --precond, if there is one, unless amg's cycle of earlier values
 * stays, and notes its facts and seconds. Where nobody named the precision of amg's cycles and its
 * set-up breaks down in single, they are made in double. CGS_BREAKDOWN: the message has what the
 * matrix's entries say. */
enum cgs_status cgs_run_make_precond(struct cgs_run *run);

/* Makes it again with cycles in double, in place of the one that is there. */
enum cgs_status cgs_run_make_precond_double(struct cgs_run *run);

/* Lets go of the preconditioner before new values of the matrix, but for what --reuse keeps. */
void cgs_run_drop_precond(struct cgs_run *run);

/* Notes how many iterations a solve took, for --reuse=all; one that began again took fewer than
 * from the start. */
enum cgs_status cgs_run_note_iterations(struct cgs_run *run);
