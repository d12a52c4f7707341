/* Memory of a multigrid and traffic of its cycle, from its settings alone. */
#pragma once

#include "solver/grids.h"

/* Memory of cgs_multigrid_create apart from operators and transfers, and traffic of a cycle in
 * vectors of `outer`. Both work before the operators exist (multigrid_plan.c). They read an
 * operator's `steps` and its domain's size, footprint, number and place, a transfer's moves, and
 * whether a grid has an `inverse`. */
void cgs_multigrid_plan(struct cgs_plan *plan, enum cgs_number outer,
                        const struct cgs_multigrid_settings *settings, int l);
struct cgs_moves cgs_multigrid_moves(const struct cgs_space *outer,
                                     const struct cgs_multigrid_settings *settings);

/* Bytes that a cycle moves on grid l, without conversions. */
double cgs_multigrid_bytes(const struct cgs_multigrid_settings *settings, int l);
