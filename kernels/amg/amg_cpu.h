/* S of algebraic multigrid on the CPU (kernels/amg.h). */
#pragma once

#include "kernels/amg.h"

/* Makes this rank's rows of S, with the columns of a; several ranks (ghosts not NULL) call it at
 * once, and agree on failure. */
enum cgs_status cgs_amg_smoothing_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         double omega, struct cgs_sparse *s);
