/* True residuals, restarts, and residual replacement. */
#pragma once

#include "solver/cg/cg.h"

/* Bytes that a residual replacement of mixed precision moves. preconditioner: as in cgs_cg_steps.
 * product: traffic of one A p of `outer`. */
double cgs_cg_update_bytes(const struct cgs_operator *outer, const struct cgs_operator *inner,
                           const struct cgs_operator *preconditioner,
                           const struct cgs_traffic *product);

/* ---- for the files of CG ---- */

struct cgs_cg_run; /* cg_internal.h */

/* Computes r = b - A x in the precision of the equation, after adding the correction to x in mixed
 * precision. Writes ||r||^2, ||b||^2 and ||x||^2 to `run`. No product where run->fresh. */
enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* The same at the start of a solve. CG that begins with b and x alone (cg_vectors.h) writes
 * r = b - A x only if x is not 0. */
enum cgs_status cgs_cg_first_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Takes a power of two out of b and x where ||b||^2 would leave the range of doubles, or b that of
 * the floats of mixed precision or of a narrow preconditioner, and computes r = b - A x again. */
enum cgs_status cgs_cg_take_scale(struct cgs_cg *cg, struct cgs_cg_run *run);
/* Puts it back into b, x and b - A x, exactly. */
enum cgs_status cgs_cg_give_scale(struct cgs_cg *cg, const struct cgs_cg_run *run);

/* Sets the reference of relative residuals and the threshold of the recursion. CGS_BREAKDOWN: the
 * squares of such small residuals underflow. */
enum cgs_status cgs_cg_set_threshold(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Computes the first direction of a run or restart from r: z = M r, p = z. */
enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Replaces the recursive residual by the true one, just computed. CG keeps its direction (mixed
 * precision) or restarts. Updates the reason to stop. */
enum cgs_status cgs_cg_replace_residual(struct cgs_cg *cg, struct cgs_cg_run *run);
