/* Traffic of an iteration: the steps that cg_iterate.c queues, listed instead, and their bytes. */
#pragma once

#include "solver/cg/cg.h"

/* Writes the steps of one iteration for this operator and its space, in order, and returns their
 * number. Reads only `steps`, `flexible` and `moves` of the preconditioner (NULL: none). */
int cgs_cg_steps(const struct cgs_operator *op, const struct cgs_operator *preconditioner,
                 enum cgs_cg_method method, struct cgs_cg_step steps[CGS_CG_STEPS]);

/* Returns a whole iteration as one step. It moves the sum of its steps, or, for
 * CGS_LAUNCH_PERSISTENT, what the operator's `advance` moves. */
struct cgs_cg_step cgs_cg_iteration(const struct cgs_operator *op,
                                    const struct cgs_operator *preconditioner,
                                    enum cgs_cg_method method, enum cgs_launch launch);

/* Returns the first iteration by A's inverse as one step. more: another one follows. It is without
 * z = M r, which is spared at the end of the last iteration. */
struct cgs_cg_step cgs_cg_inversion(const struct cgs_operator *op,
                                    const struct cgs_operator *inverse, bool more);

/* Bytes that a step moves, and the bytes of these that it writes. product: traffic of one A p. */
double cgs_cg_bytes(const struct cgs_cg_step *step, const struct cgs_operator *op,
                    const struct cgs_traffic *product);
double cgs_cg_bytes_written(const struct cgs_cg_step *step, const struct cgs_operator *op);
