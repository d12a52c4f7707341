/* True residuals, restarts, and residual replacement. */
#ifndef CGS_SOLVER_CG_CG_RESIDUAL_H
#define CGS_SOLVER_CG_CG_RESIDUAL_H

#include "solver/cg/cg.h"

/* Bytes that a residual replacement of mixed precision moves. preconditioner: as in cgs_cg_steps.
 * product: traffic of one A p of `outer`. */
double cgs_cg_update_bytes(const struct cgs_operator *outer, const struct cgs_operator *inner,
                           const struct cgs_operator *preconditioner,
                           const struct cgs_traffic *product);

#endif
