/* Conjugate gradients with one reduction an iteration: the algorithm. */
#ifndef CGS_SOLVER_CG_CG_MERGED_H
#define CGS_SOLVER_CG_CG_MERGED_H

#include "solver/cg/cg.h"

/* Moves of a residual replacement of CG with one reduction, b - A x and x'x, b'b included. */
struct cgs_moves cgs_cg_renewal_moves(const struct cgs_operator *op,
                                      const struct cgs_operator *preconditioner);

/* Returns "standard", "single-reduction". */
const char *cgs_cg_method_name(enum cgs_cg_method method);

#endif
