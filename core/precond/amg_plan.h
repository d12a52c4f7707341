/* Algebraic multigrid before it exists: what it will hold (amg_plan.c says how well that is
 * known). */
#pragma once

#include "core/setup/spec.h"

/* Plans a run with --precond=amg: a line for each place of finest grid, coarser grids, and what
 * set-up takes more than is there afterwards. before: the plan's totals without what follows
 * set-up. */
void cgs_amg_plan(const struct cgs_spec *forecast, const int64_t before[CGS_PLACES],
                  struct cgs_plan *plan);
