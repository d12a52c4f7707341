/* An iteration of CG. */
#ifndef CGS_SOLVER_CG_CG_ITERATE_H
#define CGS_SOLVER_CG_CG_ITERATE_H

#include "solver/cg/cg.h"

/* Queues one iteration. */
enum cgs_status cgs_cg_iterate(struct cgs_cg *cg);

#endif
