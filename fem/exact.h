/* The exact solution at any point: what load vectors and error norms of general meshes are made of.
 * Internal to fem/.
 */
#ifndef CGS_FEM_EXACT_H
#define CGS_FEM_EXACT_H

#include "fem/cells.h"
#include "fem/problem.h"

/* The sum of the problem's terms, whatever the coefficient. */
struct cgs_exact cgs_exact_at(const struct cgs_problem *problem, const double point[3]);

/* u on the line of nodes (iy, iz): out[i] for i = 0 ... n + 1. Of a problem with terms. */
void cgs_exact_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                    int64_t iz, double *out);

/* f = -div(kappa grad u) likewise, with the continuous coefficient that CGS_KAPPA_SMOOTH samples.
 * For a jump it is -Laplace of the sum of terms: what problems over kappa want (problem.h), and a
 * smooth load for the others. */
void cgs_source_line(const struct cgs_problem *problem, const struct cgs_cells *cells, int64_t iy,
                     int64_t iz, double *out);

#endif
