/* Steps of a run for a caller of the library. */
#pragma once

#include "core/run/run.h"
#include "solver/cg/cg.h"

/* Makes the caller's preconditioner. CGS_USAGE: it does not go with the options. */
enum cgs_status cgs_run_caller_precondition(struct cgs_run *run);

/* Looks at new values of rows in the memory of a device. Returns false if the set-up has to be made
 * anew, which says what is wrong with them, or copies them. */
bool cgs_run_caller_renews(struct cgs_run *run, const struct cgs_caller_rows *rows);

/* Takes the caller's values again, and checks the rows. CGS_BREAKDOWN, CGS_FILE: as at first. */
enum cgs_status cgs_run_caller_values(struct cgs_run *run);

/* Moves a vector of the caller's part to the ranks that have its rows: `here` is this one's; on all
 * ranks at once. */
void cgs_run_caller_move(struct cgs_run *run, const double *vector, double *here);

/* Returns true if the vector is in the memory of the run's device, which is not the host's. */
bool cgs_run_caller_there(const struct cgs_run *run, const double *vector);

/* Fails if a number of the vector is NaN or infinite, or would overflow in single precision; mixed
 * precision holds b and x in double. */
enum cgs_status cgs_run_caller_check(struct cgs_run *run, const char *name, int64_t count,
                                     const double *vector);

/* Copies the caller's right-hand side to b. */
enum cgs_status cgs_run_caller_load(struct cgs_run *run);

/* Clear: sets x to zero again, before right-hand side and start vector are set. Start: copies the
 * caller's start vector, if there is one, to x. */
enum cgs_status cgs_run_caller_clear(struct cgs_run *run);
enum cgs_status cgs_run_caller_start(struct cgs_run *run);

/* The pause callback of CG (solver/cg/cg.h), whose user is the run: shows the caller the solution
 * after an iteration. */
enum cgs_status cgs_run_caller_look(void *run, struct cgs_cg *cg, struct cgs_cg_pause *now);

/* Copies the solution to the caller, unless CG broke down. */
enum cgs_status cgs_run_caller_over(struct cgs_run *run);
