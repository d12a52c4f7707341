/* Coarsening of one grid. */
#pragma once

#include "core/precond/amg_level.h"

/* Waits for the device and adds the time since the last call to `part`. */
enum cgs_status cgs_amg_charge(struct cgs_amg_setup *setup, enum cgs_amg_part part);

/* Bounds of eigenvalues are estimates times this. */
static const double CGS_AMG_MARGIN = 1.1;

/* Computes level->high. */
enum cgs_status cgs_amg_find_bound(struct cgs_amg_setup *setup, struct cgs_amg_level *level);

/* Notes that the coarsest matrix so far does not have the pattern that is known of it, and releases
 * the operators that were to be renewed. */
void cgs_amg_differ(struct cgs_amg_setup *setup);
void cgs_amg_release_old(struct cgs_amg_kept *kept);

/* Returns true if aggregation reduces the rows too little for another grid. */
bool cgs_amg_stalls(int64_t aggregates, int64_t rows);

/* Makes P, R and R A P of matrix a with threshold theta; all three owned by the caller. If
 * aggregation stalls, all three are empty (no rows). *aggregated: rows in an aggregate. high: bound
 * of the eigenvalues of D^-1 A. */
enum cgs_status cgs_amg_coarsen(struct cgs_amg_setup *setup, const struct cgs_sparse *a,
                                double theta, double high, int64_t *aggregated,
                                struct cgs_sparse *p, struct cgs_sparse *r,
                                struct cgs_sparse *coarse);
