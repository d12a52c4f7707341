/* One-dimensional tables of a separable solution u = sum_t X_t(x) Y_t(y) Z_t(z), with which load
 * vector and error norms cost a few operations a node. Internal to fem/.
 */
#pragma once

#include <stdint.h>

#include "base/context.h"
#include "base/linkage.h"
#include "fem/element/element.h"
#include "fem/element/separable.h"
#include "fem/problem.h"

CGS_BEGIN_C

/* Allocates tables, contents undefined; none for a problem without terms. To be released. */
enum cgs_status cgs_tables_create(struct cgs_context *context, const struct cgs_problem *problem,
                                  const struct cgs_mesh *mesh, int kinds,
                                  struct cgs_tables *tables);

void cgs_tables_release(struct cgs_context *context, struct cgs_tables *tables);

/* Fills table `kind` with the factors' values at the nodes. */
void cgs_tables_nodal(const struct cgs_problem *problem, const struct cgs_mesh *mesh, int kind,
                      struct cgs_tables *tables);

/* Nodal values of u on the part begin <= ix < end of the line of unknowns (iy, iz); `kind` is the
 * table of nodal values. u holds end - begin numbers. */
void cgs_tables_solution(const struct cgs_problem *problem, const struct cgs_mesh *mesh,
                         const struct cgs_tables *tables, int kind, int64_t begin, int64_t end,
                         int64_t iy, int64_t iz, double *u);

CGS_END_C
