/* An iteration of CG. */
#pragma once

#include "solver/cg/cg.h"

/* Queues the start and the first iteration from x = 0 with A's inverse M. alpha is 1, so that
 * neither p nor A p is needed unless another iteration follows. */
enum cgs_status cgs_cg_iterate_inverse(struct cgs_cg *cg);

/* Queues the rest of that iteration, where it is not the last. CG that begins with b and x alone
 * (cg_vectors.h) has ended it as if it were: the host sets the state back to what it was before,
 * after cgs_cg_begin. */
enum cgs_status cgs_cg_go_on_from_inverse(struct cgs_cg *cg);

/* Queues one iteration. */
enum cgs_status cgs_cg_iterate(struct cgs_cg *cg);
