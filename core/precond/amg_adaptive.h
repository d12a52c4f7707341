/* Near-null vectors that amg's set-up finds by itself. */
#pragma once

#include "core/precond/amg_level.h"

/* Finds `count` vectors of the finest grid, of which this rank has the portion's rows (NULL: all),
 * one after the other: a block of cgs_alloc, owned by the caller. All ranks call it at once, and
 * agree on failure. CGS_BREAKDOWN: A is not positive definite. */
enum cgs_status cgs_amg_adapt(struct cgs_amg_setup *setup, const struct cgs_portion *portion,
                              int count, double **columns);
