/* Conjugate gradients with one reduction an iteration: the algorithm. */
#pragma once

#include "solver/cg/cg.h"

/* Moves of a residual replacement of CG with one reduction, b - A x and x'x, b'b included. */
struct cgs_moves cgs_cg_renewal_moves(const struct cgs_operator *op,
                                      const struct cgs_operator *preconditioner);

/* ---- for the files of CG ---- */

enum cgs_status cgs_cg_iterate_single(struct cgs_cg *cg);

/* Begins a run or restart from r and a complete r'r: z, w, the first direction. */
enum cgs_status cgs_cg_begin_merged(struct cgs_cg *cg);

/* Computes all vectors besides x, r and p anew from r and p, and the sums p'q, r'z, z'w and q'z. */
enum cgs_status cgs_cg_renew(struct cgs_cg *cg);

/* Computes the direction that comes next, and its p'A p as a product instead of from
 * recurrences. */
enum cgs_status cgs_cg_measure_next(struct cgs_cg *cg);

/* CGS_USAGE: the space, the operators or the precision of the iterations cannot do the method. */
enum cgs_status cgs_cg_check_method(const struct cgs_cg *cg);
