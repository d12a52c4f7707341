/* Aggregates of strongly connected rows on the CPU (kernels/amg.h). */
#pragma once

#include "base/linkage.h"
#include "kernels/amg.h"

CGS_BEGIN_C

/* The same on several ranks, on the CPU: `a` has the rows of this rank, and all columns that
 * these have, counted as kernels/sparse/ghosts.h says. Aggregates cross the cuts: they are those
 * of one process, numbered in the same way. aggregates->rows: columns of a; count: of all ranks.
 * On all ranks at once, which agree on failure; the message of CGS_BREAKDOWN has the row of the
 * whole. */
enum cgs_status cgs_amg_aggregate_shared(struct cgs_queue *queue, const struct cgs_sparse *a,
                                         const struct cgs_ghosts *ghosts, double theta,
                                         struct cgs_aggregates *aggregates);

CGS_END_C

/* Aggregates of all rows, or of those of a rank (ghosts not NULL). */
enum cgs_status cgs_amg_cpu_aggregate(struct cgs_queue *queue, const struct cgs_sparse *a,
                                      double theta, struct cgs_aggregates *aggregates);

/* `release` and `forget` of struct cgs_amg_ops. */
void cgs_amg_cpu_release(struct cgs_queue *queue, struct cgs_aggregates *aggregates);
void cgs_amg_cpu_forget(struct cgs_queue *queue, struct cgs_aggregates *aggregates);
