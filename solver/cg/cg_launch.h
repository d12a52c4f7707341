/* Launch of iterations: one by one, recorded, or in one kernel. */
#ifndef CGS_SOLVER_CG_CG_LAUNCH_H
#define CGS_SOLVER_CG_CG_LAUNCH_H

#include "solver/cg/cg.h"

/* Returns true if CG on this operator can be launched as CGS_LAUNCH_PERSISTENT. */
bool cgs_cg_can_persist(const struct cgs_operator *op, bool preconditioned);

#endif
