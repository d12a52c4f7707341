/* Load and errors of a run on the box. */
#pragma once

#include "core/run/run.h"

/* Computes the load vector on the host, of the problem of this mesh, into run->host. */
enum cgs_status cgs_run_box_load(struct cgs_run *run, const struct cgs_mesh *mesh);

/* Measures the errors of CG's solution vector; sets *there to false if no exact solution is
 * known. */
enum cgs_status cgs_run_box_measure(struct cgs_run *run, struct cgs_errors *errors, bool *there);
