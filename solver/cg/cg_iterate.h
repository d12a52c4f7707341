/* An iteration of CG. */
#pragma once

#include "solver/cg/cg.h"

/* Queues the start and the first iteration from x = 0 with A's inverse M. alpha is 1, so that
 * neither p nor A p is needed unless another iteration follows. */
enum cgs_status cgs_cg_iterate_inverse(struct cgs_cg *cg);

/* Queues one iteration. */
enum cgs_status cgs_cg_iterate(struct cgs_cg *cg);
