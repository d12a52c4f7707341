/* True residuals, and what CG does with them: start, restart, reliable update. */
#ifndef CGS_SOLVER_CG_UPDATE_H
#define CGS_SOLVER_CG_UPDATE_H

#include "solver/cg_loop.h"

/* r'r at which a reliable update is due, as a part of the largest since the one before; 0 where the
 * iterations have the equation's own precision. */
double cgs_cg_update_share(const struct cgs_cg *cg);

/* r = b - A x in the precision of the equation, after x has got its part; ||r||^2, ||b||^2 and
 * ||x||^2 into `run`. */
enum cgs_status cgs_cg_true_residual(struct cgs_cg *cg, struct cgs_cg_run *run);

/* The first direction of a run or of a restart, from the residual in r. */
enum cgs_status cgs_cg_start(struct cgs_cg *cg, struct cgs_cg_run *run);

/* Counts a restart; of the first one is kept where it was, and how far recursive r'r and the true
 * one were apart. */
void cgs_cg_note_restart(struct cgs_cg_run *run, double recursive);

/* The true residual, just computed, takes the recursive one's place, and the direction stays; where
 * the two have parted, a restart. The reason to stop is set anew. */
enum cgs_status cgs_cg_renew(struct cgs_cg *cg, struct cgs_cg_run *run);

#endif
