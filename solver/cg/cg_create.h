/* Creation and release of a CG: vectors, state, records, and the plan of their memory. */
#pragma once

#include "solver/cg/cg.h"

/* Adds the vectors and the state of cgs_cg_create to the plan. outer_bytes: bytes of a vector of
 * the equation in mixed precision, else 0. small: CG begins so (cg_vectors.h); the vectors of a
 * second iteration are then those of plan->later. */
void cgs_cg_plan(struct cgs_plan *plan, enum cgs_place place, int64_t vector_bytes,
                 int64_t outer_bytes, bool preconditioned, enum cgs_cg_method method,
                 int work_vectors, bool small, int64_t max_iterations);

/* Creates a CG for the square operator `op`. preconditioner: NULL, or an operator on the space of
 * the iterations (that of settings->inner in mixed precision). All arguments are borrowed.
 * CGS_USAGE: device or operator cannot do the launch mode or the method. */
enum cgs_status cgs_cg_create(struct cgs_queue *queue, const struct cgs_operator *op,
                              const struct cgs_operator *preconditioner,
                              const struct cgs_cg_settings *settings, struct cgs_cg **cg);
void cgs_cg_release(struct cgs_cg *cg);

/* The right-hand side and the start vector, which becomes the solution, in the operator's space.
 * Both are zero at first; fill them by put before a solve. */
void *cgs_cg_rhs(struct cgs_cg *cg);
void *cgs_cg_solution(struct cgs_cg *cg);

/* The vectors below may not be there after a solve: cgs_cg_complete makes them (cg_vectors.h). */

/* For the pause callback: the recursive residual after the last iteration, its space, and the space
 * of right-hand side and solution. In mixed precision cgs_cg_solution is that of the last residual
 * replacement. */
void *cgs_cg_residual(struct cgs_cg *cg);
const struct cgs_space *cgs_cg_residual_space(const struct cgs_cg *cg);
const struct cgs_space *cgs_cg_space(const struct cgs_cg *cg);

/* Work vector in the space of the recursive residual; free to use after a solve. */
void *cgs_cg_scratch(struct cgs_cg *cg);

/* b - A x as recomputed at the end of a solve, a vector of cgs_cg_space. */
const void *cgs_cg_final_residual(const struct cgs_cg *cg);
