/* Right-hand sides of implicit steps in time: with c = 1 / dt, R the matrix of the term c u, and K
 * that of the others, a step of backward Euler solves
 *
 *     (K + R) u_new = R u + load,
 *
 * load being that of the problem without c, whose values on faces stay. Both u have these. */
#pragma once

#include "core/run/run.h"

struct cgs_stepping;

/* Computes b = R u + load; with b NULL it is left to cgs_library_step_vector. Both may be in the
 * memory of the host or the device, and b may be u. The first call makes *stepping, the operator R,
 * without entries, and the load, to be released before the run. Of a box of the user's own with a
 * reaction, set up; on all ranks at once. CGS_FILE: a number of u is not finite. CGS_MEMORY.
 * CGS_USAGE: ranks on CPUs own parts of planes. */
enum cgs_status cgs_library_step(struct cgs_run *run, struct cgs_stepping **stepping,
                                 const double *u, double *b);

/* Returns b of the last call, in natural order, where the run's vectors are: the solver's own
 * right-hand side, unless that has another precision or layout. */
void *cgs_library_step_vector(const struct cgs_run *run, const struct cgs_stepping *stepping);

/* Gives *stepping back, and sets it to NULL, which is allowed. */
void cgs_library_step_release(struct cgs_run *run, struct cgs_stepping **stepping);
