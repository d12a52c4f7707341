/* Operators, solver and solve of a run. */
#pragma once

#include "core/run/run.h"

/* Creates the operators and the preconditioner, if there is one. */
enum cgs_status cgs_run_make_operators(struct cgs_run *run);

/* Creates CG with its vectors. */
enum cgs_status cgs_run_make_solver(struct cgs_run *run);

/* Solves; the report gets the result with its own copy of the history. */
enum cgs_status cgs_run_solve(struct cgs_run *run);

/* Computes the start vector of --guess. */
enum cgs_status cgs_run_start(struct cgs_run *run);
