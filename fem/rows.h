/* Row lengths and infinity norm of the matrix without generating rows, for operators without
 * entries and for plans. */
#pragma once

#include "base/linkage.h"
#include "fem/element/element.h"
#include "matrix/matrix.h"

CGS_BEGIN_C

/* Returns the product of 3 n_k - 2, or 3 n_k of periodic directions: the entries of the whole
 * matrix. */
int64_t cgs_mesh_nonzeros(const struct cgs_mesh *mesh);

/* Returns true if all faces are free or periodic. */
bool cgs_mesh_unheld(const struct cgs_mesh *mesh);

/* Returns true if constants solve A x = 0: all faces are free or periodic, and nothing is
 * transferred through them. Reads the numbers of cells. */
bool cgs_mesh_singular(const struct cgs_mesh *mesh);

/* Returns the number of diagonals that they are on, at most. */
int32_t cgs_mesh_diagonals(const struct cgs_mesh *mesh);

/* Returns the statistics of the row lengths, in closed form. */
struct cgs_row_statistics cgs_mesh_statistics(const struct cgs_mesh *mesh);

/* Estimates the infinity norm without generating rows: 8 times the largest row sum of magnitudes
 * of the element matrices, an upper bound; on a deformed mesh over a sample of the cells, with
 * numbers of cells (CGS_KAPPA_CELLS) over all of them. */
double cgs_mesh_norm(const struct cgs_mesh *mesh);

CGS_END_C
