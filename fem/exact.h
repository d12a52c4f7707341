/* The exact solution at any point, for load vectors and error norms of general meshes. Internal to
 * fem/.
 */
#pragma once

#include "fem/element/cells.h"
#include "fem/problem.h"

/* Sum of the problem's terms, for any coefficient, at point t of the unit cube. over: 1/L
 * (cgs_exact_of). */
struct cgs_exact cgs_exact_at(const struct cgs_problem *problem, const double over[3],
                              const double point[3]);

/* u on the line of nodes (iy, iz), for a problem with terms: out[i] for i = 0 ... n_x + 1. */
void cgs_exact_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                    int64_t iz, double *out);

/* f = -div(kappa grad u) likewise, with the continuous coefficient sampled by CGS_KAPPA_SMOOTH. For
 * a jump it is -Laplace of the sum of terms: right for problems over kappa (problem.h), and a
 * smooth load for the others. */
void cgs_source_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                     int64_t iz, double *out);
