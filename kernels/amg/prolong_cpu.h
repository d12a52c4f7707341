/* Smoothed interpolation on the CPU (kernels/amg.h). */
#pragma once

#include "kernels/amg.h"

/* struct cgs_amg_ops.prolong. */
enum cgs_status cgs_amg_cpu_prolong(struct cgs_queue *queue, const struct cgs_sparse *a,
                                    const struct cgs_aggregates *aggregates, double theta,
                                    double omega, struct cgs_sparse *p, int64_t *aggregated);

/* Makes this rank's rows of P; several ranks (ghosts not NULL) call it at once, and agree on
 * failure. */
enum cgs_status cgs_amg_prolong_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                       const struct cgs_ghosts *ghosts,
                                       const struct cgs_aggregates *aggregates, double theta,
                                       double omega, struct cgs_sparse *p);
